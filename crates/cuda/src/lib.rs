#![doc = include_str!("../README.md")]
//!
//! # Layout
//!
//! `kernels/` holds the kernels. Everything above [`gpu::Gpu`] is the same for a GPU and for the emulator, which runs
//! the same kernels on the CPU, thread by thread.

mod device;
pub mod gpu;
mod kernel_source;
mod layout;

pub use device::{Arithmetic, CudaDevice, CudaPoly};
pub use kernel_source::KernelSource;
