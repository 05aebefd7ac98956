//! Writes functions of up to four bits with the fewest products.
//!
//! Functions that differ by an invertible affine map of their arguments and by an added affine function need
//! the same number of products, because sums are free. Of the 65,536 functions of four bits that leaves
//! eight [`CLASSES`]. Each is stored with a representative. A search from the representatives finds, once,
//! the map that leads from a function to its representative.

use std::sync::OnceLock;

use crate::anf::product_depth;
use crate::{Builder, Wire};

/// The most arguments of a function in this module.
pub(crate) const ARGUMENTS: usize = 4;

/// Entry `m` of a table belongs to the arguments set in `m`.
const ARGUMENT: [u16; ARGUMENTS] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// The products of two arguments or more, which affine functions lack.
const NONLINEAR: [u32; 11] = [3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15];

/// The domain of sums and products: values, depths or gates.
pub(super) trait Logic {
    type Value: Copy;

    fn constant(&mut self, value: bool) -> Self::Value;
    fn sum(&mut self, terms: &[Self::Value]) -> Self::Value;
    fn product(&mut self, factors: &[Self::Value]) -> Self::Value;
}

impl Logic for Builder {
    type Value = Wire;

    fn constant(&mut self, value: bool) -> Wire {
        Builder::constant(self, value)
    }

    fn sum(&mut self, terms: &[Wire]) -> Wire {
        self.xor_all(terms)
    }

    fn product(&mut self, factors: &[Wire]) -> Wire {
        self.and_all(factors)
    }
}

/// The values of functions for all arguments.
struct Tables;

impl Logic for Tables {
    type Value = u16;

    fn constant(&mut self, value: bool) -> u16 {
        if value { u16::MAX } else { 0 }
    }

    fn sum(&mut self, terms: &[u16]) -> u16 {
        terms.iter().fold(0, |sum, term| sum ^ term)
    }

    fn product(&mut self, factors: &[u16]) -> u16 {
        factors.iter().fold(u16::MAX, |product, factor| product & factor)
    }
}

/// The depths at which functions are possible.
struct Depths;

impl Logic for Depths {
    type Value = u32;

    fn constant(&mut self, _: bool) -> u32 {
        0
    }

    fn sum(&mut self, terms: &[u32]) -> u32 {
        terms.iter().copied().max().unwrap_or_default()
    }

    fn product(&mut self, factors: &[u32]) -> u32 {
        product_depth(factors.iter().copied())
    }
}

/// A class of functions that are equal up to affine maps, by its representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Affine,
    /// `a b`
    Product,
    /// `a b + c d`
    TwoProducts,
    /// `a b c`
    Cubic,
    /// `a (b c + d)`
    CubicAndProduct,
    /// `a b c d`
    Quartic,
    /// `a b (c d + 1)`
    QuarticAndProduct,
    /// `(a b + 1)(c d + 1)`
    QuarticAndTwoProducts,
}

const CLASSES: [Class; 8] = [
    Class::Affine,
    Class::Product,
    Class::TwoProducts,
    Class::Cubic,
    Class::CubicAndProduct,
    Class::Quartic,
    Class::QuarticAndProduct,
    Class::QuarticAndTwoProducts,
];

impl Class {
    /// The products of the representative. No way takes fewer: a function of degree d takes d - 1, a
    /// quadratic form half its rank.
    fn products(self) -> u32 {
        match self {
            Self::Affine => 0,
            Self::Product => 1,
            Self::TwoProducts | Self::Cubic | Self::CubicAndProduct => 2,
            Self::Quartic | Self::QuarticAndProduct | Self::QuarticAndTwoProducts => 3,
        }
    }

    /// Makes the representative with these arguments.
    fn make<L: Logic>(self, logic: &mut L, [a, b, c, d]: [L::Value; ARGUMENTS]) -> L::Value {
        match self {
            Self::Affine => logic.constant(false),
            Self::Product => logic.product(&[a, b]),
            Self::TwoProducts => {
                let terms = [logic.product(&[a, b]), logic.product(&[c, d])];
                logic.sum(&terms)
            }
            Self::Cubic => logic.product(&[a, b, c]),
            Self::CubicAndProduct => {
                let terms = [logic.product(&[b, c]), d];
                let factors = [a, logic.sum(&terms)];
                logic.product(&factors)
            }
            Self::Quartic => logic.product(&[a, b, c, d]),
            Self::QuarticAndProduct => {
                let right = complemented_product(logic, c, d);
                logic.product(&[a, b, right])
            }
            Self::QuarticAndTwoProducts => {
                let factors = [
                    complemented_product(logic, a, b),
                    complemented_product(logic, c, d),
                ];
                logic.product(&factors)
            }
        }
    }
}

