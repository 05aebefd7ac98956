use std::collections::BTreeSet;
use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_circuit::{RowMap, nibble};
use ringmill_fv::{FvError, Parameters};
use ringmill_ring::{Packing, Slots};

use crate::error::PlanError;
use crate::fv::layout::Layout;
use crate::fv::packed::{InputPacking, packing};
use crate::fv::prepared::Prepared;
use crate::fv::slot_maps::{SlotMaps, fermat_ring};
use crate::ir::program::Operation;

/// A program in one ring.
pub(crate) struct Placed {
    pub layout: Layout,
    pub maps: Arc<SlotMaps>,
    /// How inputs are packed, if they are.
    pub packing: Option<Arc<Packing>>,
}

/// Arranges a program's records, maps and inputs in the slots of a ring. Plans that go on with others' results, or let
/// others go on with theirs, are `chained`.
pub(crate) fn place(
    prepared: &Prepared<'_>,
    parameters: &Parameters,
    (inputs, chained): (InputPacking, bool),
) -> Result<Placed, PlanError> {
    let (program, ring) = (&prepared.program, fermat_ring(parameters)?);
    if parameters.t() != 2 {
        return Err(PlanError::NotBinary {
            name: parameters.name().to_string(),
            t: parameters.t(),
        });
    }
    let kernel = Simd::from_environment().map_err(FvError::from)?;
    let slots = Slots::new(ring, kernel)?;
    let used: BTreeSet<usize> = program
        .operations
        .iter()
        .flat_map(|operation| match operation {
            Operation::Map { images, .. } => images.iter().map(|(_, map)| map.index()).collect(),
            _ => Vec::new(),
        })
        .collect();
    // Circuits of bytes may have nibbles in them. Chained ones have all bytes as they are.
    let is_tidying = |map: &RowMap| matches!(map.blocks()[..], [(0, 0, map)] if nibble::is_tidying(map));
    let mut maps = used.iter().filter_map(|map| program.maps.get(*map));
    let tidies = !chained && program.row == 1 && maps.any(is_tidying);
    let layout = if program.shared {
        Layout::shared(&slots)?
    } else if tidies {
        Layout::of_nibbles(&slots)?
    } else {
        Layout::new(&slots, program.row)?
    };
    let maps = SlotMaps::new(
        (&program.maps, &program.moves),
        &used,
        &slots,
        &layout,
        parameters,
    )?;
    let packing = packing(prepared.inputs(), program.row, ring, (&slots, &layout), inputs)?;
    Ok(Placed {
        layout,
        maps: Arc::new(maps),
        packing: packing.map(Arc::new),
    })
}
