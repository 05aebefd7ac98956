//! YASHE and LTV.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::{Gaussian, Seed, Stream, ternary};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_format::HEADER_BYTES;
use ringmill_format::pack::read_trits;
use ringmill_ring::PrimeRule;
use ringmill_ring::{Domain, embedding};
use ringmill_rlwe::{Plaintext, PrimeChoice, Sampler, Scaling};
use ringmill_schemes::ltv::Ltv;
use ringmill_schemes::ntru::{Context, NtruScheme, Parameters, PublicKey, Scheme, SecretKey, Spec};
use ringmill_schemes::yashe::Yashe;

use crate::failing::Failing;
use crate::patterns::{ERROR, Patterns, TERNARY};
use crate::report::Report;

fn seed(i: u8) -> Seed {
    Seed::from_bytes([i; 32])
}

fn spec(scheme: Scheme) -> Spec {
    let (large, small, levels, floor, step) = match scheme {
        Scheme::Yashe => (PrimeChoice { count: 7, bits: 49.0 }, None, 13, 130.0, 17.0),
        Scheme::Ltv => (
            PrimeChoice { count: 2, bits: 46.5 },
            Some(PrimeChoice { count: 2, bits: 31.0 }),
            4,
            31.0,
            31.0,
        ),
    };
    Spec {
        name: format!("{}-toy", if scheme == Scheme::Yashe { "yashe" } else { "ltv" }),
        scheme,
        n: 2048,
        prime_rule: PrimeRule::Transform,
        large,
        small,
        levels,
        floor,
        step,
        digit_bits: if scheme == Scheme::Yashe { 100 } else { 16 },
        auxiliary: if scheme == Scheme::Yashe { 8 } else { 3 },
        sigma: 3.2,
    }
}

struct Setting<S: NtruScheme> {
    context: Context<S, Failing>,
    cpu: CpuDevice,
    secret: SecretKey<S, Failing>,
    public: PublicKey<S, Failing>,
    /// f'.
    coefficients: Vec<i64>,
}

impl<S: NtruScheme> Setting<S> {
    fn new() -> Self {
        let parameters = Parameters::new(&spec(S::SCHEME)).unwrap();
        let device = Failing::new(parameters.ring());
        let context: Context<S, Failing> = Context::new(parameters, Arc::new(device)).unwrap();
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        let mut file = Vec::new();
        context.write_secret_key(&mut file, &secret).unwrap();
        let trits = read_trits(&mut &file[HEADER_BYTES as usize..], context.parameters().n()).unwrap();
        Self {
            cpu: CpuDevice::new(context.parameters().ring(), Simd::from_environment().unwrap()),
            coefficients: trits.iter().map(|&x| x.into()).collect(),
            public: context.generate_public_key(&secret, &seed(2)).unwrap(),
            secret,
            context,
        }
    }

    fn key_patterns(&self) -> Patterns {
        let mut patterns = Patterns::default();
        let parameters = self.context.parameters();
        let (ring, pool) = (parameters.ring(), parameters.pool());
        patterns.small("f'", TERNARY, ring, pool, &self.coefficients);
        let mut one = vec![0; ring.unfolded_len()];
        one[0] = 1;
        let one = ring.fold(&one).unwrap();
        let terms = self.coefficients.iter().zip(one);
        let f: Vec<i64> = terms.map(|(x, one)| 2 * x + one).collect();
        patterns.small("f", TERNARY, ring, pool, &f);
        let real: Vec<f64> = f.iter().map(|&x| x as f64).collect();
        let mut powers = embedding::powers(ring, &real).unwrap();
        patterns.add("powers of f", 30.0, &powers);
        powers.sort_unstable_by(|a, b| b.total_cmp(a));
        patterns.add("sorted powers of f", 30.0, &powers);
        patterns.add("embedding of f", 30.0, &crate::patterns::spectrum(ring, &real));
        let words: Vec<u64> = pool
            .moduli()
            .iter()
            .flat_map(|q| f.iter().map(|&x| x.rem_euclid(q.value() as i64) as u64))
            .collect();
        let f = self.cpu.upload(pool, Domain::Coefficient, &words).unwrap();
        let f = self.cpu.transform(f, Domain::Evaluation).unwrap();
        let mut inverses = self.cpu.download(&f).unwrap();
        for (limb, q) in inverses.chunks_mut(parameters.n()).zip(pool.moduli()) {
            // What Montgomery's trick keeps on the way.
            let mut products = vec![1];
            limb.iter()
                .for_each(|&x| products.push(q.mul(products[products.len() - 1], x)));
            patterns.add("products of values of f", 20.0, &products);
            limb.iter_mut().for_each(|x| *x = q.inv(*x).unwrap());
        }
        let inverse = self.cpu.upload(pool, Domain::Evaluation, &inverses).unwrap();
        patterns.poly("1/f", &self.cpu, &inverse, 20.0);
        patterns
    }

