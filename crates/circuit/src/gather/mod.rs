//! Circuits whose results are totals of all records of a batch.
//!
//! A gate knows the values of one record only, so a circuit cannot add up records. [`Gathered`] is a circuit that can,
//! together with *moves*: inputs which are no inputs, but values of the same circuit in other records. Whoever evaluates
//! it has to move values between records ([`RecordGroup`]), and nothing else.

mod extremes;
mod sums;

use std::collections::HashMap;

use crate::{
    Aggregate, AggregateKind, Builder, Circuit, CircuitError, OutputPort, RecordGroup, Signedness,
    Visibility, Wire, Word,
};

/// The name of the public input that says which records of a batch there are. No port of a table can have it.
pub const PRESENT: &str = " records present ";

/// A circuit with totals of the outputs of another one over all records of a batch.
///
/// In every record each output port has the same value: the aggregate of the records in which [`PRESENT`] is 1.
#[derive(Clone, Debug)]
pub struct Gathered {
    circuit: Circuit,
    inputs: usize,
    outputs: usize,
    steps: Vec<usize>,
}

/// A value of a circuit that is another one's in another record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The input wire that stands for it.
    pub wire: Wire,
    /// The wire whose value it is.
    pub source: Wire,
    /// The step of the group that leads from its record to the source's.
    pub step: usize,
}

impl Gathered {
    /// Gathers the outputs of a circuit, each port by one aggregate, over the records of a group.
    ///
    /// The depth is that of the circuit and, for a group of 2^k records, k for `Any`, `All` and `Count`; about 2 k and the
    /// depth of an adder for `Sum`; about a comparison and five more for each three steps for `Max` and `Min`.
    ///
    /// # Errors
    /// [`CircuitError::Aggregates`] for more or fewer aggregates than output ports;
    /// [`CircuitError::AggregateKind`] for a port of rows, or of several bits where one is taken;
    /// [`CircuitError::DuplicatePortName`] if an input port is called [`PRESENT`]; others if the circuit grows too large.
    pub fn new(
        circuit: &Circuit,
        aggregates: &[Aggregate],
        group: &RecordGroup,
    ) -> Result<Self, CircuitError> {
        check(circuit, aggregates)?;
        let mut builder = Builder::new();
        let inputs: Vec<Vec<Wire>> = circuit
            .inputs()
            .iter()
            .map(|port| builder.input_like(port))
            .collect();
        let present = builder.input(PRESENT, Visibility::Public, 1);
        let results = builder.include(circuit, &inputs)?;
        let present = present.wires().first().copied().unwrap_or(Wire::new(0));
        let mut gatherer = Gatherer {
            builder,
            group,
            present,
            moved: HashMap::new(),
            sources: Vec::new(),
            steps: Vec::new(),
        };
        for ((port, wires), aggregate) in circuit.outputs().iter().zip(results).zip(aggregates) {
            let total = gatherer.total(*aggregate, &Word::new(wires))?;
            gatherer.builder.output(port.name.clone(), &total);
        }
        let Gatherer {
            mut builder,
            sources,
            steps,
            ..
        } = gatherer;
        for (index, source) in sources.into_iter().enumerate() {
            builder.output(format!(" source {index} "), &Word::new(vec![source]));
        }
        Ok(Self {
            circuit: builder.finish()?,
            inputs: circuit.inputs().len() + 1,
            outputs: aggregates.len(),
            steps,
        })
    }

    /// The circuit. Its ports are the given circuit's inputs, [`PRESENT`] and one for each move; and an output for each
    /// aggregate, as wide as [`Aggregate::batch_width`] says, and one for each source.
    #[must_use]
    pub const fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The number of input ports that are inputs; those behind them stand for moves.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of output ports that are results; those behind them are sources of moves.
    #[must_use]
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// All moves, each after those on which its source depends.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        let inputs = self.circuit.inputs().iter().skip(self.inputs);
        let sources = self.circuit.outputs().iter().skip(self.outputs);
        let pairs = inputs
            .flat_map(|port| &port.wires)
            .zip(sources.flat_map(|port| &port.wires));
        pairs.zip(&self.steps).map(|((wire, source), step)| Move {
            wire: *wire,
            source: *source,
            step: *step,
        })
    }
}

