use super::{Constants, Shape};

/// The tables of the machine, as its package numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Table {
    /// Constants of the cores; the unit is the core.
    Factors = 0,
    /// The primes.
    Moduli = 1,
    /// floor(2^60 / prime).
    Reciprocals = 2,
    /// 2^58 modulo a prime.
    Folds = 3,
    /// (Q / prime)^-1.
    Inverses = 4,
    /// The reciprocals of q: the lift's, then the scale's.
    Division = 5,
    /// The rows of Q.
    Total = 6,
    /// The rows of q.
    Base = 7,
    /// Barrett's constant of q.
    Quotient = 8,
    /// q.
    Modulus = 9,
    /// Powers of 2 modulo the primes of q; the unit is the one that has the prime.
    Powers = 10,
}

/// A word that a host writes into a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Entry {
    /// The table.
    pub table: Table,
    /// The core or unit.
    pub unit: u32,
    /// The address in the table.
    pub address: u32,
    /// The word.
    pub data: u64,
}

impl Constants {
    /// All words of the machine's tables, in the order in which a host writes them.
    #[must_use]
    pub fn entries(&self, shape: Shape) -> Vec<Entry> {
        let mut entries = self.factors(shape);
        for (index, prime) in self.primes.iter().enumerate() {
            let q = prime.value();
            entries.push(entry(Table::Moduli, 0, index, q));
            entries.push(entry(Table::Reciprocals, 0, index, (1 << 60) / q));
        }
        entries.extend(words(Table::Folds, &self.folds));
        entries.extend(words(Table::Inverses, &self.scale_factors));
        let reciprocals = [self.lift_reciprocal.as_slice(), &self.scale_reciprocal].concat();
        entries.extend(words(Table::Division, &reciprocals));
        entries.extend(words(Table::Total, &self.total_rows.concat()));
        entries.extend(words(Table::Base, &self.base_rows.concat()));
        entries.push(entry(Table::Quotient, 0, 0, self.quotient));
        // The last row but one is q.
        entries.extend(words(Table::Modulus, &self.base_rows[1]));
        for (index, powers) in self.powers.iter().enumerate() {
            let (round, unit) = (index / Shape::RESIDUE_UNITS, index % Shape::RESIDUE_UNITS);
            let first = round * powers.len();
            let word = |(half, &power)| entry(Table::Powers, unit, first + half, power);
            entries.extend(powers.iter().enumerate().map(word));
        }
        entries
    }

    /// The cores' constants: of a lift's sum, of its residues, of a scale's sum. Residue j has slot j / cores of core
    /// j mod cores; slots without one have 0.
    fn factors(&self, shape: Shape) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut first = 0;
        let mut phase = |slots: usize, steps: usize, word: &dyn Fn(usize, usize) -> Option<u64>| {
            for step in 0..steps {
                for residue in 0..slots * shape.cores() {
                    let (slot, core) = (residue / shape.cores(), residue % shape.cores());
                    let data = word(residue, step).unwrap_or(0);
                    entries.push(entry(Table::Factors, core, first + step * slots + slot, data));
                }
            }
            first += slots * steps;
        };
        phase(shape.lift_slots(), shape.lift_words(), &|residue, step| {
            self.lift_sums.get(residue).map(|constant| constant[step])
        });
        phase(shape.lift_slots(), self.lift_residues.len(), &|residue, step| {
            self.lift_residues[step].get(residue).copied()
        });
        phase(shape.scale_slots(), shape.scale_words(), &|residue, step| {
            self.scale_sums.get(residue).map(|constant| constant[step])
        });
        entries
    }
}

const fn entry(table: Table, unit: usize, address: usize, data: u64) -> Entry {
    Entry {
        table,
        unit: unit as u32,
        address: address as u32,
        data,
    }
}

/// The words of a table that has no units.
fn words(table: Table, words: &[u64]) -> impl Iterator<Item = Entry> {
    words
        .iter()
        .enumerate()
        .map(move |(address, &word)| entry(table, 0, address, word))
}
