//! Conversions between bases, in parallel over blocks of columns.

use rayon::prelude::*;
use ringmill_arith::{Conversion, Dividend};

use super::pool::Limb;
use ringmill_device::DeviceError;

/// Columns of a parallel task: limbs of a block stay in the second-level cache.
pub(super) const BLOCK: usize = 1024;

/// The columns of limbs as blocks, each a list of parts of limbs.
fn blocks<'a>(limbs: impl Iterator<Item = &'a [u64]>) -> Vec<Vec<&'a [u64]>> {
    let mut blocks: Vec<Vec<&[u64]>> = Vec::new();
    for limb in limbs {
        blocks.resize_with(limb.len().div_ceil(BLOCK), Vec::new);
        blocks
            .iter_mut()
            .zip(limb.chunks(BLOCK))
            .for_each(|(block, part)| block.push(part));
    }
    blocks
}

pub(super) fn blocks_mut(limbs: &mut [Limb]) -> Vec<Vec<&mut [u64]>> {
    let mut blocks: Vec<Vec<&mut [u64]>> = Vec::new();
    for limb in limbs {
        blocks.resize_with(limb.len().div_ceil(BLOCK), Vec::new);
        blocks
            .iter_mut()
            .zip(limb.chunks_mut(BLOCK))
            .for_each(|(block, part)| block.push(part));
    }
    blocks
}

/// Runs a conversion over whole polynomials.
pub(super) fn convert(conversion: &Conversion, from: &[Limb], to: &mut [Limb]) -> Result<(), DeviceError> {
    let (from, mut to) = (blocks(from.iter().map(|limb| &limb[..])), blocks_mut(to));
    from.par_iter().zip(&mut to).try_for_each(|(from, to)| {
        conversion.run(from, to)?;
        Ok(())
    })
}

/// Divides with rounding: `dropped` holds the limbs that are divided by, `old` what each limb of the result
/// is made from.
pub(super) fn divide(
    divide: &Conversion,
    dropped: &[&[u64]],
    old: &[Dividend<'_>],
    to: &mut [Limb],
) -> Result<(), DeviceError> {
    let from = blocks(dropped.iter().copied());
    let blocks = blocks_mut(to).into_par_iter().zip(from).enumerate();
    blocks.try_for_each(|(index, (mut to, from))| {
        let start = index * BLOCK;
        let old = old.iter().zip(&to).map(|(old, to)| match old {
            Dividend::Limb(old) => Dividend::Limb(&old[start..start + to.len()]),
            whole => *whole,
        });
        let old: Vec<Dividend<'_>> = old.collect();
        divide.run_on(&from, &old, &mut to)?;
        Ok(())
    })
}

/// Divides by q with rounding, over B, then lifts the quotient back to q: `limbs` are those of q, then those of B.
pub(super) fn divide_and_convert(
    divide: &Conversion,
    back: &Conversion,
    limbs: &[Limb],
    to: &mut [Limb],
) -> Result<(), DeviceError> {
    let keep = divide.from_basis().len();
    let (from, to) = (blocks(limbs.iter().map(|limb| &limb[..])), blocks_mut(to));
    from.into_par_iter().zip(to).try_for_each_init(
        || vec![0; (limbs.len() - keep) * BLOCK],
        |quotient, (from, mut to)| {
            let (q, b) = from.split_at(keep);
            let columns = to.first().map_or(0, |limb| limb.len());
            let dividends: Vec<Dividend<'_>> = b.iter().map(|limb| Dividend::Limb(limb)).collect();
            let rows = quotient.chunks_exact_mut(BLOCK);
            let mut rows: Vec<&mut [u64]> = rows.map(|row| &mut row[..columns]).collect();
            divide.run_on(q, &dividends, &mut rows)?;
            let rows: Vec<&[u64]> = rows.iter().map(|row| &**row).collect();
            back.run(&rows, &mut to)?;
            Ok(())
        },
    )
}
