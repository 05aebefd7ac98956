//! How long programs take on a core: a model of its front end, its units and its bus, cycle by cycle, without words.
//!
//! The model is of programs that run without an error. Before a memory that is never busy it counts what the core counts;
//! where reads and writes compete for bandwidth, whose turn it is depends on when the memory began.

mod bus;
mod front;
mod memory;
mod task;
mod units;

use std::ops::AddAssign;

use self::bus::{Client, Reader, Writer};
use self::front::{Dispatch, Dispatching, Fetch, Scoreboard, Starts, Unit};
use self::memory::{MasterSignals, Memory};
pub use self::task::Tables;
use self::task::Task;
use self::units::{Loading, Storing, Timer};
use super::{Configuration, Counter, Descriptor, Instruction, Machine, MemoryTiming};
use crate::RtlError;
use crate::ntt_engine::Direction;

/// Cycles without an event after which a program is taken to be stuck.
const PATIENCE: u64 = 1 << 26;

/// The counters of a core after a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts([u64; Counter::ALL.len()]);

impl Counts {
    /// Reads the counters of a core.
    ///
    /// # Errors
    /// As [`Machine::counter`].
    pub fn of<M: Machine>(core: &mut M) -> Result<Self, RtlError> {
        let mut counts = Self::default();
        for counter in Counter::ALL {
            counts.add(counter, core.counter(counter)?);
        }
        Ok(counts)
    }

    /// What was counted since then; 0 for a counter that was reset.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        let pairs = self.0.iter_mut().zip(before.0);
        pairs.for_each(|(count, before)| *count = count.saturating_sub(before));
        self
    }

    /// The value of a counter.
    #[must_use]
    pub fn get(&self, counter: Counter) -> u64 {
        self.0.get(counter.index()).copied().unwrap_or_default()
    }

    /// The counters of a program that is run so many times.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.0.iter_mut().for_each(|sum| *sum *= times);
        self
    }

    pub(super) fn add(&mut self, counter: Counter, count: u64) {
        if let Some(sum) = self.0.get_mut(counter.index()) {
            *sum += count;
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(sum, count)| *sum += count);
    }
}

/// The time model of a core and its memory.
#[derive(Debug, Clone)]
pub struct Timing {
    configuration: Configuration,
    memory: MemoryTiming,
    transforms: [u64; 2],
}

impl Timing {
    /// Makes the model of a core before a memory without pauses.
    ///
    /// # Errors
    /// [`RtlError::BadCore`] for a memory with pauses: they are random.
    pub fn new(configuration: Configuration, memory: MemoryTiming) -> Result<Self, RtlError> {
        if memory.pauses != 0 {
            return Err(RtlError::BadCore {
                need: "a memory without pauses for its time model",
            });
        }
        let start = configuration.engine().start();
        let cycles = |direction| start + configuration.transform_cycles(direction);
        Ok(Self {
            configuration,
            memory,
            transforms: [cycles(Direction::Forward), cycles(Direction::Inverse)],
        })
    }

    /// The counters of a core that ran this program, all of which was in the ring when it began. `tables` are those of the
    /// core and its memory.
    ///
    /// # Errors
    /// [`RtlError::Stuck`] if nothing happens for very long.
    pub fn run(&self, program: &[Instruction], tables: &mut Tables) -> Result<Counts, RtlError> {
        let program = tables.tasks(program);
        let mut machine = Clockwork::new(self, &program);
        let (mut counts, mut quiet) = (Counts::default(), 0);
        while !machine.idle() {
            quiet = if machine.cycle(&mut counts) { 0 } else { quiet + 1 };
            if quiet > PATIENCE {
                let cycle = counts.get(Counter::Cycles);
                return Err(RtlError::Stuck { cycle });
            }
        }
        Ok(counts)
    }

    /// The cycles of an instruction of the transform, vector or conversion unit, from its start to its end.
    fn cycles(&self, task: &Task) -> u64 {
        match task.instruction {
            Instruction::Convert { log_rows, .. } => {
                let slots = self.configuration.depth() >> log_rows;
                let latency = self.configuration.conversion_latency();
                task.shape.map_or(0, |shape| shape.cycles(slots, latency) - 1)
            }
            Instruction::Transform { direction, .. } => {
                let [forward, inverse] = self.transforms;
                match direction {
                    Direction::Forward => forward,
                    Direction::Inverse => inverse,
                }
            }
            Instruction::MultiplyAccumulate { count, .. } => {
                self.configuration.vector_cycles(count.into()) - 1
            }
            _ => self.configuration.vector_cycles(1) - 1,
        }
    }
}

/// All of the core that has a state in time, and its memory.
struct Clockwork<'a> {
    timing: &'a Timing,
    program: &'a [Task],
    beat_bytes: u64,
    fetch: Fetch,
    dispatch: Dispatch,
    board: Scoreboard,
    starts: Starts,
    load: Loading,
    store: Storing,
    transform: Timer,
    vector: Timer,
    conversion: Timer,
    reader: Reader,
    writer: Writer,
    memory: Memory,
}

/// What happens in a cycle, before anything changes at its end.
struct Cycle {
    done: [bool; Unit::ALL.len()],
    dispatching: Dispatching,
    /// Whose beat is there, and whether it is taken.
    beat: Option<Client>,
    takes_beat: bool,
    fetch_asks: bool,
    store_offers: bool,
    store_moves: bool,
    bus: MasterSignals,
    /// A beat that is read, its burst's last or not; whether one is written, and whether a write is answered.
    read: Option<bool>,
    written: bool,
    answered: bool,
}

