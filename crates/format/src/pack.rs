//! Residues and ternary coefficients in as few bits as they need.
//!
//! Both are streams of bits, lowest first, from the lowest bit of the first byte; the last byte of a
//! limb, or of a ternary polynomial, is filled up with zeros.

use std::io::{Read, Write};

use ringmill_arith::secret::{self, Secret};
use ringmill_arith::{Basis, Modulus};

use crate::{FormatError, Put};

/// Residues or coefficients packed at a time; a multiple of 8, so that a block is of whole bytes.
const BLOCK: usize = 4096;

/// Bytes of a polynomial of `n` coefficients over a basis.
#[must_use]
pub fn limbs_bytes(basis: &Basis, n: usize) -> u64 {
    let limbs = basis.moduli().iter();
    limbs.map(|modulus| limb_bytes(modulus, n) as u64).sum()
}

/// Bytes of a ternary polynomial of `n` coefficients.
#[must_use]
pub fn trits_bytes(n: usize) -> u64 {
    n.div_ceil(4) as u64
}

fn limb_bytes(modulus: &Modulus, count: usize) -> usize {
    (count * modulus.bits() as usize).div_ceil(8)
}

/// Writes a polynomial: `words` are its limbs one after the other, residues of the primes of `basis`.
/// Each takes [`Modulus::bits`] bits.
///
/// # Errors
/// [`FormatError::BadValue`] if the words are not a whole number of limbs; [`FormatError::BadResidue`]
/// for one that is not below its modulus; [`FormatError::Io`].
pub fn write_limbs(out: &mut (impl Write + ?Sized), basis: &Basis, words: &[u64]) -> Result<(), FormatError> {
    if words.is_empty() || !words.len().is_multiple_of(basis.len()) {
        return Err(FormatError::BadValue {
            field: "limbs",
            problem: format!("{} words are not {} limbs", words.len(), basis.len()),
        });
    }
    let n = words.len() / basis.len();
    let mut bytes = Secret::with_capacity(BLOCK * 8);
    for (limb, (modulus, residues)) in basis.moduli().iter().zip(words.chunks_exact(n)).enumerate() {
        check(limb, modulus, residues)?;
        for block in residues.chunks(BLOCK) {
            pack(modulus.bits(), block, &mut bytes);
            out.put_bytes(&bytes)?;
            bytes.clear();
        }
    }
    Ok(())
}

/// Reads a polynomial of `n` coefficients over `basis`, limbs one after the other.
///
/// Memory is taken as the bytes arrive.
///
/// # Errors
/// [`FormatError::BadResidue`] for the first residue not below its modulus; [`FormatError::BadValue`] if
/// filling bits are not zero; [`FormatError::Truncated`], [`FormatError::Io`].
pub fn read_limbs(
    input: &mut (impl Read + ?Sized),
    basis: &Basis,
    n: usize,
) -> Result<Vec<u64>, FormatError> {
    let mut words = Vec::new();
    // Words are read 16 bytes at a time, at the end beyond what is packed.
    let mut bytes = Secret::<Vec<u8>>::zeros(BLOCK * 8 + 16);
    for (limb, modulus) in basis.moduli().iter().enumerate() {
        let start = words.len();
        while words.len() < start + n {
            let count = BLOCK.min(start + n - words.len());
            input.read_exact(&mut bytes[..limb_bytes(modulus, count)])?;
            unpack(modulus.bits(), &bytes, count, &mut words)?;
        }
        if let Err(error) = check(limb, modulus, &words[start..]) {
            secret::wipe(&mut words);
            return Err(error);
        }
    }
    Ok(words)
}

fn check(limb: usize, modulus: &Modulus, residues: &[u64]) -> Result<(), FormatError> {
    match residues.iter().position(|&x| x >= modulus.value()) {
        None => Ok(()),
        Some(index) => Err(FormatError::BadResidue {
            limb,
            index,
            modulus: modulus.value(),
        }),
    }
}

