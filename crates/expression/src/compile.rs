//! From a program to a circuit.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use ringmill_circuit::{AggregateKind, Circuit, Visibility, Word};

use crate::error::{Fault, Outcome, Span};
use crate::lower::{Definition, Lowering, Placed, Value};
use crate::names::{Names, used};
use crate::parse::parse;
use crate::syntax::{Expression, Identifier, Statement};
use crate::value_type::{Range, TYPES};
use crate::{ExpressionError, Type};

/// A port of a compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortType {
    /// The name of the port.
    pub name: String,
    /// How its bits are read. The lowest bit is the port's first wire.
    pub value_type: Type,
    /// Whether the evaluator sees the values in the clear; false for outputs.
    pub public: bool,
}

impl fmt::Display for PortType {
    /// Writes the declaration.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let public = if self.public { "public " } else { "" };
        write!(out, "{}: {public}{}", self.name, self.value_type)
    }
}

/// Types of inputs that a program may use without a declaration, for instance from the columns of a table.
#[derive(Clone, Debug, Default)]
pub struct KnownTypes(BTreeMap<String, PortType>);

impl KnownTypes {
    /// Gives an input a type, in place of the one it had.
    pub fn insert(&mut self, name: impl Into<String>, value_type: Type, visibility: Visibility) {
        let name = name.into();
        let port = PortType {
            name: name.clone(),
            value_type,
            public: visibility == Visibility::Public,
        };
        self.0.insert(name, port);
    }
}

impl FromIterator<PortType> for KnownTypes {
    fn from_iter<I: IntoIterator<Item = PortType>>(ports: I) -> Self {
        Self(ports.into_iter().map(|port| (port.name.clone(), port)).collect())
    }
}

/// A program as a circuit.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The circuit. Its ports hold bits, in the order of `inputs` and `outputs`.
    pub circuit: Circuit,
    /// The input ports: those that the program declares, then those of known types, in order of appearance.
    pub inputs: Vec<PortType>,
    /// The output ports. Of a total over all records this is the port of which it is a total, with the total's name.
    pub outputs: Vec<PortType>,
    /// For each output port how all records become one; empty if there is a result for each record.
    pub aggregates: Vec<AggregateKind>,
    /// Declared inputs that no output needs; the circuit does not have them.
    pub unused: Vec<String>,
}

impl Compiled {
    /// The names of the public inputs.
    pub fn public(&self) -> impl Iterator<Item = &str> {
        let public = self.inputs.iter().filter(|port| port.public);
        public.map(|port| port.name.as_str())
    }
}

/// Compiles a program. `known` has types for names that the program uses but does not declare.
///
/// # Errors
///
/// The first mistake that is found. Programs that would take too much time or memory are refused too.
pub fn compile(source: &str, known: &KnownTypes) -> Result<Compiled, ExpressionError> {
    compile_statements(source, known).map_err(|fault| fault.within(source))
}

/// The names that a program uses but neither declares nor defines, in order of appearance: those that need
/// known types.
///
/// # Errors
///
/// Mistakes of form, and names that are defined twice.
pub fn free_names(source: &str) -> Result<Vec<String>, ExpressionError> {
    let free = || {
        let statements = parse(source)?;
        let names = Names::new(&statements, Vec::new())?;
        let free = names.free(&statements).into_iter();
        Ok(free.map(|(name, _)| name.to_owned()).collect())
    };
    free().map_err(|fault: Box<Fault>| fault.within(source))
}

fn compile_statements(source: &str, known: &KnownTypes) -> Outcome<Compiled> {
    let statements = parse(source)?;
    let names = Names::new(&statements, known.0.keys().cloned().collect())?;
    let end = Span::new(source.trim_end().len(), source.len());
    if !statements.iter().any(Statement::is_output) {
        return Err(no_output(end));
    }
    let free = names.free(&statements);
    let mut program = Program {
        lowering: Lowering::new(names),
        ..Program::default()
    };
    let used = used(&statements);
    program.declare_all(&statements, &used)?;
    for (name, span) in free {
        match known.0.get(name) {
            Some(port) => program.declare(port.clone(), used.contains(name), span)?,
            None => return Err(program.lowering.names.missing(name, span)),
        }
    }
    for statement in &statements {
        program.statement(statement)?;
    }
    if program.inputs.is_empty() {
        return Err(Fault::new(
            end,
            "the outputs depend on no input",
            "use an input in them: a name with a type, for instance `income: u18`",
        ));
    }
    program.finish(end)
}

fn no_output(place: Span) -> Box<Fault> {
    Fault::new(
        place,
        "the program has no output",
        "name a result: `flag = income > limit`",
    )
}

#[derive(Default)]
pub(crate) struct Program {
    pub(crate) lowering: Lowering,
    inputs: Vec<PortType>,
    outputs: Vec<PortType>,
    aggregates: Vec<AggregateKind>,
    unused: Vec<String>,
}

impl Program {
    fn declare_all(&mut self, statements: &[Statement], used: &HashSet<&str>) -> Outcome<()> {
        for statement in statements {
            if let Statement::Port {
                name,
                port_type,
                public,
            } = statement
            {
                let used = used.contains(name.text.as_str());
                if !used {
                    self.unused.push(name.text.clone());
                }
                let port = PortType {
                    name: name.text.clone(),
                    value_type: *port_type,
                    public: *public,
                };
                self.declare(port, used, name.span)?;
            }
        }
        Ok(())
    }

