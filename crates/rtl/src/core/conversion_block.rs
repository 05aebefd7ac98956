//! A conversion's table as a block in memory.

use ringmill_arith::Modulus;

use super::conversion::{FACTORS, HEAD, ROWS, Source, Target};
use super::{Configuration, ConversionShape, ConversionTable, Rounding};
use crate::RtlError;
use crate::ntt_engine::Unit;

impl ConversionTable {
    /// Reads a block as the core does: it takes whatever factors it finds. `None` for a block that the core refuses.
    ///
    /// # Errors
    /// [`RtlError::Arith`] if a modulus is not prime. A core would compute; our arithmetic cannot.
    pub(super) fn read(configuration: &Configuration, words: &[u64]) -> Result<Option<Self>, RtlError> {
        let (sizes, mut reader) = (configuration.sizes(), Reader(words));
        let head = reader.next();
        let (shape, nearest) = (ConversionShape::of(head), head >> 17 & 1 == 1);
        let is_zero = |words: Option<&[u64]>| words.is_some_and(|words| words.iter().all(|&word| word == 0));
        let unused = [
            words.get(1..HEAD),
            words.get(HEAD + shape.sources..HEAD + ROWS),
            words.get(HEAD + ROWS + shape.targets..HEAD + 2 * ROWS),
        ];
        let too_long = words.iter().any(|word| word >> sizes.width != 0);
        let used = 3 * shape.sources + shape.targets * (shape.sources + 1 + usize::from(shape.own));
        let fits =
            (1..ROWS).contains(&shape.sources) && (1..=ROWS).contains(&shape.targets) && used <= FACTORS;
        let primes = [
            words.get(HEAD..HEAD + shape.sources),
            words.get(HEAD + ROWS..HEAD + ROWS + shape.targets),
        ];
        let mut primes = primes.into_iter().flatten().flatten();
        let suit = primes.all(|q| q % (1 << sizes.word) == 1);
        if !fits || !suit || too_long || head >> 19 != 0 || !unused.into_iter().all(is_zero) {
            return Ok(None);
        }
        reader.skip(HEAD - 1);
        let unit = |q: u64| Unit::new(&Modulus::new(q)?, sizes.width, sizes.word);
        let mut units = |count: usize| {
            let primes: Vec<u64> = (0..ROWS).map(|_| reader.next()).take(count).collect();
            reader.skip(ROWS - count);
            primes.into_iter().map(unit).collect::<Result<Vec<_>, RtlError>>()
        };
        let (sources, targets) = (units(shape.sources)?, units(shape.targets)?);
        let factors: Vec<u64> = sources.iter().map(|_| reader.next()).collect();
        let sources = sources.into_iter().zip(factors).map(|(unit, factor)| Source {
            unit,
            factor,
            reciprocal: [reader.next(), reader.next()],
        });
        let sources = sources.collect::<Vec<_>>();
        let targets = targets.into_iter().map(|unit| Target {
            unit,
            own: if shape.own { reader.next() } else { 0 },
            weights: sources.iter().map(|_| reader.next()).collect(),
            quotient: reader.next(),
        });
        Ok(Some(Self {
            width: sizes.width,
            latency: sizes.pipeline.conversion_lane(sizes.width, sizes.word),
            rounding: if nearest {
                Rounding::Nearest
            } else {
                Rounding::Down
            },
            own: shape.own,
            low: head >> 18 & 1 == 1,
            targets: targets.collect(),
            sources,
        }))
    }

    /// The block in memory that the core loads.
    #[must_use]
    pub fn block(&self) -> Vec<u64> {
        let nearest = self.rounding == Rounding::Nearest;
        let shape = self.sources.len() | self.targets.len() << 8;
        let flags = u64::from(self.own) | u64::from(nearest) << 1 | u64::from(self.low) << 2;
        let mut words = vec![shape as u64 | flags << 16];
        let primes = [
            self.sources.iter().map(|source| source.unit).collect::<Vec<_>>(),
            self.targets.iter().map(|target| target.unit).collect(),
        ];
        for (i, units) in primes.into_iter().enumerate() {
            words.resize(HEAD + i * ROWS, 0);
            words.extend(units.iter().map(|unit| unit.modulus().value()));
        }
        words.resize(HEAD + 2 * ROWS, 0);
        words.extend(self.sources.iter().map(|source| source.factor));
        words.extend(self.sources.iter().flat_map(|source| source.reciprocal));
        for target in &self.targets {
            words.extend(self.own.then_some(target.own));
            words.extend(&target.weights);
            words.push(target.quotient);
        }
        words.resize(words.len().next_multiple_of(8), 0);
        words
    }
}

/// The words of a block, one after the other; 0 behind its end.
struct Reader<'a>(&'a [u64]);

impl Reader<'_> {
    fn next(&mut self) -> u64 {
        match *self.0 {
            [first, ref rest @ ..] => {
                self.0 = rest;
                first
            }
            [] => 0,
        }
    }

    fn skip(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }
}