/// Appends values below 2^bits.
fn pack(bits: u32, values: &[u64], out: &mut Secret<Vec<u8>>) {
    let (mut waiting, mut held) = (0_u128, 0);
    for &value in values {
        waiting |= u128::from(value) << held;
        held += bits;
        if held >= 64 {
            out.extend_from_slice(&(waiting as u64).to_le_bytes());
            waiting >>= 64;
            held -= 64;
        }
    }
    let rest = (waiting as u64).to_le_bytes();
    out.extend_from_slice(&rest[..held.div_ceil(8) as usize]);
}

/// Appends the first `count` values of `bits` bits. There are 15 bytes or more beyond the last one's first.
fn unpack(bits: u32, bytes: &[u8], count: usize, out: &mut Vec<u64>) -> Result<(), FormatError> {
    let mask = u64::MAX >> (64 - bits);
    let bits = bits as usize;
    // Most fit in a word from wherever their byte begins.
    if bits <= 57 {
        let value = |at: usize| word(bytes, at / 8) >> (at % 8) & mask;
        out.extend((0..count).map(|i| value(i * bits)));
    } else {
        let double = |at: usize| u128::from(word(bytes, at)) | u128::from(word(bytes, at + 8)) << 64;
        let value = |at: usize| (double(at / 8) >> (at % 8)) as u64 & mask;
        out.extend((0..count).map(|i| value(i * bits)));
    }
    let end = count * bits;
    if end.is_multiple_of(8) || bytes[end / 8] >> (end % 8) == 0 {
        Ok(())
    } else {
        Err(filling())
    }
}

/// The word at a place; 0 where there are not eight bytes.
fn word(bytes: &[u8], at: usize) -> u64 {
    let eight = bytes.get(at..).and_then(<[u8]>::first_chunk);
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

fn filling() -> FormatError {
    FormatError::BadValue {
        field: "filling bits",
        problem: "not zero".to_string(),
    }
}

/// Writes coefficients -1, 0, 1 in two bits each: in two's complement. No branch or address depends on
/// them.
///
/// # Errors
/// [`FormatError::BadTrit`] for any other; [`FormatError::Io`].
pub fn write_trits(out: &mut (impl Write + ?Sized), trits: &[i8]) -> Result<(), FormatError> {
    // Not `any`, which stops at the first.
    if trits
        .iter()
        .fold(false, |wrong, &x| wrong | (x.wrapping_add(1) as u8 > 2))
    {
        return Err(FormatError::BadTrit);
    }
    for block in trits.chunks(BLOCK) {
        let bytes = Secret::collect(block.chunks(4).map(|four| {
            let four = (0..).zip(four);
            four.fold(0, |byte, (i, &x)| byte | (x as u8 & 3) << (2 * i))
        }));
        out.put_bytes(&bytes)?;
    }
    Ok(())
}

/// Reads `n` coefficients that [`write_trits`] wrote. No branch or address depends on them.
///
/// # Errors
/// [`FormatError::BadTrit`] for the pattern that is none; [`FormatError::BadValue`] if filling bits are
/// not zero; [`FormatError::Truncated`], [`FormatError::Io`].
pub fn read_trits(input: &mut (impl Read + ?Sized), n: usize) -> Result<Secret<Vec<i8>>, FormatError> {
    // n is the caller's and not the file's.
    let mut trits = Secret::with_capacity(n);
    let mut bytes = Secret::new([0; BLOCK / 4]);
    let (mut valid, mut filled) = (true, 0);
    while trits.len() < n {
        let count = BLOCK.min(n - trits.len());
        let packed = &mut bytes[..count.div_ceil(4)];
        input.read_exact(packed)?;
        for i in 0..count {
            let two = packed[i / 4] >> (2 * (i % 4)) & 3;
            valid &= two != 2;
            trits.push((two << 6) as i8 >> 6);
        }
        if !count.is_multiple_of(4) {
            filled |= packed[count / 4] >> (2 * (count % 4));
        }
    }
    match (valid, filled) {
        (false, _) => Err(FormatError::BadTrit),
        (true, 0) => Ok(trits),
        _ => Err(filling()),
    }
}
