//! Word decomposition: digits in base 2^bits of the representative in [0, q).

use std::sync::Arc;

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::{DeviceError, Digits};
use ringmill_ring::Domain;
use zerocopy::{Immutable, IntoBytes};

use super::launch::{COLUMNS, THREADS};
use super::source::{Source, Sources};
use crate::device::store::{Constant, Task, Words};
use crate::device::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// The most bits in a piece of a digit.
const PIECE_BITS: u32 = 48;
/// The most digits in a launch: `MOST_DIGITS` in `kernels/digits.cuh`.
const MOST_DIGITS: usize = 128;
/// The number of threads in a block that joins pieces.
const JOINING: usize = 256;

/// `IntegersParameters` in `kernels/digits.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct IntegersParameters {
    source: Source,
    offset: Address,
    to: Address,
    n: u64,
    words: u32,
    unused: u32,
}

/// `DigitsParameters` in `kernels/digits.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct DigitsParameters {
    to: [Address; MOST_DIGITS],
    integers: Address,
    primes: Address,
    factors: Address,
    starts: Address,
    n: u64,
    first: u32,
    bits: u32,
    pieces: u32,
    piece_bits: u32,
}

layout! {
    "kernels/digits.cuh": IntegersParameters { source, offset, to, n, words, unused }
    "kernels/digits.cuh": DigitsParameters { to, integers, primes, factors, starts, n, first, bits, pieces, piece_bits }
}

/// The way in which integers are cut into digits, and digits into pieces below every prime.
///
/// With H = sum_k (2^(bits-1) - 1) 2^(bits k), the plain digits of x + H are those of x in (-2^(bits-1),
/// 2^(bits-1)], each with 2^(bits-1) - 1 added. So no carry passes from digit to digit.
#[derive(Debug)]
pub(super) struct Cut {
    bits: u32,
    /// The number of pieces of a digit, and of bits in each piece but the last.
    pieces: u32,
    piece_bits: u32,
    /// The number of words of x + H.
    words: usize,
    primes: Arc<Constant>,
    /// H; then for each prime 2^(bits of a piece), a factor, and the word that removes the offset.
    tables: Constant,
    /// The positions at which the factors and the last words begin.
    factors: usize,
    starts: usize,
}

impl Cut {
    /// Cuts integers of this many words into digits over a basis.
    fn new(
        device: &CudaDevice,
        over: &Basis,
        bits: u32,
        digits: usize,
        words: usize,
    ) -> Result<Self, DeviceError> {
        let least = over.moduli().iter().map(Modulus::bits).min().unwrap_or(2);
        // A piece is below a power of 2 that is below every prime; the pieces are then made as even as
        // possible.
        let pieces = bits.div_ceil(PIECE_BITS.min(least - 1));
        let piece_bits = bits.div_ceil(pieces);
        let one = (BigUint::from(1u32) << (bits - 1)) - 1u32;
        let offset = (0..digits).fold(BigUint::ZERO, |sum, _| (sum << bits) + &one);
        let words = words.max((bits as usize * digits).div_ceil(64));
        let mut tables = offset.to_u64_digits();
        tables.resize(words, 0);
        for q in over.moduli() {
            device
                .arithmetic
                .encode(q, q.pow(2, piece_bits.into()), &mut tables);
        }
        let starts = tables.len();
        for q in over.moduli() {
            // Added to the last piece, this word removes the offset; 2 is invertible.
            let one = q.sub(q.pow(2, u64::from(bits) - 1), 1);
            let scale = q.pow(2, u64::from(piece_bits) * u64::from(pieces - 1));
            tables.push(q.neg(q.mul(one, q.inv(scale).unwrap_or(0))));
        }
        Ok(Self {
            bits,
            pieces,
            piece_bits,
            words,
            primes: device.primes.of(&device.store, over)?,
            tables: device.store.constant(&tables)?,
            factors: words,
            starts,
        })
    }

    /// The address of a place in the tables.
    fn at(&self, place: usize) -> Address {
        self.tables.address() + 8 * place as u64
    }
}

