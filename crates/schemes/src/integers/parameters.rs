use std::fmt;

use ringmill_arith::Simd;
use sha2::{Digest, Sha256};

use super::IntegersError;
use super::accumulation::Method;

/// A set of parameters: paper 5, table I, for gamma, alpha and tau; Coron, Naccache and Tibouchi, table 1, for
/// lambda, rho and eta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    name: &'static str,
    lambda: u32,
    rho: u32,
    eta: u32,
    gamma: u32,
    tau: u32,
    alpha: u32,
}

/// Bits that gamma is a multiple of: a block of the key stream, so that elements begin at whole ones.
const BLOCK_BITS: u32 = 512;

/// gamma is the paper's, rounded to whole blocks.
const SETS: [Parameters; 4] = [
    Parameters {
        name: "integers-toy",
        lambda: 42,
        rho: 27,
        eta: 1026,
        gamma: 293 * BLOCK_BITS,
        tau: 158,
        alpha: 936,
    },
    Parameters {
        name: "integers-small",
        lambda: 52,
        rho: 41,
        eta: 1558,
        gamma: 1622 * BLOCK_BITS,
        tau: 572,
        alpha: 1476,
    },
    Parameters {
        name: "integers-medium",
        lambda: 62,
        rho: 56,
        eta: 2128,
        gamma: 8203 * BLOCK_BITS,
        tau: 2110,
        alpha: 2016,
    },
    Parameters {
        name: "integers-large",
        lambda: 72,
        rho: 71,
        eta: 2698,
        gamma: 37793 * BLOCK_BITS,
        tau: 7695,
        alpha: 2556,
    },
];

impl Parameters {
    /// The names of all sets, smallest first.
    #[must_use]
    pub fn names() -> [&'static str; 4] {
        SETS.map(|set| set.name)
    }

    /// The set of this name. All are insecure ([`Parameters::warning`]), so the name says so.
    ///
    /// # Errors
    /// [`IntegersError::UnknownSet`].
    pub fn insecure(name: &str) -> Result<Self, IntegersError> {
        SETS.into_iter()
            .find(|set| set.name == name)
            .ok_or_else(|| IntegersError::UnknownSet {
                name: name.to_owned(),
                known: Self::names().join(", "),
            })
    }

    /// A set far below toy size, whose keys take no time.
    #[cfg(test)]
    pub(crate) const fn tiny() -> Self {
        Self {
            name: "integers-tiny",
            lambda: 16,
            rho: 12,
            eta: 420,
            gamma: 12 * BLOCK_BITS,
            tau: 24,
            alpha: 300,
        }
    }

    /// Says in a line what is wrong with the set: front ends print it at each use.
    #[must_use]
    pub fn warning(&self) -> String {
        let Self { name, lambda, .. } = self;
        let hashing = if self.leftover_hash_holds() {
            ""
        } else {
            ", and public-key encryption sums too few bits of randomness to hide the message by the proof"
        };
        format!(
            "{name} is INSECURE, for research and comparison only: {lambda} bits by its authors' estimate of 2012{hashing}"
        )
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The security in bits that the set's authors aimed at.
    #[must_use]
    pub const fn lambda(&self) -> u32 {
        self.lambda
    }

    /// Bits of the noise of public elements.
    #[must_use]
    pub const fn rho(&self) -> u32 {
        self.rho
    }

    /// Bits of the secret prime p.
    #[must_use]
    pub const fn eta(&self) -> u32 {
        self.eta
    }

    /// Bits of x_0, of public elements and of ciphertexts.
    #[must_use]
    pub const fn gamma(&self) -> u32 {
        self.gamma
    }

    /// Public elements.
    #[must_use]
    pub const fn tau(&self) -> usize {
        self.tau as usize
    }

    /// Bits of the random factors b_i of public elements.
    #[must_use]
    pub const fn alpha(&self) -> u32 {
        self.alpha
    }

    /// Bits of the noise r that public-key encryption adds: as many as the sum of the elements' noise can have,
    /// rho + alpha + log2 tau. (Paper 5 leaves it open; the security proof wants some more than fit below p.)
    #[must_use]
    pub const fn fresh_rho(&self) -> u32 {
        self.rho + self.alpha + self.tau.next_power_of_two().ilog2()
    }

    /// The method of [`super::accumulation`] that was fastest for this set (`docs/integers.md`): products grow with alpha,
    /// transforms do not, and AVX-512 multiplies faster, most so with IFMA.
    #[must_use]
    pub const fn fastest(&self, kernel: Simd) -> Method {
        let most = match kernel {
            Simd::Avx512 => 2016,
            Simd::Avx512F => 1476,
            _ => 936,
        };
        if self.alpha <= most {
            Method::Comba
        } else {
            Method::Fourier
        }
    }

    /// Words of 64 bits of x_0 and of public elements.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.gamma as usize / 64
    }

