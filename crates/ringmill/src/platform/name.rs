use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

#[cfg(feature = "cuda")]
use super::Cuda;
#[cfg(feature = "cuda-emulator")]
use super::Emulator;
#[cfg(feature = "rtl")]
use super::{Core, NttMultiplier};
use super::{Cpu, Platform};
use crate::{Error, Observer};

/// A name of a device, as on the command line: `cpu`, `auto`, `cuda`, `cuda:N`,
/// `rtl:ntt-multiplier`, `rtl:core`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceName {
    /// This machine's processor.
    Cpu,
    /// The first GPU that works; the processor if there is none.
    Auto,
    /// The GPU of this number.
    Cuda(usize),
    /// A GPU that the processor emulates.
    #[cfg(feature = "cuda-emulator")]
    Emulated,
    /// The NTT multiplier of paper 2, simulated: for messages of numbers only.
    NttMultiplier,
    /// The core, simulated: for sums of ciphertexts only.
    Core,
}

/// Work that every device can do, because it is written for any.
pub trait PlatformTask {
    /// The result of the task.
    type Output;
    /// How it may fail.
    type Error: From<Error>;

    /// Does it on a platform.
    ///
    /// # Errors
    /// As the task says.
    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<Self::Output, Self::Error>;
}

/// A platform that was found by name.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyPlatform {
    /// This machine's processor.
    Cpu(Arc<Cpu>),
    /// An NVIDIA GPU.
    #[cfg(feature = "cuda")]
    Cuda(Arc<Cuda>),
    /// A GPU that the processor emulates.
    #[cfg(feature = "cuda-emulator")]
    Emulated(Arc<Emulator>),
    /// The simulated NTT multiplier.
    #[cfg(feature = "rtl")]
    NttMultiplier(Arc<NttMultiplier>),
    /// The simulated core.
    #[cfg(feature = "rtl")]
    Core(Arc<Core>),
    /// The NTT multiplier, which this build cannot simulate.
    #[cfg(not(feature = "rtl"))]
    NttMultiplier,
}

/// Finds a device by name: `cpu`; `cuda` or `cuda:N`, an NVIDIA GPU by its number; `auto`, the first GPU that works,
/// else the processor, with a note which and why. A device that is asked for by name and cannot be used is an error.
///
/// ```
/// use std::sync::Arc;
///
/// use ringmill::platform::{Platform, PlatformTask, open_device};
///
/// struct Hardware;
///
/// impl PlatformTask for Hardware {
///     type Output = String;
///     type Error = ringmill::Error;
///
///     fn run<P: Platform>(self, platform: &Arc<P>) -> Result<String, ringmill::Error> {
///         Ok(format!("{} is {}", platform.name(), platform.hardware()))
///     }
/// }
///
/// # fn main() -> Result<(), ringmill::Error> {
/// println!("{}", open_device("cpu")?.run(Hardware)?);
/// assert!(open_device("abacus").is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if this build has no such device;
/// [`ErrorKind::Device`](crate::ErrorKind::Device) if it cannot be used.
pub fn open_device(name: &str) -> Result<AnyPlatform, Error> {
    name.parse::<DeviceName>().map_err(Error::Usage)?.open(&())
}

impl DeviceName {
    /// The names that every job can be given, for people.
    const GENERAL: &str = if cfg!(feature = "cuda-emulator") {
        "cpu, auto, cuda (GPU 0), cuda:N (GPU N), cuda:emulated"
    } else if cfg!(feature = "cuda") {
        "cpu, auto, cuda (GPU 0), cuda:N (GPU N)"
    } else {
        "cpu, auto"
    };

    /// Opens it; notes go to an observer.
    ///
    /// # Errors
    /// As [`open_device`].
    pub fn open(self, observer: &dyn Observer) -> Result<AnyPlatform, Error> {
        match self {
            Self::Cpu => Ok(AnyPlatform::Cpu(Arc::new(Cpu))),
            Self::Auto => Ok(first(observer)),
            #[cfg(feature = "cuda")]
            Self::Cuda(index) => Ok(AnyPlatform::Cuda(Arc::new(Cuda::new(index)?))),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda(_) => Err(Error::Usage(
                "this build has no NVIDIA GPUs: build it with the feature cuda".to_owned(),
            )),
            #[cfg(feature = "cuda-emulator")]
            Self::Emulated => Ok(AnyPlatform::Emulated(Arc::new(Emulator))),
            #[cfg(feature = "rtl")]
            Self::NttMultiplier => Ok(AnyPlatform::NttMultiplier(Arc::default())),
            #[cfg(not(feature = "rtl"))]
            Self::NttMultiplier => Ok(AnyPlatform::NttMultiplier),
            #[cfg(feature = "rtl")]
            Self::Core => Ok(AnyPlatform::Core(Arc::new(Core))),
            #[cfg(not(feature = "rtl"))]
            Self::Core => Err(Error::not_simulated()),
        }
    }
}

