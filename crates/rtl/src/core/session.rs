use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Modulus};

use super::chain::{Chain, Job, TableBlock};
use super::places::{Limb, Places};
use super::planner::Planner;
use super::{
    Configuration, ConstantsBlock, ConversionKind, ConversionTable, Driver, Fault, Machine, Piece, Rounding,
    SlotNumber,
};
use crate::RtlError;

/// What a table is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TableUse {
    /// A conversion that rounds to the nearest, and the factors of its multiplier.
    Convert(ConversionKind, Vec<u64>),
    /// v ([`ConversionTable::quotient_of`]), whatever the targets.
    Quotient(Rounding),
    /// A piece of a digit.
    Piece(Piece),
}

impl TableUse {
    pub(super) fn convert(kind: ConversionKind, multiplier: &[u64]) -> Self {
        Self::Convert(kind, multiplier.to_vec())
    }
}

/// A table's use and its primes.
type TableKey = (TableUse, [Vec<u64>; 2]);

/// A core at work for one thread: its driver, and what the host knows of its memory, its buffers and its slots.
#[derive(Debug)]
pub(super) struct Session<M> {
    driver: Driver<M>,
    pub(super) planner: Planner,
    places: Places,
    /// The constants of the primes that were used so far, by prime.
    blocks: BTreeMap<u64, u64>,
    /// The tables of the conversions that were used so far.
    tables: BTreeMap<TableKey, TableBlock>,
}

impl<M: Machine> Session<M> {
    pub(super) fn new(machine: M) -> Result<Self, RtlError> {
        let configuration = *machine.configuration();
        let driver = Driver::new(machine, Driver::<M>::RING_LOG)?;
        Ok(Self {
            planner: Planner::new(&configuration),
            places: Places::new(driver.data(), configuration.limb_bytes()),
            blocks: BTreeMap::new(),
            tables: BTreeMap::new(),
            driver,
        })
    }

    pub(super) fn driver(&mut self) -> &mut Driver<M> {
        &mut self.driver
    }

    pub(super) fn configuration(&self) -> &Configuration {
        self.driver.machine().configuration()
    }

    /// The words of a limb.
    pub(super) fn n(&self) -> usize {
        self.configuration().n()
    }

    /// Takes back the places of limbs that were dropped, and overwrites those that are secret. Between programs.
    pub(super) fn reclaim(&mut self) -> Result<(), RtlError> {
        for (place, secret) in self.places.returned() {
            if secret {
                self.planner.wipe(place);
                self.write(place, &vec![0; self.n()])?;
            } else {
                self.planner.forget(place);
            }
            self.places.free(place);
        }
        Ok(())
    }

    /// Runs what was planned.
    pub(super) fn run(&mut self) -> Result<(), RtlError> {
        let done = self.driver.run(&self.planner.take());
        if done.is_err() {
            self.planner.reset();
        }
        done
    }

    /// Begins a step: work on one limb modulo a prime. Returns the prime's slot.
    pub(super) fn step(&mut self, modulus: &Modulus) -> Result<SlotNumber, RtlError> {
        self.planner.step();
        let address = match self.blocks.get(&modulus.value()) {
            Some(&address) => address,
            None => self.write_constants(modulus)?,
        };
        Ok(self.planner.slot(modulus, address))
    }

    fn write_constants(&mut self, modulus: &Modulus) -> Result<u64, RtlError> {
        let block = ConstantsBlock::new(self.configuration(), modulus)?;
        let address = self.places.block(8 * block.words().len() as u64)?;
        self.write(address, block.words())?;
        self.blocks.insert(modulus.value(), address);
        Ok(address)
    }

    /// A place for a new limb.
    pub(super) fn limb(&mut self) -> Result<Limb, RtlError> {
        self.places.limb()
    }

    pub(super) fn write(&mut self, place: u64, words: &[u64]) -> Result<(), RtlError> {
        self.driver.machine_mut().write_memory(place, words)
    }

