//! A chain of products, with its noise as it is and as it is predicted.

use std::error::Error;
use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_fv::{
    Ciphertext, Context, Domain, ExtendedCiphertext, FvError, GaloisKey, KeySwitching, Noise, NoiseModel,
    Parameters, ParametersSpec, PrimeChoice, PrimeRule, PublicKey, RelinearizationKey, RingKind,
    SecretDistribution, SecretKey,
};

use crate::shape::{PRODUCTS, Shape};

/// Bits of power that a lower level may add to the noise, as in plans.
const TOLERANCE: f64 = 0.2;

/// Bits of q at the end, beside [`Shape::bits_a_level`].
const LAST_BITS: f64 = 60.0;

/// Pairs of roots that are told one by one.
const HEAVY: usize = 8;

/// What is told of a value.
pub const QUANTITIES: [&str; 11] = [
    "deviation",
    "worst_root",
    "root0",
    "root1",
    "root2",
    "root3",
    "root4",
    "root5",
    "root6",
    "root7",
    "largest",
];

/// The heading of the output.
pub fn columns() -> String {
    format!("key,depth,value,{}", QUANTITIES.join(","))
}

/// A ciphertext, what it holds, and its predicted noise.
struct Value {
    ciphertext: Ciphertext<CpuDevice>,
    bits: Vec<bool>,
    noise: Noise,
}

pub struct Survey {
    context: Context<CpuDevice>,
    shape: Shape,
    bgv: bool,
    depth: usize,
}

struct Keys {
    secret: SecretKey<CpuDevice>,
    public: PublicKey<CpuDevice>,
    relinearization: RelinearizationKey<CpuDevice>,
    galois: Vec<GaloisKey<CpuDevice>>,
    /// The positions of roots, the secret's largest first.
    ranked: Vec<usize>,
}

