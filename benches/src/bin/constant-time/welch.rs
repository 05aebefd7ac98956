//! Welch's t-test on times, after Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?" (2017).
//!
//! Each measurement draws its class by lot: the fixed secret, or a fresh random one. The times of both classes have
//! equal means if the time does not depend on the secret. Other programs disturb the longest times most, so that the
//! test is also made with the times above several percentiles of all of them cut off; the largest |t| counts.

use std::fmt;
use std::time::{Duration, Instant};

use ringmill_arith::sampling::{Seed, Stream};

use crate::operations::{FIXED, Operation};

/// The |t| from which a difference is more than chance: as in the paper.
pub const LIMIT: f64 = 4.5;

/// Measurements whose secrets are prepared together.
const BATCH: usize = 128;

/// The first measurements, which warm up caches and are not counted.
const WARM: usize = 2 * BATCH;

/// The shares of the times that are kept.
const KEPT: [f64; 8] = [1.0, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1];

/// The result of a test.
pub struct Verdict {
    measurements: usize,
    /// The median in nanoseconds.
    median: f64,
    /// The t of largest magnitude, the share of the times that it is of, and the difference of the means there, fixed
    /// less random, as a part of the mean.
    t: f64,
    kept: f64,
    difference: f64,
}

impl Verdict {
    pub fn passes(&self) -> bool {
        self.t.abs() < LIMIT
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:7} measurements, median {:9.1} us, t {:6.2} ({:3.0} % kept, {:+.4} %) {}",
            self.measurements,
            self.median / 1e3,
            self.t,
            100.0 * self.kept,
            100.0 * self.difference,
            if self.passes() { "passes" } else { "DIFFERS" }
        )
    }
}

/// Times an operation for about `each`.
pub fn test(operation: &Operation<'_>, each: Duration) -> Verdict {
    let mut stream = Stream::new(&Seed::from_bytes([42; 32]));
    let mut times = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < each || times.len() < WARM + BATCH {
        let prepared: Vec<_> = (0..BATCH)
            .map(|copy| {
                let mut words = [0; 5];
                stream.fill_words(&mut words);
                let is_fixed = words[4] % 2 == 0;
                let mut random = [0; 32];
                for (bytes, word) in random.chunks_exact_mut(8).zip(words) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
                let secret = if is_fixed { FIXED } else { random };
                (is_fixed, (operation.prepare)(&secret, copy))
            })
            .collect();
        for (is_fixed, run) in prepared {
            let start = Instant::now();
            run();
            times.push((start.elapsed().as_nanos() as f64, is_fixed));
        }
    }
    judge(&mut times[WARM..])
}

/// The test on times of both classes.
fn judge(times: &mut [(f64, bool)]) -> Verdict {
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].0;
    let tests = KEPT.map(|kept| {
        // By the time, not by the place, so that equal times of both classes stay or go together.
        let limit = at(kept);
        let class = |fixed| {
            times
                .iter()
                .filter(move |x| x.0 <= limit && x.1 == fixed)
                .map(|x| x.0)
        };
        let [fixed, random] = [class(true), class(false)].map(|class| Moments::of(class));
        let error = (fixed.variance / fixed.count + random.variance / random.count).sqrt();
        let difference = fixed.mean - random.mean;
        let t = if error > 0.0 { difference / error } else { 0.0 };
        (t, kept, difference / random.mean)
    });
    let (t, kept, difference) = tests
        .into_iter()
        .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
        .unwrap_or_default();
    Verdict {
        measurements: times.len(),
        median: at(0.5),
        t,
        kept,
        difference,
    }
}

/// Number, mean and variance.
struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    /// By Welford's method.
    fn of(times: impl Iterator<Item = f64>) -> Self {
        let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
        for x in times {
            count += 1.0;
            let distance = x - mean;
            mean += distance / count;
            squares += distance * (x - mean);
        }
        Self {
            count,
            mean,
            variance: squares / (count - 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of about a thousand, spread over a hundred; those of the fixed class `more` longer.
    fn times(more: f64) -> Vec<(f64, bool)> {
        let mut words = vec![0; 20_000];
        Stream::new(&Seed::from_bytes([3; 32])).fill_words(&mut words);
        let time = |word: u64| {
            let fixed = word >> 63 == 1;
            (
                1000.0 + (word % 100) as f64 + if fixed { more } else { 0.0 },
                fixed,
            )
        };
        words.into_iter().map(time).collect()
    }

    #[test]
    fn differences_are_found_and_none_are_invented() {
        assert!(judge(&mut times(0.0)).passes());
        // A fiftieth of the spread.
        let verdict = judge(&mut times(2.0));
        assert!(!verdict.passes() && verdict.t > 0.0, "{verdict}");
        assert!(judge(&mut times(-2.0)).t < -LIMIT);
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        let moments = Moments::of([1.0, 2.0, 4.0, 5.0].into_iter());
        assert_eq!((moments.count, moments.mean), (4.0, 3.0));
        assert!((moments.variance - 10.0 / 3.0).abs() < 1e-12);
    }
}
