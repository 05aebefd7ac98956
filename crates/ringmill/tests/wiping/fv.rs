//! FV, in both rings.

use std::sync::Arc;

use ringmill_arith::sampling::{Gaussian, Seed, Stream};
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_format::HEADER_BYTES;
use ringmill_format::pack::{limbs_bytes, read_limbs, read_trits};
use ringmill_fv::{
    Ciphertext, Context, FvError, KeySwitching, Parameters, ParametersSpec, Plaintext, PrimeChoice,
    PrimeRule, PublicKey, RelinearizationKey, RingKind, SecretDistribution, SecretKey,
};
use ringmill_ring::{Domain, Transform, embedding};
use ringmill_rlwe::{Sampler, Scaling};

use crate::failing::Failing;
use crate::patterns::{ERROR, Patterns, TERNARY, spectrum};
use crate::report::Report;

/// The exponent of the Galois key, a unit in all rings.
const EXPONENT: u64 = 7;

fn seed(i: u8) -> Seed {
    Seed::from_bytes([i; 32])
}

fn parameters(ring: RingKind, t: u64, key_switching: KeySwitching) -> Parameters {
    let special = matches!(key_switching, KeySwitching::Hybrid { .. });
    Parameters::new(&ParametersSpec {
        name: "toy".to_owned(),
        ring,
        n: 2048,
        t,
        prime_rule: PrimeRule::default(),
        limbs: PrimeChoice { count: 4, bits: 48.0 },
        small: None,
        special: special.then_some(PrimeChoice { count: 2, bits: 49.0 }),
        key_switching,
        auxiliary_bits: None,
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    })
    .unwrap()
}

/// A party on a device that can fail, and the means to compute its secrets once more.
struct Setting {
    context: Context<Failing>,
    cpu: CpuDevice,
    secret: SecretKey<Failing>,
    public: PublicKey<Failing>,
    relinearization: RelinearizationKey<Failing>,
    coefficients: Vec<i8>,
}

type OnDevice = Ciphertext<Failing>;

impl Setting {
    fn new(parameters: Parameters) -> Self {
        let device = Failing::new(parameters.ring());
        let context = Context::new(parameters, Arc::new(device)).unwrap();
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        let mut file = Vec::new();
        context.write_secret_key(&mut file, &secret).unwrap();
        let n = context.parameters().n();
        Self {
            cpu: CpuDevice::new(context.parameters().ring(), Simd::from_environment().unwrap()),
            coefficients: read_trits(&mut &file[HEADER_BYTES as usize..], n)
                .unwrap()
                .to_vec(),
            public: context.generate_public_key(&secret, &seed(2)).unwrap(),
            relinearization: context.generate_relinearization_key(&secret, &seed(3)).unwrap(),
            secret,
            context,
        }
    }

    fn parameters(&self) -> &Parameters {
        self.context.parameters()
    }

    /// Small coefficients as a polynomial over a basis, in evaluation domain.
    fn small(&self, basis: &Basis, coefficients: &[i8]) -> <CpuDevice as Device>::Poly {
        let gaussian = Gaussian::new(self.parameters().sigma()).unwrap();
        let mut sampler = Sampler::new(&self.cpu, &gaussian, self.cpu.kernel());
        let poly = sampler.small(basis, coefficients).unwrap();
        poly.transform(Domain::Evaluation).unwrap().into_inner()
    }

    /// An error as it is drawn for a stream, in coefficient domain.
    fn error(
        &self,
        stream: &mut Stream,
        basis: &Basis,
        message: Option<(&Scaling, &Plaintext)>,
    ) -> <CpuDevice as Device>::Poly {
        let gaussian = Gaussian::new(self.parameters().sigma()).unwrap();
        let mut sampler = Sampler::new(&self.cpu, &gaussian, self.cpu.kernel());
        sampler.error(stream, basis, message).unwrap().into_inner()
    }

    /// Adds the Gaussian numbers that an error is folded from, and leaves the stream behind them.
    fn gaussians(&self, patterns: &mut Patterns, name: &str, stream: &mut Stream) {
        let mut numbers = vec![0_i32; self.parameters().ring().unfolded_len()];
        Gaussian::new(self.parameters().sigma())
            .unwrap()
            .sample(stream, &mut numbers);
        patterns.add(&format!("{name}, drawn"), ERROR, &numbers);
        let full: Vec<i64> = numbers.iter().map(|&x| x.into()).collect();
        patterns.add(&format!("{name}, drawn, i64"), ERROR, &full);
        patterns.add(
            &format!("{name}, folded"),
            ERROR,
            &self.parameters().ring().fold(&full).unwrap(),
        );
    }

