use super::EngineKind;
use super::engine::EngineShape;
use crate::ntt_engine::Direction;
use crate::{Pipeline, RtlError};

/// The parameters of a core that have no rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// The engine of the transform unit.
    pub engine: EngineKind,
    /// The number of limb buffers, 4 to 32.
    pub limbs: u8,
    /// The number of moduli at a time, 1 to 16; 1 with dedicated reads.
    pub slots: u8,
    /// The bits of a residue.
    pub width: u32,
    /// Primes are 1 modulo 2^word.
    pub word: u32,
    /// The tables of conversions at a time, 2 to 16.
    pub tables: u8,
    /// The places of the queue of slots with doubtful columns, 1 to 128.
    pub doubts: u8,
    /// The bits of the memory's data bus: 64, 128 or 256.
    pub data_width: u32,
    /// The depth of all arithmetic.
    pub pipeline: Pipeline,
}

impl Sizes {
    /// The sizes that the data sheet has for an engine: primes of 50 bits that are 1 modulo 2^17 with XOR banks, of 30
    /// bits that are 1 modulo 2^16 with dedicated reads.
    #[must_use]
    pub const fn of(engine: EngineKind) -> Self {
        let (slots, width, word) = match engine {
            EngineKind::XorBanks => (2, 50, 17),
            EngineKind::DedicatedRead => (1, 30, 16),
        };
        Self {
            engine,
            limbs: 8,
            slots,
            width,
            word,
            tables: 2,
            doubts: 16,
            data_width: 256,
            pipeline: Pipeline::Deep,
        }
    }
}

impl Default for Sizes {
    /// The defaults of the data sheet.
    fn default() -> Self {
        Self::of(EngineKind::default())
    }
}

/// The parameters of a core: its engine's sizes, and the [`Sizes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Configuration {
    engine: EngineShape,
    sizes: Sizes,
}

impl Configuration {
    /// Checks the parameters of a core for limbs of n words, with this number of butterfly units.
    ///
    /// # Errors
    /// [`RtlError::BadEngine`] if the engine does not have this n and these units; [`RtlError::BadCore`] unless there are
    /// 4 to 32 buffers, 1 to 16 slots, 2 to 16 tables, 1 to 128 places for doubts, a word below the width, a width of at
    /// most 61 bits (this host's primes are below 2^62), and a bus of 64, 128 or 256 bits; with dedicated reads also unless
    /// there are one slot, at most 65536 words and at least as many units as words in a beat.
    pub fn new(n: usize, units: usize, sizes: Sizes) -> Result<Self, RtlError> {
        let dedicated = sizes.engine == EngineKind::DedicatedRead;
        let rules = [
            ((4..=32).contains(&sizes.limbs), "4 to 32 limb buffers"),
            ((1..=16).contains(&sizes.slots), "1 to 16 slots"),
            ((2..=16).contains(&sizes.tables), "2 to 16 tables"),
            ((1..=128).contains(&sizes.doubts), "1 to 128 places for doubts"),
            (
                (1..sizes.width).contains(&sizes.word),
                "a word of at least one bit and below the width",
            ),
            (sizes.width <= 61, "residues of at most 61 bits"),
            (
                matches!(sizes.data_width, 64 | 128 | 256),
                "a data bus of 64, 128 or 256 bits",
            ),
            (
                !dedicated || sizes.slots == 1,
                "one slot with dedicated reads, whose engine has constants of one prime",
            ),
            (
                !dedicated || n <= 65536,
                "at most 65536 words a limb with dedicated reads",
            ),
            (
                !dedicated || sizes.data_width as usize / 64 <= units,
                "as many units with dedicated reads as a beat has words, or more",
            ),
        ];
        if let Some((_, need)) = rules.into_iter().find(|(holds, _)| !holds) {
            return Err(RtlError::BadCore { need });
        }
        let engine = EngineShape::new(sizes.engine, n, units)?;
        Ok(Self { engine, sizes })
    }

    /// The engine's sizes.
    pub(super) const fn engine(&self) -> &EngineShape {
        &self.engine
    }

    /// The other parameters.
    #[must_use]
    pub const fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The words of a limb.
    #[must_use]
    pub const fn n(&self) -> usize {
        self.engine.n()
    }

    /// The butterfly units.
    #[must_use]
    pub const fn units(&self) -> usize {
        self.engine.units()
    }

    /// The bytes of a limb in memory.
    #[must_use]
    pub const fn limb_bytes(&self) -> u64 {
        8 * self.n() as u64
    }

    /// The constants of a prime. With XOR banks for each dimension of order m, m Gauss sums and m/2 powers, in both
    /// directions; with dedicated reads the engine's tables.
    #[must_use]
    pub fn constants(&self) -> usize {
        self.engine.constants()
    }

    /// The cycles of a butterfly unit.
    #[must_use]
    pub const fn unit_latency(&self) -> u64 {
        self.sizes
            .pipeline
            .butterfly(self.sizes.width, self.sizes.word, true)
    }

    /// The words of a bank.
    #[must_use]
    pub const fn depth(&self) -> u64 {
        (self.n() / (2 * self.units())) as u64
    }

    /// The cycles of a transform in its engine, from the first read to the last write.
    #[must_use]
    pub fn transform_cycles(&self, direction: Direction) -> u64 {
        self.engine.cycles(self.unit_latency(), direction)
    }

