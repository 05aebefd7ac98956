//! The fewest wires at which products are tidied.

use ringmill_circuit::{Analysis, Circuit, Gate, Wire};

/// For each wire whether it is in a smallest set of wires that every path of sums from a product to a factor of a
/// product or an output goes through.
///
/// Products in slots that several records share have to be tidied ([`nibble::tidy`](ringmill_circuit::nibble::tidy))
/// on the way to further products and to outputs. That is linear, so it can be done to a product, to a factor, or to any
/// sum between them. A sum of bits of an S-box may be the factor of many products, a sum of many products the factor of one.
///
/// By the theorem of Menger there are as many paths without a wire in common as there are wires in the set. They are
/// found by Dinic's algorithm, in a network in which each wire is an edge of capacity 1. Of the smallest sets this is
/// the one nearest to the products.
pub(crate) fn fewest_between_products(circuit: &Circuit, analysis: &Analysis) -> Vec<bool> {
    let gates = circuit.gates();
    let mut network = Network::new(2 * gates.len() + 2);
    let (source, sink) = (2 * gates.len(), 2 * gates.len() + 1);
    let (enter, leave) = (|wire: usize| 2 * wire, |wire: usize| 2 * wire + 1);
    let counts = |wire: Wire| {
        let facts = analysis.wires()[wire.index()];
        facts.live && !facts.public
    };
    for (wire, gate) in circuit.numbered_gates().filter(|(wire, _)| counts(*wire)) {
        network.add(enter(wire.index()), leave(wire.index()), 1);
        if gate.is_product() {
            network.add(source, enter(wire.index()), UNLIMITED);
        }
        for operand in circuit.operands(gate).filter(|operand| counts(*operand)) {
            let reader = match gate {
                Gate::And(..) => sink,
                _ => enter(wire.index()),
            };
            network.add(leave(operand.index()), reader, UNLIMITED);
        }
    }
    let outputs = circuit.outputs().iter().flat_map(|port| &port.wires);
    for wire in outputs.filter(|wire| counts(**wire)) {
        network.add(leave(wire.index()), sink, UNLIMITED);
    }
    let reached = network.saturate(source, sink);
    (0..gates.len())
        .map(|wire| reached[enter(wire)] && !reached[leave(wire)])
        .collect()
}

/// More than there are paths.
const UNLIMITED: u32 = u32::MAX;

/// No edge, or no level.
const NONE: usize = usize::MAX;

/// A network of edges with capacities. Edge 2i + 1 is the reverse of edge 2i.
struct Network {
    /// The edges that leave each node.
    edges: Vec<Vec<usize>>,
    /// The node to which each edge leads.
    to: Vec<usize>,
    /// The room that each edge has left.
    room: Vec<u32>,
}

impl Network {
    fn new(nodes: usize) -> Self {
        Self {
            edges: vec![Vec::new(); nodes],
            to: Vec::new(),
            room: Vec::new(),
        }
    }

    fn add(&mut self, from: usize, to: usize, capacity: u32) {
        for (node, other, room) in [(from, to, capacity), (to, from, 0)] {
            self.edges[node].push(self.to.len());
            self.to.push(other);
            self.room.push(room);
        }
    }

    /// Sends as much as there is room for, and returns the nodes to which more could be sent.
    fn saturate(&mut self, source: usize, sink: usize) -> Vec<bool> {
        loop {
            let distances = self.distances(source);
            if distances[sink] == NONE {
                return distances.into_iter().map(|distance| distance != NONE).collect();
            }
            let mut tried = vec![0; self.edges.len()];
            while let Some(path) = self.path((source, sink), &distances, &mut tried) {
                for edge in path {
                    self.room[edge] -= 1;
                    // The reverse of an unlimited edge has no need of more than there are paths.
                    self.room[edge ^ 1] = self.room[edge ^ 1].saturating_add(1);
                }
            }
        }
    }

