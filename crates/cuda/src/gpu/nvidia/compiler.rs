//! Compiles kernels for a GPU.

use std::path::PathBuf;

use super::cache::{Cache, Key};
use super::nvrtc::{Form, Nvrtc};
use crate::KernelSource;
use crate::gpu::GpuError;

/// The options of every compilation. Without `fmad` the compiler rounds sums of products as they are
/// written; the kernels ask for a fused operation where they want one.
const OPTIONS: [&str; 3] = ["--std=c++17", "-default-device", "--fmad=false"];

/// NVRTC, and the cache of its results.
pub struct Compiler {
    nvrtc: Nvrtc,
    cache: Option<Cache>,
}

/// Compiled kernels for a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The target: `sm_90` for machine code of compute capability 9.0, `compute_90` for PTX.
    pub target: String,
    /// A cubin, or the text of PTX, which ends with a zero byte.
    pub bytes: Vec<u8>,
    /// The compiler's log; empty if the image was kept from an earlier compilation.
    pub log: String,
}

impl Compiler {
    /// Loads NVRTC for a driver of a CUDA version, or for no driver. Among several compilers it prefers one
    /// whose results the driver accepts. It keeps the results in the user's cache.
    ///
    /// # Errors
    /// [`GpuError::NoCompiler`] if NVRTC cannot be loaded.
    pub fn load(driver: Option<(u32, u32)>) -> Result<Self, GpuError> {
        let newest = driver.map_or(u32::MAX, |(major, _)| major);
        Ok(Self {
            nvrtc: Nvrtc::load(newest)?,
            cache: Cache::of_user(),
        })
    }

    /// Changes the folder in which results are kept; with `None` nothing is kept.
    #[must_use]
    pub fn keeping_in(self, folder: Option<PathBuf>) -> Self {
        let cache = folder.map(Cache::at);
        Self { cache, ..self }
    }

    /// The compiler's CUDA version.
    #[must_use]
    pub fn version(&self) -> (u32, u32) {
        self.nvrtc.version
    }

    /// Compiles a program for a GPU of a compute capability. The result is machine code or, if the compiler
    /// does not know the GPU's capability, PTX for the nearest lower one. A kept result of the same
    /// compilation is reused.
    ///
    /// # Errors
    /// [`GpuError::Compile`] with the compiler's log.
    pub fn compile(&self, program: &KernelSource, capability: (u32, u32)) -> Result<Image, GpuError> {
        let (target, form) = self.target(capability)?;
        let options = options(program, &target);
        let key = self.key(program, &options);
        if let Some(bytes) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            let log = String::new();
            return Ok(Image { target, bytes, log });
        }
        match self.nvrtc.compile(program, &options, form) {
            Ok((bytes, log)) => {
                if let Some(cache) = &self.cache {
                    cache.put(key, &bytes);
                }
                Ok(Image { target, bytes, log })
            }
            Err(log) => Err(GpuError::Compile { target, log }),
        }
    }

    /// The target and form of a compilation.
    fn target(&self, (major, minor): (u32, u32)) -> Result<(String, Form), GpuError> {
        let wanted = 10 * major + minor;
        let lower = self.nvrtc.architectures.iter().filter(|known| **known <= wanted);
        match lower.max() {
            Some(known) if *known == wanted => Ok((format!("sm_{known}"), Form::Cubin)),
            Some(known) => Ok((format!("compute_{known}"), Form::Ptx)),
            None => {
                let (newer, minor) = self.nvrtc.version;
                Err(GpuError::Compile {
                    target: format!("sm_{wanted}"),
                    log: format!("NVRTC {newer}.{minor} does not compile for so old a GPU any more"),
                })
            }
        }
    }

    /// The key of a compilation: everything on which its result depends.
    fn key(&self, program: &KernelSource, options: &[String]) -> Key {
        let (major, minor) = self.nvrtc.version;
        let version = format!("NVRTC {major}.{minor}");
        let headers = program.headers.iter().flat_map(|(name, text)| [name, text]);
        let texts = [&version, &program.source]
            .into_iter()
            .chain(headers)
            .chain(options);
        Key::of(texts.map(String::as_str))
    }
}

fn options(program: &KernelSource, target: &str) -> Vec<String> {
    let fixed = OPTIONS.iter().map(|option| (*option).to_owned());
    let target = [format!("--gpu-architecture={target}")];
    fixed
        .chain(target)
        .chain(program.options.iter().cloned())
        .collect()
}
