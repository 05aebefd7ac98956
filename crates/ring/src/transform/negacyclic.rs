use ringmill_arith::{ArithError, Kernel, Modulus, prime};

use crate::{NegacyclicRing, RingError};

/// The transform of Z\[x\]/(x^n + 1).
#[derive(Debug, Clone)]
pub(super) struct Butterflies {
    ring: NegacyclicRing,
    modulus: Modulus,
    /// psi^j, j < 2n.
    powers: Vec<u64>,
}

impl Butterflies {
    pub(super) fn new(ring: &NegacyclicRing, modulus: &Modulus, kernel: Kernel) -> Result<Self, RingError> {
        if modulus.bits() > kernel.max_modulus_bits() {
            return Err(ArithError::BadModulus(modulus.value()).into());
        }
        let psi = prime::root_of_unity(modulus, ring.conductor())?;
        let powers = std::iter::successors(Some(1), |&x| Some(modulus.mul(x, psi)));
        Ok(Self {
            ring: *ring,
            modulus: *modulus,
            powers: powers.take(2 * ring.n()).collect(),
        })
    }

    pub(super) fn evaluate(&self, data: &mut [u64]) -> Result<(), RingError> {
        let (n, q) = (self.check(data)?, &self.modulus);
        let turned = data.iter().zip(&self.powers).map(|(&x, &w)| q.mul(x, w));
        let mut values: Vec<u64> = turned.collect();
        self.cyclic(&mut values, |e| e);
        for (i, x) in data.iter_mut().enumerate().take(n) {
            *x = values[(self.ring.exponent_at(i) / 2) as usize];
        }
        Ok(())
    }

    pub(super) fn interpolate(&self, data: &mut [u64]) -> Result<(), RingError> {
        let (n, q) = (self.check(data)?, &self.modulus);
        let mut values = vec![0; n];
        for (i, &x) in data.iter().enumerate() {
            values[(self.ring.exponent_at(i) / 2) as usize] = x;
        }
        self.cyclic(&mut values, |e| (2 * n - e) % (2 * n));
        let scale = q.inv(n as u64).unwrap_or(0);
        for (j, (x, &value)) in data.iter_mut().zip(&values).enumerate() {
            *x = q.mul(q.mul(value, scale), self.powers[(2 * n - j) % (2 * n)]);
        }
        Ok(())
    }

    fn check(&self, data: &[u64]) -> Result<usize, RingError> {
        let n = self.ring.n();
        if data.len() == n {
            return Ok(n);
        }
        Err(RingError::WrongLength {
            expected: n,
            got: data.len(),
        })
    }

    /// Textbook radix-2 cyclic transform with the root psi^2, or psi^turn(2).
    fn cyclic(&self, a: &mut [u64], turn: impl Fn(usize) -> usize) {
        let (n, q) = (a.len(), &self.modulus);
        for i in 0..n {
            let j = crate::negacyclic::reverse_bits(i, n);
            if i < j {
                a.swap(i, j);
            }
        }
        let mut half = 1;
        while half < n {
            for block in a.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (j, (u, v)) in low.iter_mut().zip(high).enumerate() {
                    let t = q.mul(*v, self.powers[turn(j * n / half)]);
                    (*u, *v) = (q.add(*u, t), q.sub(*u, t));
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests;
