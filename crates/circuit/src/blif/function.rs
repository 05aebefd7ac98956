//! Functions of a few inputs, however their rows are written.

use crate::anf::{Functions, coefficients};
use crate::optimise;
use crate::{Builder, Wire};

/// The most inputs of a function here.
pub(super) const MOST_INPUTS: usize = 8;

/// A function, by its values.
pub(super) struct Function {
    /// The places of the inputs on which it depends.
    places: Vec<usize>,
    /// Its value where the inputs set in the index are 1, in the order of these places.
    values: Vec<bool>,
    polynomial: Polynomial,
}

/// A polynomial of inputs and complements of inputs.
struct Polynomial {
    /// The inputs that it takes as complements.
    complements: usize,
    coefficients: Vec<bool>,
}

/// A way to write a function.
pub(super) enum Plan<'a> {
    /// With the fewest ANDs of all.
    Few(optimise::Function, Vec<Wire>),
    /// As a polynomial of these wires, some of them complements, with these coefficients.
    Polynomial(Vec<Wire>, &'a [bool]),
}

impl Function {
    /// The function that is 1 where a row says so; at most [`MOST_INPUTS`] inputs.
    pub(super) fn new(inputs: usize, rows: &[&str]) -> Self {
        let all: Vec<usize> = (0..inputs).collect();
        let products = coefficients(values(&all, rows));
        let present = (0..products.len()).filter(|set| products.get(*set) == Some(&true));
        let support = present.fold(0, |support, set| support | set);
        let places: Vec<usize> = all
            .into_iter()
            .filter(|place| support >> place & 1 == 1)
            .collect();
        // Where nothing depends on an input, it does not matter what a row says of it.
        let values = values(&places, rows);
        Self {
            places,
            polynomial: Polynomial::of(&values),
            values,
        }
    }

    /// The cheapest way to write it with these inputs, by AND depth and then by ANDs, unless the given price is
    /// lower.
    pub(super) fn plan<'a>(
        &'a self,
        builder: &mut Builder,
        inputs: &[Wire],
        price: (u32, usize),
    ) -> Option<Plan<'a>> {
        let wires = self.places.iter().filter_map(|place| inputs.get(*place));
        let wires: Vec<Wire> = wires.copied().collect();
        let mut best = (price, None);
        let mut offer = |price: (u32, usize), plan: Plan<'a>| {
            if price <= best.0 {
                best = (price, Some(plan));
            }
        };
        let Polynomial {
            complements,
            coefficients,
        } = &self.polynomial;
        let price = Functions::new(builder, &wires).price_of(coefficients);
        let factors = wires.iter().enumerate().map(|(place, wire)| {
            if complements >> place & 1 == 1 {
                builder.not(*wire)
            } else {
                *wire
            }
        });
        offer(price, Plan::Polynomial(factors.collect(), coefficients));
        if let Some(few) = self.few() {
            let depths: Vec<u32> = wires.iter().map(|wire| builder.and_depth(*wire)).collect();
            let price = (few.depth(&depths), few.products() as usize);
            offer(price, Plan::Few(few, wires));
        }
        best.1
    }

    /// The way with the fewest ANDs, of functions that are small enough for it to be known.
    fn few(&self) -> Option<optimise::Function> {
        let inputs = self.places.len();
        let known = inputs <= optimise::ARGUMENTS;
        known.then(|| {
            let value = |index: usize| {
                self.values
                    .get(index % (1 << inputs))
                    .copied()
                    .unwrap_or_default()
            };
            let table = (0..16).fold(0, |table, index| table | u16::from(value(index)) << index);
            optimise::Function::of(table)
        })
    }
}

impl Polynomial {
    /// The polynomial of a function with these values. It takes complements where these at least halve the number of
    /// its products, as in `!a !b !c`. Otherwise it takes none, because functions of the same inputs then have
    /// products in common.
    fn of(values: &[bool]) -> Self {
        let plain = coefficients(values.to_vec());
        let most = products(&plain) / 2;
        let complemented = (1..values.len()).map(|complements| {
            let value = |index: usize| values.get(index ^ complements).copied().unwrap_or_default();
            Self {
                complements,
                coefficients: coefficients((0..values.len()).map(value).collect()),
            }
        });
        let best = complemented.min_by_key(|polynomial| products(&polynomial.coefficients));
        best.filter(|best| products(&best.coefficients) <= most && most > 0)
            .unwrap_or(Self {
                complements: 0,
                coefficients: plain,
            })
    }
}

impl Plan<'_> {
    pub(super) fn build(&self, builder: &mut Builder) -> Wire {
        match self {
            Self::Few(function, wires) => function.build(builder, wires),
            Self::Polynomial(wires, coefficients) => {
                let made = Functions::new(builder, wires).make(&[coefficients.to_vec()]);
                builder.xor_all(&made)
            }
        }
    }
}

/// The values of a function of the inputs at these places.
fn values(places: &[usize], rows: &[&str]) -> Vec<bool> {
    // For each row: the inputs that it names, and their values.
    let named = rows.iter().map(|row| {
        let bytes = places.iter().map(|place| row.as_bytes().get(*place));
        (0..)
            .zip(bytes)
            .fold((0, 0), |(mask, value), (input, byte)| match byte {
                Some(b'0') => (mask | 1 << input, value),
                Some(b'1') => (mask | 1 << input, value | 1 << input),
                _ => (mask, value),
            })
    });
    let named: Vec<(usize, usize)> = named.collect();
    let is_one = |index: usize| named.iter().any(|(mask, value)| index & mask == *value);
    (0..1 << places.len()).map(is_one).collect()
}

/// The number of products of two factors or more.
fn products(coefficients: &[bool]) -> usize {
    let sets = coefficients.iter().zip(0_usize..);
    sets.filter(|(present, set)| **present && set.count_ones() > 1)
        .count()
}
