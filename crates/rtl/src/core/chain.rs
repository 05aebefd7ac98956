//! Programs of conversions, strip by strip.

use std::sync::Arc;

use super::rows::Rows;
use super::{Buffer, Configuration, ConversionTable, Instruction, Row, TableNumber};
use crate::RtlError;

/// The sets of buffers in turn: one is loaded, one is converted, one is stored.
const SETS: usize = 3;

/// Conversions of limbs in memory by the same tables, and the buffers that they use.
///
/// The first conversion takes the *lower* limbs of a job to its *upper* ones; a second one, if there is one, takes these
/// back.
#[derive(Debug)]
pub(super) struct Chain {
    tables: Vec<TableBlock>,
    rows: Rows,
    log_rows: u8,
    /// The buffers of the lower limbs, and of the upper ones.
    buffers: [usize; 2],
    sets: usize,
    jobs: Vec<Job>,
}

/// A table and the address of its block.
#[derive(Debug, Clone)]
pub(super) struct TableBlock {
    pub(super) table: Arc<ConversionTable>,
    pub(super) address: u64,
}

/// The places of the limbs of one conversion.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// For each lower prime.
    pub(super) sources: Vec<u64>,
    /// For each upper prime, if the conversion has own words.
    pub(super) own: Vec<u64>,
    /// For each upper prime, or for each lower one if there are two conversions.
    pub(super) results: Vec<u64>,
}

/// A strip of a job, and its number among all.
#[derive(Debug, Clone, Copy)]
struct Step {
    number: usize,
    job: usize,
    strip: u8,
}

impl Chain {
    /// Finds buffers for conversions by one table, or by two of which the second goes back.
    ///
    /// # Errors
    /// [`RtlError::BadCore`] if the core has too few.
    pub(super) fn new(
        configuration: &Configuration,
        tables: Vec<TableBlock>,
        jobs: Vec<Job>,
    ) -> Result<Self, RtlError> {
        let shape = tables.first().map(|block| block.table.shape());
        let primes = shape.map_or([0; 2], |shape| [shape.sources, shape.targets]);
        let limbs = usize::from(configuration.sizes().limbs);
        for sets in [SETS, SETS - 1] {
            for log_rows in 1..=5 {
                let Ok(rows) = Rows::new(configuration, log_rows) else {
                    continue;
                };
                let buffers = primes.map(|primes| primes.div_ceil(rows.count()));
                let [lower, upper] = buffers;
                if sets * (lower + upper) <= limbs {
                    return Ok(Self {
                        tables,
                        rows,
                        log_rows,
                        buffers,
                        sets,
                        jobs,
                    });
                }
            }
        }
        Err(RtlError::BadCore {
            need: "more limb buffers for a conversion of this many primes",
        })
    }

    /// The addresses of its tables, in the order of their use.
    pub(super) fn blocks(&self) -> impl Iterator<Item = u64> {
        self.tables.iter().map(|block| block.address)
    }

    /// The program, with these numbers for the tables: a strip is loaded and another stored while a third is converted.
    pub(super) fn program(&self, tables: &[TableNumber]) -> Vec<Instruction> {
        let mut program = Vec::new();
        let steps: Vec<Step> = self.steps().collect();
        for (at, &step) in steps.iter().enumerate() {
            let stored = at.checked_sub(SETS - 1).and_then(|at| steps.get(at));
            let mut stores = stored
                .map_or_else(Vec::new, |&step| self.stores(step))
                .into_iter();
            for load in self.loads(step) {
                program.extend(stores.next());
                program.push(load);
            }
            program.extend(stores);
            program.extend(self.conversions(step, tables));
        }
        let left = steps.len().saturating_sub(SETS - 1);
        program.extend(steps.iter().skip(left).flat_map(|&step| self.stores(step)));
        program
    }

    fn steps(&self) -> impl Iterator<Item = Step> {
        let strips = self.rows.count();
        (0..self.jobs.len() * strips).map(move |number| Step {
            number,
            job: number / strips,
            strip: (number % strips) as u8,
        })
    }

    /// The first rows of the lower and the upper limbs of a step.
    fn first_rows(&self, step: Step) -> [Row; 2] {
        let [lower, upper] = self.buffers;
        let first = step.number % self.sets * (lower + upper);
        [first, first + lower].map(|buffer| Row {
            buffer: buffer as Buffer,
            row: 0,
        })
    }

    fn row(&self, first: Row, at: usize) -> Row {
        let (buffer, row) = self.rows.behind(first, at);
        let (buffer, row) = (buffer as Buffer, row as u8);
        Row { buffer, row }
    }

    fn loads(&self, step: Step) -> Vec<Instruction> {
        let (Some(job), [lower, upper]) = (self.jobs.get(step.job), self.first_rows(step)) else {
            return Vec::new();
        };
        let load = |first: Row| {
            move |(at, address)| Instruction::LoadRow {
                destination: self.row(first, at),
                strip: step.strip,
                log_rows: self.log_rows,
                address,
            }
        };
        let sources = job.sources.iter().copied().enumerate().map(load(lower));
        let own = job.own.iter().copied().enumerate().map(load(upper));
        sources.chain(own).collect()
    }

    fn conversions(&self, step: Step, tables: &[TableNumber]) -> impl Iterator<Item = Instruction> {
        let [lower, upper] = self.first_rows(step);
        let directions = [(lower, upper), (upper, lower)];
        let log_rows = self.log_rows;
        tables
            .iter()
            .zip(directions)
            .enumerate()
            .map(
                move |(at, (&table, (sources, destination)))| Instruction::Convert {
                    table,
                    log_rows,
                    destination,
                    sources,
                    own: if at == 0 && self.has_own() {
                        upper
                    } else {
                        Row::default()
                    },
                },
            )
    }

    fn has_own(&self) -> bool {
        self.tables.first().is_some_and(|block| block.table.shape().own)
    }

    fn stores(&self, step: Step) -> Vec<Instruction> {
        let (Some(job), [lower, upper]) = (self.jobs.get(step.job), self.first_rows(step)) else {
            return Vec::new();
        };
        let first = if self.tables.len() > 1 { lower } else { upper };
        let stores = job.results.iter().enumerate();
        let stores = stores.map(|(at, &address)| Instruction::StoreRow {
            source: self.row(first, at),
            strip: step.strip,
            log_rows: self.log_rows,
            address,
        });
        stores.collect()
    }

    /// The job of a conversion of the program, by its number among them, and the first column of a slot of its strip.
    pub(super) fn columns(&self, conversion: usize, slot: usize, banks: usize) -> Option<(&Job, usize)> {
        let step = conversion / self.tables.len().max(1);
        let strips = self.rows.count();
        let job = self.jobs.get(step / strips)?;
        Some((job, step % strips * self.rows.words() + slot * banks))
    }

    /// All jobs, to do them elsewhere.
    pub(super) fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Converts a column exactly, by big integers: the words of the sources and own words, and those of the results.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] for another number of words.
    pub(super) fn redo(&self, sources: &[u64], own: &[u64]) -> Result<Vec<u64>, RtlError> {
        let [first, rest @ ..] = self.tables.as_slice() else {
            return Ok(Vec::new());
        };
        let mut words = first.table.redo(sources, own)?;
        for block in rest {
            words = block.table.redo(&words, &[])?;
        }
        Ok(words)
    }
}
