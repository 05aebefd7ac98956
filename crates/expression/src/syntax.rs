//! Programs as trees.

use num_bigint::BigInt;
use ringmill_circuit::AggregateKind;

use crate::Type;
use crate::error::{Fault, Outcome, Span};

/// The deepest tree. The parser bounds brackets; this also bounds chains of shifts and divisions.
const MAX_DEPTH: usize = 160;

/// A name where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A statement.
#[derive(Debug)]
pub(crate) enum Statement {
    /// `const name = value`.
    Constant { name: Identifier, value: Expression },
    /// `let name = value`.
    Binding { name: Identifier, value: Expression },
    /// `name = value` or `name: type = value`.
    Output {
        name: Identifier,
        as_type: Option<Type>,
        value: Expression,
    },
    /// `name: type` or `name: public type`.
    Port {
        name: Identifier,
        port_type: Type,
        public: bool,
    },
    /// `name = records.kind(value)`.
    Total {
        name: Identifier,
        kind: AggregateKind,
        value: Expression,
    },
    /// `table name: index -> entry = [entries]`.
    Table(TableStatement),
}

#[derive(Debug)]
pub(crate) struct TableStatement {
    pub(crate) name: Identifier,
    pub(crate) index: (Type, Span),
    pub(crate) entry: (Type, Span),
    pub(crate) entries: Vec<(Entry, Span)>,
}

/// An entry of a table.
#[derive(Debug)]
pub(crate) enum Entry {
    Number(BigInt),
    Truth(bool),
}

impl Statement {
    pub(crate) const fn name(&self) -> &Identifier {
        match self {
            Self::Constant { name, .. }
            | Self::Binding { name, .. }
            | Self::Output { name, .. }
            | Self::Total { name, .. }
            | Self::Port { name, .. } => name,
            Self::Table(table) => &table.name,
        }
    }

    /// Whether it makes an output.
    pub(crate) const fn is_output(&self) -> bool {
        matches!(self, Self::Output { .. } | Self::Total { .. })
    }

    /// The expression of a statement that has one.
    pub(crate) const fn value(&self) -> Option<&Expression> {
        match self {
            Self::Constant { value, .. }
            | Self::Binding { value, .. }
            | Self::Output { value, .. }
            | Self::Total { value, .. } => Some(value),
            Self::Port { .. } | Self::Table(_) => None,
        }
    }
}

/// An expression and where it stands.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    depth: usize,
    /// Whether it stands in brackets of its own, so that no chain goes on in it.
    pub(crate) grouped: bool,
}

/// Operators of which a chain has any number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Multiply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Compare(Comparison),
    ShiftLeft,
    ShiftRight,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    /// `not`.
    Not,
    /// `~`.
    Complement,
    /// `-`.
    Negate,
}

/// What an expression is.
#[derive(Debug)]
pub(crate) enum Kind {
    Integer(BigInt),
    Truth(bool),
    Name(String),
    Chain(Chain, Vec<Expression>),
    /// Terms, each with whether it is subtracted.
    Sum(Vec<(bool, Expression)>),
    Binary(Binary, Box<[Expression; 2]>),
    Unary(Unary, Box<Expression>),
    /// `operand[from]` or `operand[from..to]`.
    Index(Box<Expression>, Box<Expression>, Option<Box<Expression>>),
    Call(Identifier, Vec<Expression>),
    /// Condition, value if it is true, value if it is false.
    If(Box<[Expression; 3]>),
}

impl Expression {
    /// Makes an expression, unless it would be too deep.
    pub(crate) fn new(kind: Kind, span: Span) -> Outcome<Self> {
        let deepest = children(&kind).into_iter().map(|child| child.depth).max();
        let depth = 1 + deepest.unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(Fault::new(
                span,
                format!("more than {MAX_DEPTH} operations are nested here"),
                "give parts of the expression names with `let`",
            ));
        }
        Ok(Self {
            kind,
            span,
            depth,
            grouped: false,
        })
    }

    /// The expression in brackets, which stand at `span`.
    pub(crate) fn group(mut self, span: Span) -> Self {
        self.grouped = true;
        self.span = span;
        self
    }

    /// Adds an operand to a chain.
    pub(crate) fn grow(&mut self, operand: &Self) {
        self.depth = self.depth.max(operand.depth + 1);
        self.span = self.span.to(operand.span);
    }

    /// Calls `visit` for each name in the expression, in order, with where it stands. Names of functions and
    /// tables that are called are among them if `calls`.
    pub(crate) fn names<'a>(&'a self, visit: &mut impl FnMut(&'a str, Span, bool)) {
        match &self.kind {
            Kind::Name(name) => visit(name, self.span, false),
            Kind::Call(name, _) => visit(&name.text, name.span, true),
            _ => {}
        }
        for child in children(&self.kind) {
            child.names(visit);
        }
    }
}

/// The expressions of which an expression is made, in order.
fn children(kind: &Kind) -> Vec<&Expression> {
    match kind {
        Kind::Integer(_) | Kind::Truth(_) | Kind::Name(_) => Vec::new(),
        Kind::Chain(_, operands) | Kind::Call(_, operands) => operands.iter().collect(),
        Kind::Sum(terms) => terms.iter().map(|(_, term)| term).collect(),
        Kind::Binary(_, operands) => operands.iter().collect(),
        Kind::Unary(_, operand) => vec![operand],
        Kind::Index(operand, from, to) => {
            let bounds = std::iter::once(from).chain(to).map(AsRef::as_ref);
            std::iter::once(operand.as_ref()).chain(bounds).collect()
        }
        Kind::If(parts) => parts.iter().collect(),
    }
}
