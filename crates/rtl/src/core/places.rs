use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::units::ALIGNMENT;
use crate::RtlError;

/// The places of limbs in a core's memory, all of one size, and blocks of constants between them, which stay.
#[derive(Debug)]
pub(super) struct Places {
    bytes: u64,
    /// What was never given out.
    rest: Range<u64>,
    free: Vec<u64>,
    returned: Arc<Returned>,
}

/// The places of limbs that were dropped, and whether their words are secret. Whoever uses the core next takes them back:
/// a limb may be dropped anywhere, even where the core is locked.
#[derive(Debug, Default)]
pub(super) struct Returned(Mutex<Vec<(u64, bool)>>);

impl Returned {
    fn lock(&self) -> MutexGuard<'_, Vec<(u64, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A limb of a polynomial; its place is free when it is dropped.
#[derive(Debug)]
pub(super) struct Limb {
    place: u64,
    secret: AtomicBool,
    returned: Arc<Returned>,
}

impl Limb {
    /// The address of its words.
    pub(super) const fn place(&self) -> u64 {
        self.place
    }

    /// Has the words overwritten when the last polynomial that has the limb is dropped.
    pub(super) fn mark_secret(&self) {
        self.secret.store(true, Ordering::Relaxed);
    }
}

impl Drop for Limb {
    fn drop(&mut self) {
        self.returned.lock().push((self.place, *self.secret.get_mut()));
    }
}

impl Places {
    /// Divides memory into places of this many bytes, a multiple of 64.
    pub(super) fn new(memory: &Range<u64>, bytes: u64) -> Self {
        Self {
            bytes,
            rest: memory.start.next_multiple_of(ALIGNMENT)..memory.end,
            free: Vec::new(),
            returned: Arc::default(),
        }
    }

    /// A place for a new limb; its words are those of an earlier one.
    ///
    /// # Errors
    /// [`RtlError::MemoryFull`].
    pub(super) fn limb(&mut self) -> Result<Limb, RtlError> {
        let place = match self.free.pop() {
            Some(place) => place,
            None => self.block(self.bytes)?,
        };
        Ok(Limb {
            place,
            secret: AtomicBool::new(false),
            returned: Arc::clone(&self.returned),
        })
    }

    /// Memory that stays in use.
    ///
    /// # Errors
    /// [`RtlError::MemoryFull`].
    pub(super) fn block(&mut self, bytes: u64) -> Result<u64, RtlError> {
        let (first, size) = (self.rest.start, bytes.next_multiple_of(ALIGNMENT));
        let end = first.checked_add(size).filter(|&end| end <= self.rest.end);
        self.rest.start = end.ok_or(RtlError::MemoryFull { bytes })?;
        Ok(first)
    }

    /// The places that limbs left, and whether their words are secret.
    pub(super) fn returned(&self) -> Vec<(u64, bool)> {
        std::mem::take(&mut self.returned.lock())
    }

    /// Takes back a place that a limb left.
    pub(super) fn free(&mut self, place: u64) {
        self.free.push(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_aligned_and_come_back() {
        let mut places = Places::new(&(0x1010..0x1300), 256);
        let [a, b] = [places.limb().unwrap(), places.limb().unwrap()];
        assert_eq!((a.place(), b.place()), (0x1040, 0x1140));
        assert_eq!(places.block(8), Ok(0x1240));
        assert_eq!(places.limb().err(), Some(RtlError::MemoryFull { bytes: 256 }));
        b.mark_secret();
        drop((a, b));
        assert_eq!(places.returned(), [(0x1040, false), (0x1140, true)]);
        assert_eq!(places.returned(), []);
        places.free(0x1140);
        assert_eq!(places.limb().unwrap().place(), 0x1140);
    }
}
