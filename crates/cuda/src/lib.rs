//! NVIDIA GPUs as a device: the kernels of `kernels/`, and what runs them.
//!
//! Everything above [`machine::Machine`] is the same for a card and for the emulator, which runs the same
//! kernels on the CPU, thread by thread.

mod device;
pub mod machine;
mod program;

pub use device::{Arithmetic, CudaDevice, CudaPoly};
pub use program::Program;
