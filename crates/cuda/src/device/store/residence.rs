//! The places of words: on the GPU, or moved to the host to make room.

mod spill;

use std::collections::HashMap;
use std::sync::Arc;

use ringmill_arith::secret;

use super::pool::{Pool, Room};
use super::streams::{Stamp, Streams};
use super::turns::Turns;
use crate::gpu::{Address, Gpu, GpuError, HostMemory};

/// The state of the store, behind its one lock.
pub(super) struct Residence {
    machine: Arc<dyn Gpu>,
    pub(super) streams: Streams,
    pub(super) turns: Turns,
    /// All existing words, by number.
    words: HashMap<u64, Place>,
    rooms: Pool<Address>,
    host_rooms: Pool<HostMemory>,
    /// The number of bytes of the GPU's memory that the store holds, used or not.
    allocated: u64,
    /// The most bytes that it may hold.
    limit: Option<u64>,
    /// A counter of uses of words, and of words.
    clock: u64,
}

/// The place of some words.
#[derive(Debug, Default)]
struct Place {
    len: usize,
    /// Their room on the GPU.
    room: Option<Room<Address>>,
    /// Their room on the host, kept for the next move.
    copy: Option<Room<HostMemory>>,
    /// Whether the copy holds the words.
    current: bool,
    /// Whether they hold anything.
    written: bool,
    /// The number of uses by tasks that have not ended.
    uses: usize,
    /// Whether they must stay on the GPU.
    fixed: bool,
    /// Whether they must not remain readable anywhere once they are freed.
    secret: bool,
    /// Whether they will not be used for a while.
    resting: bool,
    /// The time of their last use.
    used: u64,
}

impl Place {
    /// Whether words that are on the GPU can be moved away.
    fn can_leave(&self) -> bool {
        self.room.is_some() && !self.fixed && self.uses == 0
    }

    /// Whether a task uses the words where they are on the host.
    fn is_borrowed(&self) -> bool {
        self.room.is_none() && self.uses > 0
    }
}