impl CudaDevice {
    /// Does [`ringmill_device::Device::decompose_base_two`]: one launch makes the integers, another their
    /// digits.
    pub(in crate::device) fn base_two_digits(
        &self,
        a: &CudaPoly,
        bits: u32,
        over: &Basis,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let count = Digits::BaseTwo { bits }.elements(a.basis()).len();
        let sources = self.conversions.sources.get(a.basis().clone(), || {
            Sources::new(self, a.basis(), &BigUint::from(1u32))
        })?;
        let key = (over.clone(), bits, count, sources.width());
        let cut = self
            .conversions
            .cuts
            .get(key, || Cut::new(self, over, bits, count, sources.width()))?;
        let coefficients = match a.domain() {
            Domain::Coefficient => None,
            Domain::Evaluation => Some(self.store.take(a.words().len())?),
        };
        let integers = self.store.take(cut.words * self.n())?;
        let digits = (0..count).map(|_| self.allocate(over, Domain::Evaluation));
        let digits = digits.collect::<Result<Vec<_>, _>>()?;
        let mut task = self.store.task();
        let given = match &coefficients {
            None => task.read(a.words())?,
            Some(place) => self.interpolated(&mut task, a, place)?,
        };
        let integers = task.write(&integers)?;
        self.integers(&mut task, &sources, &cut, given, integers, a.basis())?;
        let written = digits.iter().map(|digit| task.write(digit.words()));
        let written = written.collect::<Result<Vec<_>, _>>()?;
        self.join_pieces(&mut task, &cut, over, integers, &written)?;
        self.transform_batch(&mut task, over, &written, Domain::Evaluation)?;
        Ok(digits)
    }

    /// Makes the coefficients of a polynomial in evaluation domain, in another place.
    fn interpolated(&self, task: &mut Task, a: &CudaPoly, place: &Words) -> Result<Address, DeviceError> {
        task.copy((a.words(), 0), (place, 0), a.words().len())?;
        let address = task.write(place)?;
        self.transform_batch(task, a.basis(), &[address], Domain::Coefficient)?;
        Ok(address)
    }

    /// Makes the integers of all columns, with the offset of digits.
    fn integers(
        &self,
        task: &mut Task,
        sources: &Sources,
        cut: &Cut,
        from: Address,
        to: Address,
        basis: &Basis,
    ) -> Result<(), DeviceError> {
        let parameters = IntegersParameters {
            source: sources.at(self, (from, basis))?,
            offset: cut.at(0),
            to,
            n: self.n() as u64,
            words: cut.words as u32,
            unused: 0,
        };
        let entry = self.entry(if sources.many() {
            "integers_many"
        } else {
            "integers"
        });
        let grid = [self.n().div_ceil(COLUMNS), 1, 1];
        // SAFETY: the structure is the kernel's; the polynomial has n words for each prime of its basis, the integers
        // have as many words for each column as the cut says, and the tables live as long as the device.
        unsafe { task.launch(&entry, grid, THREADS, &parameters) }
    }

    /// Makes the digits of all columns modulo every prime, in coefficient domain.
    fn join_pieces(
        &self,
        task: &mut Task,
        cut: &Cut,
        over: &Basis,
        integers: Address,
        digits: &[Address],
    ) -> Result<(), DeviceError> {
        for (k, digits) in digits.chunks(MOST_DIGITS).enumerate() {
            let mut parameters = DigitsParameters {
                to: [0; MOST_DIGITS],
                integers,
                primes: cut.primes.address(),
                factors: cut.at(cut.factors),
                starts: cut.at(cut.starts),
                n: self.n() as u64,
                first: (k * MOST_DIGITS) as u32,
                bits: cut.bits,
                pieces: cut.pieces,
                piece_bits: cut.piece_bits,
            };
            parameters.to[..digits.len()].copy_from_slice(digits);
            let grid = [self.n().div_ceil(JOINING), over.len(), digits.len()];
            // SAFETY: the structure is the kernel's; every digit has n words for each prime, the integers
            // have all the words that hold the bits of all the digits, and the tables live as long as the
            // device.
            unsafe { task.launch(&self.entry("digits"), grid, JOINING as u32, &parameters)? };
        }
        Ok(())
    }
}
