//! Compiles the kernels for GPUs by NVRTC, which needs no GPU.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use ringmill_cuda::gpu::GpuError;
use ringmill_cuda::gpu::nvidia::{Compiler, Image};
use ringmill_cuda::{Arithmetic, KernelSource};
use ringmill_ring::{FermatRing, NegacyclicRing, Ring};

use crate::common::loud;
use crate::common::resources::{OPTION, Resources, resources};

/// The targets of the compilations: A100 and H100.
const CAPABILITIES: [(u32, u32); 2] = [(8, 0), (9, 0)];

/// The definitions of a device: one of these.
const DEFINED: [&[&str]; 2] = [&["RINGMILL_DOUBLES"], &["RINGMILL_WORDS"]];

/// A kernel that needs no header, with 256 doubles of shared memory.
const SMALL: &str = r#"
struct Parameters { unsigned long long from, to; double factor; };
extern "C" __global__ void __launch_bounds__(256) small(const Parameters in) {
  __shared__ double tile[256];
  tile[threadIdx.x] = reinterpret_cast<const double*>(in.from)[threadIdx.x];
  __syncthreads();
  const double x = tile[255 - threadIdx.x];
  reinterpret_cast<double*>(in.to)[threadIdx.x] = x * in.factor + in.factor;
}
"#;

