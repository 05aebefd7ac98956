//! Paper 4: the Karatsuba pipeline for batched FV encryption.

use ringmill_arith::sampling::{Gaussian, Stream, uniform};
use ringmill_arith::{Basis, Simd};
use ringmill_schemes::karatsuba::{self, Fermat, Karatsuba, Method, Padded, Parameters, Randomness, Scheme};

#[cfg(feature = "rtl")]
use ringmill_rtl::karatsuba::{Shape, Wide, resident};

use super::{Published, Sheet};
use crate::commands::bench::jobs::seed;
use crate::error::CliError;

pub const TITLE: &str = "Paper 4. Migliore et al.: a high-speed accelerator for homomorphic encryption using the \
                         Karatsuba algorithm (Stratix V, 250 MHz, beside a Core i7-4790)";

pub const NOTE: &str = "Table 1 is the area of an FPGA. Both parts of a ciphertext, randomness drawn before, as in the paper. \
     The Fermat ring of n = 4096 has 256 slots, the rings of degree 2560 have 40 (paper 22).";

/// The set of encryption and decryption.
const SET: &str = "cyclotomic-2560-135-insecure";

/// Dimension of the Fermat ring, bits of its primes, and how many.
const FERMAT: (usize, u32, usize) = (4096, 45, 3);

const SIGMA: f64 = 3.2;

/// Words of a coefficient in the paper's representation.
const CHUNKS: usize = 5;

const TABLE: &str = "Table 2. Pkey U + E for 1 to 4 encryptions";
const OTHERS: &str = "Text, sections 2.3 and 3.2. Encryption, batching and reduction";

/// Rows of table 2: encryptions, as printed, seconds.
const ROWS: [Row; 4] = [
    ("1 encryption", 1, "1,935 us (NFLlib 3,078 us)", 1935e-6),
    ("2 encryptions", 2, "2,191 us (NFLlib 5,646 us)", 2191e-6),
    ("3 encryptions", 3, "2,410 us (NFLlib 8,218 us)", 2410e-6),
    ("4 encryptions", 4, "2,525 us (NFLlib 10,814 us)", 2525e-6),
];

const fn other(operation: &'static str, figure: &'static str) -> Published {
    Published {
        table: OTHERS,
        operation,
        figure,
        seconds: None,
        remark: "",
    }
}

/// The paper's best case: its machine alone, with a beat in each cycle.
#[cfg(feature = "rtl")]
const MACHINE: Published = Published {
    seconds: Some(583e-6),
    ..other(
        "one polynomial of the key by the machine alone",
        "583 us: 145,800 cycles (over its link 47 % more)",
    )
};
#[cfg(feature = "rtl")]
const CLOCK_HERTZ: u64 = 250_000_000;

const REDUCTION: Published = Published {
    seconds: Some(114e-6),
    ..other(
        "reduction modulo Phi_m, 125 bits",
        "114 us (a product by NFLlib 1.7 ms)",
    )
};
const ENCRYPTION: Published = other("4 encryptions with batching and sampling", "not given");
const DECRYPTION: Published = other("decryption", "not given");

/// Measures all of it.
pub fn measure(sheet: &mut Sheet) {
    eprintln!("warning: {}", karatsuba::warning());
    #[cfg(feature = "rtl")]
    machines(sheet);
    for row in ROWS {
        sheet.group(row.0, |sheet| accumulation(sheet, row));
    }
    sheet.group(ENCRYPTION.operation, encryption);
}

/// The paper's machine, and the one with all recursions on chip, by their formulas, which the simulated ones keep.
#[cfg(feature = "rtl")]
fn machines(sheet: &mut Sheet) {
    sheet.machine(MACHINE, "four products at once", Shape::cycles(), CLOCK_HERTZ);
    sheet.group(ROWS[0].0, |sheet| {
        let largest = Wide([u64::MAX, u64::MAX, 0x7f]);
        let shape = resident::Shape::new(largest)?;
        for row in ROWS {
            let method = format!(
                "all recursions on chip, one polynomial of the key, {} jobs",
                row.1
            );
            sheet.machine(published(row), &method, shape.cycles(row.1 as u64), CLOCK_HERTZ);
        }
        Ok(())
    });
}

/// One row by every method.
fn accumulation(sheet: &mut Sheet, row: Row) -> Result<(), CliError> {
    let kernel = Simd::from_environment()?;
    for name in Parameters::names() {
        let parameters = Parameters::insecure(name)?;
        if !name.contains("wide") {
            by_karatsuba(sheet, row, &parameters, kernel)?;
        }
        by_transforms(sheet, row, &parameters, kernel)?;
    }
    by_fermat(sheet, row, kernel)
}

/// A row of table 2: encryptions, as printed, seconds.
type Row = (&'static str, usize, &'static str, f64);

