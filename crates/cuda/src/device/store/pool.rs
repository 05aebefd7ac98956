//! Memory that is not in use.

use std::collections::{BTreeMap, VecDeque};

use super::streams::{Stamps, Streams};

/// Memory of a number of words, on the GPU or the host, and who used it last.
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

/// Rooms by their number of words, of each number the one freed first in front.
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

    /// A room of at least so many words, and at most `most`: one that the stream need not wait for if there is
    /// one of the first length that there is, else the one that was freed first.
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

    /// One of the longest rooms, to be given back.
    pub(super) fn take_longest(&mut self) -> Option<Room<M>> {
        let mut longest = self.0.last_entry()?;
        let room = longest.get_mut().pop_front();
        if longest.get().is_empty() {
            longest.remove();
        }
        room
    }
}