/// Loads NVRTC without a cache, or prints that the test is not run. A missing NVRTC that was named is a
/// failure.
fn compiler(test: &str) -> Option<Compiler> {
    let named = std::env::var_os("RINGMILL_NVRTC").is_some_and(|place| !place.is_empty());
    match Compiler::load(None) {
        Ok(compiler) => Some(compiler.keeping_in(None)),
        Err(error @ GpuError::NoCompiler(_)) if !named => {
            let how = "`RINGMILL_NVRTC=$(crates/cuda/nvrtc) cargo test` brings and uses it";
            loud::not_run(test, &format!("{error}; {how}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn small() -> KernelSource {
    KernelSource {
        source: SMALL.to_owned(),
        headers: Vec::new(),
        options: Vec::new(),
    }
}

fn contains(image: &Image, text: &str) -> bool {
    image
        .bytes
        .windows(text.len())
        .any(|bytes| bytes == text.as_bytes())
}

/// The names of the entries in the kernels' text for an arithmetic.
fn entries(arithmetic: &str) -> BTreeSet<String> {
    let program = KernelSource::kernels(&[]);
    let lines = program.source.lines().map(str::trim_start);
    let entries = lines.filter_map(|line| line.strip_prefix("ENTRY("));
    let names = entries.filter_map(|rest| rest.split("##name").next());
    names.map(|name| format!("{name}{arithmetic}")).collect()
}

#[test]
fn all_kernels_compile_and_keep_everything_in_registers() {
    let Some(compiler) = compiler("compilation of all kernels") else {
        return;
    };
    for defined in DEFINED {
        for capability in CAPABILITIES {
            let mut program = KernelSource::kernels(defined);
            program.options.push(OPTION.to_owned());
            let image = compiler.compile(&program, capability).unwrap();
            let kernels = resources(&image.log);
            let arithmetic = defined[0].trim_start_matches("RINGMILL_").to_lowercase();
            let names: BTreeSet<_> = kernels.iter().map(|kernel| kernel.entry.clone()).collect();
            assert_eq!(names, entries(&arithmetic), "{defined:?} for {}", image.target);
            for kernel in kernels {
                let Some(message) = excess(&kernel) else { continue };
                panic!("{} for {}: {message}", kernel.entry, image.target);
            }
        }
    }
}

/// The transforms of both rings: with lines of one thread and of several, with long dimensions, and without
/// columns.
#[test]
fn transforms_compile_and_keep_everything_in_registers() {
    let Some(compiler) = compiler("compilation of transforms") else {
        return;
    };
    let fermat = [2048, 32768, 131_072].map(|n| Ring::from(FermatRing::new(n).unwrap()));
    let negacyclic = [64, 4096, 131_072].map(|n| Ring::from(NegacyclicRing::new(n).unwrap()));
    for ring in fermat.into_iter().chain(negacyclic) {
        for (arithmetic, capability) in [(Arithmetic::Doubles, (9, 0)), (Arithmetic::Words, (8, 0))] {
            let mut program = KernelSource::of_device(&ring, arithmetic);
            program.options.push(OPTION.to_owned());
            let image = compiler.compile(&program, capability).unwrap();
            let kernels = resources(&image.log);
            let shape = format!("_{}_", ring.n());
            let transforms: Vec<_> = kernels.iter().filter(|k| k.entry.contains(&shape)).collect();
            let expected = match (ring.as_fermat(), ring.n() > 256) {
                (Some(_), _) => 3,
                (None, true) => 4,
                (None, false) => 2,
            };
            assert_eq!(transforms.len(), expected, "{:?}", program.options);
            for kernel in transforms {
                let Some(message) = excess(kernel) else { continue };
                panic!("{} for {}: {message}", kernel.entry, image.target);
            }
        }
    }
}

/// The resource of which a kernel takes more than it may.
fn excess(kernel: &Resources) -> Option<String> {
    let spills = kernel.stack + kernel.spilled > 0;
    let spills = spills.then(|| format!("{} bytes of stack, {} spilled", kernel.stack, kernel.spilled));
    let shared = (kernel.shared > 48 << 10).then(|| format!("{} bytes of shared memory", kernel.shared));
    let none = (kernel.registers == 0).then(|| "the compiler does not tell its registers".to_owned());
    spills.or(shared).or(none)
}

/// A kernel that needs 128 registers for 64 doubles and can have 32, because two blocks of 1024 threads must
/// run at the same time.
const GREEDY: &str = r#"
extern "C" __global__ void __launch_bounds__(1024, 2) greedy(const double* from, double* to) {
  double all[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) all[i] = from[1024 * i + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) to[1024 * i + threadIdx.x] = all[63 - i] * all[i];
}
"#;

#[test]
fn want_of_registers_is_noticed() {
    let Some(compiler) = compiler("spilled registers") else {
        return;
    };
    let mut program = small();
    program.source = format!("{SMALL}{GREEDY}");
    program.options = vec![OPTION.to_owned()];
    let kernels = resources(&compiler.compile(&program, (9, 0)).unwrap().log);
    let kernel = |name| kernels.iter().find(|kernel| kernel.entry == name).unwrap();
    assert!(kernel("greedy").spilled >= 64 && kernel("greedy").registers <= 32);
    assert!(excess(kernel("greedy")).is_some());
    assert_eq!((kernel("small").shared, kernel("small").spilled), (2048, 0));
    assert_eq!(excess(kernel("small")), None);
}

#[test]
fn machine_code_is_for_the_gpu_and_ptx_for_gpus_that_are_not_known() {
    let Some(compiler) = compiler("forms of images") else {
        return;
    };
    let image = compiler.compile(&small(), (9, 0)).unwrap();
    assert_eq!(image.target, "sm_90");
    assert!(image.bytes.starts_with(b"\x7fELF"));
    assert!(contains(&image, ".text.small"));
    // No GPU has this capability: the text is for the nearest lower one, and the driver compiles it.
    let image = compiler.compile(&small(), (9, 8)).unwrap();
    assert_eq!(image.target, "compute_90");
    assert!(contains(&image, ".visible .entry small("));
    assert_eq!(image.bytes.last(), Some(&0));
}

#[test]
fn products_and_sums_are_fused_only_where_the_text_says_so() {
    let Some(compiler) = compiler("roundings") else {
        return;
    };
    let text = |program: &KernelSource| compiler.compile(program, (9, 8)).unwrap();
    let plain = text(&small());
    assert!(!contains(&plain, "fma.rn.f64"));
    assert!(contains(&plain, "mul.rn.f64") || contains(&plain, "mul.f64"));
    let mut asked = small();
    asked.source = SMALL.replace("x * in.factor + in.factor", "fma(x, in.factor, in.factor)");
    assert!(contains(&text(&asked), "fma.rn.f64"));
}

#[test]
fn errors_show_the_compilers_words() {
    let Some(compiler) = compiler("error texts") else {
        return;
    };
    let mut wrong = small();
    wrong.source = SMALL.replace("tile[255", "nothing[255");
    let error = compiler.compile(&wrong, (9, 0)).unwrap_err();
    let GpuError::Compile { target, log } = &error else {
        panic!("{error}")
    };
    assert_eq!(target, "sm_90");
    assert!(log.contains("nothing") && log.contains("entries.cu"), "{log}");
    let error = compiler.compile(&small(), (3, 5)).unwrap_err();
    assert!(error.to_string().contains("so old a GPU"), "{error}");
}

#[test]
fn what_was_compiled_is_kept_and_damage_is_noticed() {
    let Some(compiler) = compiler("the cache") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let compiler = compiler.keeping_in(Some(folder.path().join("a/b")));
    // The log is not kept, so it shows whether something was compiled.
    let mut program = small();
    program.options.push(OPTION.to_owned());
    let compile = || compiler.compile(&program, (8, 0)).unwrap();
    let first = compile();
    assert!(!first.log.is_empty());
    let again = compile();
    assert!(again.log.is_empty());
    assert_eq!(again.bytes, first.bytes);

    let file = only_file(&folder.path().join("a/b"));
    let whole = fs::read(&file).unwrap();
    for damaged in damages(&whole) {
        fs::write(&file, damaged).unwrap();
        let image = compile();
        assert!(!image.log.is_empty());
        assert_eq!(image.bytes, first.bytes);
        assert_eq!(fs::read(&file).unwrap(), whole);
    }

    program.options.push("-DOTHER".to_owned());
    assert!(!compiler.compile(&program, (8, 0)).unwrap().log.is_empty());
}

/// Versions of a file: cut, lengthened, emptied, and changed in its head, digest and content.
fn damages(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![
        whole[..whole.len() - 1].to_vec(),
        [whole, &[0]].concat(),
        Vec::new(),
    ];
    for place in [3, 20, whole.len() / 2] {
        let mut bytes = whole.to_vec();
        bytes[place] ^= 1;
        all.push(bytes);
    }
    all
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    let mut files = fs::read_dir(folder).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none(), "temporary files stay");
    file
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let Some(compiler) = compiler("a cache that cannot be written") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // There is a file in the folder's place.
    let place = folder.path().join("file");
    fs::write(&place, b"").unwrap();
    let compiler = compiler.keeping_in(Some(place.join("kernels")));
    assert_eq!(compiler.compile(&small(), (8, 0)).unwrap().target, "sm_80");
}

/// Compiles in a process of its own with these variables set, or removed if they are empty, and returns the
/// output.
fn compile_with(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "compile::compile_and_tell"]);
    for (name, value) in variables {
        if value.is_empty() {
            command.env_remove(name)
        } else {
            command.env(name, value)
        };
    }
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
#[ignore = "run by others with variables set"]
fn compile_and_tell() {
    let mut program = small();
    program.options.push(OPTION.to_owned());
    match Compiler::load(None).and_then(|compiler| compiler.compile(&program, (8, 0))) {
        // The log is not kept.
        Ok(image) if image.log.is_empty() => println!("kept"),
        Ok(_) => println!("compiled"),
        Err(error) => println!("{error}"),
    }
}

#[test]
fn a_compiler_that_is_named_and_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let said = compile_with(&[("RINGMILL_NVRTC", place)]);
    assert!(
        said.contains(&format!(
            "RINGMILL_NVRTC is {place}, where there is no libnvrtc.so"
        )),
        "{said}"
    );
    let file = folder.path().join("libnvrtc.so.13");
    fs::write(&file, b"no library").unwrap();
    let said = compile_with(&[("RINGMILL_NVRTC", file.to_str().unwrap())]);
    assert!(
        said.contains("NVRTC cannot be used") && said.contains("libnvrtc.so.13"),
        "{said}"
    );
}

#[test]
fn the_users_cache_is_where_the_variables_say() {
    if compiler("the user's cache").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    // Nothing is kept without a home or at a relative place; that is no error.
    for variables in [
        [("HOME", ""), ("XDG_CACHE_HOME", "")],
        [("HOME", ""), ("XDG_CACHE_HOME", "cache")],
    ] {
        for _ in 0..2 {
            let said = compile_with(&variables);
            assert!(said.contains("compiled"), "{said}");
        }
    }
    for (variables, kernels) in [
        (
            [("HOME", place), ("XDG_CACHE_HOME", "")],
            ".cache/ringmill/kernels",
        ),
        ([("HOME", ""), ("XDG_CACHE_HOME", place)], "ringmill/kernels"),
    ] {
        assert!(compile_with(&variables).contains("compiled"));
        assert!(compile_with(&variables).contains("kept"));
        only_file(&folder.path().join(kernels));
    }
}