    /// Bits of a correction delta_i = \[chi_i mod p\] + xi_i p - r_i, xi_i in \[1, 2^lambda\].
    #[must_use]
    pub const fn correction_bits(&self) -> u32 {
        self.eta + self.lambda + 1
    }

    /// Words of a correction.
    pub(super) const fn correction_words(&self) -> usize {
        self.correction_bits().div_ceil(64) as usize
    }

    /// Whether tau alpha >= gamma + lambda: then, by the leftover hash lemma, sums of elements are as good as random.
    const fn leftover_hash_holds(&self) -> bool {
        self.tau as u64 * self.alpha as u64 >= self.gamma as u64 + self.lambda as u64
    }

    /// log2 of the noise that decrypts for certain: below p / 2, and p has eta bits.
    #[must_use]
    pub const fn noise_limit(&self) -> u32 {
        self.eta - 2
    }

    /// log2 of the largest noise of a ciphertext that [`super::PublicKey::encrypt`] makes:
    /// 1 + 2 2^rho' + 2 tau 2^(rho + alpha).
    #[must_use]
    pub fn public_noise(&self) -> f64 {
        let elements = 1.0 + f64::from(self.rho + self.alpha) + f64::from(self.tau).log2();
        log2_sum(log2_sum(elements, f64::from(self.fresh_rho() + 1)), 0.0)
    }

    /// log2 of the standard deviation of that noise: r is uniform in an interval of length 2 2^rho', as is each r_i
    /// in one of 2 2^rho, and b_i in one of 2^alpha from zero.
    #[must_use]
    pub fn public_deviation(&self) -> f64 {
        let third = 3_f64.log2();
        let own = 2.0 * f64::from(self.fresh_rho()) - third;
        let elements = 2.0 * f64::from(self.rho + self.alpha) - 2.0 * third + f64::from(self.tau).log2();
        1.0 + log2_sum(own, elements) / 2.0
    }

    /// log2 of the largest noise of a ciphertext that [`super::SecretKey::encrypt`] makes: 1 + 2 2^rho.
    #[must_use]
    pub fn secret_noise(&self) -> f64 {
        log2_sum(f64::from(self.rho + 1), 0.0)
    }

    /// Multiplicative depth that decrypts for certain from noise of so many bits: a product of two ciphertexts of one
    /// depth has twice the bits.
    #[must_use]
    pub fn depth(&self, fresh_noise: f64) -> u32 {
        let mut depth = 0;
        let mut noise = 2.0 * fresh_noise;
        while noise <= f64::from(self.noise_limit()) {
            depth += 1;
            noise *= 2.0;
        }
        depth
    }

    /// SHA-256 of all that determines keys and ciphertexts.
    pub(super) fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(b"ringmill integers");
        for field in [self.lambda, self.rho, self.eta, self.gamma, self.tau, self.alpha] {
            hash.update(field.to_le_bytes());
        }
        hash.finalize().into()
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// log2(2^a + 2^b).
pub(super) fn log2_sum(a: f64, b: f64) -> f64 {
    let (least, most) = (a.min(b), a.max(b));
    most + (least - most).exp2().ln_1p() / std::f64::consts::LN_2
}
