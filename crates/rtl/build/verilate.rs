use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::designs::{
    CORE_BEAT_BYTES, CORES, Design, NTT_MULTIPLIERS, combas, conversions, core, engines, karatsubas,
    ntt_multiplier, residents, tiles,
};
use crate::files::{files, files_of, read, variable, write};

/// Verilator's options: with assertions, and with short functions and files, because compilers take long
/// for long ones.
const FLAGS: [&str; 10] = [
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--assert",
    "-DRINGMILL_ASSERTIONS",
    "--output-split",
    "20000",
    "--output-split-cfuncs",
    "500",
];

/// The parts of Verilator's runtime that are not used.
const UNUSED: [&str; 6] = [
    "VM_COVERAGE",
    "VM_SC",
    "VM_TIMING",
    "VM_TRACE",
    "VM_TRACE_FST",
    "VM_TRACE_VCD",
];

/// If this variable is set, no machine is built: lints and documentation link nothing.
const ONLY_LISTS: &str = "RINGMILL_RTL_ONLY_LISTS";

/// The folders of this build.
struct Places {
    verilator: PathBuf,
    hdl: PathBuf,
    shim: PathBuf,
    out: PathBuf,
}

/// Builds all machines and their C interfaces.
pub fn all() -> Result<(), String> {
    let places = Places::find()?;
    let multipliers = NTT_MULTIPLIERS.map(ntt_multiplier);
    let engines = engines();
    let cores: Vec<Design> = CORES.iter().map(core).collect();
    let (conversions, tiles) = (conversions(), tiles());
    let (combas, karatsubas, residents) = (combas(), karatsubas(), residents());
    let all = multipliers
        .iter()
        .chain(&engines)
        .chain(&cores)
        .chain(&conversions)
        .chain(&tiles)
        .chain(&combas)
        .chain(&karatsubas)
        .chain(&residents);
    let designs: Vec<&Design> = all.collect();
    watch(&places, &designs)?;
    list_multipliers(&places, &multipliers)?;
    list_labels(&places, "engine", &engines)?;
    list_labels(&places, "conversion", &conversions)?;
    list_labels(&places, "tile", &tiles)?;
    list_labels(&places, "comba", &combas)?;
    list_labels(&places, "karatsuba", &karatsubas)?;
    list_labels(&places, "resident", &residents)?;
    list_cores(&places, &cores)?;
    if env::var_os(ONLY_LISTS).is_some() {
        return Ok(());
    }
    build_designs(&places, &designs)?;
    let mut shim = compiler(&places);
    shim.files(files_of(&places.shim, "cpp")?);
    for design in &designs {
        shim.include(places.out.join(design.class()));
    }
    compile(&shim, "ringmill_rtl_shim")?;
    let mut runtime = compiler(&places);
    let include = places.verilator.join("include");
    runtime.files(["verilated.cpp", "verilated_threads.cpp"].map(|source| include.join(source)));
    compile(&runtime, "ringmill_rtl_verilated")?;
    link(&places, &designs)
}

/// Each library needs those that follow.
fn link(places: &Places, designs: &[&Design]) -> Result<(), String> {
    println!("cargo::rustc-link-search=native={}", places.out.display());
    println!("cargo::rustc-link-lib=static=ringmill_rtl_shim");
    for design in designs {
        println!("cargo::rustc-link-lib=static={}", design.class());
    }
    println!("cargo::rustc-link-lib=static=ringmill_rtl_verilated");
    match variable("CARGO_CFG_TARGET_VENDOR")?.as_str() {
        "apple" => println!("cargo::rustc-link-lib=c++"),
        _ => println!("cargo::rustc-link-lib=stdc++"),
    }
    Ok(())
}

