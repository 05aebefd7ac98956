//! Runs the tests of this program again over the driver of `driver.cpp`, and tests how a driver or a GPU can
//! be wrong.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ringmill_cuda::gpu::nvidia::{Compiler, NvidiaGpu};

use crate::{loud, program};

/// The fault of the driver; it is set only when a test wants one.
const WRONG: &str = "RINGMILL_TEST_DRIVER";

/// Makes a folder with the driver for tests and a compiled program in a cache, or prints that the test is
/// not run.
fn driver(test: &str) -> Option<tempfile::TempDir> {
    // The tests are not started again within one of these runs.
    if env::var_os(WRONG).is_some() {
        return None;
    }
    let kernels = match Compiler::load(Some((13, 0))) {
        Ok(compiler) => compiler,
        Err(error) => {
            let how = "`RINGMILL_NVRTC=$(crates/cuda/nvrtc) cargo test` brings and uses it";
            loud::not_run(test, &format!("{error}; {how}"));
            return None;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    // NVRTC asks the driver for functions that this one lacks, so the test compiles here and not over this
    // driver.
    let cache = folder.path().join("cache/ringmill/kernels");
    kernels
        .keeping_in(Some(cache))
        .compile(&program(), (9, 0))
        .unwrap();
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu/driver.cpp");
    let options = [
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
    ];
    let library = folder.path().join("libcuda.so.1");
    match Command::new(&compiler)
        .args(options)
        .arg(library)
        .arg(source)
        .status()
    {
        Ok(status) => assert!(
            status.success(),
            "{compiler} does not compile the driver for tests"
        ),
        Err(error) => {
            loud::not_run(test, &format!("it needs a C++ compiler: {compiler}: {error}"));
            return None;
        }
    }
    Some(folder)
}

/// Runs the tests of this program over the driver.
fn run(folder: &Path, wrong: &str, arguments: &[&str]) -> Output {
    let mut libraries = OsString::from(folder);
    if let Some(others) = env::var_os("LD_LIBRARY_PATH") {
        libraries.push(":");
        libraries.push(others);
    }
    Command::new(env::current_exe().unwrap())
        .args(arguments)
        .env("LD_LIBRARY_PATH", libraries)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env(WRONG, wrong)
        .env("RINGMILL_TEST_LEFT", folder.join("left"))
        .output()
        .unwrap()
}

#[test]
fn all_tests_pass_over_the_driver_for_tests_and_leave_nothing() {
    let Some(folder) = driver("the GPU over a driver for tests") else {
        return;
    };
    // Without pools the GPU takes its memory from the driver one by one.
    for driver in ["nothing", "no pools"] {
        let output = run(folder.path(), driver, &[]);
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{driver}: {said}{errors}");
        assert!(!errors.contains("NOT RUN"), "{errors}");
        let left = fs::read_to_string(folder.path().join("left")).unwrap();
        assert_eq!(
            left, "0",
            "{driver}: streams, events, modules, pools or memory that stay"
        );
    }
}

#[test]
fn what_is_wrong_is_told() {
    let Some(folder) = driver("errors of drivers") else {
        return;
    };
    let cases = [
        (
            "mismatch",
            "no usable CUDA driver: a text (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)",
        ),
        ("no GPU", "no CUDA GPU 0: 0 found"),
        (
            "old GPU",
            "Test GPU has compute capability 7.5, at least 8.0 is needed",
        ),
        ("no image", "the driver, for CUDA 13.0, does not take what NVRTC"),
        ("no image", "a text (CUDA_ERROR_INVALID_IMAGE) a log"),
    ];
    for (wrong, expected) in cases {
        let output = run(
            folder.path(),
            wrong,
            &["--ignored", "--exact", "--nocapture", "driver::opening_fails"],
        );
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{wrong}: {said}");
        assert!(said.contains(expected), "{wrong}: {said}");
    }
}

#[test]
#[ignore = "run by what_is_wrong_is_told, over drivers that are wrong"]
fn opening_fails() {
    println!("{}", NvidiaGpu::open(0, &program()).unwrap_err());
}
