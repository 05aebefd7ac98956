//! Memory that is not in use.

use std::collections::{BTreeMap, VecDeque};

use super::streams::{Stamps, Streams};

/// Memory for a number of words, on the GPU or the host, and its last users.
#[derive(Debug)]
pub(super) struct Room<M> {
    pub(super) memory: M,
    pub(super) len: usize,
    pub(super) stamps: Stamps,
}

impl<M> Room<M> {
    pub(super) fn new(memory: M, len: usize) -> Self {
        let stamps = Stamps::default();
        Self { memory, len, stamps }
    }
}

/// Rooms by their number of words; for each number, the room that was freed first is in front.
#[derive(Debug)]
pub(super) struct Pool<M>(BTreeMap<usize, VecDeque<Room<M>>>);

impl<M> Default for Pool<M> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<M> Pool<M> {
    /// Keeps a room.
    pub(super) fn put(&mut self, room: Room<M>) {
        self.0.entry(room.len).or_default().push_back(room);
    }

    /// Takes a room of at least this many words, and at most `most`. Among the rooms of the shortest length
    /// that exists, it prefers one for which the stream need not wait, and else takes the one that was freed
    /// first.
    pub(super) fn take(
        &mut self,
        len: usize,
        most: usize,
        stream: usize,
        streams: &Streams,
    ) -> Option<Room<M>> {
        let mut lengths = self.0.range_mut(len..=most);
        let (&len, rooms) = lengths.next()?;
        let ready = rooms
            .iter()
            .position(|room| streams.is_ready(stream, &room.stamps));
        let room = rooms.remove(ready.unwrap_or(0));
        if rooms.is_empty() {
            self.0.remove(&len);
        }
        room
    }

    /// Takes one of the longest rooms, which the caller gives back.
    pub(super) fn take_longest(&mut self) -> Option<Room<M>> {
        let mut longest = self.0.last_entry()?;
        let room = longest.get_mut().pop_front();
        if longest.get().is_empty() {
            longest.remove();
        }
        room
    }
}
