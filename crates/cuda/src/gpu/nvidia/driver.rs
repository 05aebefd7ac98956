//! The driver: its functions, its version and the meaning of its codes.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use super::library::{Code, functions, open, reason};
use super::pool::PoolProperties;
use crate::gpu::{Address, GpuError};

/// A handle of the driver: a context, stream, event, module or function.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Handle(*mut c_void);

// SAFETY: handles are names; the driver lets any thread use them.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// The null handle.
    pub const NONE: Self = Self(ptr::null_mut());

    /// Whether this is the null handle.
    pub fn is_none(self) -> bool {
        self.0.is_null()
    }
}

functions! {
    /// The functions in use, with the names and types of `cuda.h`; all have existed since CUDA 11.2.
    struct Functions {
        init = "cuInit"(c_uint);
        version = "cuDriverGetVersion"(*mut c_int);
        error_name = "cuGetErrorName"(Code, *mut *const c_char);
        error_text = "cuGetErrorString"(Code, *mut *const c_char);
        device_count = "cuDeviceGetCount"(*mut c_int);
        device = "cuDeviceGet"(*mut c_int, c_int);
        device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
        device_memory = "cuDeviceTotalMem_v2"(*mut usize, c_int);
        device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
        context_retain = "cuDevicePrimaryCtxRetain"(*mut Handle, c_int);
        context_release = "cuDevicePrimaryCtxRelease_v2"(c_int);
        context_use = "cuCtxSetCurrent"(Handle);
        module_load = "cuModuleLoadDataEx"(*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
        module_unload = "cuModuleUnload"(Handle);
        module_function = "cuModuleGetFunction"(*mut Handle, Handle, *const c_char);
        function_attribute = "cuFuncGetAttribute"(*mut c_int, c_int, Handle);
        launch = "cuLaunchKernel"(
            Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void,
            *mut *mut c_void
        );
        stream_create = "cuStreamCreate"(*mut Handle, c_uint);
        stream_destroy = "cuStreamDestroy_v2"(Handle);
        stream_finish = "cuStreamSynchronize"(Handle);
        stream_wait = "cuStreamWaitEvent"(Handle, Handle, c_uint);
        event_create = "cuEventCreate"(*mut Handle, c_uint);
        event_destroy = "cuEventDestroy_v2"(Handle);
        event_record = "cuEventRecord"(Handle, Handle);
        event_finish = "cuEventSynchronize"(Handle);
        event_time = "cuEventElapsedTime"(*mut f32, Handle, Handle);
        host_allocate = "cuMemHostAlloc"(*mut *mut c_void, usize, c_uint);
        host_free = "cuMemFreeHost"(*mut c_void);
        memory = "cuMemGetInfo_v2"(*mut usize, *mut usize);
        allocate = "cuMemAlloc_v2"(*mut Address, usize);
        free = "cuMemFree_v2"(Address);
        pool_create = "cuMemPoolCreate"(*mut Handle, *const PoolProperties);
        pool_destroy = "cuMemPoolDestroy"(Handle);
        pool_allocate = "cuMemAllocFromPoolAsync"(*mut Address, usize, Handle, Handle);
        pool_free = "cuMemFreeAsync"(Address, Handle);
        upload = "cuMemcpyHtoDAsync_v2"(Address, *const c_void, usize, Handle);
        download = "cuMemcpyDtoHAsync_v2"(*mut c_void, Address, usize, Handle);
        copy = "cuMemcpyDtoDAsync_v2"(Address, Address, usize, Handle);
        clear = "cuMemsetD8Async"(Address, u8, usize, Handle);
    }
}

functions! {
    /// Functions since CUDA 12.4.
    struct Later {
        parameter = "cuFuncGetParamInfo"(Handle, usize, *mut usize, *mut usize);
    }
}

/// The codes from `cuda.h` that this crate knows.
pub(super) mod code {
    use super::Code;

    pub const OUT_OF_MEMORY: Code = 2;
    pub const NOT_INITIALIZED: Code = 3;
    pub const NO_DEVICE: Code = 100;
    pub const NOT_FOUND: Code = 500;

    /// After these a context can do nothing more. A kernel faulted (illegal address, assertion, illegal
    /// instruction, misaligned address and the like), memory has errors that cannot be corrected, the GPU or
    /// its server is gone, or the cause is unknown.
    const STICKY: [Code; 19] = [
        4, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 806, 810, 999,
    ];

    /// The compiled kernels do not suit the driver or the GPU: the image is invalid or missing, the PTX is
    /// invalid or too new, or there is no compiler for it.
    const NOT_TAKEN: [Code; 6] = [200, 209, 218, 221, 222, 223];

    /// Whether nothing more can be done after this code.
    pub fn is_sticky(code: Code) -> bool {
        STICKY.contains(&code)
    }

    /// Whether this code says that an image does not suit.
    pub fn is_not_taken(code: Code) -> bool {
        NOT_TAKEN.contains(&code)
    }
}

/// The driver, loaded and initialized once and for all.
pub(super) struct Driver {
    pub functions: Functions,
    /// The functions that only newer drivers have.
    pub later: Option<Later>,
    /// The newest CUDA version that it supports.
    pub version: (u32, u32),
}

impl Driver {
    /// Returns the driver, which the first call loads.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`] if it cannot be loaded.
    pub fn get() -> Result<&'static Self, GpuError> {
        static DRIVER: OnceLock<Result<Driver, GpuError>> = OnceLock::new();
        DRIVER.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Self, GpuError> {
        let library = open("libcuda.so.1")
            .or_else(|missing| open("libcuda.so").map_err(|_| missing))
            .map_err(GpuError::NoDriver)?;
        // SAFETY: the types are those of cuda.h for these symbols, which keep them for good (others get a new
        // suffix); the library is never unloaded.
        let functions = unsafe { Functions::find(&library) }
            .map_err(|error| GpuError::NoDriver(format!("it is too old: {}", reason(&error))))?;
        // SAFETY: as above.
        let later = unsafe { Later::find(&library) }.ok();
        std::mem::forget(library);
        let mut driver = Self {
            functions,
            later,
            version: (0, 0),
        };
        driver.start()?;
        Ok(driver)
    }

    fn start(&mut self) -> Result<(), GpuError> {
        let mut version = 0;
        // SAFETY: initializing takes no pointer, and the version is written to a place of its type.
        let codes = unsafe {
            let init = (self.functions.init)(0);
            [init, (self.functions.version)(&mut version)]
        };
        match codes
            .into_iter()
            .find(|code| *code != 0 && *code != code::NO_DEVICE)
        {
            Some(code) => Err(GpuError::NoDriver(self.meaning(code))),
            None => {
                let version = version.unsigned_abs();
                self.version = (version / 1000, version % 1000 / 10);
                Ok(())
            }
        }
    }

    /// The meaning of a code, for people.
    pub fn meaning(&self, code: Code) -> String {
        let text = |function: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = ptr::null();
            // SAFETY: the function writes a pointer, or nothing if it does not know the code.
            let known = unsafe { function(code, &mut text) } == 0 && !text.is_null();
            // SAFETY: it points to a constant text that ends with a zero.
            known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
        };
        match (text(self.functions.error_name), text(self.functions.error_text)) {
            (Some(name), Some(text)) => format!("{text} ({name})"),
            _ => format!("error {code}"),
        }
    }
}
