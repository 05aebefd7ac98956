use std::collections::BTreeSet;

use ringmill_arith::Modulus;

use super::program::Program;
use super::{Buffer, Configuration, Instruction, SlotNumber, TableNumber};
use crate::RtlError;

/// A buffer, as the host knows it.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The limb that it holds.
    limb: Option<Held>,
    /// The slot under which it was written; `None` if it is empty.
    slot: Option<SlotNumber>,
    /// It holds words of no limb.
    scratch: bool,
    /// It stays as it is until the step ends.
    pinned: bool,
    /// The time of its last use.
    used: u64,
}

/// A limb in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    /// Its place in memory.
    place: u64,
    /// Its words are not in memory.
    dirty: bool,
}

impl Entry {
    fn holds(&self, place: u64) -> bool {
        self.limb.is_some_and(|limb| limb.place == place)
    }

    fn is_dirty(&self) -> bool {
        self.limb.is_some_and(|limb| limb.dirty)
    }
}

/// Plans a program: which limb is in which buffer, which prime in which slot, and the instructions that bring them there.
///
/// Limbs stay in their buffers until others need the room: then the one goes that was not used for the longest time, and
/// is stored if memory does not have its words. A limb may be in several buffers, of which one at most is dirty.
///
/// The plan supposes that its program is run. If the core stops, [`Planner::reset`] forgets what was in it.
#[derive(Debug)]
pub(super) struct Planner {
    program: Program,
    entries: Vec<Entry>,
    /// The prime of each slot, and the time of its last use.
    slots: Vec<Option<(Modulus, u64)>>,
    /// The address of each table, and the time of its last use.
    tables: Vec<Option<(u64, u64)>>,
    time: u64,
    /// The limbs whose words were in a core that stopped, and nowhere else.
    lost: BTreeSet<u64>,
}

impl Planner {
    pub(super) fn new(configuration: &Configuration) -> Self {
        let sizes = configuration.sizes();
        Self {
            program: Program::default(),
            entries: vec![Entry::default(); sizes.limbs.into()],
            slots: vec![None; sizes.slots.into()],
            tables: vec![None; sizes.tables.into()],
            time: 0,
            lost: BTreeSet::new(),
        }
    }

    /// Begins a step: what the last one used may go.
    pub(super) fn step(&mut self) {
        self.program.step();
        self.entries.iter_mut().for_each(|entry| entry.pinned = false);
    }

    /// Adds an instruction on buffers that were asked for.
    pub(super) fn push(&mut self, instruction: Instruction) {
        self.program.push(instruction);
    }

    /// Ends the program.
    pub(super) fn take(&mut self) -> Vec<Instruction> {
        self.step();
        self.program.take()
    }

    /// Forgets all buffers and slots, because the core was cleared.
    pub(super) fn reset(&mut self) {
        self.program.take();
        let dirty = self.entries.iter().filter_map(|entry| entry.limb);
        self.lost
            .extend(dirty.filter(|limb| limb.dirty).map(|limb| limb.place));
        self.entries.fill(Entry::default());
        self.slots.fill(None);
        self.tables.fill(None);
    }

    /// The slot of a prime whose constants are at an address, at the beginning of a step.
    pub(super) fn slot(&mut self, modulus: &Modulus, address: u64) -> SlotNumber {
        self.time += 1;
        let holds = |slot: &Option<(Modulus, u64)>| slot.is_some_and(|(q, _)| q == *modulus);
        let found = self.slots.iter().position(holds);
        let at = found.unwrap_or_else(|| {
            let slots = self.slots.iter().enumerate();
            let oldest = slots.min_by_key(|(_, slot)| slot.map(|(_, used)| used));
            oldest.map_or(0, |(at, _)| at)
        });
        let slot = at as SlotNumber;
        if found.is_none() {
            self.empty(slot);
            self.push(Instruction::Constants { slot, address });
        }
        self.slots[at] = Some((*modulus, self.time));
        slot
    }

    /// The table whose block is at an address.
    pub(super) fn table(&mut self, address: u64) -> TableNumber {
        self.time += 1;
        let tables = || self.tables.iter().enumerate();
        let found = tables().find(|(_, table)| table.is_some_and(|(at, _)| at == address));
        let oldest = || tables().min_by_key(|(_, table)| table.map(|(_, used)| used));
        let at = found.or_else(oldest).map_or(0, |(at, _)| at);
        let table = at as TableNumber;
        if found.is_none() {
            self.push(Instruction::Table { table, address });
        }
        self.tables[at] = Some((address, self.time));
        table
    }

