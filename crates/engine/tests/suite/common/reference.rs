//! The noise of a plan's steps, computed a second time: powers as they are rather than their logarithms, in numbers
//! of any size, by the formulas of the noise model's documentation.

use std::collections::HashMap;

use ringmill_engine::{InputKey, Operation, OutputSource, Plan, ProductForm, ValueId};
use ringmill_fv::NoiseModel;
use ringmill_rlwe::tail::inverse_log2_erfc;

/// A number that is not negative, of any size: fraction times 2^exponent.
#[derive(Clone, Copy, Debug)]
struct Big {
    /// In [1, 2), or 0.
    fraction: f64,
    exponent: i64,
}

impl Big {
    const ZERO: Self = Self {
        fraction: 0.0,
        exponent: 0,
    };

    fn new(fraction: f64, exponent: i64) -> Self {
        assert!(fraction.is_finite() && fraction >= 0.0);
        if fraction == 0.0 {
            return Self::ZERO;
        }
        let shift = fraction.log2().floor();
        Self {
            fraction: fraction / shift.exp2(),
            exponent: exponent + shift as i64,
        }
    }

    fn power_of_two(log2: f64) -> Self {
        let whole = log2.floor();
        Self::new((log2 - whole).exp2(), whole as i64)
    }

    fn plus(self, other: Self) -> Self {
        let (high, low) = if self.fraction == 0.0 || (other.fraction > 0.0 && other.exponent > self.exponent)
        {
            (other, self)
        } else {
            (self, other)
        };
        if low.fraction == 0.0 {
            return high;
        }
        let down = (high.exponent - low.exponent).min(2000);
        Self::new(
            high.fraction + low.fraction * (-(down as f64)).exp2(),
            high.exponent,
        )
    }

    fn times(self, other: Self) -> Self {
        Self::new(self.fraction * other.fraction, self.exponent + other.exponent)
    }

    fn scaled(self, factor: f64) -> Self {
        self.times(Self::new(factor, 0))
    }

    fn root(self) -> Self {
        let odd = self.exponent.rem_euclid(2);
        Self::new(
            (self.fraction * (1 + odd) as f64).sqrt(),
            (self.exponent - odd) / 2,
        )
    }

    fn log2(self) -> f64 {
        self.fraction.log2() + self.exponent as f64
    }
}

/// Powers by bin.
type Powers = Vec<Big>;

/// What the formulas need of parameters and plan. Bins and shares are the model's: they are tested on their own.
pub struct Reference {
    form: ProductForm,
    key: InputKey,
    n: f64,
    /// d sigma^2
    error: f64,
    /// S of each bin.
    secrets: Vec<f64>,
    shares: Vec<f64>,
    /// (2 / q)^2, by level.
    relative: Vec<Big>,
    /// (2 / B)^2 of second factors, by level.
    second: Vec<Big>,
    /// q^2, by level.
    squared: Vec<Big>,
    /// sum of n D^2 / 12 d sigma^2 / P^2, by level.
    switched: Vec<Big>,
    ciphertexts: usize,
}

impl Reference {
    pub fn new(plan: &Plan) -> Self {
        let parameters = plan.parameters();
        let model = NoiseModel::new(parameters);
        let n = parameters.n() as f64;
        let error = parameters.ring().conductor() as f64 * parameters.sigma().powi(2);
        let levels = || 0..=parameters.levels();
        let q = |level| if level == 0 { 0.0 } else { parameters.log2_q(level) };
        let switched = |level: usize| {
            let digits = if level == 0 {
                Vec::new()
            } else {
                parameters.digits_log2(level)
            };
            let squares = digits.into_iter().map(|bits| Big::power_of_two(2.0 * bits));
            let sum = squares.fold(Big::ZERO, Big::plus);
            sum.scaled(n / 12.0 * error)
                .times(Big::power_of_two(-2.0 * parameters.log2_p()))
        };
        let second = |level| match parameters.factor_basis(level) {
            Ok(basis) => Big::power_of_two(2.0 - 2.0 * basis.log2()),
            Err(_) => Big::ZERO,
        };
        let sources = plan.schedule().outputs().iter().flat_map(|port| &port.sources);
        Self {
            form: plan.form(),
            key: plan.recipe().input_key,
            n,
            error,
            secrets: model.bins().x().iter().map(|x| n * 2.0 / 3.0 * x).collect(),
            shares: model
                .bins()
                .log2_shares()
                .iter()
                .map(|share| share.exp2())
                .collect(),
            relative: levels()
                .map(|level| Big::power_of_two(2.0 - 2.0 * q(level)))
                .collect(),
            second: levels().map(second).collect(),
            squared: levels().map(|level| Big::power_of_two(2.0 * q(level))).collect(),
            switched: levels().map(switched).collect(),
            ciphertexts: sources
                .filter(|source| matches!(source, OutputSource::Encrypted(_)))
                .count(),
        }
    }