fn complemented_product<L: Logic>(logic: &mut L, left: L::Value, right: L::Value) -> L::Value {
    let terms = [logic.product(&[left, right]), logic.constant(true)];
    logic.sum(&terms)
}

/// An affine function: bit `i` says whether argument `i` is a term, bit 4 whether 1 is.
type Form = u8;

const ONE: Form = 1 << ARGUMENTS;

fn make_form<L: Logic>(logic: &mut L, form: Form, arguments: &[L::Value]) -> L::Value {
    let one = logic.constant(true);
    let values = arguments.iter().copied().zip(0..);
    let mut terms = [one; ARGUMENTS + 1];
    let mut count = 0;
    for value in values
        .filter(|(_, place)| form >> place & 1 == 1)
        .map(|(value, _)| value)
    {
        terms[count] = value;
        count += 1;
    }
    count += usize::from(form & ONE != 0);
    // The places that no argument took hold 1.
    logic.sum(&terms[..count])
}

/// The way to make a function: the representative of affine forms of its arguments, plus a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    class: Class,
    arguments: [Form; ARGUMENTS],
    added: Form,
}

impl Function {
    /// The function with these values.
    pub(crate) fn of(table: u16) -> Self {
        let coefficients = coefficients(table);
        let mut function = known()[nonlinear(coefficients)];
        function.added ^= affine(coefficients);
        // Arguments on which nothing depends may occur in the forms, but have no effect there.
        let support = support(table);
        for form in &mut function.arguments {
            *form &= support | ONE;
        }
        function
    }

    /// The number of products, the fewest possible.
    pub(crate) fn products(&self) -> u32 {
        self.class.products()
    }

    /// The depth at which the function is possible with arguments at these depths.
    pub(crate) fn depth(&self, arguments: &[u32]) -> u32 {
        self.made(&mut Depths, arguments)
    }

    /// Writes the function with these wires.
    pub(crate) fn build(&self, builder: &mut Builder, arguments: &[Wire]) -> Wire {
        self.made(builder, arguments)
    }

    fn made<L: Logic>(&self, logic: &mut L, arguments: &[L::Value]) -> L::Value {
        let forms = self.arguments.map(|form| make_form(logic, form, arguments));
        let terms = [
            self.class.make(logic, forms),
            make_form(logic, self.added, arguments),
        ];
        logic.sum(&terms)
    }
}

/// The arguments on which a function depends.
fn support(table: u16) -> Form {
    let depends = |place: usize| {
        let distance = 1 << place;
        (table ^ table >> distance) & !ARGUMENT[place] != 0
    };
    (0..ARGUMENTS).fold(0, |support, place| support | u8::from(depends(place)) << place)
}

/// Converts values to coefficients of products, or back.
fn coefficients(table: u16) -> u16 {
    let arguments = ARGUMENT.iter().zip(0..);
    arguments.fold(table, |table, (mask, place)| {
        table ^ (table << (1_u32 << place) & mask)
    })
}

/// The coefficients that are not affine, as a number.
fn nonlinear(coefficients: u16) -> usize {
    let bits = NONLINEAR.iter().enumerate();
    bits.fold(0, |number, (place, set)| {
        number | usize::from(coefficients >> set & 1) << place
    })
}

/// The affine part.
fn affine(coefficients: u16) -> Form {
    let arguments = (0..ARGUMENTS).map(|place| u8::from(coefficients >> (1 << place) & 1 == 1) << place);
    arguments.fold((coefficients & 1) as u8 * ONE, |form, bit| form | bit)
}

