use ringmill_arith::Basis;

use crate::ntru::{NtruError, Parameters};

/// The most products that are summed before the sum is scaled.
const MOST_PRODUCTS: f64 = 1024.0;

/// The extension of ciphertexts of a level for products.
pub struct Extension {
    /// B, the shortest prefix of the auxiliary primes with B > n 2^w q.
    ///
    /// A product of two centred polynomials has coefficients of at most n 2^w q^2/4: times t = 2 that is within
    /// the centred range of q B, and after the division by q in that of B.
    pub(super) basis: Basis,
    /// The products whose sum q B still holds.
    pub(super) products: usize,
}

impl Extension {
    /// That of a level.
    ///
    /// # Errors
    /// [`NtruError::BadParameter`] if the auxiliary primes are too few.
    pub(super) fn new(parameters: &Parameters, level: usize) -> Result<Self, NtruError> {
        let expansion = parameters.ring().expansion() as f64;
        // The hair is for sums in another order.
        let needed = parameters.log2_q(level)? + expansion.log2() + 1e-6;
        let auxiliary = parameters.auxiliary();
        for len in 1..=auxiliary.len() {
            let basis = auxiliary.prefix(len)?;
            let room = basis.log2() - needed;
            if room >= 0.0 {
                let products = room.exp2().min(MOST_PRODUCTS) as usize;
                return Ok(Self { basis, products });
            }
        }
        Err(NtruError::BadParameter {
            name: "auxiliary",
            problem: format!(
                "{} primes have {:.0} bits where {needed:.0} are needed; add some",
                auxiliary.len(),
                auxiliary.log2()
            ),
        })
    }
}
