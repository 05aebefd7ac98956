//! Surveys the noise of chains of products: for many keys it measures the power of the noise at every root, and compares
//! it with the model's.
//!
//! ```text
//! cargo run --release -p ringmill-fv --example noise_survey -- SHAPE FORM N DEPTH FIRST_KEY KEYS > raw.csv
//! ```
//!
//! SHAPE is one of `tower`, `feistel`, `sums`, `squares`, `near-squares` and `maps`, FORM is `bfv` or `bgv`. Each key makes
//! one chain of DEPTH levels with four values, of fixed pseudorandom inputs. A line of the output is one value at one
//! depth: over what is predicted the deviation of its coefficients, the power at its worst root, and that at the root where
//! the secret is largest; and its largest coefficient over the bound that Gaussian ones exceed with a probability below
//! 2^-64, all as logarithms. Keys are numbered, so that runs can be added up; they are no secrets. The parameters are insecure: all of 128 bits have too small a modulus for so many
//! levels at small n.
#![allow(missing_docs)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_fv::{
    Ciphertext, Context, Domain, FvError, GaloisKey, KeySwitching, Noise, NoiseModel, Parameters,
    ParametersSpec, PrimeChoice, PrimeRule, RelinearizationKey, RingKind, SecretDistribution, SecretKey,
};

/// Values of a level.
const WIDTH: usize = 4;

/// Bits of power that a lower level may add to the noise, as in plans.
const TOLERANCE: f64 = 0.2;

/// Bits of q at the end, beside [`Shape::bits_a_level`].
const LAST_BITS: f64 = 60.0;

/// The automorphism of `maps`: 2 moves bytes' Frobenius powers.
const EXPONENT: u64 = 2;

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// Products of neighbours.
    Tower,
    /// SIMON's round: two values of four are made anew, a product and two terms each.
    Feistel,
    /// Products of sums that share a term.
    Sums,
    /// Squares.
    Squares,
    /// Products of a value with its sum with a neighbour.
    NearSquares,
    /// Products of neighbours, each followed by an automorphism.
    Maps,
}

impl Shape {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "tower" => Self::Tower,
            "feistel" => Self::Feistel,
            "sums" => Self::Sums,
            "squares" => Self::Squares,
            "near-squares" => Self::NearSquares,
            "maps" => Self::Maps,
            _ => return None,
        })
    }

    /// Bits of q for each level. In the BGV form products of sums of two use up 16 and 32 bits in turns: 16 are just not
    /// enough, and levels are 16 apart.
    fn bits_a_level(self) -> f64 {
        match self {
            Self::Sums => 25.0,
            _ => 18.0,
        }
    }

    /// The values that are added up to the factors of product i, and to what is added to it.
    fn operands(self, i: usize) -> [Vec<usize>; 3] {
        let next = |step| (i + step) % WIDTH;
        match self {
            Self::Tower | Self::Maps => [vec![i], vec![next(1)], vec![]],
            Self::Feistel => [vec![i % 2], vec![(i + 1) % 2], vec![i % 2, i % 2 + 2]],
            Self::Sums => [vec![i, next(2)], vec![next(1), next(2)], vec![]],
            Self::Squares => [vec![i], vec![i], vec![]],
            Self::NearSquares => [vec![i], vec![i, next(1)], vec![]],
        }
    }
}

/// A ciphertext and its predicted noise.
struct Value {
    ciphertext: Ciphertext<CpuDevice>,
    noise: Noise,
}

struct Survey {
    context: Context<CpuDevice>,
    shape: Shape,
    bgv: bool,
    depth: usize,
}

struct Keys {
    secret: SecretKey<CpuDevice>,
    relinearization: RelinearizationKey<CpuDevice>,
    galois: Option<GaloisKey<CpuDevice>>,
    /// The positions of roots, the secret's largest first.
    ranked: Vec<usize>,
}

impl Survey {
    fn new(shape: Shape, bgv: bool, n: usize, depth: usize) -> Result<Self, FvError> {
        let limbs = ((shape.bits_a_level() * depth as f64 + LAST_BITS) / 48.0).ceil() as usize;
        let parameters = Parameters::new(&ParametersSpec {
            name: format!("survey-{n}-{depth}"),
            ring: RingKind::Fermat,
            n,
            t: 2,
            prime_rule: PrimeRule::default(),
            limbs: PrimeChoice {
                count: limbs,
                bits: 48.0,
            },
            // Moduli in steps of 16 bits.
            small: Some(PrimeChoice { count: 2, bits: 32.0 }),
            special: Some(PrimeChoice { count: 3, bits: 49.0 }),
            key_switching: KeySwitching::Hybrid { digit_limbs: 3 },
            auxiliary_bits: None,
            sigma: 3.2,
            secret: SecretDistribution::Ternary,
            secret_bound: None,
            allow_insecure: true,
        })?;
        let kernel = Simd::from_environment()?;
        let device = CpuDevice::new(parameters.ring(), kernel);
        Ok(Self {
            context: Context::new(parameters, Arc::new(device))?,
            shape,
            bgv,
            depth,
        })
    }

