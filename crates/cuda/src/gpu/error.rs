use thiserror::Error;

/// Why a GPU cannot be used, or not any more.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no driver, or it does not work.
    #[error("there is no usable CUDA driver: {0}; install NVIDIA's driver, or compute with --device cpu")]
    NoDriver(String),
    /// There is no such GPU.
    #[error(
        "there is no CUDA GPU {index}: {found} found, counted from 0; `nvidia-smi` shows those that the driver sees"
    )]
    NoGpu {
        /// The GPU asked for.
        index: usize,
        /// GPUs that there are.
        found: usize,
    },
    /// The GPU lacks what the kernels need.
    #[error("{gpu} has compute capability {}.{}, at least {}.{} is needed", .capability.0, .capability.1, .needed.0, .needed.1)]
    TooOld {
        /// The GPU's name.
        gpu: String,
        /// What it has.
        capability: (u32, u32),
        /// What is needed.
        needed: (u32, u32),
    },
    /// There is no arithmetic of this name.
    #[error("RINGMILL_CUDA_ARITHMETIC is {0}; there are doubles, words, and auto")]
    NoArithmetic(String),
    /// There is no compiler for the kernels.
    #[error(
        "NVIDIA's run-time compiler NVRTC cannot be used: {0}; install CUDA, or `pip install nvidia-cuda-nvrtc` and name the folder of its libnvrtc.so in RINGMILL_NVRTC"
    )]
    NoCompiler(String),
    /// The kernels were not compiled.
    #[error("the kernels could not be compiled for {target}: {log}")]
    Compile {
        /// The architecture.
        target: String,
        /// What the compiler says.
        log: String,
    },
    /// The driver does not take what was compiled.
    #[error(
        "the driver, for CUDA {}.{}, does not take what NVRTC {}.{} compiled: {reason}; name an NVRTC in RINGMILL_NVRTC that is no newer than the driver, or install a newer driver",
        .driver.0, .driver.1, .compiler.0, .compiler.1
    )]
    NotTaken {
        /// The CUDA version of the driver.
        driver: (u32, u32),
        /// That of the compiler.
        compiler: (u32, u32),
        /// What the driver says.
        reason: String,
    },
    /// The GPU's memory is full.
    #[error(
        "the GPU's memory is full: {wanted} bytes were wanted, {free} of {total} are free; close other programs on it, or choose smaller parameters or fewer records a batch"
    )]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes free.
        free: u64,
        /// Bytes that there are.
        total: u64,
    },
    /// The host has no more memory that a GPU can reach.
    #[error("{wanted} bytes of the host's memory could not be locked for copies to the GPU")]
    OutOfHostMemory {
        /// Bytes asked for.
        wanted: u64,
    },
    /// A kernel or a copy failed: nothing more can be done on the GPU by this process.
    #[error("the GPU failed: {0}; what is on it is lost, start the program again")]
    Fault(String),
    /// There is no kernel of this name, or it takes other parameters: an error of this program.
    #[error("kernel {entry} cannot be launched: {problem}")]
    BadLaunch {
        /// The kernel.
        entry: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such stream: an error of this program.
    #[error("there is no stream {stream}: {streams} there are, counted from 0")]
    NoStream {
        /// The stream asked for.
        stream: usize,
        /// Streams that there are.
        streams: usize,
    },
    /// The driver refused something and goes on: an error of this program, or of the driver.
    #[error("the driver refused {call}: {reason}")]
    Refused {
        /// The driver's function.
        call: &'static str,
        /// What it says.
        reason: String,
    },
}
