//! Running the program, and a small job made once for all tests.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// A new, empty directory.
pub fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Where measurements of this machine are kept while the tests run: made once, before any test
/// plans.
fn cache() -> &'static Path {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| {
        let path = directory("cache");
        let status = Command::new(env!("CARGO_BIN_EXE_ringmill"))
            .args(["params", "--circuit", "and8"])
            .env("XDG_CACHE_HOME", &path)
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success());
        path
    })
}

/// Runs the program in a directory.
pub fn ringmill(directory: &Path, arguments: &str) -> Output {
    ringmill_with(directory, arguments, &[])
}

/// The same with further variables in its environment.
pub fn ringmill_with(directory: &Path, arguments: &str, variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringmill"))
        .env("XDG_CACHE_HOME", cache())
        .envs(variables.iter().copied())
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Starts the program.
pub fn spawn(directory: &Path, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ringmill"))
        .env("XDG_CACHE_HOME", cache())
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the program with this on its standard input.
pub fn piped(directory: &Path, arguments: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ringmill"))
        .env("XDG_CACHE_HOME", cache())
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Runs the program, which must succeed; what it prints.
pub fn succeed(directory: &Path, arguments: &str) -> String {
    let output = ringmill(directory, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{arguments}: {:?} {errors}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the program, which must fail with this code and name the problem in one line or a few, and
/// leave everything in the directory as it was.
pub fn refuse(directory: &Path, arguments: &str, code: i32, problem: &str) {
    let before = listing(directory);
    let output = ringmill(directory, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
    assert!(errors.contains(problem), "{arguments}: {errors}");
    assert!(errors.starts_with("error:"), "{arguments}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    assert_eq!(listing(directory), before, "{arguments}");
}

/// All files below a directory and what they contain.
pub fn listing(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.push((path.clone(), Vec::new()));
            files.extend(listing(&path));
        } else {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Where the frames of a file begin: each says how long it is.
pub fn frames(file: &[u8]) -> Vec<usize> {
    let (header, checksum) = (48, 32);
    let (mut starts, mut next) = (Vec::new(), 0);
    while next < file.len() {
        assert!(file[next..].starts_with(b"RMFV"));
        starts.push(next);
        let length = file[next + header - 8..next + header].try_into().unwrap();
        next += header + u64::from_le_bytes(length) as usize + checksum;
    }
    assert_eq!(next, file.len());
    starts
}

/// Pairs of bytes.
pub fn pairs(count: usize) -> Vec<u8> {
    (0..2 * count).map(|i| (i * 151 % 253) as u8).collect()
}

/// The ANDs of pairs.
pub fn ands(pairs: &[u8]) -> Vec<u8> {
    pairs.chunks_exact(2).map(|pair| pair[0] & pair[1]).collect()
}

/// The directory of a job of 10 records up to its results: `p.params`, `keys`, `in.bin`, `in.ct`,
/// `out.ct`. Not to be written to.
pub fn job() -> &'static Path {
    static JOB: OnceLock<PathBuf> = OnceLock::new();
    JOB.get_or_init(|| {
        let path = directory("job");
        fs::write(path.join("in.bin"), pairs(10)).unwrap();
        succeed(&path, "params --circuit and8 -o p.params");
        succeed(&path, "keygen --circuit and8 --params p.params --out-dir keys");
        succeed(&path, &encrypt("in.bin", "in.ct"));
        succeed(&path, &eval("in.ct", "out.ct"));
        path
    })
}

/// A copy of the job's files that a test may change.
pub fn copy_of_job(name: &str) -> PathBuf {
    let to = directory(name);
    fs::create_dir(to.join("keys")).unwrap();
    for (path, content) in listing(job()) {
        if path.is_file() {
            fs::write(to.join(path.strip_prefix(job()).unwrap()), content).unwrap();
        }
    }
    to
}

pub fn encrypt(values: &str, output: &str) -> String {
    format!(
        "encrypt --circuit and8 --params p.params --public-key keys/public.key --input {values} -o {output}"
    )
}

pub fn eval(inputs: &str, output: &str) -> String {
    format!(
        "eval --circuit and8 --params p.params --evaluation-key keys/evaluation.key --input {inputs} -o {output}"
    )
}

pub fn decrypt(results: &str, output: &str) -> String {
    format!(
        "decrypt --circuit and8 --params p.params --secret-key keys/secret.key --input {results} -o {output}"
    )
}
