//! Programs that another language makes, operation by operation.

use num_bigint::BigInt;
use ringmill_circuit::{AggregateKind, Builder, Circuit, CircuitError, Wire, Word};

use crate::compile::{Compiled, PortType, Program};
use crate::error::{Fault, Outcome, Span};
use crate::lower::{Definition, Value};
use crate::parse::parse;
use crate::syntax::{Entry, Expression, Identifier, Kind, Statement, TableStatement};
use crate::value_type::Range;
use crate::{ExpressionError, Type};

/// The name that results have in texts of formulas.
const RESULT: &str = "result";

/// The name of a table.
const TABLE: &str = "table_of_entries";

/// A program that is made value by value, for languages in which it is written: each operator there is a formula of this
/// language here, so that both have the same types, widths and errors.
///
/// ```
/// use ringmill_expression::{PortType, Trace, Type};
///
/// # fn main() -> Result<(), ringmill_expression::ExpressionError> {
/// let mut trace = Trace::new();
/// let port = |name: &str| PortType { name: name.to_owned(), value_type: Type::Unsigned(8), public: false };
/// let (a, b) = (trace.input(port("a"))?, trace.input(port("b"))?);
/// let sum = trace.value("x + y", &[("x", &a), ("y", &b)])?;
/// assert_eq!(sum.value_type(), Type::Unsigned(9));
/// trace.output("sum", &sum, None)?;
/// assert_eq!(trace.finish()?.outputs[0].value_type, Type::Unsigned(9));
/// # Ok(())
/// # }
/// ```
pub struct Trace {
    program: Program,
}

/// A value of a [`Trace`]. In another trace it means nothing, and would make a wrong circuit.
#[derive(Clone, Debug)]
pub struct TracedValue(Value);

impl TracedValue {
    /// Its type.
    #[must_use]
    pub const fn value_type(&self) -> Type {
        self.0.value_type
    }

    /// The number, if it depends on no input.
    #[must_use]
    pub const fn constant(&self) -> Option<&BigInt> {
        self.0.constant.as_ref()
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self::new()
    }
}

impl Trace {
    /// Begins without inputs.
    #[must_use]
    pub fn new() -> Self {
        Self {
            program: Program::default(),
        }
    }

    /// Declares an input. One that no output needs is no port of the circuit in the end.
    ///
    /// # Errors
    /// If no value can have the type.
    pub fn input(&mut self, port: PortType) -> Result<TracedValue, ExpressionError> {
        let name = port.name.clone();
        let declared = self.program.declare(port, true, Span::default());
        declared.map_err(|fault| fault.within(&name))?;
        match self.program.lowering.definitions.remove(&name) {
            Some(Definition::Value(value)) => Ok(TracedValue(value)),
            _ => Err(Fault::internal(Span::default()).within(&name)),
        }
    }

