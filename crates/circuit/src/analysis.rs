//! Facts about each wire with which an executor plans.

use crate::{Circuit, Gate, Visibility, Wire};

/// Facts about one wire of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireFacts {
    /// The most AND gates on any path to this wire, its own gate included.
    pub and_depth: u32,
    /// The same as `and_depth`, but counting only ANDs whose operands are both private: consecutive
    /// multiplications of two encrypted values. 0 for public wires.
    pub private_depth: u32,
    /// The same as `and_depth`, but counting sums of linear maps of private wires instead of ANDs. They
    /// multiply nothing but cost key switches. 0 for public wires.
    pub private_linear_depth: u32,
    /// Whether the wire depends on public inputs and constants only, so that the evaluator can compute it in
    /// the clear. The wiring alone decides: the AND of a private wire with a constant 0 counts as private.
    pub public: bool,
    /// Whether some output depends on this wire.
    pub live: bool,
    /// The number of times that the wire is read: operand places in live gates plus places in output ports.
    /// An executor may free the value after this number of reads. It is 0 exactly for wires that are not
    /// live.
    pub uses: usize,
}

/// Facts about every wire of a circuit, and totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    wires: Vec<WireFacts>,
    and_depth: u32,
    private_and_depth: u32,
    private_and_count: usize,
    private_linear_depth: u32,
    private_linear_count: usize,
}

impl Analysis {
    /// Analyses a circuit in time linear in the number of its gates.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        let mut wires = depths(circuit);
        mark_uses(circuit, &mut wires);

        let outputs = || circuit.outputs().iter().flat_map(|port| &port.wires);
        let and_depth = outputs().map(|wire| wire.of(&wires).and_depth).max();
        let private_and_depth = outputs().map(|wire| wire.of(&wires).private_depth).max();
        let private_linear_depth = outputs().map(|wire| wire.of(&wires).private_linear_depth).max();
        let live = || circuit.numbered_gates().filter(|(wire, _)| wire.of(&wires).live);
        let private_and_count = live().filter(|(_, gate)| is_private_and(*gate, &wires)).count();
        let is_private_linear =
            |(wire, gate): &(Wire, Gate)| matches!(gate, Gate::Linear(_)) && !wire.of(&wires).public;
        let private_linear_count = live().filter(is_private_linear).count();
        Self {
            and_depth: and_depth.unwrap_or_default(),
            private_and_depth: private_and_depth.unwrap_or_default(),
            private_and_count,
            private_linear_depth: private_linear_depth.unwrap_or_default(),
            private_linear_count,
            wires,
        }
    }

    /// The facts about all wires; those about a wire are at [`Wire::index`].
    #[must_use]
    pub fn wires(&self) -> &[WireFacts] {
        &self.wires
    }

    /// The facts about one wire, or `None` if the circuit has no such wire.
    #[must_use]
    pub fn wire(&self, wire: Wire) -> Option<WireFacts> {
        self.wires.get(wire.index()).copied()
    }

    /// The most ANDs on any path to an output.
    #[must_use]
    pub fn and_depth(&self) -> u32 {
        self.and_depth
    }

    /// The most ANDs of two private operands on any path to an output.
    #[must_use]
    pub fn private_and_depth(&self) -> u32 {
        self.private_and_depth
    }

    /// The number of live ANDs of two private operands.
    #[must_use]
    pub fn private_and_count(&self) -> usize {
        self.private_and_count
    }

    /// The most sums of linear maps of private wires on any path to an output.
    #[must_use]
    pub fn private_linear_depth(&self) -> u32 {
        self.private_linear_depth
    }

    /// The number of live sums of linear maps that read a private wire.
    #[must_use]
    pub fn private_linear_count(&self) -> usize {
        self.private_linear_count
    }
}

fn is_private_and(gate: Gate, wires: &[WireFacts]) -> bool {
    matches!(gate, Gate::And(left, right) if !left.of(wires).public && !right.of(wires).public)
}

/// Computes depths and publicity, from the inputs forwards. Uses are left at 0.
fn depths(circuit: &Circuit) -> Vec<WireFacts> {
    let mut public_inputs = vec![false; circuit.gates().len()];
    for port in circuit.inputs() {
        for wire in &port.wires {
            if let Some(public) = public_inputs.get_mut(wire.index()) {
                *public = port.visibility == Visibility::Public;
            }
        }
    }

    let mut wires: Vec<WireFacts> = Vec::with_capacity(circuit.gates().len());
    for (wire, gate) in circuit.numbered_gates() {
        // For a gate without operands the identities remain: depth 0 and public, which is right for a
        // constant.
        let mut facts = WireFacts {
            public: gate != Gate::Input || wire.of(&public_inputs),
            ..WireFacts::default()
        };
        for operand in circuit.operands(gate) {
            let operand = operand.of(&wires);
            facts.and_depth = facts.and_depth.max(operand.and_depth);
            facts.private_depth = facts.private_depth.max(operand.private_depth);
            facts.private_linear_depth = facts.private_linear_depth.max(operand.private_linear_depth);
            facts.public &= operand.public;
        }
        facts.and_depth += u32::from(gate.is_product());
        facts.private_depth += u32::from(is_private_and(gate, &wires));
        let is_linear = matches!(gate, Gate::Linear(_));
        facts.private_linear_depth += u32::from(is_linear && !facts.public);
        wires.push(facts);
    }
    wires
}

/// Computes liveness and use counts, from the outputs backwards.
fn mark_uses(circuit: &Circuit, wires: &mut [WireFacts]) {
    let mark = |wires: &mut [WireFacts], wire: Wire| {
        if let Some(facts) = wires.get_mut(wire.index()) {
            facts.live = true;
            facts.uses += 1;
        }
    };
    for wire in circuit.outputs().iter().flat_map(|port| &port.wires) {
        mark(wires, *wire);
    }
    // All readers of a wire come after it, so its liveness is known when the backward walk reaches it.
    for (wire, gate) in circuit.numbered_gates().rev() {
        if wire.of(wires).live {
            for operand in circuit.operands(gate) {
                mark(wires, operand);
            }
        }
    }
}
