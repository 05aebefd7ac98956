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
    // R_i for the windows' ends and starts.
    let (mut end, mut start) = (parameters.ring().unit(), parameters.ring().unit());
    let (mut sums, mut window) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..2 * n - 1 {
        let terms = (i + 1).min(2 * n - 1 - i) as f64;
        for (k, &x) in end.coefficients().iter().enumerate() {
            let x = f64::from(x);
            sums[k] += terms * x * x;
            window[k] += x;
        }
        end.advance();
        if i + 1 < n {
            continue;
        }
        for (k, &x) in start.coefficients().iter().enumerate() {
            sums[k] += window[k] * window[k];
            window[k] -= f64::from(x);
        }
        start.advance();
    }
    let product = sums.into_iter().fold(0.0, f64::max) / 4.0;
    let sigma = parameters.sigma();
    sigma * sigma * (1.0 + 2.0 * product)
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
