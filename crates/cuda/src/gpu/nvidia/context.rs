//! A GPU's context: calls of the driver in it, and the consequences of their failures for later calls.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::driver::{Driver, Functions, Handle, code};
use super::library::Code;
use crate::gpu::{GpuError, Memory};

/// Locks a mutex even after a thread panicked while it held it: every change below is either complete or
/// absent.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The primary context of a GPU, kept as long as this value lives.
pub(super) struct Context {
    pub driver: &'static Driver,
    pub device: c_int,
    handle: Handle,
    /// The reason why the context can do nothing more. Once it is set no function is called any more, so
    /// nothing is freed in a context that has already lost it.
    fault: OnceLock<String>,
    /// The memory of the host that the GPU can reach: the number of bytes by start.
    pinned: Mutex<BTreeMap<usize, usize>>,
}

impl Context {
    /// Retains the context of a device.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn open(driver: &'static Driver, device: c_int) -> Result<Self, GpuError> {
        let mut context = Self {
            driver,
            device,
            handle: Handle::NONE,
            fault: OnceLock::new(),
            pinned: Mutex::default(),
        };
        let mut handle = Handle::NONE;
        // SAFETY: a place for the context.
        let code = unsafe { (driver.functions.context_retain)(&mut handle, device) };
        context.check("cuDevicePrimaryCtxRetain", code)?;
        context.handle = handle;
        Ok(context)
    }

    /// Calls a function of the driver in this context.
    ///
    /// # Errors
    /// [`GpuError::Fault`] of this or any earlier call; others as [`Context::check`] says.
    pub fn call(&self, name: &'static str, call: impl FnOnce(&Functions) -> Code) -> Result<(), GpuError> {
        self.call_for(name, 0, call)
    }

    /// Does the same as [`Context::call`]; an error about a lack of memory names the bytes wanted.
    ///
    /// # Errors
    /// The same as for [`Context::call`].
    pub fn call_for(
        &self,
        name: &'static str,
        wanted: usize,
        call: impl FnOnce(&Functions) -> Code,
    ) -> Result<(), GpuError> {
        if let Some(fault) = self.fault.get() {
            return Err(GpuError::Fault(fault.clone()));
        }
        let functions = &self.driver.functions;
        // SAFETY: the context is retained while this lives.
        self.check("cuCtxSetCurrent", unsafe { (functions.context_use)(self.handle) })?;
        match call(functions) {
            code::OUT_OF_MEMORY => {
                let Memory { free, total } = self.memory_now();
                let wanted = wanted as u64;
                Err(GpuError::OutOfMemory { wanted, free, total })
            }
            code => self.check(name, code),
        }
    }

    /// Turns the code of a call into an error, and remembers an error after which nothing works.
    fn check(&self, name: &'static str, code: Code) -> Result<(), GpuError> {
        if code == 0 {
            return Ok(());
        }
        let reason = self.driver.meaning(code);
        if code::is_sticky(code) {
            // Another thread's report of the same fault may have come first.
            let fault = self.fault.get_or_init(|| format!("{name}: {reason}"));
            return Err(GpuError::Fault(fault.clone()));
        }
        Err(GpuError::Refused { call: name, reason })
    }

    /// The GPU's memory, in the current context; zeros if the driver does not tell.
    fn memory_now(&self) -> Memory {
        let (mut free, mut total) = (0, 0);
        // SAFETY: places for two sizes. What it returns does not matter: the sizes stay zero if it fails.
        unsafe { (self.driver.functions.memory)(&mut free, &mut total) };
        Memory {
            free: free as u64,
            total: total as u64,
        }
    }

    /// Notes memory of the host that the GPU can reach.
    pub fn pin(&self, start: usize, bytes: usize) {
        lock(&self.pinned).insert(start, bytes);
    }

    /// Removes such a note.
    pub fn unpin(&self, start: usize) {
        lock(&self.pinned).remove(&start);
    }

    /// Whether the GPU can reach all of a range of the host's memory.
    pub fn is_pinned(&self, start: usize, bytes: usize) -> bool {
        lock(&self.pinned)
            .range(..=start)
            .next_back()
            .is_some_and(|(first, length)| start - first + bytes <= *length)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // A faulted context is released too: the driver frees the rest of it.
        if !self.handle.is_none() {
            // SAFETY: retained once in `open`; nothing uses it any more.
            unsafe { (self.driver.functions.context_release)(self.device) };
        }
    }
}