    /// The cycles of a vector instruction, of which each word is the sum of so many products, or one operation, from its
    /// start to the next possible start (`docs/machines/core-vector.md`).
    #[must_use]
    pub const fn vector_cycles(&self, terms: u64) -> u64 {
        let Sizes {
            width,
            word,
            pipeline,
            ..
        } = self.sizes;
        let lane = pipeline.multiplication(width, word) + 3;
        let stages = (2 * self.units()).ilog2() as u64;
        let network = match pipeline {
            Pipeline::Shallow => stages.div_ceil(2),
            Pipeline::Deep | Pipeline::Narrow => stages,
        };
        terms * self.depth() + 4 + lane + network
    }

    /// The cycles of a conversion lane.
    #[must_use]
    pub const fn conversion_latency(&self) -> u64 {
        self.sizes
            .pipeline
            .conversion_lane(self.sizes.width, self.sizes.word)
    }

    /// The module and its parameters, as `hdl/hw` prints them.
    #[must_use]
    pub fn machine(&self) -> String {
        let Sizes {
            engine,
            limbs,
            slots,
            width,
            word,
            tables,
            doubts,
            data_width,
            pipeline,
        } = self.sizes;
        let (engine, n, units, pipeline) = (engine.value(), self.n(), self.units(), pipeline.value());
        format!(
            "core Engine={engine} N={n} Units={units} Limbs={limbs} Slots={slots} Width={width} Word={word} \
             Tables={tables} Doubts={doubts} DataWidth={data_width} Pipeline={pipeline}"
        )
    }

    /// The value of [`Register::Shape`](super::Register::Shape).
    #[must_use]
    pub const fn shape_register(&self) -> u32 {
        let [limbs, slots] = [self.sizes.limbs, self.sizes.slots];
        u32::from_le_bytes([self.n().ilog2() as u8, self.units().ilog2() as u8, limbs, slots])
    }

    /// The value of [`Register::Conversion`](super::Register::Conversion).
    #[must_use]
    pub const fn conversion_register(&self) -> u32 {
        u32::from_le_bytes([self.sizes.tables, self.sizes.doubts, 0, 0])
    }

    /// The value of [`Register::Words`](super::Register::Words).
    #[must_use]
    pub const fn words_register(&self) -> u32 {
        let beat = (self.sizes.data_width / 8).trailing_zeros();
        let engine = self.sizes.engine.value();
        u32::from_le_bytes([self.sizes.width as u8, self.sizes.word as u8, beat as u8, engine])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_the_parameters_byte_by_byte() {
        let configuration = Configuration::new(32768, 16, Sizes::default()).unwrap();
        assert_eq!(configuration.shape_register(), 0x0208_040f);
        assert_eq!(configuration.words_register(), 0x0005_1132);
        assert_eq!(configuration.conversion_register(), 0x1002);
        assert_eq!(configuration.constants(), 834);
        assert_eq!(configuration.unit_latency(), 20);
        assert_eq!(configuration.vector_cycles(1), 1051);
        assert_eq!(configuration.vector_cycles(3), 3 * 1024 + 27);
        let dedicated = Configuration::new(65536, 16, Sizes::of(EngineKind::DedicatedRead)).unwrap();
        assert_eq!(dedicated.shape_register(), 0x0108_0410);
        assert_eq!(dedicated.words_register(), 0x0105_101e);
        assert_eq!(dedicated.constants(), 65632);
        // A cycle more than with banks of its own.
        assert_eq!(dedicated.transform_cycles(Direction::Forward), 32789);
        assert_eq!(dedicated.transform_cycles(Direction::Inverse), 34837);
    }

    #[test]
    fn parameters_that_cannot_be_are_refused() {
        let good = Sizes::default();
        let refused = |sizes| match Configuration::new(2048, 4, sizes) {
            Err(RtlError::BadCore { need }) => need,
            other => panic!("{other:?}"),
        };
        for limbs in [0, 3, 33] {
            assert!(refused(Sizes { limbs, ..good }).contains("limb buffers"));
        }
        for slots in [0, 17] {
            assert!(refused(Sizes { slots, ..good }).contains("slots"));
        }
        for tables in [1, 17] {
            assert!(refused(Sizes { tables, ..good }).contains("tables"));
        }
        for doubts in [0, 129] {
            assert!(refused(Sizes { doubts, ..good }).contains("doubts"));
        }
        for word in [0, 50, 51] {
            assert!(refused(Sizes { word, ..good }).contains("word"));
        }
        assert!(refused(Sizes { width: 62, ..good }).contains("61"));
        for data_width in [0, 32, 512] {
            assert!(refused(Sizes { data_width, ..good }).contains("bus"));
        }
        assert!(matches!(
            Configuration::new(2047, 4, good),
            Err(RtlError::BadEngine { .. })
        ));
    }

    #[test]
    fn dedicated_reads_have_rules_of_their_own() {
        let good = Sizes::of(EngineKind::DedicatedRead);
        let refused = |n, units, sizes| match Configuration::new(n, units, sizes) {
            Err(error) => error.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(refused(1024, 4, Sizes { slots: 2, ..good }).contains("one slot"));
        assert!(refused(131_072, 16, good).contains("65536"));
        assert!(refused(1024, 2, good).contains("a beat has words"));
        assert!(refused(1024, 32, good).contains("2 units^2"));
    }
}