    fn keys(&self, seed: &Seed) -> Result<Keys, FvError> {
        let context = &self.context;
        let secret = context.generate_secret_key(&seed.derive("secret", 0))?;
        let powers = context.secret_powers(&secret)?;
        let mut ranked: Vec<usize> = (0..powers.len()).collect();
        ranked.sort_by(|a, b| powers[*b].total_cmp(&powers[*a]));
        let galois = (self.shape == Shape::Maps)
            .then(|| context.generate_galois_key(&secret, EXPONENT, &seed.derive("galois", 0)));
        Ok(Keys {
            relinearization: context.generate_relinearization_key(&secret, &seed.derive("relin", 0))?,
            galois: galois.transpose()?,
            secret,
            ranked,
        })
    }

    /// One chain: lines of the output.
    fn chain(&self, key: u64) -> Result<Vec<String>, FvError> {
        let seed = Seed::from_bytes([7; 32]).derive("key", key);
        let keys = self.keys(&seed)?;
        let top = self.context.parameters().levels();
        let mut values = Vec::new();
        for i in 0..WIDTH {
            let slots = self.context.slots()?.len();
            let bits: Vec<bool> = (0..slots)
                .map(|slot| (slot * 7 + i * 3 + slot / 5) % 3 == 0)
                .collect();
            let plaintext = self.context.encode(&bits)?;
            let own = seed.derive("input", i as u64);
            values.push(Value {
                ciphertext: self
                    .context
                    .encrypt_with_secret(&keys.secret, &plaintext, top, &own)?,
                noise: self.context.noise_model().fresh_secret(top),
            });
        }
        let mut lines = Vec::new();
        for depth in 1..=self.depth {
            values = self.layer(&keys, &values)?;
            if depth.is_power_of_two() || depth == self.depth {
                for (index, value) in values.iter().enumerate() {
                    let ratios = self.measure(&keys, value)?.map(|ratio| format!("{ratio:.3}"));
                    lines.push(format!("{key},{depth},{index},{}", ratios.join(",")));
                }
            }
        }
        Ok(lines)
    }

    /// The next values, at the level that is best for them.
    fn layer(&self, keys: &Keys, values: &[Value]) -> Result<Vec<Value>, FvError> {
        let level = values[0].ciphertext.level();
        let mut results = Vec::new();
        let to = self.next_level(level, &self.extended(level, values, 0));
        let fresh = if self.shape == Shape::Feistel { 2 } else { WIDTH };
        for i in 0..fresh {
            let [a, b, terms] = self.shape.operands(i).map(|operands| {
                operands
                    .iter()
                    .map(|x| &values[*x].ciphertext)
                    .collect::<Vec<_>>()
            });
            let (a, b) = (self.context.sum(&a)?, self.context.sum(&b)?);
            let (context, key, domain) = (&self.context, &keys.relinearization, Domain::Coefficient);
            let mut ciphertext = if self.bgv {
                let [a, b] = [context.evaluated(&a)?, context.evaluated(&b)?];
                let product = context.multiply_bgv(&[(&a, &b)])?;
                context.relinearize(&product, &terms, key, to, domain)?
            } else {
                let (a, b) = (context.first_factor(&a)?, context.second_factor(&b)?);
                let product = context.product(&[(&a, &b)])?;
                context.relinearize_product(&product, &terms, key, to, domain)?
            };
            let model = context.noise_model();
            let mut noise = model.switch_modulus(to, &self.extended(level, values, i));
            if let Some(galois) = &keys.galois {
                ciphertext = self.context.automorphism(&ciphertext, galois)?;
                noise = model.automorphism(to, &noise, &());
            }
            results.push(Value { ciphertext, noise });
        }
        // A Feistel network keeps what its products were made of.
        for kept in values.iter().take(WIDTH - fresh) {
            let switched = self.context.switch_modulus(&kept.ciphertext, to)?;
            results.push(Value {
                ciphertext: self.context.transform(switched, Domain::Coefficient)?,
                noise: self.context.noise_model().switch_modulus(to, &kept.noise),
            });
        }
        Ok(results)
    }