    /// The secret in every form.
    fn key_patterns(&self) -> Patterns {
        let mut patterns = Patterns::default();
        let (ring, basis) = (self.parameters().ring(), self.parameters().key_basis().unwrap());
        let wide: Vec<i64> = self.coefficients.iter().map(|&x| x.into()).collect();
        patterns.small("secret", TERNARY, ring, &basis, &wide);
        let real: Vec<f64> = wide.iter().map(|&x| x as f64).collect();
        let mut powers = embedding::powers(ring, &real).unwrap();
        patterns.add("powers of the secret", 30.0, &powers);
        powers.sort_unstable_by(|a, b| b.total_cmp(a));
        patterns.add("sorted powers of the secret", 30.0, &powers);
        patterns.add("embedding of the secret", 30.0, &spectrum(ring, &real));
        let s = self.small(&basis, &self.coefficients);
        let square = self.cpu.inner_product(&[(&s, &s)], Domain::Evaluation).unwrap();
        patterns.poly("square of the secret", &self.cpu, &square, 20.0);
        let inverse = ring.inverse(EXPONENT).unwrap();
        let image = self.cpu.automorphism(&s, inverse).unwrap();
        patterns.poly("image of the secret", &self.cpu, &image, TERNARY);
        patterns
    }

    /// What else keys are made of.
    fn generation_patterns(&self) -> Patterns {
        let mut patterns = self.key_patterns();
        let of_public = seed(2).derive("public key error", 0);
        let of_switching = seed(3).derive("relinearization key", 0).derive("error", 0);
        for (name, seed, basis) in [
            (
                "error of the public key",
                of_public,
                self.parameters().q().clone(),
            ),
            (
                "error of the relinearization key",
                of_switching,
                self.parameters().key_basis().unwrap(),
            ),
        ] {
            let error = self.error(&mut Stream::new(&seed), &basis, None);
            patterns.poly(name, &self.cpu, &error, ERROR);
            self.gaussians(&mut patterns, name, &mut Stream::new(&seed));
        }
        patterns
    }

    /// What an encryption under the public key with the seed is made of, what it is of, and what it decrypts to.
    fn message_patterns(&self, plaintext: &Plaintext, message: &Seed) -> Patterns {
        let mut patterns = Patterns::default();
        let (parameters, cpu) = (self.parameters(), &self.cpu);
        let entropy = (parameters.t() as f64).log2();
        patterns.add("plaintext", entropy, plaintext.coefficients());
        if parameters.t() > 2 {
            let modulus = Modulus::new(parameters.t()).unwrap();
            let transform = Transform::new(parameters.ring(), modulus, cpu.kernel()).unwrap();
            let mut values = plaintext.coefficients().to_vec();
            transform.evaluate(&mut values).unwrap();
            patterns.add("values of the plaintext", entropy, &values);
        }
        let basis = parameters.q();
        let scaling = Scaling::new(basis, parameters.t(), cpu.kernel());
        let mut scaled = vec![0; basis.len() * parameters.n()];
        scaling.add_all(plaintext.coefficients(), &mut scaled);
        let scaled = cpu.upload(basis, Domain::Coefficient, &scaled).unwrap();
        patterns.poly("scaled plaintext", cpu, &scaled, entropy);
        let mut stream = Stream::new(&message.derive("message", 0));
        let mut mask = vec![0; parameters.n()];
        parameters.secret().draw(&mut stream, &mut mask);
        let wide: Vec<i64> = mask.iter().map(|&x| x.into()).collect();
        patterns.small("mask", TERNARY, parameters.ring(), basis, &wide);
        let first = self.error(&mut stream, basis, Some((&scaling, plaintext)));
        patterns.poly("first error and plaintext", cpu, &first, ERROR);
        let second = self.error(&mut stream, basis, None);
        patterns.poly("second error", cpu, &second, ERROR);
        // (b u + e_0 + m) + (a u + e_1) s with b + a s = -e.
        let (u, s) = (self.small(basis, &mask), self.small(basis, &self.coefficients));
        let error = Stream::new(&seed(2).derive("public key error", 0));
        let error = self.error(&mut { error }, basis, None);
        let error = cpu.transform(error, Domain::Evaluation).unwrap();
        let second = cpu.transform(second, Domain::Evaluation).unwrap();
        let product = cpu.inner_product(&[(&u, &error)], Domain::Coefficient).unwrap();
        let rest = cpu.inner_product(&[(&second, &s)], Domain::Coefficient).unwrap();
        let value = cpu.sub(&cpu.sum(&[&first, &rest]).unwrap(), &product).unwrap();
        patterns.poly("what decryption rounds", cpu, &value, 4.0);
        patterns
    }

