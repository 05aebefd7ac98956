//! Finds narrow places before a wire: the few wires on which all of its gates back to a given depth depend.
//!
//! Joining the cuts of operands, and keeping only some at each wire, loses such places where the way to them
//! is wider: the 32 products of an S-box depend on eight wires, but on many more half way. Here they are
//! found as in FlowMap (Cong and Ding, "FlowMap: an optimal technology mapping algorithm", 1994), as the
//! smallest set of wires that separates the source of a flow from its sink.

use std::collections::{HashMap, VecDeque};

use super::step::Step;
use super::truth::{ARGUMENTS, Truth};
use crate::{Circuit, Wire};

/// The most gates between a wire and a narrow place that the search visits, for each wire that the place may
/// have.
const MOST_INNER: usize = 32;

/// The number of wires that may be leaves after which the search follows the sums among them no further, for
/// each wire that the place may have.
const MOST_OUTER: usize = 16;

/// Finds at most `most` wires, and at most [`ARGUMENTS`], of depth `limit` at most that determine `wire`.
/// They come in ascending order with the function that `wire` is of them. Among the smallest such sets it is
/// the farthest one. Returns `None` if there is no such set, or none within reach. Takes the depths of all
/// wires below.
pub(super) fn narrow(
    circuit: &Circuit,
    depths: &[u32],
    wire: Wire,
    limit: u32,
    most: usize,
) -> Option<(Vec<Wire>, Truth)> {
    let cone = Cone::new(circuit, depths, wire, limit, most)?;
    let mut flow = Flow::new(&cone);
    let mut width = 0;
    while flow.augment() {
        width += 1;
        if width > most.min(ARGUMENTS) {
            return None;
        }
    }
    // The cut is where the last search came in but not out.
    let reached = flow.search();
    let is_reached = |point: usize| matches!(reached.get(point), Some(Some(_)));
    let is_leaf = |node: usize| is_reached(entry(node)) && !is_reached(exit(node));
    let nodes = cone.nodes.iter().enumerate();
    let leaves = nodes
        .filter(|(node, _)| is_leaf(*node))
        .map(|(_, place)| place.wire);
    let mut leaves: Vec<Wire> = leaves.collect();
    leaves.sort_unstable();
    let values = cone.values(circuit, &leaves)?;
    Some((leaves, values))
}

/// One wire of a cone.
struct Place {
    wire: Wire,
    /// Whether it may be a leaf.
    outer: bool,
    /// The operands that belong to the cone; none where the flow enters.
    operands: Vec<usize>,
}

/// The wires between a wire and those that may be leaves, including these.
struct Cone {
    /// The wire itself comes first.
    nodes: Vec<Place>,
}

impl Cone {
    fn new(circuit: &Circuit, depths: &[u32], root: Wire, limit: u32, most: usize) -> Option<Self> {
        let mut cone = Self {
            nodes: vec![Place {
                wire: root,
                outer: false,
                operands: Vec::new(),
            }],
        };
        let mut names = HashMap::from([(root, 0)]);
        let (mut inner, mut outer) = (VecDeque::from([0]), VecDeque::new());
        let (mut inner_count, mut outer_count) = (0, 0);
        // All inner wires come first: from the outer ones the way leads on without end.
        while let Some(node) = inner.pop_front().or_else(|| outer.pop_front()) {
            let place = cone.nodes.get(node)?;
            let (step, is_outer) = (Step::of(circuit, place.wire), place.outer);
            if is_outer {
                outer_count += 1;
                if !step.is_sum() || outer_count > MOST_OUTER * most {
                    continue;
                }
            } else {
                inner_count += 1;
                if step == Step::Opaque || inner_count > MOST_INNER * most {
                    return None;
                }
            }
            for operand in step.operands() {
                let name = *names.entry(operand).or_insert(cone.nodes.len());
                if name == cone.nodes.len() {
                    let is_outer = operand.of(depths) <= limit;
                    cone.nodes.push(Place {
                        wire: operand,
                        outer: is_outer,
                        operands: Vec::new(),
                    });
                    if is_outer { &mut outer } else { &mut inner }.push_back(name);
                }
                cone.nodes.get_mut(node)?.operands.push(name);
            }
        }
        Some(cone)
    }

    /// The function of the leaves that gives the root, if they determine it.
    fn values(&self, circuit: &Circuit, leaves: &[Wire]) -> Option<Truth> {
        let mut values: HashMap<Wire, Truth> = HashMap::new();
        for (name, leaf) in leaves.iter().enumerate() {
            values.insert(*leaf, Truth::FIRST.renamed(&[name]));
        }
        let mut wires: Vec<Wire> = self.nodes.iter().map(|place| place.wire).collect();
        wires.sort_unstable();
        for wire in wires {
            if values.contains_key(&wire) {
                continue;
            }
            let value = |operand: Wire| values.get(&operand).copied();
            let both = |left, right, operation: fn(u64, u64) -> u64| {
                Some(value(left)?.with(value(right)?, operation))
            };
            // The wires before the leaves have none.
            let made = match Step::of(circuit, wire) {
                Step::Xor(left, right) => both(left, right, |left, right| left ^ right),
                Step::And(left, right) => both(left, right, |left, right| left & right),
                Step::Not(operand) => value(operand).map(Truth::not),
                Step::Opaque => None,
            };
            if let Some(made) = made {
                values.insert(wire, made);
            }
        }
        values.get(&self.nodes.first()?.wire).copied()
    }
}