    fn drawn(&self, patterns: &mut Patterns, name: &str, stream: &mut Stream) {
        let mut small = vec![0; self.context.parameters().n()];
        ternary(stream, &mut small);
        let wide: Vec<i64> = small.iter().map(|&x| x.into()).collect();
        let parameters = self.context.parameters();
        patterns.small(name, TERNARY, parameters.ring(), parameters.pool(), &wide);
    }

    fn error(
        &self,
        patterns: &mut Patterns,
        name: &str,
        stream: &mut Stream,
        message: Option<(&Scaling, &Plaintext)>,
    ) {
        let parameters = self.context.parameters();
        let gaussian = Gaussian::new(parameters.sigma()).unwrap();
        let mut sampler = Sampler::new(&self.cpu, &gaussian, self.cpu.kernel());
        let error = sampler.error(stream, parameters.pool(), message).unwrap();
        patterns.poly(name, &self.cpu, &error, ERROR);
    }

    fn generation_patterns(&self) -> Patterns {
        let mut patterns = self.key_patterns();
        let mut stream = Stream::new(&seed(2).derive("public key", 0));
        self.drawn(&mut patterns, "g", &mut stream);
        let mut stream = Stream::new(&seed(3).derive("evaluation key", 0));
        self.drawn(&mut patterns, "mask of the evaluation key", &mut stream);
        self.error(&mut patterns, "error of the evaluation key", &mut stream, None);
        patterns
    }

    fn message_patterns(&self, plaintext: &Plaintext) -> Patterns {
        let mut patterns = Patterns::default();
        patterns.add("plaintext", 1.0, plaintext.coefficients());
        let mut stream = S::stream(&seed(5));
        self.drawn(&mut patterns, "mask", &mut stream);
        let pool = self.context.parameters().pool();
        let scaling = Scaling::new(pool, 2, self.cpu.kernel());
        let message = Some((&scaling, plaintext));
        self.error(&mut patterns, "error and plaintext", &mut stream, message);
        patterns
    }

    fn plaintext(&self) -> Plaintext {
        let mut words = vec![0; self.context.slots().len()];
        Stream::new(&seed(9)).fill_words(&mut words);
        let bits: Vec<bool> = words.iter().map(|x| x & 1 == 1).collect();
        self.context.encode(&bits).unwrap()
    }
}

fn check<S: NtruScheme>() {
    let mut report = Report::new();
    let setting = Setting::<S>::new();
    let (context, device) = (&setting.context, setting.context.device());

    let patterns = setting.generation_patterns();
    report.on_device("key generation", &patterns, device, || {
        let secret = context.generate_secret_key(&seed(1))?;
        let public = context.generate_public_key(&secret, &seed(2))?;
        context
            .generate_evaluation_key(&secret, &public, &seed(3))
            .map(drop)
    });

    let patterns = setting.key_patterns();
    let mut file = Vec::with_capacity(1 << 16);
    context.write_secret_key(&mut file, &setting.secret).unwrap();
    report.on_device("reading the secret key", &patterns, device, || {
        context.read_secret_key(&file[..]).map(drop)
    });
    let mut out = Vec::with_capacity(1 << 16);
    report.phase("writing the secret key", &patterns, || {
        context.write_secret_key(&mut out, &setting.secret).unwrap();
    });

    let plaintext = setting.plaintext();
    // The highest level is over all primes of the pool.
    let level = context.parameters().levels();
    let encrypt = || context.encrypt(&setting.public, &setting.plaintext(), level, &seed(5));
    let mut patterns = setting.message_patterns(&plaintext);
    report.on_device("encryption", &patterns, device, || encrypt().map(drop));

    let ciphertext = encrypt().unwrap();
    patterns.append(setting.key_patterns());
    report.on_device("decryption", &patterns, device, || {
        let plaintext = context.decrypt(&setting.secret, &ciphertext)?;
        context.decode(&plaintext).map(drop)
    });
    report.finish();
}

#[test]
fn yashe_leaves_nothing() {
    check::<Yashe>();
}

#[test]
fn ltv_leaves_nothing() {
    check::<Ltv>();
}
