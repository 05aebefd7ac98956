use std::collections::BTreeMap;

use ringmill_arith::Modulus;

use super::places::{Limb, Places};
use super::planner::Planner;
use super::{Configuration, ConstantsBlock, Driver, Machine, SlotNumber};
use crate::RtlError;

/// A core at work for one thread: its driver, and what the host knows of its memory, its buffers and its slots.
#[derive(Debug)]
pub(super) struct Session<M> {
    driver: Driver<M>,
    pub(super) planner: Planner,
    places: Places,
    /// The constants of the primes that were used so far, by prime.
    blocks: BTreeMap<u64, u64>,
}

impl<M: Machine> Session<M> {
    pub(super) fn new(machine: M) -> Result<Self, RtlError> {
        let configuration = *machine.configuration();
        let driver = Driver::new(machine, Driver::<M>::RING_LOG)?;
        Ok(Self {
            planner: Planner::new(&configuration),
            places: Places::new(driver.data(), configuration.limb_bytes()),
            blocks: BTreeMap::new(),
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
}