impl Survey {
    pub fn new(shape: Shape, bgv: bool, n: usize, depth: usize) -> Result<Self, FvError> {
        let limbs = ((shape.bits_a_level(bgv) * depth as f64 + LAST_BITS) / 48.0).ceil() as usize;
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
            small: bgv.then_some(PrimeChoice { count: 2, bits: 32.0 }),
            special: Some(PrimeChoice { count: 3, bits: 49.0 }),
            key_switching: KeySwitching::Hybrid { digit_limbs: 3 },
            auxiliary_bits: None,
            sigma: 3.2,
            secret: SecretDistribution::Ternary,
            secret_bound: None,
            allow_insecure: true,
        })?;
        let device = CpuDevice::new(parameters.ring(), Simd::from_environment()?);
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
        let galois = self.shape.exponents().iter();
        let galois =
            galois.map(|exponent| context.generate_galois_key(&secret, *exponent, &seed.derive("galois", 0)));
        Ok(Keys {
            galois: galois.collect::<Result<_, _>>()?,
            public: context.generate_public_key(&secret, &seed.derive("public", 0))?,
            relinearization: context.generate_relinearization_key(&secret, &seed.derive("relin", 0))?,
            secret,
            ranked,
        })
    }

    /// One chain: lines of the output.
    pub fn chain(&self, key: u64) -> Result<Vec<String>, Box<dyn Error>> {
        let seed = Seed::from_bytes([7; 32]).derive("key", key);
        let keys = self.keys(&seed)?;
        let inputs = (0..self.shape.width()).map(|i| self.input(&keys, &seed, i));
        let mut values = inputs.collect::<Result<Vec<_>, _>>()?;
        let mut lines = Vec::new();
        for depth in 1..=self.depth {
            values = self.layer(&keys, &values)?;
            if depth.is_power_of_two() || depth == self.depth {
                for (index, value) in values.iter().take(PRODUCTS).enumerate() {
                    let ratios = self.measure(&keys, value)?;
                    let ratios: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
                    lines.push(format!("{key},{depth},{index},{}", ratios.join(",")));
                }
            }
        }
        Ok(lines)
    }

    fn input(&self, keys: &Keys, seed: &Seed, i: usize) -> Result<Value, FvError> {
        let (context, top) = (&self.context, self.context.parameters().levels());
        let slots = context.slots()?.len();
        let bits: Vec<bool> = (0..slots)
            .map(|slot| !(slot * 7 + i * 3 + slot / 5).is_multiple_of(3))
            .collect();
        let (plaintext, seed) = (context.encode(&bits)?, seed.derive("input", i as u64));
        Ok(Value {
            ciphertext: context.encrypt(&keys.public, &plaintext, top, &seed)?,
            bits,
            noise: context.noise_model().fresh_public(top),
        })
    }

    /// The next values, at the level that is best for them.
    fn layer(&self, keys: &Keys, values: &[Value]) -> Result<Vec<Value>, Box<dyn Error>> {
        let level = values[0].ciphertext.level();
        let to =
            (self.next_level(level, &self.extended(level, values, 0))).ok_or("the modulus is used up")?;
        let made = (0..PRODUCTS).map(|i| {
            let made = Value {
                ciphertext: self.product(keys, values, i, to)?,
                bits: self.product_bits(values, i),
                noise: self
                    .context
                    .noise_model()
                    .switch_modulus(to, &self.extended(level, values, i)),
            };
            self.mapped(keys, made)
        });
        let mut results = made.collect::<Result<Vec<_>, FvError>>()?;
        // A Feistel network keeps what its products were made of.
        for kept in values.iter().take(self.shape.width() - PRODUCTS) {
            let switched = self.context.switch_modulus(&kept.ciphertext, to)?;
            results.push(Value {
                ciphertext: self.context.transform(switched, Domain::Coefficient)?,
                bits: kept.bits.clone(),
                noise: self.context.noise_model().switch_modulus(to, &kept.noise),
            });
        }
        Ok(results)
    }

    fn product(
        &self,
        keys: &Keys,
        values: &[Value],
        i: usize,
        to: usize,
    ) -> Result<Ciphertext<CpuDevice>, FvError> {
        let [a, b, terms] = self.shape.operands(i).map(|operands| {
            let ciphertexts = operands.iter().map(|x| &values[*x].ciphertext);
            ciphertexts.collect::<Vec<_>>()
        });
        let (context, key, domain) = (&self.context, &keys.relinearization, Domain::Coefficient);
        let (a, b) = (context.sum(&a)?, context.sum(&b)?);
        if self.bgv {
            let [a, b] = [context.evaluated(&a)?, context.evaluated(&b)?];
            let product = context.multiply_bgv(&[(&a, &b)])?;
            return context.relinearize(&product, &terms, key, to, domain);
        }
        let (a, b) = (context.first_factor(&a)?, context.second_factor(&b)?);
        let product = context.product(&[(&a, &b)])?;
        context.relinearize_product(&product, &terms, key, to, domain)
    }

    fn product_bits(&self, values: &[Value], i: usize) -> Vec<bool> {
        let operands = self.shape.operands(i);
        let sum =
            |terms: &[usize], slot: usize| terms.iter().fold(false, |sum, x| sum ^ values[*x].bits[slot]);
        let slots = 0..values[0].bits.len();
        let [a, b, terms] = &operands;
        slots
            .map(|slot| (sum(a, slot) & sum(b, slot)) ^ sum(terms, slot))
            .collect()
    }

    /// The sum of a value's images, which leaves bits as they are.
    fn mapped(&self, keys: &Keys, value: Value) -> Result<Value, FvError> {
        if keys.galois.is_empty() {
            return Ok(value);
        }
        let (context, model, level) = (
            &self.context,
            self.context.noise_model(),
            value.ciphertext.level(),
        );
        let digits = context.decompose(&value.ciphertext)?;
        let images = keys.galois.iter().map(|key| context.rotate(&digits, key));
        let images: Vec<ExtendedCiphertext<_>> = images.collect::<Result<_, _>>()?;
        let terms: Vec<_> = images.iter().map(|image| (image, None)).collect();
        let image = model.rotate(level, &value.noise, &());
        let sum = model.sum(&vec![&image; images.len()]);
        Ok(Value {
            ciphertext: context.combine(&terms, &[], level, Domain::Coefficient)?,
            bits: value.bits,
            noise: model.switch_modulus(level, &sum),
        })
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
    /// below which little is inherited, if there is one.
    fn next_level(&self, level: usize, noise: &Noise) -> Option<usize> {
        let model = self.context.noise_model();
        let at = |to: usize| model.switch_modulus(to, noise);
        if self.bgv {
            let most = NoiseModel::most_inherited(self.depth, -64.0);
            let tame = |to: &usize| model.inherited_share(*to, noise, &at(*to)) <= most;
            (1..=level).rev().find(tame)
        } else {
            let best = at(level).largest_log2();
            (1..=level).find(|to| at(*to).largest_log2() <= best + TOLERANCE)
        }
    }

    /// The deviation of coefficients, the worst root, and the roots of the largest secrets over the prediction, and the
    /// largest coefficient over its bound.
    fn measure(&self, keys: &Keys, value: &Value) -> Result<Vec<f64>, FvError> {
        let (context, model) = (&self.context, self.context.noise_model());
        let plaintext = context.encode(&value.bits)?;
        let largest = context.measure_noise(&keys.secret, &value.ciphertext, &plaintext)?;
        if largest >= -1.0 {
            return Err(FvError::NoiseOverflow {
                fraction: largest.exp2(),
            });
        }
        let powers = context.measure_noise_powers(&keys.secret, &value.ciphertext, &plaintext)?;
        let predicted = value.noise.log2_powers();
        let (first, shares) = (model.bins().first_ranks(), model.bins().log2_shares());
        let reference = predicted[predicted.len() - 1];
        let (mut measured, mut expected, mut worst) = (0.0f64, 0.0f64, f64::NEG_INFINITY);
        let mut heavy = Vec::new();
        for (bin, from) in first.iter().enumerate().rev() {
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
            // Conjugate roots have the same.
            heavy.extend(roots.iter().step_by(2).map(|root| powers[*root] - predicted[bin]));
        }
        let bound = value.noise.bound_log2(model, -64.0, 1);
        let deviation = (measured / expected).log2() / 2.0;
        let heavy = heavy.into_iter().take(HEAVY);
        Ok([deviation, worst]
            .into_iter()
            .chain(heavy)
            .chain([largest - bound])
            .collect())
    }
}