fn published((operation, _, figure, seconds): Row) -> Published {
    Published {
        table: TABLE,
        operation,
        figure,
        seconds: Some(seconds),
        remark: "",
    }
}

/// Any residues, which is all that products ask of the public key's two polynomials.
fn key(basis: &Basis, n: usize) -> [Vec<u64>; 2] {
    ["b", "a"].map(|part| {
        let mut stream = Stream::new(&seed(part));
        let mut words = vec![0; n * basis.len()];
        for (q, limb) in basis.moduli().iter().zip(words.chunks_exact_mut(n)) {
            uniform(&mut stream, q, limb);
        }
        words
    })
}

fn randomness(n: usize, count: usize) -> Result<Vec<Randomness>, CliError> {
    let gaussian = Gaussian::new(SIGMA)?;
    let one = |i| Randomness::new(n, &gaussian, &seed("randomness").derive("encryption", i));
    Ok((0..count as u64).map(one).collect())
}

fn by_karatsuba(sheet: &mut Sheet, row: Row, parameters: &Parameters, kernel: Simd) -> Result<(), CliError> {
    let karatsuba = Karatsuba::new(parameters, kernel)?;
    let [b, a] = key(parameters.q(), parameters.n());
    let key = karatsuba.prepare([&b, &a])?;
    let mut workspaces: Vec<_> = (0..sheet.threads()).map(|_| karatsuba.workspace()).collect();
    let randomness = randomness(parameters.n(), row.1)?;
    let method = format!("Karatsuba, log2 q = {:.0}", parameters.q().log2());
    sheet.measure(published(row), (&method, 5e-3), || {
        Ok(karatsuba.accumulate(&key, &randomness, &mut workspaces)?)
    });
    Ok(())
}

fn by_transforms(sheet: &mut Sheet, row: Row, parameters: &Parameters, kernel: Simd) -> Result<(), CliError> {
    let padded = Padded::new(parameters, kernel)?;
    let [b, a] = key(parameters.q(), parameters.n());
    let key = [padded.prepare(&b)?, padded.prepare(&a)?];
    let randomness = randomness(parameters.n(), row.1)?;
    let (q, limbs) = (parameters.q().log2(), parameters.q().len());
    let method = format!("padded NTT, log2 q = {q:.0} in {limbs} limbs");
    let mut sums = Vec::new();
    sheet.measure(published(row), (&method, 5e-4), || {
        Ok(padded.accumulate(&key, &randomness, &mut sums)?)
    });
    Ok(())
}

fn by_fermat(sheet: &mut Sheet, row: Row, kernel: Simd) -> Result<(), CliError> {
    let (n, bits, limbs) = FERMAT;
    let fermat = Fermat::new(n, bits, limbs, kernel)?;
    let [b, a] = key(fermat.q(), n);
    let key = [fermat.prepare(&b)?, fermat.prepare(&a)?];
    let randomness = randomness(n, row.1)?;
    let method = format!(
        "Fermat ring, n = {n}, log2 q = {:.0} in {limbs} limbs",
        fermat.q().log2()
    );
    let mut sums = Vec::new();
    sheet.measure(published(row), (&method, 3e-4), || {
        Ok(fermat.accumulate(&key, &randomness, &mut sums)?)
    });
    Ok(())
}

fn encryption(sheet: &mut Sheet) -> Result<(), CliError> {
    let kernel = Simd::from_environment()?;
    let parameters = Parameters::insecure(SET)?;
    let mut words = vec![1_i32; (2 * parameters.n() - 1) * CHUNKS];
    sheet.measure(REDUCTION, ("five chunks a coefficient, one thread", 2e-5), || {
        Ok(parameters.reduction().apply(&mut words, CHUNKS)?)
    });
    let scheme = Scheme::new(&parameters, kernel)?;
    let (secret, public) = scheme.generate_keys()?;
    let bits: Vec<bool> = (0..scheme.slots()).map(|i| i % 3 == 0).collect();
    let messages = [&bits[..]; 4];
    for (name, method) in [("Karatsuba", Method::Karatsuba), ("padded NTT", Method::Padded)] {
        let encryptor = scheme.encryptor(&public, method)?;
        sheet.measure(ENCRYPTION, (name, 1e-2), || Ok(encryptor.encrypt(&messages)?));
    }
    let encryptor = scheme.encryptor(&public, Method::Padded)?;
    let Some(ciphertext) = encryptor.encrypt(&messages[..1])?.pop() else {
        return Ok(());
    };
    if scheme.decrypt(&secret, &ciphertext)? != bits {
        return Err(CliError::wrong_result(
            "paper 4: wrong bits; this is a defect, please report it".to_owned(),
        ));
    }
    sheet.measure(DECRYPTION, ("padded NTT", 1e-3), || {
        Ok(scheme.decrypt(&secret, &ciphertext)?)
    });
    Ok(())
}
