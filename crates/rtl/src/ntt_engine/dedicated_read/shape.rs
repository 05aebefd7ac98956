use crate::RtlError;

/// The sizes of an engine: N = 2^k points, 2^b units, a bank of 2^a words for each, k = 1 + a + b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    log_n: u32,
    log_units: u32,
}

/// Where a residue lies in a buffer: half W of the word at address A of the bank of unit C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The unit that owns the bank.
    pub unit: usize,
    /// The address in the bank.
    pub address: usize,
    /// The half of the word: 0 or 1.
    pub half: usize,
}

impl Shape {
    /// The paper's: 2^16 points, 16 units.
    pub const PAPER: Self = Self {
        log_n: 16,
        log_units: 4,
    };

    /// Makes the shape of an engine for n points with this number of units.
    ///
    /// # Errors
    /// [`RtlError::BadEngine`] unless both are powers of two, with 2 to 256 units and n at least
    /// 2 units^2.
    pub fn new(n: usize, units: usize) -> Result<Self, RtlError> {
        let refuse = |need| {
            Err(RtlError::BadEngine {
                engine: "engine with dedicated reads",
                n,
                units,
                need,
            })
        };
        if !n.is_power_of_two() || !units.is_power_of_two() {
            return refuse("both must be powers of two");
        }
        if !(2..=256).contains(&units) {
            return refuse("there are 2 to 256 units");
        }
        if n < 2 * units * units || n > 1 << 24 {
            return refuse(
                "n is at least 2 units^2, so that an address has a bit for each bit of a unit's number",
            );
        }
        Ok(Self {
            log_n: n.trailing_zeros(),
            log_units: units.trailing_zeros(),
        })
    }

    /// The number of points N.
    #[must_use]
    pub const fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The number of units.
    #[must_use]
    pub const fn units(&self) -> usize {
        1 << self.log_units
    }

    /// The number of words that a bank has for a buffer.
    #[must_use]
    pub const fn words(&self) -> usize {
        1 << self.address_bits()
    }

    /// The number of an engine's constants: for each unit a table, the factors of the first b passes, the scale and the
    /// correction.
    #[must_use]
    pub const fn constants(&self) -> usize {
        (2 * self.words() + self.log_units as usize + 2) * self.units()
    }

    /// k = log2 N: the number of passes.
    #[must_use]
    pub const fn log_n(&self) -> u32 {
        self.log_n
    }

    /// b: the bits of a unit's number.
    #[must_use]
    pub const fn unit_bits(&self) -> u32 {
        self.log_units
    }

    /// a: the bits of an address.
    #[must_use]
    pub const fn address_bits(&self) -> u32 {
        self.log_n - 1 - self.log_units
    }

    /// The place of a coefficient: the lower k - 1 bits of its index, reversed, are C and A.
    #[must_use]
    pub const fn coefficient_place(&self, index: usize) -> Place {
        let low = self.log_n - 1;
        let reversed = (index << (usize::BITS - low)).reverse_bits();
        Place {
            unit: reversed >> self.address_bits(),
            address: reversed & (self.words() - 1),
            half: (index >> low) & 1,
        }
    }

    /// The place of a value, from algorithm 3: the last bit is W. The first b - 1 bits and the last but one
    /// are C, the others A, rotated.
    #[must_use]
    pub const fn value_place(&self, index: usize) -> Place {
        let (a, b) = (self.address_bits(), self.log_units);
        let first = index & ((1 << (b - 1)) - 1);
        let middle = (index >> (b - 1)) & (self.words() - 1);
        Place {
            unit: first | ((index >> (self.log_n - 2)) & 1) << (b - 1),
            address: rotate(middle, b % a, a),
            half: (index >> (self.log_n - 1)) & 1,
        }
    }

    /// The engine's order of values: word i of a host holds the value at omega^(order\[i\]).
    #[must_use]
    pub fn value_order(&self) -> Vec<usize> {
        let mut at = vec![0; self.n()];
        for j in 0..self.n() {
            at[self.number(self.value_place(j))] = j;
        }
        (0..self.n())
            .map(|i| at[self.number(self.coefficient_place(i))])
            .collect()
    }

    /// The number of a place among all of a buffer: bank after bank, word after word.
    #[must_use]
    pub const fn number(&self, place: Place) -> usize {
        (place.unit * self.words() + place.address) * 2 + place.half
    }
}

/// The `bits` bits of a number, rotated upwards.
pub(super) const fn rotate(number: usize, by: u32, bits: u32) -> usize {
    ((number << by) | (number >> (bits - by))) & ((1 << bits) - 1)
}