/// The kind of use that a task makes of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Residence {
    pub(super) fn new(machine: Arc<dyn Gpu>) -> Self {
        Self {
            streams: Streams::new(machine.streams()),
            machine,
            turns: Turns::default(),
            words: HashMap::new(),
            rooms: Pool::default(),
            host_rooms: Pool::default(),
            allocated: 0,
            limit: None,
            clock: 0,
        }
    }

    /// Registers new words, which have no place until they are used, and returns their number.
    pub(super) fn add(&mut self, len: usize, fixed: bool) -> u64 {
        self.clock += 1;
        let used = self.clock;
        let place = Place {
            len,
            fixed,
            used,
            ..Place::default()
        };
        self.words.insert(used, place);
        used
    }

    /// Keeps the memory of words that no longer exist.
    pub(super) fn remove(&mut self, number: u64) {
        let Some(place) = self.words.remove(&number) else {
            return;
        };
        if let Some(mut room) = place.room {
            if place.fixed {
                // Tasks read constants without leaving a stamp.
                self.streams
                    .all()
                    .for_each(|stream| room.stamps.read_by(self.streams.asked(stream)));
            }
            self.rooms.put(room);
        }
        if let Some(mut copy) = place.copy {
            if place.secret {
                self.overwrite(&mut copy);
            }
            self.host_rooms.put(copy);
        }
    }

    /// Overwrites memory of the host once nothing uses it any more.
    fn overwrite(&self, copy: &mut Room<HostMemory>) {
        for stamp in copy.stamps.all() {
            // A machine that fails here has stopped and writes nothing more.
            let _ = self.machine.finish(stamp.stream);
        }
        // SAFETY: this many bytes are valid, nobody else has them, and no copy to or from them is under way.
        let bytes = unsafe { std::slice::from_raw_parts_mut(copy.memory.start(), copy.memory.bytes()) };
        secret::wipe(bytes);
    }

    /// Marks words as secret, and returns whether they are on the GPU.
    pub(super) fn mark_secret(&mut self, number: u64) -> bool {
        let place = self.words.get_mut(&number);
        place.is_some_and(|place| {
            place.secret = true;
            place.room.is_some()
        })
    }

    /// Notes that words will not be used for a while.
    pub(super) fn hint_idle(&mut self, number: u64) {
        if let Some(place) = self.words.get_mut(&number) {
            place.resting = true;
        }
    }

    /// Brings back words that will be used soon, if they are on the host.
    pub(super) fn prefetch(&mut self, number: u64) -> Result<(), GpuError> {
        self.touch(number);
        if self.words.get(&number).is_some_and(|place| place.current) && !self.turns.is_crowded() {
            self.reside(number, self.streams.coming())
        } else {
            Ok(())
        }
    }

    fn touch(&mut self, number: u64) {
        self.clock += 1;
        if let Some(place) = self.words.get_mut(&number) {
            place.resting = false;
            place.used = self.clock;
        }
    }

    /// Ensures that words are on the GPU, where a stream will use them next or where a task already uses
    /// them.
    /// # Errors
    /// [`GpuError::OutOfMemory`] if there is currently no room.
    pub(super) fn reside(&mut self, number: u64, stream: usize) -> Result<(), GpuError> {
        let Some(place) = self.words.get(&number) else {
            return Ok(());
        };
        if place.room.is_some() || place.is_borrowed() {
            return Ok(());
        }
        let (len, current) = (place.len, place.current);
        let first = if current { self.streams.coming() } else { stream };
        let mut room = self.find_room(len, first)?;
        let brought = if current {
            self.bring(number, &mut room)
        } else {
            Ok(())
        };
        match self.words.get_mut(&number).filter(|_| brought.is_ok()) {
            Some(place) => place.room = Some(room),
            None => self.rooms.put(room),
        }
        brought
    }

    /// Copies words from the host.
    fn bring(&mut self, number: u64, room: &mut Room<Address>) -> Result<(), GpuError> {
        let (machine, streams) = (&*self.machine, &mut self.streams);
        let stream = streams.coming();
        let Some(copy) = self.words.get_mut(&number).and_then(|place| place.copy.as_mut()) else {
            return Ok(());
        };
        streams.before_read(machine, stream, &copy.stamps)?;
        streams.before_write(machine, stream, &room.stamps)?;
        // SAFETY: both rooms have the words' length; the stamps keep others from them until the copy is done.
        unsafe { machine.upload(stream, copy.memory.start(), room.memory, bytes(copy.len))? };
        let stamp = streams.asked(stream);
        copy.stamps.read_by(stamp);
        room.stamps.written_by(stamp);
        Ok(())
    }

    /// Lets tasks use words in their place on the host, which kernels can reach.
    pub(super) fn borrow(&mut self, number: u64, stream: usize) -> Result<(), GpuError> {
        self.make_copy(number, stream)?;
        if let Some(place) = self.words.get_mut(&number) {
            place.current = true;
        }
        Ok(())
    }

    /// Gives a task the address of words that have a place, until [`Residence::let_go`]. From now on, work
    /// requested of its stream waits for the previous users of the words.
    pub(super) fn access(&mut self, number: u64, task: Stamp, access: Access) -> Result<Address, GpuError> {
        self.touch(number);
        let (machine, streams) = (&*self.machine, &mut self.streams);
        let Some(place) = self.words.get_mut(&number) else {
            return Ok(0);
        };
        let (address, stamps) = match (&mut place.room, &mut place.copy) {
            (Some(room), _) => (room.memory, &mut room.stamps),
            (None, Some(copy)) => (copy.memory.start() as Address, &mut copy.stamps),
            (None, None) => return Ok(0),
        };
        match access {
            Access::Read => {
                streams.before_read(machine, task.stream, stamps)?;
                stamps.read_by(task);
            }
            Access::Write => {
                streams.before_write(machine, task.stream, stamps)?;
                stamps.written_by(task);
                place.written = true;
                place.current = place.room.is_none();
            }
        }
        place.uses += 1;
        Ok(address)
    }

    /// Ends a task's use of words.
    pub(super) fn let_go(&mut self, number: u64) {
        // Words that the task used only for itself are dropped before it ends.
        if let Some(place) = self.words.get_mut(&number) {
            place.uses -= 1;
        }
    }

    /// Limits the store to this many bytes of the GPU.
    pub(super) fn limit(&mut self, bytes: u64) {
        self.limit = Some(bytes);
    }

    /// The number of bytes of the GPU that the store may use; other programs may have some.
    pub(super) fn capacity(&self) -> Result<u64, GpuError> {
        let can_be_had = self.allocated + self.machine.memory()?.free;
        Ok(self.limit.map_or(can_be_had, |limit| limit.min(can_be_had)))
    }
}

/// The number of bytes that `len` words take.
pub(super) fn bytes(len: usize) -> usize {
    len * size_of::<u64>()
}
