//! Random programs, against the same trees over integers. The reference has its own rules of types.

use std::fmt::{self, Display, Formatter};

use proptest::prelude::*;

use crate::common::{compiled, evaluate};

/// The inputs: names, types, and their ranges.
const INPUTS: [(&str, &str, i128, i128); 4] = [
    ("a", "u3", 0, 7),
    ("b", "i3", -4, 3),
    ("c", "u5", 0, 31),
    ("d", "i2", -2, 1),
];
const FLAGS: [&str; 2] = ["p", "q"];

/// A number.
#[derive(Clone, Debug)]
enum Number {
    Input(usize),
    Literal(i128),
    Sum(Vec<(bool, Number)>),
    Product(Vec<Number>),
    Negate(Box<Number>),
    Bitwise(char, Box<Number>, Box<Number>),
    Shift(bool, Box<Number>, u32),
    Extreme(bool, Vec<Number>),
    Absolute(Box<Number>),
    Choice(Box<Flag>, Box<Number>, Box<Number>),
    Cast(char, u32, Box<Number>),
    Count(Vec<Flag>),
}

/// A condition.
#[derive(Clone, Debug)]
enum Flag {
    Input(usize),
    Compare(&'static str, Box<Number>, Box<Number>),
    Chain(&'static str, Vec<Flag>),
    Not(Box<Flag>),
    Choice(Box<Flag>, Box<Flag>, Box<Flag>),
}

fn joined<T: Display>(parts: &[T], separator: &str) -> String {
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    parts.join(separator)
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(input) => write!(f, "{}", INPUTS[*input].0),
            Self::Literal(value) if *value < 0 => write!(f, "({value})"),
            Self::Literal(value) => write!(f, "{value}"),
            Self::Sum(terms) => {
                write!(f, "(")?;
                for (place, (negative, term)) in terms.iter().enumerate() {
                    match (place, negative) {
                        (0, _) => write!(f, "{term}")?,
                        (_, true) => write!(f, " - {term}")?,
                        (_, false) => write!(f, "+{term}")?,
                    }
                }
                write!(f, ")")
            }
            Self::Product(factors) => write!(f, "({})", joined(factors, " * ")),
            Self::Negate(operand) => write!(f, "(-{operand})"),
            Self::Bitwise(operator, left, right) => write!(f, "({left} {operator} {right})"),
            Self::Shift(true, operand, places) => write!(f, "({operand} << {places})"),
            Self::Shift(false, operand, places) => write!(f, "({operand} >> {places})"),
            Self::Extreme(true, operands) => write!(f, "max({})", joined(operands, ", ")),
            Self::Extreme(false, operands) => write!(f, "min({})", joined(operands, ", ")),
            Self::Absolute(operand) => write!(f, "abs({operand})"),
            Self::Choice(condition, yes, no) => write!(f, "(if {condition} then {yes} else {no})"),
            Self::Cast(kind, width, operand) => write!(f, "{kind}{width}({operand})"),
            Self::Count(flags) => write!(f, "popcount({})", joined(flags, ", ")),
        }
    }
}

impl Display for Flag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(input) => write!(f, "{}", FLAGS[*input]),
            Self::Compare(operator, left, right) => write!(f, "({left} {operator} {right})"),
            Self::Chain(operator, flags) => write!(f, "({})", joined(flags, &format!(" {operator} "))),
            Self::Not(flag) => write!(f, "(not {flag})"),
            Self::Choice(condition, yes, no) => write!(f, "select({condition}, {yes}, {no})"),
        }
    }
}

impl Number {
    fn value(&self, record: &[i128]) -> i128 {
        match self {
            Self::Input(input) => record[*input],
            Self::Literal(value) => *value,
            Self::Sum(terms) => terms
                .iter()
                .enumerate()
                .map(|(place, (negative, term))| match place > 0 && *negative {
                    true => -term.value(record),
                    false => term.value(record),
                })
                .sum(),
            Self::Product(factors) => factors.iter().map(|factor| factor.value(record)).product(),
            Self::Negate(operand) => -operand.value(record),
            Self::Bitwise(operator, left, right) => {
                let (left, right) = (left.value(record), right.value(record));
                match operator {
                    '&' => left & right,
                    '|' => left | right,
                    _ => left ^ right,
                }
            }
            Self::Shift(true, operand, places) => operand.value(record) << places,
            Self::Shift(false, operand, places) => operand.value(record) >> places,
            Self::Extreme(greatest, operands) => {
                let values = operands.iter().map(|operand| operand.value(record));
                if *greatest { values.max() } else { values.min() }.unwrap()
            }
            Self::Absolute(operand) => operand.value(record).abs(),
            Self::Choice(condition, yes, no) => {
                if condition.value(record) {
                    yes.value(record)
                } else {
                    no.value(record)
                }
            }
            Self::Cast(kind, width, operand) => {
                let low = operand.value(record) & ((1 << width) - 1);
                let negative = *kind == 'i' && low >> (width - 1) == 1;
                low - if negative { 1 << width } else { 0 }
            }
            Self::Count(flags) => flags.iter().map(|flag| i128::from(flag.value(record))).sum(),
        }
    }
}