/// Has the script run again when a source changes.
fn watch(places: &Places, designs: &[&Design]) -> Result<(), String> {
    let mut folders: Vec<PathBuf> = designs.iter().flat_map(|design| places.folders(design)).collect();
    folders.extend([places.shim.clone(), places.testing()]);
    folders.sort();
    folders.dedup();
    for folder in folders {
        for file in files(&folder)? {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    Ok(())
}

fn compiler(places: &Places) -> cc::Build {
    let include = places.verilator.join("include");
    let mut build = cc::Build::new();
    // Verilated code is large: more optimisation takes minutes and gains little.
    build.cpp(true).std("c++20").opt_level(1).debug(false);
    build.warnings(false).cargo_metadata(false);
    build.includes([
        &places.shim,
        &places.testing(),
        &places.out,
        &include,
        &include.join("vltstd"),
    ]);
    for unused in UNUSED {
        build.define(unused, "0");
    }
    build
}

fn compile(build: &cc::Build, library: &str) -> Result<(), String> {
    build.try_compile(library).map_err(|error| error.to_string())
}

/// Makes the libraries of machines, as many at a time as cargo may do jobs.
fn build_designs(places: &Places, designs: &[&Design]) -> Result<(), String> {
    let jobs = variable("NUM_JOBS")?.parse().unwrap_or(1);
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(design) = designs.get(next.fetch_add(1, Ordering::Relaxed)) {
            build_design(places, design)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| Err("a thread that builds machines panicked".to_owned()))
        })
    })
}

/// Makes a machine's library, unless there is one from these very sources.
fn build_design(places: &Places, design: &Design) -> Result<(), String> {
    let library = places.out.join(format!("lib{}.a", design.class()));
    let stamp = places.out.join(format!("{}.stamp", design.class()));
    let digest = digest(places, design)?;
    if library.is_file() && fs::read_to_string(&stamp).is_ok_and(|made| made == digest) {
        return Ok(());
    }
    let made = verilate(places, design)?;
    let mut build = compiler(places);
    build.include(&made).file(joined(&made)?);
    compile(&build, &design.class())?;
    write(&stamp, &digest)
}

/// Makes one source that includes all others of a machine: a compiler reads the headers only once then, which is most of
/// its work for the many short files that Verilator writes.
fn joined(made: &Path) -> Result<PathBuf, String> {
    let mut text = String::new();
    for file in files_of(made, "cpp")? {
        // Each file's precompiled header insists on being the only one.
        text += &format!("#undef VL_PCH_INCLUDED\n#include \"{}\"\n", file.display());
    }
    let all = made.join("all.cc");
    write(&all, &text)?;
    Ok(all)
}

