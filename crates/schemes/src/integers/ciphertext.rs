use num_bigint::BigUint;

/// An encrypted bit: a number below x_0, with a bound on its noise.
#[derive(Clone, PartialEq)]
pub struct Ciphertext {
    pub(super) value: BigUint,
    pub(super) noise: f64,
    /// Of the public key whose x_0 it is reduced by.
    pub(super) key: [u8; 32],
}

impl Ciphertext {
    /// log2 of a bound on the noise: what it is modulo p, centred.
    #[must_use]
    pub const fn noise(&self) -> f64 {
        self.noise
    }
}

impl std::fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Ciphertext({} bits, noise below 2^{:.1})",
            self.value.bits(),
            self.noise
        )
    }
}
