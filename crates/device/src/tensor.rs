/// The tensor product of ciphertexts of two parts, or a sum of several, as [`Device::relinearize`](crate::Device::relinearize)
/// takes it: over q B, B being the product of further primes.
///
/// Its third part is divided by B already, because its digits are needed. The first and the second are still to be
/// computed, so that a device need not store them.
#[derive(Debug)]
pub struct Tensor<'a, P> {
    /// The first and the second part: the products of which each is the sum, of polynomials over q B in evaluation
    /// domain.
    pub sums: [Vec<(&'a P, &'a P)>; 2],
    /// What both sums are multiplied with.
    pub multiplier: u64,
    /// The third part, divided by B: over q, in either domain.
    pub third: &'a P,
}
