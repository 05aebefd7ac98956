//! Operations that are done better together.

use crate::ir::program::{Operation, Program, ValueId};

/// Puts sums into the products or linear maps that they are sums of, where those are used nowhere else: a
/// sum of products is relinearized once, and what is added to products or images is added before they are
/// brought to a lower level, at no cost of its own.
pub(crate) fn fuse(mut program: Program) -> Program {
    let uses = program.uses();
    for index in 0..program.operations.len() {
        let Operation::Linear { terms, clear } = &program.operations[index] else {
            continue;
        };
        let own = |value: &ValueId, wanted: fn(&Operation) -> bool| {
            uses[value.0] == 1 && wanted(&program.operations[value.0])
        };
        let is_product = |value: &ValueId| {
            own(value, |operation| {
                matches!(operation, Operation::Product { clear: None, .. })
            })
        };
        let is_map = |value: &ValueId| {
            own(value, |operation| {
                matches!(operation, Operation::Map { clear: None, .. })
            })
        };
        let fused = if terms.iter().any(is_product) {
            Some(fuse_products(&program.operations, terms, *clear, is_product))
        } else if terms.iter().any(is_map) {
            Some(fuse_maps(&program.operations, terms, *clear, is_map))
        } else {
            None
        };
        if let Some(fused) = fused {
            program.operations[index] = fused;
        }
    }
    program.prune()
}

fn fuse_products(
    operations: &[Operation],
    terms: &[ValueId],
    clear: Option<crate::ClearId>,
    fits: impl Fn(&ValueId) -> bool,
) -> Operation {
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    for value in terms {
        match &operations[value.0] {
            Operation::Product { pairs, terms, .. } if fits(value) => {
                all.extend(pairs);
                rest.extend(terms);
            }
            _ => rest.push(*value),
        }
    }
    Operation::Product {
        pairs: all,
        terms: cancel(rest),
        clear,
    }
}

fn fuse_maps(
    operations: &[Operation],
    terms: &[ValueId],
    clear: Option<crate::ClearId>,
    fits: impl Fn(&ValueId) -> bool,
) -> Operation {
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    for value in terms {
        match &operations[value.0] {
            Operation::Map { images, terms, .. } if fits(value) => {
                all.extend(images);
                rest.extend(terms);
            }
            _ => rest.push(*value),
        }
    }
    Operation::Map {
        images: all,
        terms: cancel(rest),
        clear,
    }
}

/// The terms that come an odd number of times.
fn cancel(mut terms: Vec<ValueId>) -> Vec<ValueId> {
    terms.sort_unstable();
    let groups = terms.chunk_by(|a, b| a == b);
    groups
        .filter(|group| group.len() % 2 == 1)
        .map(|group| group[0])
        .collect()
}

#[cfg(test)]
mod tests;
