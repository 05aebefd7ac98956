use std::sync::OnceLock;

#[cfg(any(test, feature = "shapes"))]
use crate::lanes::shapes::Shape;
#[cfg(target_arch = "x86_64")]
use crate::lanes::{Avx2, Avx2Narrow, Avx512, Avx512F, Avx512FNarrow, Avx512Loose};
use crate::lanes::{Columns, Lanes, Portable, Vector};
use crate::{ArithError, Modulus};

/// Name of the environment variable that forces or forbids kernels: `portable`, `avx2`, `avx512f`,
/// `avx512` force that one; `no-avx512` takes the best of the first two.
const VARIABLE: &str = "RINGMILL_KERNEL";

/// The vector instructions that loops use. All give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Simd {
    /// 64-bit integer arithmetic without intrinsics. It runs on every machine and is the reference.
    Portable,
    /// Four lanes of double-precision fused multiply-add (x86-64 with AVX2 and FMA).
    Avx2,
    /// Eight lanes of double-precision fused multiply-add (x86-64 with AVX-512 F, DQ and VL, and AVX2).
    Avx512F,
    /// Eight lanes of 52-bit integer multiply-add (x86-64 with AVX-512 F, DQ, VL and IFMA).
    Avx512,
    /// Arrays in the shape of vectors, for tests. No program chooses it.
    #[cfg(any(test, feature = "shapes"))]
    Shape(Shape),
}

/// A loop written over any [`Lanes`], which the chosen kernel runs.
///
/// `run` and everything that it calls must be `#[inline(always)]`. Only then does the compiler use the kernel's
/// instructions for them.
pub trait WithSimd {
    /// What the loop returns.
    type Output;

    /// Runs the loop.
    ///
    /// # Safety
    /// The machine must have the instructions of `L`; [`Simd::run`] ensures it.
    unsafe fn run<L: Lanes>(self) -> Self::Output;
}

/// A loop written over any [`Vector`], which the chosen kernel runs with the vectors that suit the modulus. Otherwise
/// the same as [`WithSimd`].
pub trait WithVector {
    /// What the loop returns.
    type Output;

    /// Runs the loop.
    ///
    /// # Safety
    /// The machine must have the instructions of `V`; [`Simd::run_vector`] ensures it.
    unsafe fn run<V: Vector>(self) -> Self::Output;
}

/// A loop over lanes as one over vectors.
pub(crate) struct Wide<T>(pub T);

impl<T: WithVector> WithSimd for Wide<T> {
    type Output = T::Output;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> T::Output {
        // SAFETY: the caller's promise is the callee's.
        unsafe { self.0.run::<L>() }
    }
}

/// The bits of a digit of a kernel's columns.
struct DigitBits;

impl WithSimd for DigitBits {
    type Output = u32;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> u32 {
        L::Columns::DIGIT_BITS
    }
}

impl Simd {
    /// Every kernel, slowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512F, Self::Avx512];