impl<'a> Clockwork<'a> {
    fn new(timing: &'a Timing, program: &'a [Task]) -> Self {
        let beat_bytes = u64::from(timing.configuration.sizes().data_width / 8);
        Self {
            timing,
            program,
            beat_bytes,
            fetch: Fetch::default(),
            dispatch: Dispatch::new(),
            board: Scoreboard::default(),
            starts: Starts::default(),
            load: Loading::default(),
            store: Storing::new(),
            transform: Timer::default(),
            vector: Timer::default(),
            conversion: Timer::default(),
            reader: Reader::default(),
            writer: Writer::default(),
            memory: Memory::new(timing.memory, beat_bytes),
        }
    }

    fn idle(&self) -> bool {
        let waits = self.fetch.valid() || self.fetch.starved(self.program.len());
        self.fetch.idle() && self.dispatch.idle() && self.board.is_empty() && !waits
    }

    /// One cycle; whether an instruction or a beat moved.
    fn cycle(&mut self, counts: &mut Counts) -> bool {
        self.memory.begin_cycle();
        let cycle = self.signals();
        self.count(&cycle, counts);
        self.end(&cycle);
        let bus = cycle.read.is_some() || cycle.written;
        bus || cycle.dispatching.dispatched || cycle.done.contains(&true)
    }

    fn signals(&mut self) -> Cycle {
        let [_, _, transform, vector, conversion] = self.starts;
        let time = |task: Task| self.timing.cycles(&task);
        let done = [
            self.load.done(),
            self.store.done(),
            self.transform.step(transform.map(time)),
            self.vector.step(vector.map(time)),
            self.conversion.step(conversion.map(time)),
        ];
        let beat = self.reader.beat();
        let takes_beat = match beat {
            Some(Client::Fetch) => true,
            Some(Client::Load) => self.load.takes(),
            None => false,
        };
        let bus = MasterSignals {
            read: self.reader.address(),
            read_ready: self.reader.takes(),
            write: self.writer.address(),
            write_data: self.writer.offers(),
            response_ready: self.writer.response_ready(),
        };
        Cycle {
            done,
            dispatching: self.dispatch.act(&self.fetch, &self.board, self.program),
            beat,
            takes_beat,
            fetch_asks: self.fetch.asks(self.program.len()),
            store_offers: self.store.offers(),
            store_moves: self.store.offers() && self.writer.takes(),
            read: self.memory.read_beat().filter(|_| bus.read_ready),
            written: bus.write_data && self.memory.takes_write(),
            answered: self.memory.offers_response() && bus.response_ready,
            bus,
        }
    }

    fn count(&self, cycle: &Cycle, counts: &mut Counts) {
        let mut count = |counter, holds: bool| counts.add(counter, u64::from(holds));
        count(Counter::Cycles, true);
        for (unit, working, waiting) in [
            (Unit::Load, Counter::Load, Counter::LoadWaits),
            (Unit::Store, Counter::Store, Counter::StoreWaits),
            (Unit::Transform, Counter::Transform, Counter::TransformWaits),
            (Unit::Vector, Counter::Vector, Counter::VectorWaits),
            (Unit::Conversion, Counter::Conversion, Counter::ConversionWaits),
        ] {
            count(working, self.board.working(unit));
            count(waiting, self.board.waiting(unit));
        }
        count(Counter::Starved, self.fetch.starved(self.program.len()));
        count(Counter::Full, cycle.dispatching.full);
        count(Counter::Held, cycle.dispatching.held);
        let stalled = self.board.working(Unit::Load) && cycle.beat != Some(Client::Load);
        count(Counter::ReadStalled, stalled);
        count(Counter::WriteStalled, cycle.store_offers && !cycle.store_moves);
        counts.add(
            Counter::BytesRead,
            u64::from(cycle.read.is_some()) * self.beat_bytes,
        );
        counts.add(Counter::BytesWritten, u64::from(cycle.written) * self.beat_bytes);
    }

    /// The end of a cycle. Descriptors are read before limbs.
    fn end(&mut self, cycle: &Cycle) {
        let configuration = &self.timing.configuration;
        let [load, store, ..] = self.starts.map(|task| task.map(|task| task.instruction));
        let granted = self.reader.ready();
        let beats = Descriptor::BYTES / self.beat_bytes;
        let request = if cycle.fetch_asks {
            Some((Client::Fetch, self.fetch.next() as u64 * beats, beats))
        } else {
            self.load
                .request
                .map(|(first, beats)| (Client::Load, first, beats))
        };
        let load_granted = granted && !cycle.fetch_asks && self.load.request.is_some();
        let store_granted = self.writer.ready() && self.store.request.is_some();
        let ended = self.writer.done();
        let (store_moves, now) = (cycle.store_moves, &cycle.dispatching);
        self.memory.end_cycle(&cycle.bus);
        self.reader.step(cycle.takes_beat, cycle.read, request);
        self.writer
            .step(store_moves, cycle.written, cycle.answered, self.store.request);
        let is_of = |client| cycle.beat == Some(client);
        self.load
            .step(load_granted, is_of(Client::Load), load, configuration);
        self.store
            .step(store_granted, store_moves, ended, store, configuration);
        self.dispatch.step(now, &self.fetch, &self.board, self.program);
        let fetch_granted = granted && cycle.fetch_asks;
        self.fetch
            .step(fetch_granted, is_of(Client::Fetch), beats, now.takes);
        self.starts = self.board.step(cycle.done, now.enters);
    }
}