    /// Stores what is dirty and makes all buffers free, for rows that the program behind this one writes.
    pub(super) fn clear_buffers(&mut self) {
        self.step();
        for at in 0..self.entries.len() {
            self.evict(at);
            self.entries[at] = Entry {
                scratch: true,
                ..Entry::default()
            };
        }
    }

    /// Stores what is dirty under a slot, whose buffers new constants make empty.
    fn empty(&mut self, slot: SlotNumber) {
        for at in 0..self.entries.len() {
            if self.entries[at].slot == Some(slot) {
                self.evict(at);
                self.entries[at] = Entry::default();
            }
        }
    }

    /// A buffer with a limb.
    pub(super) fn source(&mut self, place: u64, slot: SlotNumber) -> Result<Buffer, RtlError> {
        let at = match self.find(place) {
            Some(at) => at,
            None => {
                self.exists(place)?;
                let at = self.claim()?;
                self.fetch(at, place, slot);
                at
            }
        };
        self.pin(at);
        Ok(at as Buffer)
    }

    /// A buffer with a limb whose words the next instruction replaces.
    pub(super) fn take_over(&mut self, place: u64, slot: SlotNumber) -> Result<Buffer, RtlError> {
        let buffer = self.source(place, slot)?;
        self.forget(place);
        self.hold(buffer.into(), Some(Held { place, dirty: true }), slot);
        Ok(buffer)
    }

    /// A buffer for a new limb, which the next instruction writes.
    pub(super) fn result(&mut self, place: u64, slot: SlotNumber) -> Result<Buffer, RtlError> {
        let at = self.claim()?;
        self.hold(at, Some(Held { place, dirty: true }), slot);
        Ok(at as Buffer)
    }

    /// A buffer for words that are no limb, which the next instruction writes.
    pub(super) fn scratch(&mut self, slot: SlotNumber) -> Result<Buffer, RtlError> {
        let at = self.claim()?;
        self.hold(at, None, slot);
        Ok(at as Buffer)
    }

    /// Consecutive buffers with the first limbs of pairs, and others with the second, such that one buffer at least is
    /// left for the result. `None` if the pinned buffers leave no room.
    pub(super) fn operands(
        &mut self,
        pairs: &[(u64, u64)],
        slot: SlotNumber,
    ) -> Result<Option<(Buffer, Buffer)>, RtlError> {
        let bases = 0..self.entries.len();
        let choices = bases.clone().flat_map(|a| bases.clone().map(move |b| (a, b)));
        let rated = choices.filter_map(|(a, b)| Some((self.moves(pairs, a, b)?, a, b)));
        let Some((_, a, b)) = rated.min() else {
            return Ok(None);
        };
        let wanted: Vec<_> = wanted(pairs, a, b).collect();
        for &(at, place) in &wanted {
            self.exists(place)?;
            if self.entries[at].holds(place) {
                self.pin(at);
            }
        }
        for (at, place) in wanted {
            if !self.entries[at].holds(place) {
                self.evict(at);
                self.fetch(at, place, slot);
                self.pin(at);
            }
        }
        Ok(Some((a as Buffer, b as Buffer)))
    }

    /// The limbs that must be moved to have the operands from these buffers on, those among them that must be stored to
    /// make room, and the time of the latest use of what goes; `None` if they cannot be there.
    fn moves(&self, pairs: &[(u64, u64)], a: usize, b: usize) -> Option<(usize, usize, u64)> {
        let mut claimed = vec![None; self.entries.len()];
        for (at, place) in wanted(pairs, a, b) {
            let other = claimed.get_mut(at)?.replace(place);
            if other.is_some_and(|other| other != place) {
                return None;
            }
        }
        let entries = || self.entries.iter().zip(&claimed);
        let moved = || entries().filter(|(entry, place)| place.is_some_and(|place| !entry.holds(place)));
        let left = entries().any(|(entry, place)| place.is_none() && !entry.pinned);
        if !left || moved().any(|(entry, _)| entry.pinned) {
            return None;
        }
        let stores = moved().filter(|(entry, _)| entry.is_dirty()).count();
        let latest = moved().filter(|(entry, _)| entry.limb.is_some());
        let latest = latest.map(|(entry, _)| entry.used).max();
        Some((moved().count(), stores, latest.unwrap_or(0)))
    }

