//! Finds sums in circuits of ANDs and complements.
//!
//! Tools of logic synthesis know no cheap XOR. They write it as three ANDs, `!(a b) !(!a !b)`, a multiplexer as
//! three too, and the OR of two terms as an AND of complements even where the terms exclude each other. As
//! sums these take no AND, one, and none beside those of the terms.

use super::copy::Copy;
use super::step::Step;
use crate::{Analysis, Circuit, CircuitError, Wire};

/// The most factors of a product that are compared with those of another.
const MOST_FACTORS: usize = 8;

/// Writes XORs, multiplexers and ORs of terms that exclude each other as sums. No wire becomes deeper, and no
/// more ANDs are needed.
pub(crate) fn with_sums(circuit: &Circuit) -> Result<Circuit, CircuitError> {
    let network = Network {
        circuit,
        analysis: Analysis::new(circuit),
    };
    let mut copy = Copy::new(circuit);
    for (wire, gate) in circuit.numbered_gates() {
        let sum = match Step::new(circuit, wire, gate) {
            Step::And(left, right) => network.sum(&mut copy, left, right),
            Step::Xor(..) | Step::Not(_) | Step::Opaque => None,
        };
        match sum {
            Some(sum) => copy.set(wire, sum),
            None => copy.write(wire, gate)?,
        }
    }
    copy.finish()
}

/// A wire or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Literal {
    wire: Wire,
    complement: bool,
}

impl Literal {
    fn not(self) -> Self {
        Self {
            complement: !self.complement,
            ..self
        }
    }

    /// The new wire for the literal.
    fn written(self, copy: &mut Copy<'_>) -> Wire {
        let wire = copy.get(self.wire);
        if self.complement {
            copy.builder.not(wire)
        } else {
            wire
        }
    }
}

struct Network<'a> {
    circuit: &'a Circuit,
    analysis: Analysis,
}

impl Network<'_> {
    /// The product of two wires as a sum, where there is one.
    fn sum(&self, copy: &mut Copy<'_>, left: Wire, right: Wire) -> Option<Wire> {
        self.choice(copy, left, right)
            .or_else(|| self.exclusive_terms(copy, self.literal(left), self.literal(right)))
    }

    /// `!(s a) !(!s b)`, which is `!(b + s (a + b))`: a multiplexer, or an XOR if `b` is `!a`.
    fn choice(&self, copy: &mut Copy<'_>, left: Wire, right: Wire) -> Option<Wire> {
        let [first, second] = [left, right].map(|wire| self.operands(self.literal(wire).not()));
        let ([a, b], [c, d]) = (first?, second?);
        let pairings = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)];
        let mut found = pairings.into_iter().filter(|(s, _, t, _)| *s == t.not());
        let (s, taken, _, otherwise) = found.next()?;
        let either = if taken == otherwise.not() {
            add(copy, s, otherwise)
        } else if self.is_shared(left) && self.is_shared(right) {
            // As the sum of both products, which are needed anyway, it takes no other.
            return None;
        } else {
            let differ = add(copy, taken, otherwise);
            let [s, otherwise] = [s, otherwise].map(|literal| literal.written(copy));
            let chosen = copy.builder.and(s, differ);
            copy.builder.xor(otherwise, chosen)
        };
        Some(copy.builder.not(either))
    }

    /// The product of literals of which one implies or excludes the other, or whose complements exclude each
    /// other: then `x y = 1 + x + y`.
    fn exclusive_terms(&self, copy: &mut Copy<'_>, left: Literal, right: Literal) -> Option<Wire> {
        if self.exclude(left, right) {
            Some(copy.builder.constant(false))
        } else if self.exclude(left, right.not()) {
            Some(left.written(copy))
        } else if self.exclude(left.not(), right) {
            Some(right.written(copy))
        } else if self.exclude(left.not(), right.not()) {
            let sum = add(copy, left, right);
            Some(copy.builder.not(sum))
        } else {
            None
        }
    }

    /// Whether the factors of two literals are known never to be all 1.
    fn exclude(&self, left: Literal, right: Literal) -> bool {
        let (left, right) = (self.factors(left), self.factors(right));
        let refuted = |factor: &Literal, others: &[Literal]| {
            others.contains(&factor.not()) || self.is_sum_refuted(*factor, others)
        };
        left.iter().any(|factor| refuted(factor, &right)) || right.iter().any(|factor| refuted(factor, &left))
    }

    /// Whether a literal is a sum, or its complement, that is 0 where the factors are 1.
    fn is_sum_refuted(&self, literal: Literal, factors: &[Literal]) -> bool {
        let Step::Xor(left, right) = Step::of(self.circuit, literal.wire) else {
            return false;
        };
        let value = |wire: Wire| {
            let operand = self.literal(wire);
            let factor = factors.iter().find(|factor| factor.wire == operand.wire)?;
            Some(factor.complement == operand.complement)
        };
        match (value(left), value(right)) {
            (Some(left), Some(right)) => (left != right) == literal.complement,
            _ => false,
        }
    }

    /// A literal and the first few factors of the product that it is.
    fn factors(&self, literal: Literal) -> Vec<Literal> {
        let mut factors = vec![literal];
        let mut next = 0;
        while let Some(factor) = factors.get(next).copied() {
            next += 1;
            if let Some(operands) = self.operands(factor)
                && factors.len() < MOST_FACTORS
            {
                factors.extend(operands);
            }
        }
        factors
    }

    /// The two factors of the product that a literal is.
    fn operands(&self, literal: Literal) -> Option<[Literal; 2]> {
        match Step::of(self.circuit, literal.wire) {
            Step::And(left, right) if !literal.complement => {
                Some([left, right].map(|wire| self.literal(wire)))
            }
            _ => None,
        }
    }

    fn literal(&self, wire: Wire) -> Literal {
        match Step::of(self.circuit, wire) {
            Step::Not(operand) => Literal {
                wire: operand,
                complement: true,
            },
            _ => Literal {
                wire,
                complement: false,
            },
        }
    }

    /// Whether other gates than one read a complement, or what it is the complement of.
    fn is_shared(&self, complement: Wire) -> bool {
        let wires = [complement, self.literal(complement).wire];
        let mut facts = wires.into_iter().filter_map(|wire| self.analysis.wire(wire));
        facts.any(|facts| facts.uses > 1)
    }
}

/// The sum of two literals. Complements come last, so that equal sums are found to be equal.
fn add(copy: &mut Copy<'_>, left: Literal, right: Literal) -> Wire {
    let (one, other) = (copy.get(left.wire), copy.get(right.wire));
    let sum = copy.builder.xor(one, other);
    if left.complement == right.complement {
        sum
    } else {
        copy.builder.not(sum)
    }
}