    /// The name of the kernel in the environment variable and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512F => "avx512f",
            Self::Avx512 => "avx512",
            #[cfg(any(test, feature = "shapes"))]
            Self::Shape(shape) => shape.name(),
        }
    }

    /// Whether this machine can run the kernel.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(any(test, feature = "shapes"))]
            Self::Shape(_) => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512F => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Self::Avx512F.is_available() && is_x86_feature_detected!("avx512ifma"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The most bits that a modulus may have for this kernel.
    #[must_use]
    pub const fn max_modulus_bits(self) -> u32 {
        match self {
            Self::Portable => 62,
            #[cfg(any(test, feature = "shapes"))]
            Self::Shape(_) => 62,
            Self::Avx2 | Self::Avx512F | Self::Avx512 => 50,
        }
    }

    /// The kernels this machine can run, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|k| k.is_available()).collect()
    }

    /// The kernels that tests run: those of this machine and every right [`Shape`].
    #[cfg(any(test, feature = "shapes"))]
    #[must_use]
    pub fn tested() -> Vec<Self> {
        let shapes = Shape::RIGHT.map(Self::Shape);
        Self::available().into_iter().chain(shapes).collect()
    }

    /// The kernel of this name (see [`Simd::name`]; `no-avx512` and `auto` are names too).
    ///
    /// # Errors
    /// [`ArithError::KernelUnavailable`] if there is none or this machine lacks its instructions.
    pub fn by_name(name: &str) -> Result<Self, ArithError> {
        let available = Self::available();
        let best = |allowed: &dyn Fn(&Self) -> bool| available.iter().copied().rfind(allowed);
        match name {
            "auto" | "" => best(&|_| true),
            "no-avx512" => best(&|k| !matches!(k, Self::Avx512F | Self::Avx512)),
            _ => best(&|k| k.name() == name),
        }
        .ok_or_else(|| ArithError::KernelUnavailable {
            name: name.to_owned(),
            available: available.iter().map(|k| k.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// The kernel that `RINGMILL_KERNEL` asks for, or else the fastest of this machine. Proves it first.
    ///
    /// # Errors
    /// [`ArithError::KernelUnavailable`] if the variable names one that cannot run here;
    /// [`ArithError::WrongKernel`] as for [`Simd::prove`].
    pub fn from_environment() -> Result<Self, ArithError> {
        static CHOICE: OnceLock<Result<Simd, ArithError>> = OnceLock::new();
        let choose = || {
            let kernel = Self::by_name(&std::env::var(VARIABLE).unwrap_or_default())?;
            kernel.prove().map(|()| kernel)
        };
        CHOICE.get_or_init(choose).clone()
    }

    /// Runs a loop with this kernel's lanes. If the machine cannot run the kernel, [`Simd::Portable`] runs the loop and
    /// gives the same bits.
    pub fn run<T: WithSimd>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => {
                // SAFETY: the instructions were just detected.
                unsafe { run_avx2(task) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512F if self.is_available() => {
                // SAFETY: the instructions were just detected.
                unsafe { run_avx512f(task) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.is_available() => {
                // SAFETY: the instructions were just detected.
                unsafe { run_avx512(task) }
            }
            #[cfg(any(test, feature = "shapes"))]
            Self::Shape(shape) => shape.run(task),
            // SAFETY: these lanes need no particular instructions.
            _ => unsafe { task.run::<Portable>() },
        }
    }

    /// Bits of the digits of this kernel's [`Columns`].
    #[must_use]
    pub fn digit_bits(self) -> u32 {
        self.run(DigitBits)
    }

    /// Runs a loop over residues modulo q. The loop gets the fastest vectors that the kernel has for primes of this size,
    /// which may have words of 32 bits. The choice depends on the arguments alone, so a loop may read tables that another
    /// one made.
    pub fn run_vector<T: WithVector>(self, q: &Modulus, task: T) -> T::Output {
        #[cfg(any(test, feature = "shapes"))]
        if let Self::Shape(shape) = self {
            return shape.run_vector(q, task);
        }
        #[cfg(target_arch = "x86_64")]
        match (self, q.bits()) {
            // SAFETY: the instructions were just detected.
            (Self::Avx2, ..31) if self.is_available() => return unsafe { narrow_avx2::<T, true>(task) },
            // SAFETY: as above.
            (Self::Avx2, 31) if self.is_available() => return unsafe { narrow_avx2::<T, false>(task) },
            // SAFETY: as above.
            (Self::Avx512F, ..=31) if self.is_available() => return unsafe { narrow_avx512f(task) },
            // SAFETY: as above.
            (Self::Avx512, ..=31) if self.is_available() => return unsafe { loose_avx512(task) },
            _ => {}
        }
        self.run(Wide(task))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<T: WithSimd>(task: T) -> T::Output {
    // SAFETY: the caller saw that AVX2 and FMA are there.
    unsafe { task.run::<Avx2>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl")]
unsafe fn run_avx512f<T: WithSimd>(task: T) -> T::Output {
    // SAFETY: the caller saw that the AVX-512 subsets are there.
    unsafe { task.run::<Avx512F>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
unsafe fn run_avx512<T: WithSimd>(task: T) -> T::Output {
    // SAFETY: the caller saw that the AVX-512 subsets are there.
    unsafe { task.run::<Avx512>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn narrow_avx2<T: WithVector, const SPARE: bool>(task: T) -> T::Output {
    // SAFETY: the caller saw that AVX2 is there.
    unsafe { task.run::<Avx2Narrow<SPARE>>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl")]
unsafe fn narrow_avx512f<T: WithVector>(task: T) -> T::Output {
    // SAFETY: the caller saw that the AVX-512 subsets are there.
    unsafe { task.run::<Avx512FNarrow>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
unsafe fn loose_avx512<T: WithVector>(task: T) -> T::Output {
    // SAFETY: the caller saw that the AVX-512 subsets are there.
    unsafe { task.run::<Avx512Loose<31>>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_kernels() {
        assert_eq!(Simd::by_name("portable"), Ok(Simd::Portable));
        assert_eq!(Simd::by_name("auto").ok(), Simd::available().last().copied());
        let without = Simd::by_name("no-avx512").unwrap();
        assert!(matches!(without, Simd::Portable | Simd::Avx2), "{without:?}");
        assert!(matches!(
            Simd::by_name("abacus"),
            Err(ArithError::KernelUnavailable { name, .. }) if name == "abacus"
        ));
    }
}
