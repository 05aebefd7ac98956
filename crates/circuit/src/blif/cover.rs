//! The rows of a table.

use std::cell::OnceCell;

use super::BlifError;
use super::function::{Function, MOST_INPUTS};
use super::lines::Line;
use crate::anf::product_depth;
use crate::{Builder, Wire};

/// The most rows of which each is compared with each other one.
const MOST_COMPARED: usize = 256;

/// The inputs for which a table has a value, as rows of 0, 1 and, for either, -.
pub(super) struct Cover<'a> {
    inputs: usize,
    rows: Vec<&'a str>,
    /// The value there; it has the other value elsewhere.
    value: bool,
    /// Where the rows say 1, once it is known; copies of a model share it.
    function: OnceCell<Function>,
}

impl<'a> Cover<'a> {
    /// A table without rows, which is 0.
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            inputs,
            rows: Vec::new(),
            value: true,
            function: OnceCell::new(),
        }
    }

    pub(super) fn add(&mut self, line: &Line<'a>) -> Result<(), BlifError> {
        let number = line.number;
        let (row, value) = match (line.words.as_slice(), self.inputs) {
            ([value], 0) => ("", *value),
            ([row, value], 1..) => (*row, *value),
            _ => ("", ""),
        };
        let fits = row.len() == self.inputs && row.bytes().all(|byte| matches!(byte, b'0' | b'1' | b'-'));
        if !fits || !matches!(value, "0" | "1") {
            return Err(BlifError::Row {
                line: number,
                inputs: self.inputs,
            });
        }
        if !self.rows.is_empty() && self.value != (value == "1") {
            return Err(BlifError::MixedRows { line: number });
        }
        self.value = value == "1";
        self.rows.push(row);
        Ok(())
    }

    /// Writes the table with these inputs.
    pub(super) fn build(&self, builder: &mut Builder, inputs: &[Wire]) -> Wire {
        let price = self.price_of_products(builder, inputs);
        let small = inputs.len() <= MOST_INPUTS;
        let function = small.then(|| {
            self.function
                .get_or_init(|| Function::new(self.inputs, &self.rows))
        });
        let covered = match function.and_then(|function| function.plan(builder, inputs, price)) {
            Some(plan) => plan.build(builder),
            None => self.sum_of_products(builder, inputs),
        };
        if self.value { covered } else { builder.not(covered) }
    }

    /// Writes the rows as products, and their OR, which is a sum where no two rows have a place in common.
    fn sum_of_products(&self, builder: &mut Builder, inputs: &[Wire]) -> Wire {
        let row = |row: &&str| {
            let literals: Vec<Wire> = literals(row, inputs)
                .map(|(wire, value)| if value { wire } else { builder.not(wire) })
                .collect();
            builder.and_all(&literals)
        };
        let products: Vec<Wire> = self.rows.iter().map(row).collect();
        if self.is_disjoint() {
            builder.xor_all(&products)
        } else {
            builder.or_all(&products)
        }
    }

    /// The AND depth of this, and the number of ANDs.
    fn price_of_products(&self, builder: &Builder, inputs: &[Wire]) -> (u32, usize) {
        let (mut depths, mut ands) = (Vec::new(), 0);
        for row in &self.rows {
            depths.push(product_depth(
                literals(row, inputs).map(|(wire, _)| builder.and_depth(wire)),
            ));
            ands += literals(row, inputs).count().saturating_sub(1);
        }
        if self.is_disjoint() {
            (depths.into_iter().max().unwrap_or_default(), ands)
        } else {
            let ors = depths.len().saturating_sub(1);
            (product_depth(depths.into_iter()), ands + ors)
        }
    }

    /// Whether it is known that any two rows differ in a place where neither has -.
    fn is_disjoint(&self) -> bool {
        let differ = |one: &str, other: &str| {
            let mut places = one.bytes().zip(other.bytes());
            places.any(|pair| matches!(pair, (b'0', b'1') | (b'1', b'0')))
        };
        let mut before = self.rows.iter().enumerate();
        self.rows.len() <= MOST_COMPARED
            && before.all(|(place, row)| self.rows.iter().take(place).all(|other| differ(row, other)))
    }
}

/// The inputs that a row names, each with its value.
fn literals<'b>(row: &'b str, inputs: &'b [Wire]) -> impl Iterator<Item = (Wire, bool)> + 'b {
    let places = row.bytes().zip(inputs).filter(|(byte, _)| *byte != b'-');
    places.map(|(byte, wire)| (*wire, byte == b'1'))
}