    /// The value of a formula of these names.
    ///
    /// # Errors
    /// As [`compile`](crate::compile()): what is wrong with the formula.
    pub fn value(
        &mut self,
        formula: &str,
        operands: &[(&str, &TracedValue)],
    ) -> Result<TracedValue, ExpressionError> {
        let source = format!("let {RESULT} = {formula}");
        let definitions = operands
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Definition::Value(value.0.clone())));
        self.program.lowering.definitions = definitions.collect();
        let value = parse(&source).and_then(|statements| match statements.as_slice() {
            [Statement::Binding { value, .. }] => self.program.lowering.value(value),
            _ => Err(Fault::new(
                Span::default(),
                "this is no formula",
                "give one expression",
            )),
        });
        value.map(TracedValue).map_err(|fault| fault.within(&source))
    }

    /// The entry of a table for an index, of the type given or of the narrowest that holds all entries.
    ///
    /// # Errors
    /// As for a `table` of a program.
    pub fn look_up(
        &mut self,
        entries: Vec<BigInt>,
        entry: Option<Type>,
        index: &TracedValue,
    ) -> Result<TracedValue, ExpressionError> {
        let source = format!("{TABLE}[index]");
        let found = self.entry(entries, entry, index);
        found.map(TracedValue).map_err(|fault| fault.within(&source))
    }

    fn entry(
        &mut self,
        entries: Vec<BigInt>,
        entry: Option<Type>,
        TracedValue(index): &TracedValue,
    ) -> Outcome<Value> {
        let place = Span::new(0, TABLE.len());
        let ranges = entries.iter().cloned().map(Range::single);
        let all = ranges.reduce(|all, range| all.with(&range));
        let narrowest = all.map_or(Type::Unsigned(1), |all| all.narrowest());
        let table = TableStatement {
            name: Identifier {
                text: TABLE.to_owned(),
                span: place,
            },
            index: (index.value_type, place),
            entry: (entry.unwrap_or(narrowest), place),
            entries: entries
                .into_iter()
                .map(|value| (entry_of(value, entry), place))
                .collect(),
        };
        let lowering = &mut self.program.lowering;
        let table = Definition::Table(lowering.table(&table)?);
        lowering.definitions.insert(TABLE.to_owned(), table);
        lowering.look_up(TABLE, &(index.clone(), place), place)
    }

    /// Makes a value an output, of its own type or one that holds all of its values.
    ///
    /// # Errors
    /// If the type does not hold them, and for a total beside results for each record.
    pub fn output(
        &mut self,
        name: &str,
        value: &TracedValue,
        as_type: Option<Type>,
    ) -> Result<(), ExpressionError> {
        let (name, result) = self.named(name, value)?;
        let output = self.program.output(&name, as_type, &result);
        output.map_err(|fault| fault.within(&name.text))
    }

    /// Makes a total over all records an output.
    ///
    /// # Errors
    /// If there is no such total of the value, and beside results for each record.
    pub fn total(
        &mut self,
        name: &str,
        kind: AggregateKind,
        value: &TracedValue,
    ) -> Result<(), ExpressionError> {
        let (name, result) = self.named(name, value)?;
        let total = self.program.total(&name, kind, &result);
        total.map_err(|fault| fault.within(&name.text))
    }

    fn named(
        &mut self,
        name: &str,
        value: &TracedValue,
    ) -> Result<(Identifier, Expression), ExpressionError> {
        self.program.lowering.definitions = [(RESULT.to_owned(), Definition::Value(value.0.clone()))].into();
        let span = Span::new(0, name.len());
        let result = Expression::new(Kind::Name(RESULT.to_owned()), span);
        let text = name.to_owned();
        Ok((
            Identifier { text, span },
            result.map_err(|fault| fault.within(name))?,
        ))
    }

    /// Ends, with the circuit of the outputs.
    ///
    /// # Errors
    /// If there is no output, or if none depends on an input; if two ports have the same name.
    pub fn finish(self) -> Result<Compiled, ExpressionError> {
        let place = Span::default();
        let finished = || {
            let compiled = without_unused(self.program.finish(place)?, place)?;
            if compiled.inputs.is_empty() {
                return Err(Fault::new(
                    place,
                    "the outputs depend on no input",
                    "use an input in them",
                ));
            }
            Ok(compiled)
        };
        finished().map_err(|fault: Box<Fault>| fault.within(""))
    }
}

/// A condition, if conditions are wanted and it is one.
fn entry_of(value: BigInt, wanted: Option<Type>) -> Entry {
    match wanted {
        Some(Type::Bool) if value == BigInt::ZERO => Entry::Truth(false),
        Some(Type::Bool) if value == BigInt::from(1) => Entry::Truth(true),
        _ => Entry::Number(value),
    }
}

/// The same without the inputs that no output needs.
fn without_unused(compiled: Compiled, place: Span) -> Outcome<Compiled> {
    let circuit = &compiled.circuit;
    let mut read = vec![false; circuit.gates().len()];
    let operands = circuit.gates().iter().flat_map(|gate| circuit.operands(*gate));
    let outputs = circuit
        .outputs()
        .iter()
        .flat_map(|port| port.wires.iter().copied());
    for wire in operands.chain(outputs) {
        if let Some(read) = read.get_mut(wire.index()) {
            *read = true;
        }
    }
    let is_read = |wire: &Wire| read.get(wire.index()).copied().unwrap_or(false);
    let used = circuit.inputs().iter().map(|port| port.wires.iter().any(is_read));
    let used: Vec<bool> = used.collect();
    if used.iter().all(|used| *used) {
        return Ok(compiled);
    }
    let circuit = with_inputs(circuit, &used).map_err(|_| Fault::internal(place))?;
    let (mut inputs, mut unused) = (Vec::new(), compiled.unused);
    for (port, used) in compiled.inputs.into_iter().zip(used) {
        if used {
            inputs.push(port);
        } else {
            unused.push(port.name);
        }
    }
    Ok(Compiled {
        circuit,
        inputs,
        unused,
        ..compiled
    })
}

/// A circuit with some of its inputs only, and zeros for the others.
fn with_inputs(circuit: &Circuit, used: &[bool]) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let ports = circuit.inputs().iter().zip(used);
    let inputs = ports.map(|(port, used)| {
        let width = port.wires.len();
        let word = if *used {
            builder.input(&*port.name, port.visibility, width)
        } else {
            builder.constant_word(vec![false; width])
        };
        word.wires().to_vec()
    });
    let inputs: Vec<Vec<Wire>> = inputs.collect();
    let outputs = builder.include(circuit, &inputs)?;
    for (port, wires) in circuit.outputs().iter().zip(outputs) {
        builder.output(&*port.name, &Word::new(wires));
    }
    builder.finish()
}