    /// Allows a buffer to go before the step ends.
    pub(super) fn release(&mut self, buffer: Buffer) {
        self.entries[usize::from(buffer)].pinned = false;
    }

    /// Stores a limb if memory does not have its words.
    pub(super) fn store(&mut self, place: u64) -> Result<(), RtlError> {
        self.exists(place)?;
        for at in 0..self.entries.len() {
            if self.entries[at].holds(place) {
                self.clean(at);
            }
        }
        Ok(())
    }

    /// Forgets a limb whose place is free, or whose words are not its own any more.
    pub(super) fn forget(&mut self, place: u64) {
        self.lost.remove(&place);
        for entry in self.entries.iter_mut().filter(|entry| entry.holds(place)) {
            entry.limb = None;
        }
    }

    /// Forgets a limb, and overwrites its buffers and those whose words are no limb. Some slot must be loaded.
    pub(super) fn wipe(&mut self, place: u64) {
        let any = self.slots.iter().position(Option::is_some);
        let any = any.map(|slot| slot as SlotNumber);
        for at in 0..self.entries.len() {
            let entry = self.entries[at];
            if let (Some(slot), true) = (entry.slot.or(any), entry.holds(place) || entry.scratch) {
                let destination = at as Buffer;
                self.push(Instruction::Fill {
                    destination,
                    slot,
                    constant: 0,
                });
                self.entries[at].scratch = false;
            }
        }
        self.forget(place);
    }

    fn exists(&self, place: u64) -> Result<(), RtlError> {
        if self.lost.contains(&place) {
            return Err(RtlError::LostLimb);
        }
        Ok(())
    }

    fn find(&self, place: u64) -> Option<usize> {
        self.entries.iter().position(|entry| entry.holds(place))
    }

    /// Finds a buffer that may be overwritten: one without a limb, or the one that was not used for the longest time.
    fn claim(&mut self) -> Result<usize, RtlError> {
        let entries = self.entries.iter().enumerate();
        let free = entries.filter(|(_, entry)| !entry.pinned);
        let oldest = free.min_by_key(|(_, entry)| (entry.limb.is_some(), entry.used));
        let (at, _) = oldest.ok_or(RtlError::BadCore {
            need: "more limb buffers for this operation",
        })?;
        self.evict(at);
        Ok(at)
    }

    /// Makes room in a buffer.
    fn evict(&mut self, at: usize) {
        self.clean(at);
        self.entries[at].limb = None;
    }

    /// Stores a dirty limb.
    fn clean(&mut self, at: usize) {
        if let Entry {
            limb: Some(Held { place, dirty: true }),
            slot: Some(slot),
            ..
        } = self.entries[at]
        {
            self.entries[at].limb = Some(Held { place, dirty: false });
            self.push(Instruction::Store {
                source: at as Buffer,
                slot,
                address: place,
            });
        }
    }

    /// Brings a limb to a buffer: a copy of another buffer, or the one in memory.
    fn fetch(&mut self, at: usize, place: u64, slot: SlotNumber) {
        let destination = at as Buffer;
        self.push(match self.find(place) {
            Some(source) => Instruction::Automorphism {
                destination,
                source: source as Buffer,
                slot,
                shift: 0,
            },
            None => Instruction::Load {
                destination,
                slot,
                address: place,
            },
        });
        self.hold(at, Some(Held { place, dirty: false }), slot);
    }

    fn hold(&mut self, at: usize, limb: Option<Held>, slot: SlotNumber) {
        self.entries[at] = Entry {
            limb,
            slot: Some(slot),
            scratch: limb.is_none(),
            ..Entry::default()
        };
        self.pin(at);
    }

    fn pin(&mut self, at: usize) {
        self.time += 1;
        let entry = &mut self.entries[at];
        (entry.pinned, entry.used) = (true, self.time);
    }
}

/// The buffers of operands, from `a` and from `b` on, and the limbs that belong there.
fn wanted(pairs: &[(u64, u64)], a: usize, b: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
    let both = pairs.iter().enumerate();
    both.flat_map(move |(i, &(first, second))| [(a + i, first), (b + i, second)])
}
