//! Finds room on the GPU.

use super::{Residence, bytes};
use crate::device::store::pool::{Pool, Room};
use crate::gpu::{Address, GpuError};

impl Residence {
    /// Finds room for words that a stream will write. It first tries freed memory of their length or up to twice as long,
    /// then new memory; at last it gives back memory of other lengths and moves words to the host.
    ///
    /// Every other thread waits for the store while a driver allocates. Without a pool that takes some 60 us: with as much
    /// new memory as there is, the levels of a circuit, each with lengths of its own, took a third of the time of SIMON on
    /// an H200.
    pub(super) fn find_room(&mut self, len: usize, stream: usize) -> Result<Room<Address>, GpuError> {
        loop {
            if let Some(room) = self.rooms.take(len, 2 * len, stream, &self.streams) {
                return Ok(room);
            }
            let full = match self.allocate(len) {
                Ok(room) => return Ok(room),
                Err(full @ GpuError::OutOfMemory { .. }) => full,
                Err(error) => return Err(error),
            };
            if !self.give_back() && !self.move_one()? {
                return Err(full);
            }
        }
    }

    fn allocate(&mut self, len: usize) -> Result<Room<Address>, GpuError> {
        let wanted = bytes(len) as u64;
        if let Some(total) = self.limit.filter(|&limit| self.allocated + wanted > limit) {
            let free = total.saturating_sub(self.allocated);
            return Err(GpuError::OutOfMemory { wanted, free, total });
        }
        let address = self.machine.allocate(bytes(len))?;
        self.allocated += wanted;
        Ok(Room::new(address, len))
    }

    /// Gives unused memory back to the machine, and returns whether there was any.
    fn give_back(&mut self) -> bool {
        let room = self.rooms.take_longest();
        room.is_some_and(|room| {
            self.machine.release(room.memory);
            self.allocated -= bytes(room.len) as u64;
            true
        })
    }

    /// Moves to the host words that no task uses: first those that rest, then those whose last use is
    /// longest ago. Returns whether there were any.
    fn move_one(&mut self) -> Result<bool, GpuError> {
        let movable = self.words.iter().filter(|(_, place)| place.can_leave());
        let first = movable.min_by_key(|(_, place)| (!place.resting, place.used));
        let Some((&number, place)) = first else {
            return Ok(false);
        };
        let stream = self.streams.leaving();
        if place.written {
            let to_copy = !place.current;
            match self.make_copy(number, stream) {
                Ok(()) => {}
                // If the host has no memory either, the error names the GPU's shortage.
                Err(GpuError::OutOfHostMemory { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
            self.leave(number, to_copy)?;
        }
        if let Some(room) = self.words.get_mut(&number).and_then(|place| place.room.take()) {
            self.rooms.put(room);
        }
        Ok(true)
    }

    /// Ensures that words have room on the host.
    pub(super) fn make_copy(&mut self, number: u64, stream: usize) -> Result<(), GpuError> {
        let Some(place) = self.words.get_mut(&number).filter(|place| place.copy.is_none()) else {
            return Ok(());
        };
        let len = place.len;
        place.copy = Some(match self.host_rooms.take(len, len, stream, &self.streams) {
            Some(room) => room,
            None => Room::new(self.machine.host_memory(bytes(len))?, len),
        });
        Ok(())
    }

    /// Copies words to the host if they are not there, and clears their old place, because they may be
    /// secret.
    fn leave(&mut self, number: u64, to_copy: bool) -> Result<(), GpuError> {
        let (machine, streams) = (&*self.machine, &mut self.streams);
        let stream = streams.leaving();
        let Some(place) = self.words.get_mut(&number) else {
            return Ok(());
        };
        let (Some(room), Some(copy)) = (&mut place.room, &mut place.copy) else {
            return Ok(());
        };
        streams.before_write(machine, stream, &room.stamps)?;
        if to_copy {
            streams.before_write(machine, stream, &copy.stamps)?;
            // SAFETY: both rooms have the words' length; the stamps keep others from them until the copy is done.
            unsafe { machine.download(stream, room.memory, copy.memory.start(), bytes(copy.len))? };
            copy.stamps.written_by(streams.asked(stream));
            place.current = true;
        }
        // SAFETY: the room has this many words.
        unsafe { machine.clear(stream, room.memory, bytes(room.len))? };
        room.stamps.written_by(streams.asked(stream));
        Ok(())
    }

    /// Gives everything back when all work is done.
    pub(in crate::device::store) fn empty(&mut self) {
        for stream in self.streams.all() {
            // If this fails, there is nothing left to do.
            let _ = self.machine.finish(stream);
        }
        while self.give_back() {}
        self.host_rooms = Pool::default();
    }
}