    /// The predicted noise of product i with its terms, before it is switched.
    fn extended(&self, level: usize, values: &[Value], i: usize) -> Noise {
        let model = self.context.noise_model();
        let [a, b, terms] = self
            .shape
            .operands(i)
            .map(|operands| operands.iter().map(|x| &values[*x].noise).collect::<Vec<_>>());
        let (a, b) = (model.sum(&a), model.sum(&b));
        let product = match (self.bgv, self.shape == Shape::Squares) {
            (false, false) => model.multiply(level, &a, &b),
            (false, true) => model.square(level, &a),
            (true, false) => model.multiply_bgv(level, &a, &b),
            (true, true) => model.square_bgv(level, &a),
        };
        let all: Vec<&Noise> = std::iter::once(&product).chain(terms).collect();
        model.key_switch_extended(level, &model.sum(&all))
    }

    /// The level to which products of this noise are brought: as plans do, the lowest that adds little, or the highest
    /// below which little is inherited.
    fn next_level(&self, level: usize, noise: &Noise) -> usize {
        let model = self.context.noise_model();
        let at = |to: usize| model.switch_modulus(to, noise);
        let found = if self.bgv {
            let most = NoiseModel::most_inherited(self.depth, -64.0);
            let tame = |to: &usize| model.inherited_share(*to, noise, &at(*to)) <= most;
            (1..=level).rev().find(tame)
        } else {
            let best = at(level).largest_log2();
            (1..=level).find(|to| at(*to).largest_log2() <= best + TOLERANCE)
        };
        found.unwrap_or(1)
    }

    /// The deviation of coefficients, the worst root, and the root of the largest secret over the prediction, and the
    /// largest coefficient over its bound.
    fn measure(&self, keys: &Keys, value: &Value) -> Result<[f64; 4], FvError> {
        let (context, model) = (&self.context, self.context.noise_model());
        let plaintext = context.decrypt(&keys.secret, &value.ciphertext)?;
        let powers = context.measure_noise_powers(&keys.secret, &value.ciphertext, &plaintext)?;
        let predicted = value.noise.log2_powers();
        let (first, shares) = (model.bins().first_ranks(), model.bins().log2_shares());
        let reference = predicted[predicted.len() - 1];
        let (mut measured, mut expected, mut worst) = (0.0f64, 0.0f64, f64::NEG_INFINITY);
        for (bin, from) in first.iter().enumerate() {
            let to = if bin == 0 {
                keys.ranked.len() / 2
            } else {
                first[bin - 1]
            };
            let roots = &keys.ranked[2 * from..2 * to];
            if roots.is_empty() {
                continue;
            }
            let share = shares[bin].exp2();
            expected += share * (predicted[bin] - reference).exp2();
            for root in roots {
                let power = powers[*root];
                measured += share / roots.len() as f64 * (power - reference).exp2();
                worst = worst.max(power - predicted[bin]);
            }
        }
        let at_first = powers[keys.ranked[0]] - reference;
        let largest = context.measure_noise(&keys.secret, &value.ciphertext, &plaintext)?;
        let bound = value.noise.bound_log2(model, -64.0, 1);
        let deviation = (measured / expected).log2() / 2.0;
        Ok([deviation, worst, at_first, largest - bound])
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [shape, form, n, depth, first, keys] = arguments.as_slice() else {
        return Err("give SHAPE FORM N DEPTH FIRST_KEY KEYS".into());
    };
    let shape = Shape::named(shape).ok_or("no such shape")?;
    let bgv = match form.as_str() {
        "bfv" => false,
        "bgv" => true,
        _ => return Err("no such form".into()),
    };
    let survey = Survey::new(shape, bgv, n.parse()?, depth.parse()?)?;
    let (first, keys): (u64, u64) = (first.parse()?, keys.parse()?);
    let (start, done) = (Instant::now(), AtomicUsize::new(0));
    println!("key,depth,value,deviation,worst_root,first_root,largest");
    let failed = AtomicUsize::new(0);
    (first..first + keys).into_par_iter().for_each(|key| {
        match survey.chain(key) {
            Ok(lines) => println!("{}", lines.join("\n")),
            Err(error) => {
                failed.fetch_add(1, Ordering::Relaxed);
                println!("{key},failed,{error}");
            }
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(50) {
            eprintln!("{done} of {keys} keys, {:.0} s", start.elapsed().as_secs_f64());
        }
    });
    eprintln!("{} of {keys} keys failed", failed.load(Ordering::Relaxed));
    Ok(())
}