impl Flag {
    fn value(&self, record: &[i128]) -> bool {
        match self {
            Self::Input(input) => record[INPUTS.len() + input] == 1,
            Self::Compare(operator, left, right) => {
                let (left, right) = (left.value(record), right.value(record));
                match *operator {
                    "==" => left == right,
                    "!=" => left != right,
                    "<" => left < right,
                    "<=" => left <= right,
                    ">" => left > right,
                    _ => left >= right,
                }
            }
            Self::Chain(operator, flags) => {
                let mut values = flags.iter().map(|flag| flag.value(record));
                match *operator {
                    "and" => values.all(|value| value),
                    "or" => values.any(|value| value),
                    _ => values.filter(|value| *value).count() % 2 == 1,
                }
            }
            Self::Not(flag) => !flag.value(record),
            Self::Choice(condition, yes, no) => {
                if condition.value(record) {
                    yes.value(record)
                } else {
                    no.value(record)
                }
            }
        }
    }
}

fn trees() -> impl Strategy<Value = (Number, Flag)> {
    let leaf = prop_oneof![
        3 => (0..INPUTS.len()).prop_map(Number::Input),
        1 => (-9_i128..20).prop_map(Number::Literal),
    ];
    let pairs = (leaf, (0..FLAGS.len()).prop_map(Flag::Input));
    pairs.prop_recursive(4, 40, 3, |inner| {
        let number = inner.clone().prop_map(|(number, _)| number);
        let flag = inner.prop_map(|(_, flag)| flag);
        let boxed = number.clone().prop_map(Box::new);
        let condition = flag.clone().prop_map(Box::new);
        let several = proptest::collection::vec(number.clone(), 2..4);
        let operator = prop_oneof![Just('&'), Just('|'), Just('^')];
        let terms = proptest::collection::vec((any::<bool>(), number.clone()), 2..5);
        let comparison = proptest::sample::select(&["==", "!=", "<", "<=", ">", ">="][..]);
        let word = proptest::sample::select(&["and", "or", "xor"][..]);
        let flags = proptest::collection::vec(flag.clone(), 2..4);
        let numbers = prop_oneof![
            3 => terms.prop_map(Number::Sum),
            2 => proptest::collection::vec(number, 2..3).prop_map(Number::Product),
            1 => boxed.clone().prop_map(Number::Negate),
            2 => (operator, boxed.clone(), boxed.clone()).prop_map(|(o, l, r)| Number::Bitwise(o, l, r)),
            1 => (any::<bool>(), boxed.clone(), 0_u32..4).prop_map(|(left, x, n)| Number::Shift(left, x, n)),
            2 => (any::<bool>(), several).prop_map(|(greatest, all)| Number::Extreme(greatest, all)),
            1 => boxed.clone().prop_map(Number::Absolute),
            2 => (condition.clone(), boxed.clone(), boxed.clone()).prop_map(|(c, y, n)| Number::Choice(c, y, n)),
            1 => (proptest::sample::select(&['u', 'i'][..]), 1_u32..9, boxed.clone())
                .prop_map(|(kind, width, x)| Number::Cast(kind, width, x)),
            1 => flags.clone().prop_map(Number::Count),
        ];
        let conditions = prop_oneof![
            3 => (comparison, boxed.clone(), boxed).prop_map(|(o, l, r)| Flag::Compare(o, l, r)),
            2 => (word, flags).prop_map(|(operator, flags)| Flag::Chain(operator, flags)),
            1 => condition.clone().prop_map(Flag::Not),
            1 => (condition.clone(), condition.clone(), condition).prop_map(|(c, y, n)| Flag::Choice(c, y, n)),
        ];
        (numbers, conditions)
    })
}

fn record() -> impl Strategy<Value = Vec<i128>> {
    let number = |input: usize| INPUTS[input].2..=INPUTS[input].3;
    let numbers = (number(0), number(1), number(2), number(3));
    (numbers, 0_i128..=1, 0_i128..=1).prop_map(|((a, b, c, d), p, q)| vec![a, b, c, d, p, q])
}

/// The declarations, and uses, so that every input is a port.
fn declarations() -> String {
    let inputs = INPUTS.iter().map(|(name, kind, ..)| format!("{name}: {kind}; "));
    let flags = FLAGS.iter().map(|name| format!("{name}: bool; "));
    let all: String = inputs.chain(flags).collect();
    format!("{all}used = concat(a, b, c, d, p, q)")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn programs_compute_what_they_say(
        (number, flag) in trees(),
        records in proptest::collection::vec(record(), 150),
    ) {
        let source = format!("{}; number = {number}\nflag = {flag}", declarations());
        let compiled = compiled(&source);
        let width = compiled.outputs[1].value_type.width();
        prop_assume!(width < 120);
        let outputs = evaluate(&compiled, &records);
        for (record, found) in records.iter().zip(outputs) {
            let expected = [number.value(record), i128::from(flag.value(record))];
            prop_assert_eq!(&found[1..], &expected[..], "{}", source);
        }
    }
}
