/// The words that are read, and the constants that are taken, in a cycle: the tile's multipliers.
pub(super) const LANES: usize = 3;

/// What becomes of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the next operation goes on with it.
    Keep,
    /// Its low word is written.
    Word,
    /// Its residue modulo a prime that is 1 modulo 2^16, times 2^-48, is written.
    Residue {
        /// The prime, below 2^32.
        modulus: u32,
    },
}

/// What a sum begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// Zero.
    Fresh,
    /// The sum before it.
    Continue,
    /// The sum before it without its low word.
    Shift,
}

/// A word of a tile's memory, by its number. Word w is in bank w mod 3, at address w / 3: a triple.
pub type Place = u16;

/// An operation of all tiles: a sum of products of words of a tile's memory and constants, three a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// What becomes of the sum.
    pub kind: Kind,
    /// What it begins with.
    pub chain: Chain,
    /// Whether it waits until all results before it are written.
    pub wait: bool,
    /// The first triple of words.
    pub operand: u8,
    /// The first triple of constants.
    pub constants: u16,
    /// The triples, 1 to 42.
    pub triples: u8,
    /// Where the result goes.
    pub destination: Place,
}

impl Operation {
    /// As the program's memory has it: 72 bits, the lowest word first.
    #[must_use]
    pub fn bits(&self) -> [u32; LANES] {
        let (kind, modulus) = match self.kind {
            Kind::Keep => (0_u128, 0),
            Kind::Word => (1, 0),
            Kind::Residue { modulus } => (2, modulus),
        };
        let chain = match self.chain {
            Chain::Fresh => 0_u128,
            Chain::Continue => 1,
            Chain::Shift => 2,
        };
        let (lane, address) = (
            self.destination % LANES as Place,
            self.destination / LANES as Place,
        );
        let fields = [
            (kind, 2),
            (chain, 2),
            (u128::from(self.wait), 1),
            (self.operand.into(), 7),
            (self.constants.into(), 13),
            (self.triples.into(), 6),
            (lane.into(), 2),
            (address.into(), 7),
            (modulus.into(), 32),
        ];
        let mut bits = 0;
        let mut at = 0;
        for (field, width) in fields {
            bits |= field << at;
            at += width;
        }
        [0, 32, 64].map(|shift| (bits >> shift) as u32)
    }
}

/// A program and its constants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    operations: Vec<Operation>,
    constants: Vec<[u32; LANES]>,
    wait: bool,
}

impl Program {
    /// The operations.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The constants, by triples.
    #[must_use]
    pub fn constants(&self) -> &[[u32; LANES]] {
        &self.constants
    }

    /// The cycles until the first triple is read: the first operation is on its way.
    const START: u64 = 2;

    /// The cycles from the read of a triple until its operation's result is written.
    pub const LATENCY: u64 = 15;

    /// The cycles from its start until the last result is written: a cycle for each triple, and the latency of a tile
    /// after the last and wherever an operation waits for results.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        let triples: u64 = self
            .operations
            .iter()
            .map(|operation| u64::from(operation.triples))
            .sum();
        let waits = self.operations.iter().filter(|operation| operation.wait).count() as u64;
        Self::START + triples + (waits + 1) * Self::LATENCY
    }

    /// Has the next operation wait.
    pub(super) const fn wait(&mut self) {
        self.wait = true;
    }

    /// Adds an operation on the words from a place on, each times its constant; the first may be any word of its triple.
    pub(super) fn push(
        &mut self,
        kind: Kind,
        chain: Chain,
        first: Place,
        constants: &[u32],
        destination: Place,
    ) {
        let skipped = usize::from(first) % LANES;
        let mut padded = vec![0; skipped];
        padded.extend_from_slice(constants);
        padded.resize(padded.len().next_multiple_of(LANES).max(LANES), 0);
        let at = self.constants.len() as u16;
        let (triples, _) = padded.as_chunks();
        self.operations.push(Operation {
            kind,
            chain,
            wait: std::mem::take(&mut self.wait),
            operand: (usize::from(first) / LANES) as u8,
            constants: at,
            triples: triples.len() as u8,
            destination,
        });
        self.constants.extend_from_slice(triples);
    }
}