    /// How many edges with room there are from the source to each node.
    fn distances(&self, source: usize) -> Vec<usize> {
        let mut distances = vec![NONE; self.edges.len()];
        distances[source] = 0;
        let mut reached = vec![source];
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            for &edge in self.edges[node].iter().filter(|edge| self.room[**edge] > 0) {
                let to = self.to[edge];
                if distances[to] == NONE {
                    distances[to] = distances[node] + 1;
                    reached.push(to);
                }
            }
        }
        distances
    }

    /// A shortest path with room; `tried` counts the edges of each node that lead nowhere.
    fn path(
        &self,
        (source, sink): (usize, usize),
        distances: &[usize],
        tried: &mut [usize],
    ) -> Option<Vec<usize>> {
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        while node != sink {
            match self.edges[node].get(tried[node]) {
                Some(&edge) if self.room[edge] > 0 && distances[self.to[edge]] == distances[node] + 1 => {
                    path.push(edge);
                    node = self.to[edge];
                }
                Some(_) => tried[node] += 1,
                None => {
                    let back = path.pop()?;
                    node = self.to[back ^ 1];
                    tried[node] += 1;
                }
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ringmill_circuit::{Builder, Visibility, Word, bundled, simon};

    use super::*;

    /// The wires of the set, after checking that it cuts every path.
    fn cut(circuit: &Circuit) -> Vec<usize> {
        let analysis = Analysis::new(circuit);
        let set = fewest_between_products(circuit, &analysis);
        // Whether a wire is reached from a product without one of the set in between.
        let mut open: Vec<bool> = Vec::new();
        for (wire, gate) in circuit.numbered_gates() {
            let facts = analysis.wires()[wire.index()];
            let mut operands = circuit.operands(gate).map(|operand| open[operand.index()]);
            let reached = match gate {
                Gate::And(..) => {
                    assert!(!facts.live || operands.all(|open| !open), "an untidy factor");
                    !facts.public
                }
                _ => operands.any(|open| open),
            };
            open.push(reached && !set[wire.index()]);
        }
        let mut outputs = circuit.outputs().iter().flat_map(|port| &port.wires);
        assert!(outputs.all(|wire| !open[wire.index()]), "an untidy output");
        (0..set.len()).filter(|wire| set[*wire]).collect()
    }

    #[test]
    fn a_round_of_simon_is_tidied_once_for_each_bit() {
        // Products of the first round are public.
        assert_eq!(cut(&simon::decrypt_circuit().unwrap()).len(), 43 * 32);
    }

    #[test]
    fn aes_is_tidied_at_few_wires() {
        let circuit = bundled::circuit("aes128-encrypt").unwrap().unwrap();
        let analysis = Analysis::new(&circuit);
        let factors = circuit
            .numbered_gates()
            .filter(|(wire, _)| analysis.wires()[wire.index()].live);
        let factors: HashSet<Wire> = factors
            .filter(|(_, gate)| gate.is_product())
            .flat_map(|(_, gate)| circuit.operands(gate).collect::<Vec<_>>())
            .collect();
        assert_eq!((analysis.private_and_count(), factors.len()), (5280, 7520));
        // 18 for each S-box.
        assert_eq!(cut(&circuit).len(), 10 * 16 * 18);
    }

    #[test]
    fn a_sum_of_products_or_one_product_of_many_sums() {
        let mut builder = Builder::new();
        let x = builder.input("x", Visibility::Private, 8);
        let x = x.wires();
        let products: Vec<Wire> = (0..3).map(|i| builder.and(x[2 * i], x[2 * i + 1])).collect();
        let sum = builder.xor(products[0], products[1]);
        let all = builder.xor(sum, products[2]);
        // One factor of three products.
        let narrow = builder.and(all, x[6]);
        // Three factors of one product.
        let factors: Vec<Wire> = (0..3).map(|i| builder.xor(narrow, x[i])).collect();
        let first = builder.and(factors[0], factors[1]);
        let second = builder.and(factors[2], x[7]);
        let last = builder.xor(first, second);
        builder.output("y", &Word::new(vec![last]));
        let circuit = builder.finish().unwrap();
        let set = cut(&circuit);
        assert_eq!(set.len(), 3);
        let kinds = set
            .iter()
            .map(|wire| matches!(circuit.gates()[*wire], Gate::Xor(..)));
        assert_eq!(kinds.collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn a_sum_of_products_is_tidied_once_before_it_is_returned() {
        let mut builder = Builder::new();
        let x = builder.input("x", Visibility::Private, 3);
        let p = builder.input("p", Visibility::Public, 2);
        let public = builder.and(p.wires()[0], p.wires()[1]);
        let product = builder.and(x.wires()[0], x.wires()[1]);
        let masked = builder.and(x.wires()[2], public);
        let sum = builder.xor(product, masked);
        builder.output("y", &Word::new(vec![sum, x.wires()[0], public]));
        let circuit = builder.finish().unwrap();
        let set = cut(&circuit);
        assert_eq!(set.len(), 1);
        assert!(matches!(circuit.gates()[set[0]], Gate::Xor(..)));
    }
}
