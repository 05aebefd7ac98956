use ringmill_ring::cyclotomic::Cyclotomic;

use super::Parameters;

/// The largest variance, over the coefficients, of fresh noise e_1 + e_2 s - e u.
///
/// Exact for binary u and s with mean 1/2 and Gaussian errors: with R_i the coefficients of x^i modulo Phi_m, coefficient
/// k of a product of an error with a binary polynomial is the sum of e_a u_b R_(a+b),k, and
///
/// ```text
/// E = sigma^2 sum_a E(sum_b u_b R_(a+b),k)^2 = sigma^2 / 4 (sum_a (sum_b R_(a+b),k)^2 + sum_a,b R_(a+b),k^2)
/// ```
///
/// The first term is that of u's mean, the second of what it varies. There are two such products, independent.
#[must_use]
pub fn error_variance(parameters: &Parameters) -> f64 {
    let n = parameters.n();
    let powers = powers(parameters.ring());
    let product = (0..n).map(|k| {
        let column: Vec<f64> = powers.iter().map(|power| f64::from(power[k])).collect();
        let squares = column.iter().enumerate();
        let varying: f64 = squares
            .map(|(i, x)| (i + 1).min(2 * n - 1 - i) as f64 * x * x)
            .sum();
        let (mut window, mut mean) = (column[..n].iter().sum::<f64>(), 0.0);
        for a in 0..n {
            mean += window * window;
            window += column.get(a + n).unwrap_or(&0.0) - column[a];
        }
        (mean + varying) / 4.0
    });
    let sigma = parameters.sigma();
    sigma * sigma * (1.0 + 2.0 * product.fold(0.0, f64::max))
}

/// log2 of a bound of the probability that a fresh ciphertext is decrypted wrongly: that one of n coefficients of
/// Gaussian noise exceeds q / 4.
#[must_use]
pub fn failure(parameters: &Parameters) -> f64 {
    // P(|x| > z sigma) < exp(-z^2 / 2) for z > 1; the square in logarithms, which may be beyond a double's range.
    let ratio = parameters.q().log2() - 2.0 - error_variance(parameters).log2() / 2.0;
    let exponent = (2.0 * ratio).exp2() / 2.0 / std::f64::consts::LN_2;
    (parameters.n() as f64).log2() - exponent
}

/// The coefficients of x^0, ..., x^(2n-2) modulo Phi_m.
fn powers(ring: &Cyclotomic) -> Vec<Vec<i32>> {
    let n = ring.n();
    let mut power = vec![0; n];
    power[0] = 1;
    let mut powers = Vec::with_capacity(2 * n - 1);
    for _ in 0..2 * n - 1 {
        powers.push(power.clone());
        power.rotate_right(1);
        let top = std::mem::take(&mut power[0]);
        for &(exponent, coefficient) in &ring.terms()[..ring.weight() - 1] {
            power[exponent] -= top * coefficient;
        }
    }
    powers
}
