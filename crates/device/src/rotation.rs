/// A ciphertext of two parts, made ready for automorphisms: what [`Device::rotated_sums`](crate::Device::rotated_sums)
/// takes.
#[derive(Debug)]
pub struct Rotatable<'a, P> {
    /// The first part, in either domain.
    pub first: &'a P,
    /// The second part, in either domain.
    pub second: &'a P,
    /// The digits of the second part, as [`Device::decompose`](crate::Device::decompose) returns them.
    pub parts: &'a [P],
}

/// A term of a sum of [`Device::rotated_sums`](crate::Device::rotated_sums).
#[derive(Debug, Clone, Copy)]
pub struct RotatedTerm<'a, P> {
    /// The number of a ciphertext.
    pub operand: usize,
    /// The number of a key; none for the ciphertext itself.
    pub key: Option<usize>,
    /// What the image is multiplied with: over all limbs of the sum or more, in evaluation domain.
    pub factor: Option<&'a P>,
}