    /// The words of limbs, one after the other.
    pub(super) fn read(&mut self, places: &[u64]) -> Result<Vec<u64>, RtlError> {
        places.iter().try_for_each(|&place| self.planner.store(place))?;
        self.run()?;
        let n = self.n();
        let mut words = vec![0; places.len() * n];
        for (&place, words) in places.iter().zip(words.chunks_exact_mut(n)) {
            self.driver.machine_mut().read_memory(place, words)?;
        }
        Ok(words)
    }

    /// The table for a use, from some primes to others.
    pub(super) fn table(
        &mut self,
        table_use: TableUse,
        [from, to]: [&[Modulus]; 2],
    ) -> Result<TableBlock, RtlError> {
        let primes = [from, to].map(|moduli| moduli.iter().map(Modulus::value).collect());
        let key = (table_use, primes);
        if let Some(block) = self.tables.get(&key) {
            return Ok(block.clone());
        }
        let configuration = self.configuration();
        let from = &Basis::new(from)?;
        let table = match &key.0 {
            TableUse::Convert(kind, multiplier) => {
                let bases = [from, &Basis::new(to)?];
                ConversionTable::new(configuration, *kind, Rounding::Nearest, multiplier, bases)?
            }
            TableUse::Quotient(rounding) => ConversionTable::quotient_of(configuration, *rounding, from)?,
            TableUse::Piece(piece) => ConversionTable::piece(configuration, *piece, from, to)?,
        };
        let address = self.places.block(8 * ConversionTable::WORDS as u64)?;
        let mut block = table.block();
        block.resize(ConversionTable::WORDS, 0);
        self.write(address, &block)?;
        let table = Arc::new(table);
        let block = TableBlock { table, address };
        self.tables.insert(key, block.clone());
        Ok(block)
    }

    /// Converts limbs. Columns of which the core is not certain are converted here, by big integers.
    pub(super) fn convert(&mut self, chain: &Chain) -> Result<(), RtlError> {
        self.planner.clear_buffers();
        self.run()?;
        let tables: Vec<_> = chain.blocks().map(|at| self.planner.table(at)).collect();
        for instruction in chain.program(&tables) {
            self.planner.push(instruction);
        }
        let first = self.driver.conversions();
        match self.driver.run(&self.planner.take()) {
            Ok(()) => self.redo_doubtful(chain, first),
            Err(error) => {
                self.planner.reset();
                match error {
                    RtlError::Core {
                        fault: Fault::Doubts, ..
                    } => chain
                        .jobs()
                        .iter()
                        .try_for_each(|job| self.redo(chain, job, 0..self.n())),
                    error => Err(error),
                }
            }
        }
    }

    /// Converts the columns again that the core reports after a program, of which this was the first conversion.
    fn redo_doubtful(&mut self, chain: &Chain, first: u32) -> Result<(), RtlError> {
        let banks = 2 * self.configuration().units();
        for (conversion, slot) in self.driver.doubts()? {
            let number = conversion.wrapping_sub(first) as usize;
            if let Some((job, first)) = chain.columns(number, slot as usize, banks) {
                self.redo(chain, job, first..first + banks)?;
            }
        }
        Ok(())
    }

    /// Converts some columns of a job by big integers.
    fn redo(&mut self, chain: &Chain, job: &Job, columns: Range<usize>) -> Result<(), RtlError> {
        for column in columns {
            let offset = 8 * column as u64;
            let mut word = |place: u64| {
                let mut word = [0];
                let machine = self.driver.machine_mut();
                machine.read_memory(place + offset, &mut word).map(|()| word[0])
            };
            let sources = job.sources.iter().map(|&place| word(place));
            let sources = Secret::from(sources.collect::<Result<Vec<_>, _>>()?);
            let own = job.own.iter().map(|&place| word(place));
            let own = Secret::from(own.collect::<Result<Vec<_>, _>>()?);
            let words = Secret::from(chain.redo(&sources, &own)?);
            for (&place, &word) in job.results.iter().zip(words.iter()) {
                self.write(place + offset, &[word])?;
            }
        }
        Ok(())
    }
}
