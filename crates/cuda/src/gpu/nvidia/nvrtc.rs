//! NVRTC, NVIDIA's run-time compiler: its location and its functions.

use std::env;
use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::library::{Code, functions, open, reason};
use crate::KernelSource;
use crate::gpu::GpuError;

/// The environment variable that names NVRTC's folder or file. If it is set, no other place is tried.
const VARIABLE: &str = "RINGMILL_NVRTC";

/// The names of the library: those of CUDA 13 and 12, and that of an installation for developers.
const NAMES: [(u32, &str); 3] = [(13, "libnvrtc.so.13"), (12, "libnvrtc.so.12"), (0, "libnvrtc.so")];

/// The library that NVRTC needs and finds only by name; each of its names starts with this text.
const BUILTINS: &str = "libnvrtc-builtins.so";

functions! {
    /// The functions in use, with the names and types of `nvrtc.h`.
    struct Functions {
        version = "nvrtcVersion"(*mut c_int, *mut c_int);
        create = "nvrtcCreateProgram"(
            *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        );
        destroy = "nvrtcDestroyProgram"(*mut Handle);
        compile = "nvrtcCompileProgram"(Handle, c_int, *const *const c_char);
        log_bytes = "nvrtcGetProgramLogSize"(Handle, *mut usize);
        log = "nvrtcGetProgramLog"(Handle, *mut c_char);
        ptx_bytes = "nvrtcGetPTXSize"(Handle, *mut usize);
        ptx = "nvrtcGetPTX"(Handle, *mut c_char);
        cubin_bytes = "nvrtcGetCUBINSize"(Handle, *mut usize);
        cubin = "nvrtcGetCUBIN"(Handle, *mut c_char);
        architecture_count = "nvrtcGetNumSupportedArchs"(*mut c_int);
        architectures = "nvrtcGetSupportedArchs"(*mut c_int);
    }
}

/// A program in NVRTC.
type Handle = *mut c_void;

/// The form of a compilation's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// GPU code.
    Cubin,
    /// The text of PTX, which ends with a zero byte and which the driver compiles.
    Ptx,
}

/// NVRTC, loaded once and for all.
pub(super) struct Nvrtc {
    functions: Functions,
    /// Its CUDA version.
    pub version: (u32, u32),
    /// The compute capabilities that it supports, as ten times the major number plus the minor one.
    pub architectures: Vec<u32>,
}

impl Nvrtc {
    /// Loads NVRTC: the one that RINGMILL_NVRTC names, or else one that the loader finds or one in CUDA's
    /// folders. Among several it takes the newest that is not newer than CUDA `newest`, if there is one.
    ///
    /// # Errors
    /// [`GpuError::NoCompiler`] if there is none.
    pub fn load(newest: u32) -> Result<Self, GpuError> {
        let library = match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(place) => named(place, newest),
            None => found(newest),
        };
        library.and_then(Self::of).map_err(GpuError::NoCompiler)
    }

    fn of(library: Library) -> Result<Self, String> {
        // SAFETY: the types are those of nvrtc.h for these functions in all versions; the library is never
        // unloaded.
        let functions = unsafe { Functions::find(&library) }
            .map_err(|error| format!("it is older than CUDA 12: {}", reason(&error)))?;
        std::mem::forget(library);
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: places for the numbers.
        let codes = unsafe {
            let version = (functions.version)(&mut major, &mut minor);
            [version, (functions.architecture_count)(&mut count)]
        };
        let mut architectures = vec![0; usize::try_from(count).unwrap_or_default()];
        // SAFETY: a place for as many numbers as it said.
        let last = unsafe { (functions.architectures)(architectures.as_mut_ptr()) };
        match codes.into_iter().chain([last]).find(|code| *code != 0) {
            Some(code) => Err(format!("it does not tell its version: error {code}")),
            None => Ok(Self {
                functions,
                version: (major.unsigned_abs(), minor.unsigned_abs()),
                architectures: architectures.into_iter().map(c_int::unsigned_abs).collect(),
            }),
        }
    }

    /// Compiles a text, and returns the result and the compiler's log.
    ///
    /// # Errors
    /// The compiler's log.
    pub fn compile(
        &self,
        program: &KernelSource,
        options: &[String],
        form: Form,
    ) -> Result<(Vec<u8>, String), String> {
        let job = Job::new(&self.functions, program)?;
        let options = texts(options)?;
        let pointers = pointers(&options);
        // SAFETY: the program and the options live until the function returns, which keeps none of them.
        let code = unsafe { (self.functions.compile)(job.handle, count(&pointers)?, pointers.as_ptr()) };
        let log = job.read(self.functions.log_bytes, self.functions.log)?;
        let log = String::from_utf8_lossy(&log)
            .trim_end_matches('\0')
            .trim()
            .to_owned();
        if code != 0 {
            return Err(if log.is_empty() {
                format!("error {code}")
            } else {
                log
            });
        }
        let (bytes, fill) = match form {
            Form::Cubin => (self.functions.cubin_bytes, self.functions.cubin),
            Form::Ptx => (self.functions.ptx_bytes, self.functions.ptx),
        };
        Ok((job.read(bytes, fill)?, log))
    }
}

