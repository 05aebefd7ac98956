//! Paper 5's machines: golden models beside the software's encryption and big integers, cycles beside the paper, and the
//! simulated machines beside their models.

use num_bigint::{BigInt, BigUint};
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_rtl::RtlError;
#[cfg(feature = "rtl")]
use ringmill_rtl::comba::{CombaSimulation, Image};
use ringmill_rtl::comba::{Computed, Encryption, Model, Shape, Sizes, SystolicModel, SystolicShape};
use ringmill_schemes::integers::accumulation::Method;
use ringmill_schemes::integers::{Parameters, PublicKey, generate};

use crate::common::Random;

/// The sets, w and units of the paper's tables I and II, and rows of the systolic machine.
const SETS: [(&str, u32, usize, usize); 4] = [
    ("integers-toy", 1024, 20, 24),
    ("integers-small", 2048, 10, 15),
    ("integers-medium", 2048, 10, 11),
    ("integers-large", 4096, 5, 9),
];

fn sizes(parameters: &Parameters) -> Sizes {
    let (gamma, alpha, terms) = (parameters.gamma(), parameters.alpha(), parameters.tau());
    Sizes::new(gamma, alpha, terms, parameters.correction_bits()).unwrap()
}

/// The low-area machine and the parallel one.
fn shapes((name, block, units, _): (&str, u32, usize, usize)) -> [Shape; 2] {
    let sizes = sizes(&Parameters::insecure(name).unwrap());
    [1, units].map(|units| Shape::new(sizes, block, units).unwrap())
}

fn systolic((name, _, _, rows): (&str, u32, usize, usize)) -> SystolicShape {
    SystolicShape::new(sizes(&Parameters::insecure(name).unwrap()), rows).unwrap()
}

/// Numbers of an encryption, without keys.
struct Numbers {
    seed: Seed,
    modulus: Vec<u64>,
    corrections: Vec<u64>,
    factors: Vec<u64>,
    noise: Vec<u64>,
}

impl Numbers {
    /// Random ones; the noise has so many words, and is negative or not.
    fn random(random: &mut Random, sizes: Sizes, noise_words: usize, negative: bool) -> Self {
        let mut number = |bits: u32| -> Vec<u64> {
            let mut words: Vec<_> = (0..bits.div_ceil(64)).map(|_| random.word()).collect();
            if !bits.is_multiple_of(64) {
                *words.last_mut().unwrap() >>= 64 - bits % 64;
            }
            words
        };
        let mut modulus = number(sizes.gamma());
        *modulus.last_mut().unwrap() |= 1 << 63;
        let mut noise = number(64 * noise_words as u32);
        let top = noise.last_mut().unwrap();
        *top = *top >> 1 | u64::from(negative) << 63;
        let mut list = |bits| (0..sizes.terms()).flat_map(|_| number(bits)).collect();
        let (corrections, factors) = (list(sizes.correction()), list(sizes.alpha()));
        let mut seed = [0; 32];
        seed.fill_with(|| random.word() as u8);
        Self {
            seed: Seed::from_bytes(seed),
            modulus,
            corrections,
            factors,
            noise,
        }
    }

    fn encryption(&self) -> Encryption<'_> {
        Encryption {
            seed: &self.seed,
            modulus: &self.modulus,
            corrections: &self.corrections,
            factors: &self.factors,
            noise: &self.noise,
        }
    }

    /// e + 2 sum_i (chi_i - delta_i) b_i modulo x_0.
    fn expected(&self, sizes: Sizes) -> Vec<u64> {
        let number = |words: &[u64]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            BigInt::from(BigUint::from_bytes_le(&bytes))
        };
        let noise: Vec<u8> = self.noise.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut sum = BigInt::from_signed_bytes_le(&noise);
        let corrections = self.corrections.chunks(sizes.correction_words());
        for (i, (delta, factor)) in corrections
            .zip(self.factors.chunks(sizes.factor_words()))
            .enumerate()
        {
            let mut chi = vec![0; sizes.words()];
            Stream::at(&self.seed, (i * sizes.words()) as u64).fill_words(&mut chi);
            sum += (number(&chi) - number(delta)) * number(factor) * 2;
        }
        let mut words = (sum % number(&self.modulus)).magnitude().to_u64_digits();
        words.resize(sizes.words(), 0);
        words
    }
}

/// Small machines: their sizes, the bits of a block, units; and rows for the systolic one.
fn small() -> (Vec<Shape>, SystolicShape) {
    let sizes = [(1024, 100, 9, 90), (2560, 101, 30, 120), (6656, 64, 3, 300)];
    let sizes =
        sizes.map(|(gamma, alpha, terms, correction)| Sizes::new(gamma, alpha, terms, correction).unwrap());
    let shapes = sizes
        .iter()
        .flat_map(|&sizes| [1, 3].map(|units| Shape::new(sizes, 128, units).unwrap()));
    let systolic = SystolicShape::new(Sizes::new(6144, 300, 25, 437).unwrap(), 3).unwrap();
    (shapes.collect(), systolic)
}