    /// Declares an input. One that no output needs only has zeros, so that its uses are still checked.
    pub(crate) fn declare(&mut self, port: PortType, used: bool, span: Span) -> Outcome<()> {
        if !port.value_type.has_valid_width() {
            let message = format!("`{}` cannot have the type {}", port.name, port.value_type);
            return Err(Fault::new(span, message, TYPES));
        }
        let width = port.value_type.width();
        self.lowering.budget.spend(span, width)?;
        let word = if used {
            let visibility = if port.public {
                Visibility::Public
            } else {
                Visibility::Private
            };
            self.lowering.builder.input(&*port.name, visibility, width)
        } else {
            self.lowering.builder.constant_word(vec![false; width])
        };
        self.define(port.name.clone(), Value::new(port.value_type, word));
        if used {
            self.inputs.push(port);
        }
        Ok(())
    }

    fn define(&mut self, name: String, value: Value) {
        self.lowering.definitions.insert(name, Definition::Value(value));
    }

    fn statement(&mut self, statement: &Statement) -> Outcome<()> {
        match statement {
            Statement::Port { .. } => {}
            Statement::Constant { name, value } => self.constant(name, value)?,
            Statement::Binding { name, value } => {
                let value = self.lowering.value(value)?;
                self.define(name.text.clone(), value);
            }
            Statement::Output { name, as_type, value } => self.output(name, *as_type, value)?,
            Statement::Total { name, kind, value } => self.total(name, *kind, value)?,
            Statement::Table(table) => {
                let made = self.lowering.table(table)?;
                let name = table.name.text.clone();
                self.lowering.definitions.insert(name, Definition::Table(made));
            }
        }
        Ok(())
    }

    fn constant(&mut self, name: &Identifier, value: &Expression) -> Outcome<()> {
        let known = self.lowering.value(value)?;
        if known.constant.is_none() {
            return Err(Fault::new(
                value.span,
                "a `const` is a number that is known",
                format!(
                    "write `let {} = ...` for a value that depends on inputs",
                    name.text
                ),
            ));
        }
        self.define(name.text.clone(), known);
        Ok(())
    }

    pub(crate) fn output(
        &mut self,
        name: &Identifier,
        as_type: Option<Type>,
        value: &Expression,
    ) -> Outcome<()> {
        let placed = (self.lowering.value(value)?, value.span);
        self.require_alike(name, false)?;
        let value_type = as_type.unwrap_or(placed.0.value_type);
        let word = self.as_output(&placed, value_type)?;
        self.lowering.builder.output(&*name.text, &word);
        self.outputs.push(PortType {
            name: name.text.clone(),
            value_type,
            public: false,
        });
        let value = match as_type {
            None => placed.0,
            Some(value_type) => Value::new(value_type, word),
        };
        self.define(name.text.clone(), value);
        Ok(())
    }

    pub(crate) fn total(
        &mut self,
        name: &Identifier,
        kind: AggregateKind,
        value: &Expression,
    ) -> Outcome<()> {
        let found = self.lowering.value(value)?;
        self.require_alike(name, true)?;
        let is_condition = found.value_type == Type::Bool;
        let help = match (kind.takes_bits(), is_condition, found.value_type) {
            (true, true, _) | (false, false, Type::Unsigned(_) | Type::Signed(_)) => None,
            (true, ..) => Some("a condition belongs here, such as `x != 0`"),
            (false, true, _) => {
                Some("a number belongs here; `records.count(x)` counts where a condition holds")
            }
            (false, ..) => Some("a number belongs here, such as `u8(x)`"),
        };
        if let Some(help) = help {
            let message = format!("`records.{kind}` cannot take {}", found.value_type);
            return Err(Fault::new(value.span, message, help));
        }
        self.lowering.builder.output(&*name.text, &found.word);
        self.outputs.push(PortType {
            name: name.text.clone(),
            value_type: found.value_type,
            public: false,
        });
        self.aggregates.push(kind);
        self.lowering
            .definitions
            .insert(name.text.clone(), Definition::Total);
        Ok(())
    }

    /// Refuses totals beside results for each record: a table has as many rows as either.
    fn require_alike(&self, name: &Identifier, total: bool) -> Outcome<()> {
        if self.outputs.is_empty() || total != self.aggregates.is_empty() {
            return Ok(());
        }
        Err(Fault::new(
            name.span,
            "some outputs are totals over all records, and others have a result for each record",
            "make two programs of them, or write `let` for a value in between",
        ))
    }

    /// The bits of a value as the type that an output wants.
    fn as_output(&mut self, placed: &Placed, wanted: Type) -> Outcome<Word> {
        let found = &placed.0;
        if let (Some(wanted_range), Some(range)) = (Range::of(wanted), found.range())
            && !wanted_range.contains(&range)
        {
            return Err(Fault::new(
                placed.1,
                format!("this is {}, which does not fit into {wanted}", found.value_type),
                format!("leave out the type, or drop upper bits with `{wanted}(...)`"),
            ));
        }
        self.lowering.converted(placed, wanted.of_values())
    }

    pub(crate) fn finish(self, end: Span) -> Outcome<Compiled> {
        if self.outputs.is_empty() {
            return Err(no_output(end));
        }
        let circuit = self.lowering.builder.finish();
        let circuit =
            circuit.map_err(|error| Fault::new(end, error.to_string(), "please report this as a defect"))?;
        Ok(Compiled {
            circuit,
            inputs: self.inputs,
            outputs: self.outputs,
            aggregates: self.aggregates,
            unused: self.unused,
        })
    }
}