/// A program being compiled, destroyed when dropped.
struct Job<'a> {
    functions: &'a Functions,
    handle: Handle,
}

impl<'a> Job<'a> {
    fn new(functions: &'a Functions, program: &KernelSource) -> Result<Self, String> {
        let source = text(&program.source)?;
        let names = texts(program.headers.iter().map(|(name, _)| name))?;
        let headers = texts(program.headers.iter().map(|(_, text)| text))?;
        let (names, headers) = (pointers(&names), pointers(&headers));
        let mut handle = ptr::null_mut();
        // SAFETY: all texts end with a zero and live until the function returns, which copies them.
        let code = unsafe {
            (functions.create)(
                &mut handle,
                source.as_ptr(),
                c"entries.cu".as_ptr(),
                count(&headers)?,
                headers.as_ptr(),
                names.as_ptr(),
            )
        };
        match code {
            0 => Ok(Self { functions, handle }),
            code => Err(format!("the text was not taken: error {code}")),
        }
    }

    /// Reads bytes through two functions: one gives their number, the other writes them.
    fn read(
        &self,
        bytes: unsafe extern "C" fn(Handle, *mut usize) -> Code,
        fill: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
    ) -> Result<Vec<u8>, String> {
        let mut length = 0;
        // SAFETY: a place for the length.
        let first = unsafe { bytes(self.handle, &mut length) };
        let mut out = vec![0; length];
        // SAFETY: a place of that length.
        let second = unsafe { fill(self.handle, out.as_mut_ptr().cast()) };
        match [first, second] {
            [0, 0] => Ok(out),
            [a, b] => Err(format!("the result was not given: errors {a} and {b}")),
        }
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        // SAFETY: created in `new`; nothing uses it any more.
        unsafe { (self.functions.destroy)(&mut self.handle) };
    }
}

fn text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "the text has a zero in it".to_owned())
}

fn texts(all: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Vec<CString>, String> {
    all.into_iter().map(|one| text(one.as_ref())).collect()
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn count(pointers: &[*const c_char]) -> Result<c_int, String> {
    c_int::try_from(pointers.len()).map_err(|_| "too many texts".to_owned())
}

/// The library's names in order of preference.
fn names(newest: u32) -> impl Iterator<Item = &'static str> {
    let of = move |fits: bool| {
        let names = NAMES
            .iter()
            .filter(move |(version, _)| (*version <= newest) == fits);
        names.map(|(_, name)| *name)
    };
    of(true).chain(of(false))
}

/// Opens the library at a given place: a file, or a folder that contains it.
fn named(place: OsString, newest: u32) -> Result<Library, String> {
    let place = PathBuf::from(place);
    if place.is_file() {
        return open_file(&place);
    }
    let mut files = names(newest).map(|name| place.join(name));
    match files.find(|file| file.is_file()) {
        Some(file) => open_file(&file),
        None => Err(format!(
            "{VARIABLE} is {}, where there is no libnvrtc.so",
            place.display()
        )),
    }
}

/// Finds the library where the loader looks, or where CUDA is usually installed.
fn found(newest: u32) -> Result<Library, String> {
    let mut first = None;
    for name in names(newest) {
        match open(name) {
            Ok(library) => return Ok(library),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let folders = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
    let folders = folders.chain([OsString::from("/usr/local/cuda")]);
    let mut files = folders.flat_map(|folder| {
        let folder = PathBuf::from(folder).join("lib64");
        names(newest).map(move |name| folder.join(name))
    });
    match files.find(|file| file.is_file()) {
        Some(file) => open_file(&file),
        None => Err(first.unwrap_or_default()),
    }
}

/// Opens the library by its path, after the library that it needs from the same folder: it asks the loader
/// for that one by name only, and the loader returns the one that is already loaded.
fn open_file(file: &Path) -> Result<Library, String> {
    let siblings = file
        .parent()
        .map(fs::read_dir)
        .into_iter()
        .flatten()
        .flatten()
        .flatten();
    for sibling in siblings.filter(|sibling| sibling.file_name().to_string_lossy().starts_with(BUILTINS)) {
        std::mem::forget(open(sibling.path())?);
    }
    open(file)
}
