//! The group of units modulo the conductor, which has n elements.

/// Inverts a unit: its power of order n - 1, because the group's order n is a multiple of every element's
/// order.
pub(crate) fn inverse(unit: u64, conductor: u64, n: usize) -> u64 {
    let (mut result, mut square, mut rest) = (1, unit % conductor, n - 1);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result * square % conductor;
        }
        square = square * square % conductor;
        rest >>= 1;
    }
    result
}
