use std::collections::VecDeque;

use super::MemoryTiming;

/// A burst under way: its beats, those that have moved, and the cycle from which on it may go on.
#[derive(Debug, Clone, Copy)]
struct Burst {
    beats: u64,
    moved: u64,
    due: u64,
}

/// The memory behind the bus: reads in order, a latency, and a bandwidth that reads and writes share. As the memory of the
/// benches has it (`hdl/testing/axi_memory.h`), without pauses.
#[derive(Debug)]
pub(super) struct Memory {
    timing: MemoryTiming,
    beat_bytes: u64,
    cycle: u64,
    /// Bandwidth that was not used, in bytes / `timing.cycles`; of it two beats are kept.
    credit: u64,
    /// Reads and writes take turns where both wait.
    write_turn: bool,
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    /// Beats that came before their address was taken.
    data: u64,
    responses: VecDeque<u64>,
    offers_read: bool,
    takes_write: bool,
    offers_response: bool,
    wrote: bool,
}

/// What the masters say in a cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct MasterSignals {
    /// The beats of a read that is asked for.
    pub(super) read: Option<u64>,
    pub(super) read_ready: bool,
    /// The beats of a write that is asked for.
    pub(super) write: Option<u64>,
    pub(super) write_data: bool,
    pub(super) response_ready: bool,
}

impl Memory {
    pub(super) const fn new(timing: MemoryTiming, beat_bytes: u64) -> Self {
        Self {
            timing,
            beat_bytes,
            cycle: 0,
            credit: 0,
            write_turn: false,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            data: 0,
            responses: VecDeque::new(),
            offers_read: false,
            takes_write: false,
            offers_response: false,
            wrote: false,
        }
    }

    /// A beat is there: whether it is the last of its burst.
    pub(super) fn read_beat(&self) -> Option<bool> {
        let burst = self.reads.front().filter(|_| self.offers_read)?;
        Some(burst.moved + 1 == burst.beats)
    }

    /// Whether a beat that is written is taken.
    pub(super) const fn takes_write(&self) -> bool {
        self.takes_write
    }

    /// Whether a write is answered.
    pub(super) const fn offers_response(&self) -> bool {
        self.offers_response
    }

    /// The memory's signals of a cycle.
    pub(super) fn begin_cycle(&mut self) {
        let MemoryTiming { bytes, .. } = self.timing;
        self.credit = (self.credit + bytes).min(bytes + 2 * self.cost());
        self.write_turn = !self.write_turn;
        let writes_first = self.write_turn && self.wrote;
        if writes_first {
            self.offer_write();
        }
        self.offer_read();
        if !writes_first {
            self.offer_write();
        }
        let due = self.responses.front().is_some_and(|&due| due <= self.cycle);
        self.offers_response = self.offers_response || due;
    }

    const fn cost(&self) -> u64 {
        self.beat_bytes * self.timing.cycles
    }

    /// Pays for a beat, if there is bandwidth.
    const fn pay(&mut self) -> bool {
        if self.timing.bytes == 0 {
            return true;
        }
        let affords = self.credit >= self.cost();
        if affords {
            self.credit -= self.cost();
        }
        affords
    }

    fn offer_read(&mut self) {
        let due = self.reads.front().is_some_and(|burst| burst.due <= self.cycle);
        if !self.offers_read && due {
            self.offers_read = self.pay();
        }
    }

    const fn offer_write(&mut self) {
        self.takes_write = self.pay();
    }

    /// The end of a cycle.
    pub(super) fn end_cycle(&mut self, signals: &MasterSignals) {
        let answer = self.cycle + self.timing.latency.max(1);
        let burst = |beats, due| Burst { beats, moved: 0, due };
        self.reads.extend(signals.read.map(|beats| burst(beats, answer)));
        self.writes.extend(signals.write.map(|beats| burst(beats, 0)));
        if self.offers_read && signals.read_ready {
            self.offers_read = false;
            move_beat(&mut self.reads);
        }
        self.wrote = signals.write_data;
        if signals.write_data && self.takes_write {
            self.data += 1;
        } else if self.takes_write && self.timing.bytes != 0 {
            self.credit += self.cost();
        }
        while self.data > 0 && !self.writes.is_empty() {
            self.data -= 1;
            if move_beat(&mut self.writes) {
                self.responses.push_back(answer);
            }
        }
        if self.offers_response && signals.response_ready {
            self.responses.pop_front();
            self.offers_response = false;
        }
        self.cycle += 1;
    }
}

/// Moves a beat of the first burst; whether it was its last.
fn move_beat(bursts: &mut VecDeque<Burst>) -> bool {
    let Some(burst) = bursts.front_mut() else {
        return false;
    };
    burst.moved += 1;
    let last = burst.moved == burst.beats;
    if last {
        bursts.pop_front();
    }
    last
}
