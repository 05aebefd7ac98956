//! Conversions between bases, in parallel over blocks of columns.

use rayon::prelude::*;
use ringmill_arith::Conversion;

use ringmill_device::DeviceError;

/// Columns of a parallel task: limbs of a block stay in the second-level cache.
pub(super) const BLOCK: usize = 1024;

/// The columns of limb-major words as blocks, each a list of limb slices.
fn blocks(words: &[u64], n: usize) -> Vec<Vec<&[u64]>> {
    let mut blocks: Vec<Vec<&[u64]>> = vec![Vec::new(); n.div_ceil(BLOCK)];
    for limb in words.chunks_exact(n) {
        blocks
            .iter_mut()
            .zip(limb.chunks(BLOCK))
            .for_each(|(block, part)| block.push(part));
    }
    blocks
}

pub(super) fn blocks_mut(words: &mut [u64], n: usize) -> Vec<Vec<&mut [u64]>> {
    let mut blocks: Vec<Vec<&mut [u64]>> = (0..n.div_ceil(BLOCK)).map(|_| Vec::new()).collect();
    for limb in words.chunks_exact_mut(n) {
        blocks
            .iter_mut()
            .zip(limb.chunks_mut(BLOCK))
            .for_each(|(block, part)| block.push(part));
    }
    blocks
}

/// Runs a conversion over whole polynomials.
pub(super) fn convert(
    conversion: &Conversion,
    from: &[u64],
    to: &mut [u64],
    n: usize,
) -> Result<(), DeviceError> {
    let (from, mut to) = (blocks(from, n), blocks_mut(to, n));
    from.par_iter().zip(&mut to).try_for_each(|(from, to)| {
        conversion.run(from, to)?;
        Ok(())
    })
}

/// Divides with rounding: `dropped` holds the limbs that are divided by, `old` what each limb of the result
/// is made from, nothing standing for zeros.
pub(super) fn divide(
    divide: &Conversion,
    dropped: &[&[u64]],
    old: &[Option<&[u64]>],
    to: &mut [u64],
    n: usize,
) -> Result<(), DeviceError> {
    let blocks = blocks_mut(to, n).into_par_iter().enumerate();
    blocks.try_for_each(|(index, mut to)| {
        let start = index * BLOCK;
        for (limb, old) in to.iter_mut().zip(old) {
            match old {
                Some(old) => limb.copy_from_slice(&old[start..start + limb.len()]),
                None => limb.fill(0),
            }
        }
        let end = n.min(start + BLOCK);
        let dropped: Vec<&[u64]> = dropped.iter().map(|limb| &limb[start..end]).collect();
        divide.run(&dropped, &mut to)?;
        Ok(())
    })
}

/// Divides by q with rounding, over B, then lifts the quotient back to q: `words` holds the limbs
/// of q, then those of B.
pub(super) fn divide_and_convert(
    divide: &Conversion,
    back: &Conversion,
    words: &[u64],
    to: &mut [u64],
    n: usize,
) -> Result<(), DeviceError> {
    let keep = divide.from_basis().len();
    let (from, mut to) = (blocks(words, n), blocks_mut(to, n));
    from.par_iter().zip(&mut to).try_for_each(|(from, to)| {
        let (q, b) = from.split_at(keep);
        let mut quotient: Vec<Vec<u64>> = b.iter().map(|limb| limb.to_vec()).collect();
        let mut slices: Vec<&mut [u64]> = quotient.iter_mut().map(Vec::as_mut_slice).collect();
        divide.run(q, &mut slices)?;
        let quotient: Vec<&[u64]> = quotient.iter().map(Vec::as_slice).collect();
        back.run(&quotient, to)?;
        Ok(())
    })
}
