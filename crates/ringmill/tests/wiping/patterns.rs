//! What to look for: windows of secrets in every form in which they are in memory.

use memchr::memmem::Finder;
use ringmill_arith::{Basis, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, Ring};
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

/// Bits of entropy that make a window unlike anything else.
const BITS: f64 = 72.0;

/// The entropy of a ternary coefficient: log2 of 3.
pub const TERNARY: f64 = 1.58;

/// A little less than the entropy of an error's coefficient.
pub const ERROR: f64 = 3.0;

/// Windows taken of a sequence.
const WINDOWS: usize = 4;

/// Bytes of a block that is passed over if they are all zero.
const ZEROS: usize = 4096;

/// Byte strings that must not be found, with the names of the secrets that they are from.
#[derive(Default)]
pub struct Patterns(Vec<(String, Finder<'static>)>);

/// A number as it is in memory.
pub trait Number: Copy {
    fn bytes(self) -> Vec<u8>;
}

macro_rules! number {
    ($($type:ty),*) => {
        $(impl Number for $type {
            fn bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        })*
    };
}

number!(u8, i8, u32, i32, u64, i64, f64);

impl Number for bool {
    fn bytes(self) -> Vec<u8> {
        vec![self.into()]
    }
}

impl Patterns {
    /// Adds windows of numbers with so many bits of entropy each.
    pub fn add<T: Number>(&mut self, name: &str, entropy: f64, numbers: &[T]) {
        let length = (BITS / entropy).ceil() as usize;
        assert!(numbers.len() >= 2 * length, "{name}: {} numbers", numbers.len());
        for window in 0..WINDOWS {
            let start = window * (numbers.len() - length) / (WINDOWS - 1);
            let bytes: Vec<u8> = numbers[start..start + length]
                .iter()
                .flat_map(|number| number.bytes())
                .collect();
            self.window(name, &bytes);
        }
    }

    /// Adds a byte string.
    pub fn window(&mut self, name: &str, bytes: &[u8]) {
        self.0.push((name.to_owned(), Finder::new(bytes).into_owned()));
    }

    /// Adds small coefficients in every width, and with their residues.
    pub fn small(&mut self, name: &str, entropy: f64, ring: &Ring, basis: &Basis, coefficients: &[i64]) {
        self.add(&format!("{name}, i64"), entropy, coefficients);
        let narrow: Vec<i32> = coefficients.iter().map(|&x| x as i32).collect();
        self.add(&format!("{name}, i32"), entropy, &narrow);
        let real: Vec<f64> = coefficients.iter().map(|&x| x as f64).collect();
        self.add(&format!("{name}, f64"), entropy, &real);
        if coefficients.iter().all(|x| x.abs() <= 1) {
            let bytes: Vec<i8> = coefficients.iter().map(|&x| x as i8).collect();
            self.add(&format!("{name}, i8"), entropy, &bytes);
            let packed: Vec<u8> = bytes
                .chunks(4)
                .map(|four| {
                    let four = four.iter().enumerate();
                    four.fold(0, |byte, (i, &x)| byte | (x as u8 & 3) << (2 * i))
                })
                .collect();
            self.add(&format!("{name}, packed"), 4.0 * entropy, &packed);
        }
        let residues = |q: u64| coefficients.iter().map(move |&x| x.rem_euclid(q as i64) as u64);
        let words: Vec<u64> = basis.moduli().iter().flat_map(|q| residues(q.value())).collect();
        let device = CpuDevice::new(ring, Simd::from_environment().unwrap());
        let poly = device.upload(basis, Domain::Coefficient, &words).unwrap();
        self.poly(name, &device, &poly, entropy);
    }

    /// Adds a polynomial in both domains, of so many bits of entropy a coefficient.
    pub fn poly<D: Device>(&mut self, name: &str, device: &D, poly: &D::Poly, entropy: f64) {
        let n = device.ring().n();
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            let poly = device.transform(device.copy(poly).unwrap(), domain).unwrap();
            let words = device.download(&poly).unwrap();
            let last = words.len() / n - 1;
            for (limb, words) in words.chunks(n).enumerate().filter(|(i, _)| i % last.max(1) == 0) {
                let entropy = if domain == Domain::Coefficient {
                    entropy
                } else {
                    20.0
                };
                self.add(&format!("{name}, limb {limb}, {domain:?}"), entropy, words);
            }
        }
    }

    /// Adds all of others.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// The names of what is found in memory.
    pub fn found(&self, memory: &[u8]) -> Vec<&str> {
        // Most of it was overwritten. No window is as long as a block of zeros.
        let blocks = memory
            .chunks(ZEROS)
            .map(|block| block.iter().any(|&byte| byte != 0));
        let blocks: Vec<bool> = blocks.collect();
        let mut parts = Vec::new();
        let mut start = 0;
        for run in blocks.chunk_by(|a, b| a == b) {
            let end = memory.len().min(start + run.len() * ZEROS);
            if run[0] {
                parts.push(&memory[start..end]);
            }
            start = end;
        }
        let in_parts = |window: &Finder<'_>| parts.iter().any(|part| window.find(part).is_some());
        let found = self.0.iter().filter(|(_, window)| in_parts(window));
        let mut names: Vec<&str> = found.map(|(name, _)| name.as_str()).collect();
        names.dedup();
        names
    }
}

/// The values of the embedding before they are squared, by the transform that computes them.
pub fn spectrum(ring: &Ring, coefficients: &[f64]) -> Vec<f64> {
    let mut values: Vec<Complex<f64>> = match ring {
        Ring::Fermat(ring) => {
            let mut values = vec![Complex::new(0.0, 0.0); ring.d() as usize];
            for (&x, &e) in coefficients.iter().zip(ring.exponents()) {
                values[e as usize].re = x;
            }
            values
        }
        Ring::Negacyclic(ring) => {
            let step = std::f64::consts::PI / ring.n() as f64;
            let turned = coefficients.iter().enumerate();
            turned
                .map(|(j, &x)| Complex::from_polar(x, -step * j as f64))
                .collect()
        }
        _ => panic!("a ring that the test does not know"),
    };
    FftPlanner::new()
        .plan_fft_forward(values.len())
        .process(&mut values);
    values.iter().flat_map(|z| [z.re, z.im]).collect()
}