/// The first GPU that works; the processor if there is none.
fn first(observer: &dyn Observer) -> AnyPlatform {
    #[cfg(feature = "cuda")]
    let reason = match Cuda::first() {
        Ok(gpu) => {
            observer.note(&format!(
                "device: {}, {}, the first that works",
                gpu.name(),
                gpu.hardware()
            ));
            return AnyPlatform::Cuda(Arc::new(gpu));
        }
        Err(reason) => reason,
    };
    #[cfg(not(feature = "cuda"))]
    let reason = "this build has none: build it with the feature cuda";
    observer.note(&format!("device: cpu, because no GPU can be used: {reason}"));
    AnyPlatform::Cpu(Arc::new(Cpu))
}

impl AnyPlatform {
    /// Does a task on circuits.
    ///
    /// # Errors
    /// The task's own; [`ErrorKind::Usage`](crate::ErrorKind::Usage) for a machine that evaluates no circuits.
    pub fn run<T: PlatformTask>(&self, task: T) -> Result<T::Output, T::Error> {
        match self {
            Self::Cpu(cpu) => task.run(cpu),
            #[cfg(feature = "cuda")]
            Self::Cuda(gpu) => task.run(gpu),
            #[cfg(feature = "cuda-emulator")]
            Self::Emulated(gpu) => task.run(gpu),
            #[cfg(feature = "rtl")]
            Self::Core(core) => task.run(core),
            #[cfg(feature = "rtl")]
            Self::NttMultiplier(_) => Err(for_messages_only().into()),
            #[cfg(not(feature = "rtl"))]
            Self::NttMultiplier => Err(for_messages_only().into()),
        }
    }

    /// Does a task on messages of numbers, which the simulated machines can do too; they tell an observer what they
    /// did.
    ///
    /// # Errors
    /// The task's own.
    pub fn run_on_messages<T: PlatformTask>(
        &self,
        task: T,
        observer: &dyn Observer,
    ) -> Result<T::Output, T::Error> {
        #[cfg(feature = "rtl")]
        if let Self::NttMultiplier(machine) = self {
            let output = task.run(machine)?;
            if let Some(account) = machine.account() {
                observer.note(&account);
            }
            return Ok(output);
        }
        #[cfg(not(feature = "rtl"))]
        if let Self::NttMultiplier = self {
            return Err(Error::not_simulated().into());
        }
        let _ = observer;
        self.run(task)
    }
}

fn for_messages_only() -> Error {
    Error::Usage(format!(
        "--device {} is for the products of messages only: for encrypt and decrypt without --circuit; elsewhere there \
         are {}",
        DeviceName::NttMultiplier,
        DeviceName::GENERAL
    ))
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Auto => f.write_str("auto"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
            #[cfg(feature = "cuda-emulator")]
            Self::Emulated => f.write_str("cuda:emulated"),
            Self::NttMultiplier => f.write_str("rtl:ntt-multiplier"),
            Self::Core => f.write_str("rtl:core"),
        }
    }
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse().map(Self::Cuda).ok();
        let known = match name {
            "cpu" => Some(Self::Cpu),
            "auto" => Some(Self::Auto),
            "cuda" => Some(Self::Cuda(0)),
            #[cfg(feature = "cuda-emulator")]
            "cuda:emulated" => Some(Self::Emulated),
            "rtl:ntt-multiplier" => Some(Self::NttMultiplier),
            "rtl:core" => Some(Self::Core),
            _ => name.strip_prefix("cuda:").and_then(number),
        };
        known.ok_or_else(|| {
            format!(
                "this program has no device of that name; it has: {}, rtl:ntt-multiplier, rtl:core",
                Self::GENERAL
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_devices() {
        for device in [
            DeviceName::Cpu,
            DeviceName::Auto,
            DeviceName::Cuda(0),
            DeviceName::Cuda(12),
            DeviceName::NttMultiplier,
            DeviceName::Core,
        ] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(DeviceName::Cuda(0)));
        for name in ["abacus", "cuda:", "cuda:-1", "cuda:x", "CPU", ""] {
            let error = name.parse::<DeviceName>().unwrap_err();
            assert!(error.contains("it has: cpu, auto"), "{name}: {error}");
        }
    }
}