/// Checks that the aggregates suit the ports.
fn check(circuit: &Circuit, aggregates: &[Aggregate]) -> Result<(), CircuitError> {
    let outputs = circuit.outputs();
    if outputs.len() != aggregates.len() {
        return Err(CircuitError::Aggregates {
            ports: outputs.len(),
            aggregates: aggregates.len(),
        });
    }
    let fits = |port: &OutputPort, aggregate: &Aggregate| {
        port.kind.is_bit() && (port.wires.len() == 1 || !aggregate.kind.takes_bits())
    };
    let mut pairs = outputs.iter().zip(aggregates);
    match pairs.find(|(port, aggregate)| !fits(port, aggregate)) {
        None => Ok(()),
        Some((port, aggregate)) => Err(CircuitError::AggregateKind {
            port: port.name.clone(),
            kind: aggregate.kind,
            wires: port.wires.len(),
            wire_type: port.kind,
        }),
    }
}

/// Builds totals.
struct Gatherer<'a> {
    builder: Builder,
    group: &'a RecordGroup,
    /// Whether the record is there.
    present: Wire,
    /// What stands for values of other records, by value and step.
    moved: HashMap<(Wire, usize), Wire>,
    sources: Vec<Wire>,
    steps: Vec<usize>,
}

impl Gatherer<'_> {
    fn total(&mut self, aggregate: Aggregate, value: &Word) -> Result<Word, CircuitError> {
        let steps = self.group.steps();
        let width = aggregate.batch_width(value.width(), steps);
        Ok(match aggregate.kind {
            AggregateKind::Count => self.sum(value, Signedness::Unsigned, width),
            AggregateKind::Sum => self.sum(value, aggregate.signedness, width),
            AggregateKind::Any => {
                let none = self.builder.not_word(value);
                let none = self.all(&none);
                self.builder.not_word(&none)
            }
            AggregateKind::All => self.all(value),
            AggregateKind::Max => self.greatest(value, aggregate.signedness)?,
            AggregateKind::Min => {
                let complement = self.builder.not_word(value);
                let greatest = self.greatest(&complement, aggregate.signedness)?;
                self.builder.not_word(&greatest)
            }
        })
    }

    /// The product of each bit over all records that are there.
    fn all(&mut self, value: &Word) -> Word {
        let complement = self.builder.not_word(value);
        let failing = self.builder.mask(self.present, &complement);
        let mut all = self.builder.not_word(&failing);
        for step in 0..self.group.steps() {
            let moved = self.moved_word(&all, 1 << step);
            let pairs = all.wires().iter().zip(moved.wires());
            all = Word::new(pairs.map(|(a, b)| self.builder.and(*a, *b)).collect());
        }
        all
    }

    /// A value as it is in the record to which a step leads.
    fn step(&mut self, wire: Wire, step: usize) -> Wire {
        if self.builder.known_value(wire).is_some() {
            return wire;
        }
        if let Some(original) = self.builder.complement_of(wire) {
            let moved = self.step(original, step);
            return self.builder.not(moved);
        }
        if let Some(moved) = self.moved.get(&(wire, step)) {
            return *moved;
        }
        let name = format!(" move {} ", self.steps.len());
        let moved = self.builder.stand_in(name, wire);
        self.moved.insert((wire, step), moved);
        self.sources.push(wire);
        self.steps.push(step);
        moved
    }

    /// A value as it is in the record to which an element of the group leads.
    fn moved(&mut self, wire: Wire, element: usize) -> Wire {
        let steps = (0..self.group.steps()).filter(|step| element >> step & 1 == 1);
        steps.fold(wire, |wire, step| self.step(wire, step))
    }

    fn moved_word(&mut self, word: &Word, element: usize) -> Word {
        Word::new(
            word.wires()
                .iter()
                .map(|wire| self.moved(*wire, element))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests;
