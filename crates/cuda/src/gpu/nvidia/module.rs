//! Compiled kernels on a GPU, found by name.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Mutex;

use super::compiler::Image;
use super::context::{Context, lock};
use super::driver::{Handle, code};
use crate::gpu::{GpuError, Launch};

/// The attribute of `cuFuncGetAttribute` for the most threads of a block.
const MOST_THREADS: c_int = 0;

/// Options of `cuModuleLoadDataEx`: the place for a log of errors, and its size.
const LOG: [c_int; 2] = [5, 6];

/// The number of bytes for the log of the driver's own compiler.
const LOG_BYTES: usize = 8192;

/// A kernel.
#[derive(Clone, Copy)]
struct Kernel {
    function: Handle,
    /// The most threads that a block can have.
    threads: u32,
    /// The number of bytes of the parameter, if the driver tells.
    parameter: Option<usize>,
}

/// Kernels loaded into a context.
pub(super) struct Module {
    handle: Handle,
    /// The kernels that were launched before.
    kernels: Mutex<HashMap<String, Kernel>>,
}

impl Module {
    /// Loads an image that NVRTC of a given version compiled.
    ///
    /// # Errors
    /// [`GpuError::NotTaken`] if the driver rejects the image.
    pub fn load(context: &Context, image: &Image, compiler: (u32, u32)) -> Result<Self, GpuError> {
        let mut handle = Handle::NONE;
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = LOG;
        // The size is passed in place of a pointer.
        let mut values = [
            log.as_mut_ptr().cast::<c_void>(),
            ptr::without_provenance_mut(LOG_BYTES - 1),
        ];
        let mut taken = true;
        let loaded = context.call("cuModuleLoadDataEx", |f| {
            // SAFETY: the image is whole and of the kind that its head tells (PTX ends with a zero); the log has
            // one byte more than is said, so that it ends with a zero.
            let code = unsafe {
                (f.module_load)(
                    &mut handle,
                    image.bytes.as_ptr().cast(),
                    2,
                    options.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            };
            taken = !code::is_not_taken(code);
            code
        });
        match loaded {
            Ok(()) => Ok(Self {
                handle,
                kernels: Mutex::default(),
            }),
            Err(GpuError::Refused { reason, .. }) if !taken => {
                let log = CStr::from_bytes_until_nul(&log)
                    .unwrap_or_default()
                    .to_string_lossy();
                Err(GpuError::NotTaken {
                    driver: context.driver.version,
                    compiler,
                    reason: format!("{reason} {}", log.trim()).trim_end().to_owned(),
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Finds the function of a kernel and checks that it can be launched in this way.
    ///
    /// # Errors
    /// [`GpuError::BadLaunch`] if there is no such kernel or it takes other parameters.
    pub fn function(&self, context: &Context, launch: &Launch<'_>) -> Result<Handle, GpuError> {
        let known = lock(&self.kernels).get(launch.entry).copied();
        let kernel = match known {
            Some(kernel) => kernel,
            None => {
                let kernel = self.find(context, launch.entry)?;
                lock(&self.kernels).insert(launch.entry.to_owned(), kernel);
                kernel
            }
        };
        let given = launch.parameters.len();
        if let Some(wanted) = kernel.parameter.filter(|wanted| *wanted != given) {
            return Err(bad(
                launch.entry,
                format!("its parameter has {wanted} bytes, {given} were given"),
            ));
        }
        if launch.threads > kernel.threads {
            let (given, most) = (launch.threads, kernel.threads);
            return Err(bad(
                launch.entry,
                format!("a block can have {most} threads of it, not {given}"),
            ));
        }
        Ok(kernel.function)
    }

    fn find(&self, context: &Context, entry: &str) -> Result<Kernel, GpuError> {
        let name = CString::new(entry).map_err(|_| bad(entry, "its name has a zero in it"))?;
        let mut function = Handle::NONE;
        let mut known = true;
        let found = context.call("cuModuleGetFunction", |f| {
            // SAFETY: a place for the function; the name ends with a zero.
            let code =
                unsafe { (f.module_function)(&mut function, self.handle, name.as_ptr().cast::<c_char>()) };
            known = code != code::NOT_FOUND;
            code
        });
        if !known {
            return Err(bad(entry, "there is no such kernel"));
        }
        found?;
        let mut threads = 0;
        // SAFETY: a place for the number.
        context.call("cuFuncGetAttribute", |f| unsafe {
            (f.function_attribute)(&mut threads, MOST_THREADS, function)
        })?;
        Ok(Kernel {
            function,
            threads: threads.unsigned_abs(),
            parameter: parameter_bytes(context, function),
        })
    }

    /// Unloads the kernels, which nothing may use any more.
    pub fn unload(&self, context: &Context) {
        // SAFETY: loaded in `load`; the only caller is the GPU's end.
        let _ = context.call("cuModuleUnload", |f| unsafe { (f.module_unload)(self.handle) });
    }
}

/// The number of bytes of a function's first parameter, if the driver is new enough to tell.
fn parameter_bytes(context: &Context, function: Handle) -> Option<usize> {
    let later = context.driver.later.as_ref()?;
    let (mut offset, mut bytes) = (0, 0);
    // SAFETY: places for two sizes.
    let code = unsafe { (later.parameter)(function, 0, &mut offset, &mut bytes) };
    (code == 0).then_some(bytes)
}

/// Launches a function on a stream.
///
/// # Safety
/// The function and the stream must belong to this context, and the parameters must be those that the
/// function takes.
///
/// # Errors
/// [`GpuError`].
pub(super) unsafe fn launch(
    context: &Context,
    function: Handle,
    stream: Handle,
    launch: &Launch<'_>,
) -> Result<(), GpuError> {
    let [x, y, z] = launch.grid;
    let mut parameters = [launch.parameters.as_ptr().cast_mut().cast::<c_void>()];
    let (parameters, none) = (parameters.as_mut_ptr(), ptr::null_mut());
    // SAFETY: the caller vouches for the handles and the parameter, which is copied before the call returns.
    context.call("cuLaunchKernel", |f| unsafe {
        (f.launch)(
            function,
            x,
            y,
            z,
            launch.threads,
            1,
            1,
            0,
            stream,
            parameters,
            none,
        )
    })
}

fn bad(entry: &str, problem: impl Into<String>) -> GpuError {
    GpuError::BadLaunch {
        entry: entry.to_owned(),
        problem: problem.into(),
    }
}
