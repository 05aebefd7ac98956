//! Operators by precedence.

use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::{Rule, identifier, integer, span, totals};
use crate::error::{Fault, Outcome, Span};
use crate::syntax::{Binary, Chain, Comparison, Expression, Kind, Unary};

/// The operators with their precedences.
pub(super) struct Operators(PrattParser<Rule>);

impl Operators {
    pub(super) fn new() -> Self {
        let left = |rule| Op::infix(rule, Assoc::Left);
        let comparisons = left(Rule::equal)
            | left(Rule::unequal)
            | left(Rule::less)
            | left(Rule::at_most)
            | left(Rule::greater)
            | left(Rule::at_least);
        // The loosest first.
        let operators = PrattParser::new()
            .op(left(Rule::or))
            .op(left(Rule::xor))
            .op(left(Rule::and))
            .op(Op::prefix(Rule::not))
            .op(comparisons)
            .op(left(Rule::bit_or))
            .op(left(Rule::bit_xor))
            .op(left(Rule::bit_and))
            .op(left(Rule::shift_left) | left(Rule::shift_right))
            .op(left(Rule::add) | left(Rule::subtract))
            .op(left(Rule::multiply) | left(Rule::divide) | left(Rule::remainder))
            .op(Op::prefix(Rule::negate) | Op::prefix(Rule::complement))
            .op(Op::postfix(Rule::index));
        Self(operators)
    }

    /// Reads an expression. The scan of the text has bounded how deeply this recurses.
    pub(super) fn expression(&self, pair: Pair<'_, Rule>) -> Outcome<Expression> {
        self.0
            .map_primary(|pair| self.primary(pair))
            .map_prefix(|operator, operand| prefix(&operator, operand?))
            .map_postfix(|operand, brackets| self.index(operand?, brackets))
            .map_infix(|left, operator, right| infix(left?, &operator, right?))
            .parse(pair.into_inner())
    }

    fn primary(&self, pair: Pair<'_, Rule>) -> Outcome<Expression> {
        let place = span(&pair);
        let kind = match pair.as_rule() {
            Rule::integer => Kind::Integer(integer(pair.as_str(), place)?),
            Rule::word => match pair.as_str() {
                "true" => Kind::Truth(true),
                "false" => Kind::Truth(false),
                _ => Kind::Name(identifier(&pair)?.text),
            },
            Rule::quoted => Kind::Name(identifier(&pair)?.text),
            Rule::call => return self.call(pair),
            Rule::aggregate => return Err(totals::misplaced(place)),
            Rule::conditional => {
                let parts = self.expressions(pair)?;
                let parts = <[Expression; 3]>::try_from(parts).map_err(|_| Fault::internal(place))?;
                Kind::If(Box::new(parts))
            }
            _ => {
                let inner = self
                    .expressions(pair)?
                    .pop()
                    .ok_or_else(|| Fault::internal(place))?;
                return Ok(inner.group(place));
            }
        };
        Expression::new(kind, place)
    }

    /// The expressions within a pair.
    fn expressions(&self, pair: Pair<'_, Rule>) -> Outcome<Vec<Expression>> {
        let parts = pair.into_inner();
        let expressions = parts.filter(|part| part.as_rule() == Rule::expression);
        expressions.map(|part| self.expression(part)).collect()
    }

    fn call(&self, pair: Pair<'_, Rule>) -> Outcome<Expression> {
        let place = span(&pair);
        let word = pair
            .clone()
            .into_inner()
            .next()
            .ok_or_else(|| Fault::internal(place))?;
        // Names of types convert.
        let name = crate::syntax::Identifier {
            text: word.as_str().to_owned(),
            span: span(&word),
        };
        if !matches!(word.as_str(), "bits" | "bool" | "bytes")
            && crate::value_type::number_type(word.as_str()).is_none()
        {
            identifier(&word)?;
        }
        Expression::new(Kind::Call(name, self.expressions(pair)?), place)
    }

    fn index(&self, operand: Expression, brackets: Pair<'_, Rule>) -> Outcome<Expression> {
        let place = operand.span.to(span(&brackets));
        let mut bounds = self.expressions(brackets)?.into_iter();
        let from = bounds.next().ok_or_else(|| Fault::internal(place))?;
        let kind = Kind::Index(Box::new(operand), Box::new(from), bounds.next().map(Box::new));
        Expression::new(kind, place)
    }
}

fn prefix(operator: &Pair<'_, Rule>, operand: Expression) -> Outcome<Expression> {
    let place = span(operator).to(operand.span);
    let unary = match operator.as_rule() {
        Rule::not => Unary::Not,
        Rule::complement => Unary::Complement,
        _ => Unary::Negate,
    };
    let kind = Kind::Unary(unary, Box::new(operand));
    Expression::new(kind, place)
}

fn infix(left: Expression, operator: &Pair<'_, Rule>, right: Expression) -> Outcome<Expression> {
    let place = left.span.to(right.span);
    let binary = match operator.as_rule() {
        Rule::or => return chain(Chain::Or, left, right),
        Rule::xor => return chain(Chain::Xor, left, right),
        Rule::and => return chain(Chain::And, left, right),
        Rule::bit_or => return chain(Chain::BitOr, left, right),
        Rule::bit_xor => return chain(Chain::BitXor, left, right),
        Rule::bit_and => return chain(Chain::BitAnd, left, right),
        Rule::multiply => return chain(Chain::Multiply, left, right),
        Rule::add => return sum(left, false, right),
        Rule::subtract => return sum(left, true, right),
        Rule::shift_left => Binary::ShiftLeft,
        Rule::shift_right => Binary::ShiftRight,
        Rule::divide => Binary::Divide,
        Rule::remainder => Binary::Remainder,
        rule => {
            refuse_chain(&left, span(operator))?;
            Binary::Compare(comparison(rule))
        }
    };
    Expression::new(Kind::Binary(binary, Box::new([left, right])), place)
}

fn comparison(rule: Rule) -> Comparison {
    match rule {
        Rule::equal => Comparison::Equal,
        Rule::unequal => Comparison::Unequal,
        Rule::less => Comparison::Less,
        Rule::at_most => Comparison::AtMost,
        Rule::greater => Comparison::Greater,
        _ => Comparison::AtLeast,
    }
}

/// Refuses `a < b < c`.
fn refuse_chain(left: &Expression, operator: Span) -> Outcome<()> {
    match &left.kind {
        Kind::Binary(Binary::Compare(_), _) if !left.grouped => Err(Fault::new(
            operator,
            "comparisons cannot be chained",
            "write `a < b and b < c`; to compare conditions use brackets: `(a < b) == (b < c)`",
        )),
        _ => Ok(()),
    }
}

fn chain(operator: Chain, mut left: Expression, right: Expression) -> Outcome<Expression> {
    if !left.grouped && matches!(&left.kind, Kind::Chain(known, _) if *known == operator) {
        left.grow(&right);
        if let Kind::Chain(_, operands) = &mut left.kind {
            operands.push(right);
        }
        return Ok(left);
    }
    let place = left.span.to(right.span);
    Expression::new(Kind::Chain(operator, vec![left, right]), place)
}

fn sum(mut left: Expression, negative: bool, right: Expression) -> Outcome<Expression> {
    if !left.grouped && matches!(left.kind, Kind::Sum(_)) {
        left.grow(&right);
        if let Kind::Sum(terms) = &mut left.kind {
            terms.push((negative, right));
        }
        return Ok(left);
    }
    let place = left.span.to(right.span);
    Expression::new(Kind::Sum(vec![(false, left), (negative, right)]), place)
}
