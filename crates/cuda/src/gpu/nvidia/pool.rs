//! The driver's pools of memory, which cut it from large pieces. Without them an allocation takes some 60 us.

use std::ffi::{c_int, c_uchar, c_ushort, c_void};
use std::ptr;
use std::sync::Arc;

use super::NON_BLOCKING;
use super::context::Context;
use super::driver::Handle;
use crate::gpu::{Address, GpuError};

/// An attribute of `cuDeviceGetAttribute`: whether the device has pools.
const POOLS_SUPPORTED: c_int = 115;

/// `CUmemPoolProps` in `cuda.h`.
#[repr(C)]
pub(super) struct PoolProperties {
    allocation_type: c_int,
    handle_types: c_int,
    location_type: c_int,
    location: c_int,
    security: *mut c_void,
    most_bytes: usize,
    usage: c_ushort,
    reserved: [c_uchar; 54],
}

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, the only type of memory that pools have.
const PINNED: c_int = 1;
/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const DEVICE: c_int = 1;

/// A pool of a GPU's memory. What is not in use goes back to the GPU when the host waits.
pub(super) struct Pool {
    context: Arc<Context>,
    pool: Handle,
    /// Allocations have an order on a stream of their own, which has nothing else to do.
    stream: Handle,
}

impl Pool {
    /// Opens a pool; `None` if the GPU has none, as some virtual ones.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn open(context: &Arc<Context>) -> Result<Option<Self>, GpuError> {
        let device = context.device;
        let mut supported = 0;
        // SAFETY: a place for the number.
        context.call("cuDeviceGetAttribute", |f| unsafe {
            (f.device_attribute)(&mut supported, POOLS_SUPPORTED, device)
        })?;
        if supported == 0 {
            return Ok(None);
        }
        let properties = PoolProperties {
            allocation_type: PINNED,
            handle_types: 0,
            location_type: DEVICE,
            location: device,
            security: ptr::null_mut(),
            most_bytes: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut result = Self {
            context: Arc::clone(context),
            pool: Handle::NONE,
            stream: Handle::NONE,
        };
        // If the second call fails, what the first one made is destroyed with the pool.
        // SAFETY: a place for the pool; the structure has the driver's layout.
        context.call("cuMemPoolCreate", |f| unsafe {
            (f.pool_create)(&mut result.pool, &properties)
        })?;
        // SAFETY: a place for the stream.
        context.call("cuStreamCreate", |f| unsafe {
            (f.stream_create)(&mut result.stream, NON_BLOCKING)
        })?;
        Ok(Some(result))
    }

    /// Allocates memory that every stream can use at once.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`]; [`GpuError`].
    pub fn allocate(&self, bytes: usize) -> Result<Address, GpuError> {
        let (context, mut address) = (&self.context, 0);
        // SAFETY: a place for the address, which the driver aligns to 256 at least; a pool and a stream of this context.
        context.call_for("cuMemAllocFromPoolAsync", bytes, |f| unsafe {
            (f.pool_allocate)(&mut address, bytes, self.pool, self.stream)
        })?;
        self.finish()?;
        Ok(address)
    }

    /// Frees memory of the pool. If the context is lost, so is its memory.
    ///
    /// # Safety
    /// Nothing that was asked for may be left that uses it.
    pub unsafe fn free(&self, address: Address) {
        // SAFETY: the caller vouches for the address.
        let freed = self.context.call("cuMemFreeAsync", |f| unsafe {
            (f.pool_free)(address, self.stream)
        });
        // Failures show in the next call that can report them.
        let _ = freed.and_then(|()| self.finish());
    }

    fn finish(&self) -> Result<(), GpuError> {
        // SAFETY: a stream of this context.
        self.context.call("cuStreamSynchronize", |f| unsafe {
            (f.stream_finish)(self.stream)
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // If this fails, there is nothing to be done; if the context is lost, no function is called.
        if !self.stream.is_none() {
            // SAFETY: a stream of this context, with nothing left to do.
            let _ = self
                .context
                .call("cuStreamDestroy", |f| unsafe { (f.stream_destroy)(self.stream) });
        }
        if !self.pool.is_none() {
            // SAFETY: a pool of this context; the store has freed its memory.
            let _ = self
                .context
                .call("cuMemPoolDestroy", |f| unsafe { (f.pool_destroy)(self.pool) });
        }
    }
}