/// A hash of everything from which a machine's library is made.
fn digest(places: &Places, design: &Design) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    (design.label(), FLAGS, &places.verilator).hash(&mut hasher);
    for folder in places.folders(design) {
        for file in files(&folder)? {
            (read(&file)?, file).hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

impl Places {
    fn find() -> Result<Self, String> {
        let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
        let root = manifest.join("../..");
        println!("cargo::rerun-if-env-changed=RINGMILL_HW_ENV");
        println!("cargo::rerun-if-env-changed={ONLY_LISTS}");
        let environment = env::var_os("RINGMILL_HW_ENV").map(PathBuf::from);
        let environment = environment.unwrap_or_else(|| root.join("target/hw/env"));
        Ok(Self {
            verilator: find_verilator(&environment)?,
            hdl: root.join("hdl"),
            shim: manifest.join("shim"),
            out: PathBuf::from(variable("OUT_DIR")?),
        })
    }

    /// The parts of benches that the simulations need too: a memory behind a bus.
    fn testing(&self) -> PathBuf {
        self.hdl.join("testing")
    }

    fn folders(&self, design: &Design) -> Vec<PathBuf> {
        design.parts.iter().map(|part| self.hdl.join(part)).collect()
    }
}

/// Finds the package of Verilator in a virtual environment.
fn find_verilator(environment: &Path) -> Result<PathBuf, String> {
    let libraries = fs::read_dir(environment.join("lib"))
        .into_iter()
        .flatten()
        .flatten();
    let packages = libraries.map(|library| library.path().join("site-packages/verilator"));
    let mut found = packages.filter(|package| package.join("bin/verilator_bin").is_file());
    found.next().ok_or_else(|| {
        format!(
            "no Verilator in {}: run `hdl/hw env`, or set RINGMILL_HW_ENV to an environment that has it",
            environment.display()
        )
    })
}

/// Translates a machine to C++, in a folder of its own.
fn verilate(places: &Places, design: &Design) -> Result<PathBuf, String> {
    let made = places.out.join(design.class());
    // Otherwise the files of an older version would be compiled too.
    if made.exists() {
        fs::remove_dir_all(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    }
    let folders = places.folders(design);
    let output = Command::new(places.verilator.join("bin/verilator_bin"))
        .env("VERILATOR_ROOT", &places.verilator)
        .args(FLAGS)
        .args(["--top-module", design.top, "--prefix", &design.class()])
        .args(
            design
                .parameters
                .iter()
                .map(|(name, value)| format!("-G{name}={value}")),
        )
        .arg("--Mdir")
        .arg(&made)
        .args(folders.iter().map(|folder| format!("-I{}", folder.display())))
        .args(sources(&folders)?)
        .output()
        .map_err(|error| format!("{}: {error}", places.verilator.display()))?;
    if output.status.success() {
        Ok(made)
    } else {
        Err(format!(
            "verilator: {}",
            String::from_utf8_lossy(&output.stderr).replace('\n', " | ")
        ))
    }
}

/// All sources of folders: packages before modules, lower parts before higher ones.
fn sources(folders: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut sources = Vec::new();
    for folder in folders {
        sources.extend(files_of(folder, "sv")?);
    }
    let is_module = |file: &PathBuf| !file.to_string_lossy().ends_with("_pkg.sv");
    sources.sort_by_key(is_module);
    Ok(sources)
}

/// Writes the list of NTT multipliers, for their C interface and for Rust.
fn list_multipliers(places: &Places, designs: &[Design]) -> Result<(), String> {
    let (mut entries, mut shapes) = (String::new(), String::new());
    for (design, (n, units, link, _, pipeline)) in designs.iter().zip(NTT_MULTIPLIERS) {
        let [log_n, log_units, log_link] = [n, units, link].map(u32::ilog2);
        entries += &format!(
            " \\\n  CONFIGURATION({}, {log_n}, {log_units}, {log_link}, {})",
            design.class(),
            pipeline as u32
        );
        shapes += &format!("({n}, {units}, {link}, Pipeline::{pipeline:?}), ");
    }
    write_list(places, "configurations.h", designs, "CONFIGURATIONS", &entries)?;
    write(&places.out.join("shapes.rs"), &format!("[{shapes}]\n"))
}

/// Writes the list of the machines of a kind by their labels, for their C interface and for Rust.
fn list_labels(places: &Places, kind: &str, designs: &[Design]) -> Result<(), String> {
    let (mut entries, mut labels) = (String::new(), String::new());
    let entry = kind.to_uppercase();
    for design in designs {
        let (class, label) = (design.class(), design.label());
        entries += &format!(" \\\n  {entry}({class}, \"{label}\")");
        labels += &format!("{label:?}, ");
    }
    write_list(
        places,
        &format!("{kind}s.h"),
        designs,
        &format!("{entry}S"),
        &entries,
    )?;
    write(&places.out.join(format!("{kind}s.rs")), &format!("&[{labels}]\n"))
}

/// Writes the list of cores, for their C interface and for Rust.
fn list_cores(places: &Places, designs: &[Design]) -> Result<(), String> {
    let entry = |design: &Design| {
        let (class, label) = (design.class(), design.label());
        format!(" \\\n  CORE({class}, \"{label}\", {CORE_BEAT_BYTES})")
    };
    let entries: String = designs.iter().map(entry).collect();
    write_list(places, "cores.h", designs, "CORES", &entries)?;
    let configurations = CORES
        .iter()
        .map(|(engine, n, units)| format!("(EngineKind::{engine:?}, {n}, {units}), "));
    let configurations: String = configurations.collect();
    write(&places.out.join("cores.rs"), &format!("[{configurations}]\n"))
}

/// Writes a header that includes the models' own and defines a macro that lists them.
fn write_list(
    places: &Places,
    file: &str,
    designs: &[Design],
    name: &str,
    entries: &str,
) -> Result<(), String> {
    let includes = designs
        .iter()
        .map(|design| format!("#include \"{}.h\"\n", design.class()));
    let text = includes.collect::<String>() + &format!("#define {name}{entries}\n");
    write(&places.out.join(file), &text)
}