    /// The last part of a ciphertext times the secret.
    fn times_secret(&self, ciphertext: &OnDevice) -> <CpuDevice as Device>::Poly {
        let mut file = Vec::new();
        self.context.put_ciphertext(&mut file, ciphertext).unwrap();
        let (basis, n) = (self.parameters().q(), self.parameters().n());
        let start = file.len() - limbs_bytes(basis, n) as usize;
        let words = read_limbs(&mut &file[start..], basis, n).unwrap();
        let part = self.cpu.upload(basis, Domain::Coefficient, &words).unwrap();
        let part = self.cpu.transform(part, Domain::Evaluation).unwrap();
        let s = self.small(basis, &self.coefficients);
        self.cpu
            .inner_product(&[(&part, &s)], Domain::Evaluation)
            .unwrap()
    }

    fn plaintext(&self) -> Plaintext {
        let (n, t) = (self.parameters().n(), self.parameters().t());
        let mut words = vec![0; n];
        Stream::new(&seed(9)).fill_words(&mut words);
        words.iter_mut().for_each(|x| *x %= t);
        match t {
            2 => {
                let bits: Vec<bool> = words.iter().map(|&x| x == 1).collect();
                self.context
                    .encode(&bits[..self.context.slots().unwrap().len()])
                    .unwrap()
            }
            _ => self.context.encode_integers(&words).unwrap(),
        }
    }

    fn encrypt(&self, plaintext: &Plaintext) -> Result<OnDevice, FvError> {
        let level = self.parameters().levels();
        self.context.encrypt(&self.public, plaintext, level, &seed(5))
    }
}

fn check(parameters: Parameters) {
    let mut report = Report::new();
    let setting = Setting::new(parameters);
    let (context, device) = (&setting.context, setting.context.device());

    let patterns = setting.generation_patterns();
    report.on_device("key generation", &patterns, device, || {
        let secret = context.generate_secret_key(&seed(1))?;
        context.generate_public_key(&secret, &seed(2))?;
        context.generate_relinearization_key(&secret, &seed(3))?;
        context.generate_galois_key(&secret, EXPONENT, &seed(4)).map(drop)
    });

    let patterns = setting.key_patterns();
    let mut file = Vec::with_capacity(1 << 16);
    context.write_secret_key(&mut file, &setting.secret).unwrap();
    report.on_device("reading the secret key", &patterns, device, || {
        context.read_secret_key(&file[..]).map(drop)
    });
    report.phase("reading a damaged secret key", &patterns, || {
        assert!(context.read_secret_key(&file[..file.len() - 1]).is_err());
    });
    let mut out = Vec::with_capacity(1 << 16);
    report.phase("writing the secret key", &patterns, || {
        context.write_secret_key(&mut out, &setting.secret).unwrap();
    });

    let plaintext = setting.plaintext();
    let patterns = setting.message_patterns(&plaintext, &seed(5));
    report.on_device("encryption", &patterns, device, || {
        setting.encrypt(&setting.plaintext()).map(drop)
    });
    let level = setting.parameters().levels();
    report.on_device("encryption with the secret key", &patterns, device, || {
        let plaintext = setting.plaintext();
        let encrypted = context.encrypt_with_secret(&setting.secret, &plaintext, level, &seed(6));
        encrypted.map(drop)
    });

    let ciphertext = setting.encrypt(&plaintext).unwrap();
    let evaluated = context.evaluated(&ciphertext).unwrap();
    let lifted = context.lift(&ciphertext).unwrap();
    let product = context.multiply(&lifted, &lifted).unwrap();
    let mut patterns = setting.message_patterns(&plaintext, &seed(5));
    let squared = context.decrypt(&setting.secret, &product).unwrap();
    patterns.add(
        "plaintext of the product",
        (setting.parameters().t() as f64).log2(),
        squared.coefficients(),
    );
    patterns.append(setting.key_patterns());
    patterns.poly(
        "last part times the secret",
        &setting.cpu,
        &setting.times_secret(&product),
        20.0,
    );
    for (name, ciphertext) in [
        ("decryption", &ciphertext),
        ("decryption in evaluation domain", &evaluated),
        ("decryption of three parts", &product),
    ] {
        report.on_device(name, &patterns, device, || {
            let plaintext = context.decrypt(&setting.secret, ciphertext)?;
            match setting.parameters().t() {
                2 => drop(context.decode(&plaintext)?),
                _ => drop(context.decode_integers(&plaintext)?),
            }
            context
                .measure_noise(&setting.secret, ciphertext, &plaintext)
                .map(drop)
        });
    }
    drop(setting.relinearization);
    report.finish();
}

#[test]
fn fermat_rings_leave_nothing() {
    check(parameters(
        RingKind::Fermat,
        2,
        KeySwitching::Hybrid { digit_limbs: 2 },
    ));
}

#[test]
fn power_of_two_rings_leave_nothing() {
    let switching = KeySwitching::Hybrid { digit_limbs: 2 };
    check(parameters(RingKind::Negacyclic, 65537, switching));
}

#[test]
fn digits_base_two_leave_nothing() {
    let switching = KeySwitching::BaseTwo { bits: 30 };
    check(parameters(RingKind::Negacyclic, 65537, switching));
}