#[test]
fn models_are_equation_1() {
    let mut random = Random::new(5);
    let (shapes, systolic) = small();
    for round in 0..20 {
        for &shape in &shapes {
            let numbers = Numbers::random(&mut random, shape.sizes(), 2, round % 2 == 0);
            let computed = Model::new(shape).encrypt(&numbers.encryption()).unwrap();
            assert_eq!(computed.words, numbers.expected(shape.sizes()));
        }
        let numbers = Numbers::random(&mut random, systolic.sizes(), 7, round % 2 == 0);
        let computed = SystolicModel::new(systolic)
            .encrypt(&numbers.encryption())
            .unwrap();
        assert_eq!(computed.words, numbers.expected(systolic.sizes()));
    }
}

/// What a machine makes of the numbers of a message is its ciphertext, and decrypts.
fn encrypts(public: &PublicKey, bit: bool, encrypt: &mut dyn FnMut(&Encryption<'_>) -> Computed) {
    let terms = public.terms(bit).unwrap();
    let modulus = public.modulus().to_u64_digits();
    let computed = encrypt(&Encryption {
        seed: public.elements().seed(),
        modulus: &modulus,
        corrections: public.corrections(),
        factors: terms.factors().words(),
        noise: &terms.noise(public.parameters()),
    });
    let ciphertext = public.ciphertext(&computed.words).unwrap();
    assert_eq!(
        ciphertext,
        public.encrypt_terms(&terms, Method::Comba, Simd::Portable)
    );
}

#[test]
fn models_encrypt_like_the_software_at_the_papers_sizes() {
    for set in &SETS[..2] {
        let parameters = Parameters::insecure(set.0).unwrap();
        let (secret, public) = generate(&parameters).unwrap();
        let ([low, _], systolic) = (shapes(*set), systolic(*set));
        for bit in [false, true] {
            encrypts(&public, bit, &mut |numbers| {
                let computed = Model::new(low).encrypt(numbers).unwrap();
                let ciphertext = public.ciphertext(&computed.words).unwrap();
                assert_eq!(secret.decrypt(&ciphertext).unwrap(), bit);
                computed
            });
            encrypts(&public, bit, &mut |numbers| {
                SystolicModel::new(systolic).encrypt(numbers).unwrap()
            });
        }
    }
}

/// Section VI: 3,019,380 cycles for the products of the toy size, and all tables' sizes.
#[test]
fn cycles_are_the_papers_or_fewer() {
    let [low, _] = shapes(SETS[0]);
    assert_eq!((low.product_cycles(), low.sum_products()), (130, 158 * 147));
    assert_eq!(low.product_cycles() * low.sum_products(), 3_019_380);
    // Table IV's seconds at the clocks of tables III and II.
    let papers = [
        [(0.016, 307.754), (0.006, 197.465)],
        [(0.313, 293.251), (0.114, 192.806)],
        [(5.773, 293.822), (2.018, 197.758)],
        [(81.550, 227.388), (32.744, 197.758)],
    ];
    for (set, papers) in SETS.into_iter().zip(papers) {
        for (shape, (seconds, megahertz)) in shapes(set).into_iter().zip(papers) {
            // Table I has 19.0 million bits at large size, the scheme's authors 19.35.
            let sizes = shape.sizes();
            let gamma = sizes.gamma().min(19_000_320);
            let sizes = Sizes::new(gamma, sizes.alpha(), sizes.terms(), sizes.correction()).unwrap();
            let shape = Shape::new(sizes, 16 * shape.digits() as u32, shape.units()).unwrap();
            assert!(
                (shape.cycles() as f64) < seconds * megahertz * 1e6,
                "{}",
                shape.machine()
            );
        }
    }
    let systolic = SETS.map(|set| systolic(set).cycles());
    assert_eq!(systolic, [78_856, 2_083_284, 50_689_828, 1_035_368_136]);
}

#[test]
fn unfit_sizes_and_numbers_are_refused() {
    let refused = |result: Result<Sizes, _>| assert!(matches!(result, Err(RtlError::BadComba { .. })));
    for (gamma, alpha, terms, correction) in [
        (0, 1, 1, 1),
        (1000, 100, 5, 100),
        (1024, 0, 5, 100),
        (1024, 961, 5, 100),
        (1024, 100, 0, 100),
        (1024, 100, 1 << 16, 100),
        (1024, 100, 5, 0),
        (1024, 100, 5, 961),
    ] {
        refused(Sizes::new(gamma, alpha, terms, correction));
    }
    let sizes = Sizes::new(1024, 100, 9, 90).unwrap();
    for (block, units) in [(0, 1), (100, 1), (64, 1), (128, 0), (128, 65)] {
        let shape = Shape::new(sizes, block, units);
        assert!(matches!(shape, Err(RtlError::BadComba { .. })), "{block} {units}");
    }
    // A factor, its doubling, 16 bits up, one bit for the noise, 4 for the terms: 125 bits of 128.
    assert!(Shape::new(Sizes::new(1024, 105, 9, 90).unwrap(), 128, 1).is_ok());
    assert!(Shape::new(Sizes::new(1024, 106, 9, 90).unwrap(), 128, 1).is_err());
    let systolic = Sizes::new(6144, 300, 25, 437).unwrap();
    for rows in [0, 1, 33, 20] {
        assert!(matches!(
            SystolicShape::new(systolic, rows),
            Err(RtlError::BadComba { .. })
        ));
    }
    assert!(SystolicShape::new(Sizes::new(6144, 144, 25, 437).unwrap(), 3).is_err());

    let model = Model::new(Shape::new(sizes, 128, 1).unwrap());
    let encrypt = |change: &dyn Fn(&mut Numbers)| {
        let mut numbers = Numbers::random(&mut Random::new(1), sizes, 2, true);
        change(&mut numbers);
        model.encrypt(&numbers.encryption())
    };
    assert!(encrypt(&|_| ()).is_ok());
    for short in [
        |numbers: &mut Numbers| numbers.modulus.truncate(3),
        |numbers: &mut Numbers| numbers.corrections.truncate(3),
        |numbers: &mut Numbers| numbers.factors.truncate(3),
    ] {
        assert!(matches!(encrypt(&short), Err(RtlError::WrongLength { .. })));
    }
    for change in [
        |numbers: &mut Numbers| numbers.modulus[15] >>= 1,
        |numbers: &mut Numbers| numbers.corrections[1] |= 1 << 26,
        |numbers: &mut Numbers| numbers.factors[3] |= 1 << 36,
        |numbers: &mut Numbers| numbers.noise.push(1 << 63),
        |numbers: &mut Numbers| numbers.factors.fill(0),
    ] {
        assert!(matches!(encrypt(&change), Err(RtlError::BadComba { .. })));
    }
}

#[cfg(feature = "rtl")]
#[test]
fn machines_do_what_their_models_do() {
    let mut random = Random::new(9);
    let (shapes, systolic) = small();
    for round in 0..6 {
        for &shape in &shapes {
            let numbers = Numbers::random(&mut random, shape.sizes(), 2, round % 2 == 0);
            let image = Image::new(&shape, &numbers.encryption()).unwrap();
            let computed = simulate(&shape.machine(), image, shape.cycles());
            assert_eq!(
                computed,
                Model::new(shape).encrypt(&numbers.encryption()).unwrap()
            );
        }
        let numbers = Numbers::random(&mut random, systolic.sizes(), 7, round % 2 == 0);
        let image = Image::systolic(&systolic, &numbers.encryption()).unwrap();
        let computed = simulate(&systolic.machine(), image, systolic.cycles());
        let expected = SystolicModel::new(systolic)
            .encrypt(&numbers.encryption())
            .unwrap();
        assert_eq!(computed, expected);
    }
}

/// An encryption on a machine, in as many cycles as its schedule has.
#[cfg(feature = "rtl")]
fn simulate(machine: &str, image: Image, cycles: u64) -> Computed {
    let mut machine = CombaSimulation::new(machine).unwrap();
    let simulated = machine.encrypt(image, 2 * cycles, &mut |_| ()).unwrap();
    assert_eq!(simulated.cycles, cycles);
    simulated.computed
}

/// Whole encryptions on the low-area machine, the parallel one and the systolic one.
#[cfg(feature = "rtl")]
fn whole_encryptions(set: (&str, u32, usize, usize)) {
    let (secret, public) = generate(&Parameters::insecure(set.0).unwrap()).unwrap();
    let mut check = |bit: bool, encrypt: &dyn Fn(&Encryption<'_>) -> Computed| {
        encrypts(&public, bit, &mut |numbers| {
            let computed = encrypt(numbers);
            let ciphertext = public.ciphertext(&computed.words).unwrap();
            assert_eq!(secret.decrypt(&ciphertext).unwrap(), bit);
            computed
        });
    };
    for (shape, bit) in shapes(set).into_iter().zip([true, false]) {
        check(bit, &|numbers| {
            simulate(
                &shape.machine(),
                Image::new(&shape, numbers).unwrap(),
                shape.cycles(),
            )
        });
    }
    let systolic = systolic(set);
    check(true, &|numbers| {
        let image = Image::systolic(&systolic, numbers).unwrap();
        simulate(&systolic.machine(), image, systolic.cycles())
    });
}

#[cfg(feature = "rtl")]
#[test]
fn machines_encrypt_at_toy_size() {
    whole_encryptions(SETS[0]);
}

#[cfg(feature = "rtl-full")]
#[test]
#[ignore = "takes minutes"]
fn machines_encrypt_at_small_size() {
    whole_encryptions(SETS[1]);
}