/// The point at which flow enters a node.
const fn entry(node: usize) -> usize {
    2 * node
}

/// The point at which flow leaves a node. Only one unit passes from the entry of a wire that may be a leaf
/// to its exit.
const fn exit(node: usize) -> usize {
    2 * node + 1
}

/// A flow from the operands towards the wire of a cone.
struct Flow {
    /// For each point: the edges that leave it. The reverse of each edge comes directly before or after it.
    edges_of: Vec<Vec<usize>>,
    /// The end of each edge, and its remaining capacity.
    edges: Vec<(usize, usize)>,
}

impl Flow {
    fn new(cone: &Cone) -> Self {
        let source = 2 * cone.nodes.len();
        let mut flow = Self {
            edges_of: vec![Vec::new(); source + 1],
            edges: Vec::new(),
        };
        for (node, place) in cone.nodes.iter().enumerate() {
            let capacity = if place.outer { 1 } else { usize::MAX / 2 };
            flow.connect(entry(node), exit(node), capacity);
            if place.operands.is_empty() {
                flow.connect(source, entry(node), usize::MAX / 2);
            }
            for operand in &place.operands {
                flow.connect(exit(*operand), entry(node), usize::MAX / 2);
            }
        }
        flow
    }

    fn source(&self) -> usize {
        self.edges_of.len() - 1
    }

    fn connect(&mut self, from: usize, to: usize, capacity: usize) {
        for (from, to, capacity) in [(from, to, capacity), (to, from, 0)] {
            if let Some(edges) = self.edges_of.get_mut(from) {
                edges.push(self.edges.len());
            }
            self.edges.push((to, capacity));
        }
    }

    /// For each point: the edge by which a shortest way from the source reaches it, in the remaining
    /// network.
    fn search(&self) -> Vec<Option<usize>> {
        let mut came_by: Vec<Option<usize>> = vec![None; self.edges_of.len()];
        let mut open = VecDeque::from([self.source()]);
        while let Some(point) = open.pop_front() {
            for edge in self.edges_of.get(point).into_iter().flatten() {
                let Some((to, 1..)) = self.edges.get(*edge) else {
                    continue;
                };
                if let Some(entry @ None) = came_by.get_mut(*to)
                    && *to != self.source()
                {
                    *entry = Some(*edge);
                    open.push_back(*to);
                }
            }
        }
        came_by
    }

    /// Sends one more unit, and returns whether there was a way.
    fn augment(&mut self) -> bool {
        let came_by = self.search();
        let mut point = exit(0);
        while let Some(Some(edge)) = came_by.get(point).copied() {
            if let Some((_, room)) = self.edges.get_mut(edge) {
                *room -= 1;
            }
            if let Some((from, room)) = self.edges.get_mut(edge ^ 1) {
                *room += 1;
                point = *from;
            }
        }
        point == self.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Visibility, Word};

    /// The sum of the products of neighbouring sums among `width` sums of two inputs each: there are more
    /// products than sums.
    fn circuit(width: usize) -> Circuit {
        let mut builder = Builder::new();
        let inputs = builder.input("x", Visibility::Private, 2 * width);
        let pairs = inputs.wires().chunks(2);
        let sums: Vec<Wire> = pairs.map(|pair| builder.xor(pair[0], pair[1])).collect();
        let neighbours: Vec<Wire> = (0..width)
            .map(|index| builder.xor(sums[index], sums[(index + 1) % width]))
            .collect();
        let mut total = builder.and(neighbours[0], sums[0]);
        for left in 0..width {
            for right in left + 1..width {
                let product = builder.and(neighbours[left], neighbours[right]);
                total = builder.xor(total, product);
            }
        }
        builder.output("y", &Word::new(vec![total]));
        builder.finish().unwrap()
    }

    fn narrow_before_output(circuit: &Circuit) -> Option<(Vec<Wire>, Truth)> {
        let facts = crate::Analysis::new(circuit);
        let depths: Vec<u32> = facts.wires().iter().map(|facts| facts.and_depth).collect();
        narrow(circuit, &depths, circuit.outputs()[0].wires[0], 0, ARGUMENTS)
    }

    #[test]
    fn finds_the_sums_that_all_hangs_on() {
        for width in [4, 5, 8] {
            let circuit = circuit(width);
            let (leaves, values) = narrow_before_output(&circuit).unwrap();
            assert_eq!(leaves.len(), width);
            let inputs = &circuit.inputs()[0].wires;
            for (pair, leaf) in inputs.chunks(2).zip(&leaves) {
                assert_eq!(Step::of(&circuit, *leaf), Step::Xor(pair[0], pair[1]));
            }
            for sums in 0..1_usize << width {
                let record = (0..2 * width).map(|input| input % 2 == 0 && sums >> (input / 2) & 1 == 1);
                let output = circuit.evaluate_record(&[record.collect()]).unwrap();
                assert_eq!(output[0][0], values.bit(sums));
            }
        }
    }

    #[test]
    fn finds_nothing_where_all_is_wide() {
        assert!(narrow_before_output(&circuit(9)).is_none());
    }
}
