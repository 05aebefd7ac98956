//! What a plan's batches hold.

use ringmill_circuit::Visibility;
use ringmill_engine::{InputPlan, OutputSource, Plan};

use super::head::names_bytes;

/// The private ports in order; `ports` are some of them, or none for all.
pub(crate) fn private_ports<'a>(
    plan: &'a Plan,
    ports: &'a [String],
) -> impl Iterator<Item = &'a InputPlan> + 'a {
    plan.schedule().inputs().iter().filter(|port| {
        port.visibility == Visibility::Private && (ports.is_empty() || ports.contains(&port.name))
    })
}

/// Ciphertexts of a batch of inputs, of these ports or of all.
pub(crate) fn input_ciphertexts(plan: &Plan, ports: &[String]) -> usize {
    match plan.packed_inputs() {
        Some(packed) => packed.ciphertexts(),
        None => private_ports(plan, ports).map(|port| port.width).sum(),
    }
}

/// The most bytes of values in the clear, or of names of ports, that the head of a batch may have.
pub(super) fn most_bytes(plan: &Plan) -> u64 {
    let clear: u64 = clear_outputs(plan).map(|bytes| 4 + bytes as u64).sum();
    clear.max(names_bytes(private_ports(plan, &[]).map(|port| &*port.name)))
}

pub(super) fn outputs(plan: &Plan) -> usize {
    plan.schedule()
        .outputs()
        .iter()
        .map(|port| port.sources.len())
        .sum()
}

/// The most bytes of each output that depends on public inputs only.
pub(super) fn clear_outputs(plan: &Plan) -> impl Iterator<Item = usize> {
    plan.schedule().outputs().iter().flat_map(|port| {
        let bytes = if port.kind.is_bit() {
            8 * plan.records().div_ceil(64)
        } else {
            plan.records() * port.kind.slots()
        };
        let clear = |source: &&OutputSource| matches!(source, OutputSource::Clear(_));
        port.sources.iter().filter(clear).map(move |_| bytes)
    })
}
