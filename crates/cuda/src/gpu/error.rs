use thiserror::Error;

/// The reason why a GPU cannot be used, or can no longer be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no driver, or it does not work.
    #[error("there is no usable CUDA driver: {0}; install NVIDIA's driver, or compute with --device cpu")]
    NoDriver(String),
    /// There is no GPU of this index.
    #[error(
        "there is no CUDA GPU {index}: {found} found, counted from 0; `nvidia-smi` shows those that the driver sees"
    )]
    NoGpu {
        /// The requested GPU.
        index: usize,
        /// The number of GPUs.
        found: usize,
    },
    /// The GPU lacks features that the kernels need.
    #[error("{gpu} has compute capability {}.{}, at least {}.{} is needed", .capability.0, .capability.1, .needed.0, .needed.1)]
    TooOld {
        /// The GPU's name.
        gpu: String,
        /// The GPU's compute capability.
        capability: (u32, u32),
        /// The compute capability that the kernels need.
        needed: (u32, u32),
    },
    /// There is no arithmetic of this name.
    #[error("RINGMILL_CUDA_ARITHMETIC is {0}; there are doubles, words, and auto")]
    NoArithmetic(String),
    /// The compiler for the kernels is missing.
    #[error(
        "NVIDIA's run-time compiler NVRTC cannot be used: {0}; install CUDA, or `pip install nvidia-cuda-nvrtc` and name the folder of its libnvrtc.so in RINGMILL_NVRTC"
    )]
    NoCompiler(String),
    /// The kernels did not compile.
    #[error("the kernels could not be compiled for {target}: {log}")]
    Compile {
        /// The architecture.
        target: String,
        /// The compiler's log.
        log: String,
    },
    /// The driver rejects the compiled kernels.
    #[error(
        "the driver, for CUDA {}.{}, does not take what NVRTC {}.{} compiled: {reason}; name an NVRTC in RINGMILL_NVRTC that is no newer than the driver, or install a newer driver",
        .driver.0, .driver.1, .compiler.0, .compiler.1
    )]
    NotTaken {
        /// The CUDA version of the driver.
        driver: (u32, u32),
        /// The CUDA version of the compiler.
        compiler: (u32, u32),
        /// The driver's reason.
        reason: String,
    },
    /// The GPU's memory is full.
    #[error(
        "the GPU's memory is full: {wanted} bytes were wanted, {free} of {total} are free; close other programs on it, or choose smaller parameters or fewer records a batch"
    )]
    OutOfMemory {
        /// The number of bytes requested.
        wanted: u64,
        /// The number of free bytes.
        free: u64,
        /// The number of bytes in all.
        total: u64,
    },
    /// The host has no more memory that a GPU can reach.
    #[error("{wanted} bytes of the host's memory could not be locked for copies to the GPU")]
    OutOfHostMemory {
        /// The number of bytes requested.
        wanted: u64,
    },
    /// A kernel or a copy failed; this process can do nothing more on the GPU.
    #[error("the GPU failed: {0}; what is on it is lost, start the program again")]
    Fault(String),
    /// There is no kernel of this name, or it takes other parameters. This is an error in this program.
    #[error("kernel {entry} cannot be launched: {problem}")]
    BadLaunch {
        /// The kernel.
        entry: String,
        /// The problem with the launch.
        problem: String,
    },
    /// There is no such stream. This is an error in this program.
    #[error("there is no stream {stream}: {streams} there are, counted from 0")]
    NoStream {
        /// The requested stream.
        stream: usize,
        /// The number of streams.
        streams: usize,
    },
    /// The driver refused a call but still works. This is an error in this program or in the driver.
    #[error("the driver refused {call}: {reason}")]
    Refused {
        /// The driver's function.
        call: &'static str,
        /// The driver's reason.
        reason: String,
    },
}