/// All functions without an affine part, by their nonlinear coefficients.
fn known() -> &'static [Function] {
    static KNOWN: OnceLock<Vec<Function>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let unknown = Function {
            class: Class::Affine,
            arguments: [0; ARGUMENTS],
            added: 0,
        };
        let mut known = vec![unknown; 1 << NONLINEAR.len()];
        let mut seen = vec![false; known.len()];
        for class in CLASSES {
            explore(class, &mut known, &mut seen);
        }
        known
    })
}

/// Records all functions of a class, those with the simplest forms first.
fn explore(class: Class, known: &mut [Function], seen: &mut [bool]) {
    let mut open = std::collections::VecDeque::from([[1, 2, 4, 8]]);
    while let Some(arguments) = open.pop_front() {
        let mut function = Function {
            class,
            arguments,
            added: 0,
        };
        let coefficients = coefficients(function.made(&mut Tables, &ARGUMENT));
        let place = nonlinear(coefficients);
        if std::mem::replace(&mut seen[place], true) {
            continue;
        }
        function.added = affine(coefficients);
        known[place] = function;
        for to in 0..ARGUMENTS {
            open.push_back(arguments.map(|form| form ^ (form >> to & 1) << ARGUMENTS));
            for from in (0..ARGUMENTS).filter(|from| *from != to) {
                open.push_back(arguments.map(|form| form ^ (form >> to & 1) << from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Visibility, Word};

    /// Every function is made correctly, with as many products as degree and rank demand.
    #[test]
    fn all_functions_are_known() {
        for table in 0..=u16::MAX {
            let function = Function::of(table);
            assert_eq!(function.made(&mut Tables, &ARGUMENT), table, "{table:04x}");
            assert!(function.products() >= fewest(table), "{table:04x}");
        }
        assert_eq!(known().iter().map(Function::products).max(), Some(3));
    }

    /// The theoretical least number of products of a function, from its values alone.
    fn fewest(table: u16) -> u32 {
        let coefficients = (0..16_u32).filter(|set| {
            let below = (0..16_u32).filter(|subset| subset & set == *subset && table >> subset & 1 == 1);
            below.count() % 2 == 1
        });
        let degree = coefficients.map(u32::count_ones).max().unwrap_or_default();
        // A quadratic form of rank r has Walsh coefficients of absolute value 2^(4 - r/2) or 0.
        let walsh = |form: u32| -> i32 {
            let signs = (0..16_u32).map(|m| (form & m).count_ones() + u32::from(table >> m & 1));
            signs.map(|sign| 1 - 2 * (sign as i32 % 2)).sum()
        };
        match degree {
            0 | 1 => 0,
            2 => {
                4 - (0..16)
                    .map(|form| walsh(form).unsigned_abs())
                    .max()
                    .unwrap()
                    .ilog2()
            }
            degree => degree - 1,
        }
    }

    /// The classes have the known sizes: 1, 35, 28, 120, 840 + ... of 2048 in all.
    #[test]
    fn representatives_stand_for_different_classes() {
        let sizes = CLASSES.map(|class| known().iter().filter(|function| function.class == class).count());
        assert_eq!(sizes.iter().sum::<usize>(), 2048);
        assert_eq!(&sizes[..3], &[1, 35, 28]);
        assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
    }

    /// The gates compute the function, with as many ANDs as promised, at the promised depth.
    #[test]
    fn gates_keep_what_is_promised() {
        for table in (0..=u16::MAX).step_by(97) {
            let mut builder = Builder::new();
            let inputs = builder.input("x", Visibility::Private, 5);
            let mut wires = inputs.wires()[..4].to_vec();
            wires[3] = builder.and(inputs.wires()[3], inputs.wires()[4]);
            let function = Function::of(table);
            let made = function.build(&mut builder, &wires);
            assert!(builder.and_depth(made) <= function.depth(&[0, 0, 0, 1]));
            builder.output("y", &Word::new(vec![made]));
            let circuit = builder.finish().unwrap();
            assert!(circuit.and_count() <= function.products() as usize + 1);
            for m in 0..16_usize {
                let record = (0..5).map(|bit| bit == 4 || m >> bit & 1 == 1).collect();
                let output = circuit.evaluate_record(&[record]).unwrap();
                assert_eq!(output[0][0], table >> m & 1 == 1, "{table:04x}");
            }
        }
    }
}
