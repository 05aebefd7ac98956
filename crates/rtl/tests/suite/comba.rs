//! Paper 5's machines: golden models beside the software's encryption and big integers, cycles beside the paper, and the
//! simulated machines beside their models.

use num_bigint::{BigInt, BigUint};
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_rtl::RtlError;
#[cfg(feature = "rtl")]
use ringmill_rtl::comba::{CombaSimulation, Image};
use ringmill_rtl::comba::{Computed, Encryption, Model, Set, Shape, Sizes, SystolicModel, SystolicShape};
use ringmill_schemes::integers::accumulation::Method;
use ringmill_schemes::integers::{Parameters, PublicKey, generate};

use crate::common::Random;

/// The scheme's parameters of a size.
fn parameters(set: &Set) -> Parameters {
    Parameters::insecure(&format!("integers-{}", set.name)).unwrap()
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
    for set in &Set::ALL[..2] {
        let (secret, public) = generate(&parameters(set)).unwrap();
        let (low, systolic) = (set.low_area().unwrap(), set.systolic().unwrap());
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

/// The sizes are those of the scheme's sets.
#[test]
fn sizes_are_the_schemes() {
    for set in Set::ALL {
        let (parameters, sizes) = (parameters(&set), set.sizes().unwrap());
        assert_eq!(
            (sizes.gamma(), sizes.alpha()),
            (parameters.gamma(), parameters.alpha())
        );
        assert_eq!(
            (sizes.terms(), sizes.correction()),
            (parameters.tau(), parameters.correction_bits())
        );
    }
}

/// Section VI: 3,019,380 cycles for the products of the toy size; table IV's seconds at the clocks of tables III and II.
#[test]
fn cycles_are_the_papers_or_fewer() {
    let low = Set::ALL[0].low_area().unwrap();
    assert_eq!((low.product_cycles(), low.sum_products()), (130, 158 * 147));
    assert_eq!(low.product_cycles() * low.sum_products(), 3_019_380);
    for set in Set::ALL {
        let machines = [
            (set.low_area().unwrap(), set.low_area),
            (set.parallel().unwrap(), set.parallel),
        ];
        for (shape, paper) in machines {
            // Table I has 19.0 million bits at large size, the scheme's authors 19.35.
            let sizes = shape.sizes();
            let gamma = sizes.gamma().min(19_000_320);
            let sizes = Sizes::new(gamma, sizes.alpha(), sizes.terms(), sizes.correction()).unwrap();
            let shape = Shape::new(sizes, 16 * shape.digits() as u32, shape.units()).unwrap();
            assert!((shape.cycles() as f64) < paper.cycles(), "{}", shape.machine());
        }
    }
    let cycles = |machine: fn(&Set) -> u64| Set::ALL.map(|set| machine(&set));
    assert_eq!(
        cycles(|set| set.low_area().unwrap().cycles()),
        [3_122_617, 60_473_545, 1_119_338_009, 18_701_296_147]
    );
    assert_eq!(
        cycles(|set| set.parallel().unwrap().cycles()),
        [834_625, 16_659_615, 306_550_319, 5_592_373_327]
    );
    assert_eq!(
        cycles(|set| set.systolic().unwrap().cycles()),
        [78_856, 2_083_284, 50_689_828, 1_035_368_136]
    );
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
fn whole_encryptions(set: &Set) {
    let (secret, public) = generate(&parameters(set)).unwrap();
    let check = |bit: bool, encrypt: &dyn Fn(&Encryption<'_>) -> Computed| {
        encrypts(&public, bit, &mut |numbers| {
            let computed = encrypt(numbers);
            let ciphertext = public.ciphertext(&computed.words).unwrap();
            assert_eq!(secret.decrypt(&ciphertext).unwrap(), bit);
            computed
        });
    };
    for (shape, bit) in [(set.low_area(), true), (set.parallel(), false)] {
        let shape = shape.unwrap();
        check(bit, &|numbers| {
            simulate(
                &shape.machine(),
                Image::new(&shape, numbers).unwrap(),
                shape.cycles(),
            )
        });
    }
    let systolic = set.systolic().unwrap();
    check(true, &|numbers| {
        let image = Image::systolic(&systolic, numbers).unwrap();
        simulate(&systolic.machine(), image, systolic.cycles())
    });
}

#[cfg(feature = "rtl")]
#[test]
fn machines_encrypt_at_toy_size() {
    whole_encryptions(&Set::ALL[0]);
}

#[cfg(feature = "rtl-full")]
#[test]
#[ignore = "takes minutes"]
fn machines_encrypt_at_small_size() {
    whole_encryptions(&Set::ALL[1]);
}