    /// log2 of the bound of every value.
    pub fn bounds(&self, plan: &Plan, log2_failure: f64) -> Vec<(ValueId, f64)> {
        let each = log2_failure - (self.n * self.ciphertexts as f64).log2();
        let deviations = inverse_log2_erfc(each) * std::f64::consts::SQRT_2;
        let mut known: Vec<Powers> = Vec::new();
        // What each value is, but for switches and for what is added in the clear; sums may be there twice.
        let mut cores: Vec<usize> = Vec::new();
        let mut sums: HashMap<Vec<usize>, usize> = HashMap::new();
        for (index, step) in plan.schedule().steps().iter().enumerate() {
            let made = self.powers(&step.operation, (step.at, step.level), &known, &cores);
            known.push(made);
            cores.push(match &step.operation {
                Operation::Switch { operand } => cores[operand.index()],
                Operation::Linear { terms, .. } => {
                    let mut terms: Vec<usize> = terms.iter().map(|term| cores[term.index()]).collect();
                    terms.sort_unstable();
                    match terms[..] {
                        [only] => only,
                        _ => *sums.entry(terms).or_insert(index),
                    }
                }
                _ => index,
            });
        }
        let values = plan
            .schedule()
            .waves()
            .iter()
            .flat_map(|wave| &wave.steps)
            .copied();
        let bound = |value: ValueId| {
            let shares = known[value.index()].iter().zip(&self.shares);
            let variance = shares.fold(Big::ZERO, |sum, (power, share)| sum.plus(power.scaled(*share)));
            (value, variance.log2() / 2.0 + deviations.log2())
        };
        values.map(bound).collect()
    }

    fn by_bin(&self, power: impl Fn(usize, f64) -> Big) -> Powers {
        self.secrets
            .iter()
            .enumerate()
            .map(|(bin, secret)| power(bin, *secret))
            .collect()
    }

    fn powers(
        &self,
        operation: &Operation,
        (at, to): (usize, usize),
        known: &[Powers],
        cores: &[usize],
    ) -> Powers {
        let (n, relative) = (self.n, self.relative[to]);
        let switch =
            |powers: Powers| self.by_bin(|bin, s| powers[bin].plus(relative.scaled(n * (1.0 + s) / 12.0)));
        let add_plain = |powers: Powers, clear: bool| {
            if clear {
                self.by_bin(|bin, _| powers[bin].plus(relative.scaled(n / 4.0)))
            } else {
                powers
            }
        };
        match operation {
            Operation::Input { .. } => self.by_bin(|_, s| {
                let (errors, times) = match (self.key, self.form) {
                    (InputKey::Public, ProductForm::Bfv) => (n * 2.0 / 3.0 + 1.0 + s, 1.0),
                    (InputKey::Public, ProductForm::Bgv) => (n * 2.0 / 3.0 + 1.0 + s, 4.0),
                    (InputKey::Secret, _) => (1.0, 1.0),
                };
                relative.scaled(times * (self.error * errors + n / 4.0))
            }),
            Operation::Switch { operand } => switch(known[operand.index()].clone()),
            Operation::PlainProduct { operand, .. } => {
                self.by_bin(|bin, _| known[operand.index()][bin].scaled(32.0 * n * 3.0 / 12.0))
            }
            Operation::Linear { terms, clear } => {
                let sum = self.by_bin(|bin, _| amplitudes(terms.iter().map(|term| known[term.index()][bin])));
                add_plain(sum, clear.is_some())
            }
            Operation::Product { pairs, terms, clear } => {
                let sum = self.by_bin(|bin, s| {
                    let products = pairs.iter().map(|(a, b)| {
                        let same = cores[a.index()] == cores[b.index()];
                        self.product(at, s, (known[a.index()][bin], known[b.index()][bin]), same)
                    });
                    let terms = terms.iter().map(|term| known[term.index()][bin]);
                    let raised = self.relative[at].times(self.switched[at]);
                    amplitudes(products.chain(terms)).plus(raised)
                });
                add_plain(switch(sum), clear.is_some())
            }
            Operation::Map { .. } => panic!("circuits of bits have no maps"),
        }
    }

    fn product(&self, at: usize, s: f64, (a, b): (Big, Big), same: bool) -> Big {
        let n = self.n;
        let larger = if a.log2() >= b.log2() { a } else { b };
        let (a, b) = if same { (larger, larger) } else { (a, b) };
        match self.form {
            ProductForm::Bfv => {
                // One of the factors is rounded once more.
                let rounded = self.second[at].scaled(n * (1.0 + s) / 12.0);
                let excess = if same { 2.0 } else { 0.2f64.exp2() };
                let linear = a.plus(b).plus(rounded).scaled(excess);
                let factor = 4.0 * (n * (1.0 + s) / 12.0 + n / 4.0);
                let rounding = self.relative[at].scaled(n * (1.0 + s + s * s) / 12.0);
                linear.scaled(factor).plus(a.times(b)).plus(rounding)
            }
            ProductForm::Bgv => {
                let excess = if same { 2.0 } else { 0.2f64.exp2() };
                self.squared[at].times(a).times(b).scaled(excess)
            }
        }
    }
}

/// The power of a sum of which amplitudes add up.
fn amplitudes(powers: impl Iterator<Item = Big>) -> Big {
    let sum = powers.map(Big::root).fold(Big::ZERO, Big::plus);
    sum.times(sum)
}
