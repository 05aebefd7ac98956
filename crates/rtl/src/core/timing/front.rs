use super::task::{Loaded, Task};
use crate::core::Instruction;

/// Descriptors that are asked for or wait to be taken, at most.
const FETCHED: usize = 8;

/// Cycles of the checks.
const CHECK_CYCLES: u32 = 2;

/// Entries of the scoreboard.
const ENTRIES: usize = 8;

/// The units, by their numbers in the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Load,
    Store,
    Transform,
    Vector,
    Conversion,
}

impl Unit {
    pub(super) const ALL: [Self; 5] = [
        Self::Load,
        Self::Store,
        Self::Transform,
        Self::Vector,
        Self::Conversion,
    ];

    /// The unit of an instruction; none for waits and interrupts.
    const fn of(instruction: &Instruction) -> Option<Self> {
        match instruction {
            Instruction::Load { .. }
            | Instruction::LoadRow { .. }
            | Instruction::Constants { .. }
            | Instruction::Table { .. } => Some(Self::Load),
            Instruction::Store { .. } | Instruction::StoreRow { .. } => Some(Self::Store),
            Instruction::Convert { .. } => Some(Self::Conversion),
            Instruction::Transform { .. } => Some(Self::Transform),
            Instruction::Wait | Instruction::Interrupt => None,
            _ => Some(Self::Vector),
        }
    }
}

/// Fetch of descriptors (`core_fetch`): those asked for, come and taken.
#[derive(Debug, Default)]
pub(super) struct Fetch {
    asked: usize,
    come: usize,
    taken: usize,
    beats: u64,
}

impl Fetch {
    /// Whether it asks, with this many descriptors in the ring.
    pub(super) const fn asks(&self, tail: usize) -> bool {
        self.asked < tail && self.asked - self.taken < FETCHED
    }

    /// The number of the descriptor that is asked for next.
    pub(super) const fn next(&self) -> usize {
        self.asked
    }

    pub(super) const fn valid(&self) -> bool {
        self.come != self.taken
    }

    /// The descriptor that is taken next.
    const fn first(&self) -> usize {
        self.taken
    }

    pub(super) const fn starved(&self, tail: usize) -> bool {
        !self.valid() && self.taken != tail
    }

    pub(super) const fn idle(&self) -> bool {
        self.asked == self.come
    }

    /// The end of a cycle: a request was granted, a beat of so many a descriptor came, a descriptor was taken.
    pub(super) const fn step(&mut self, granted: bool, beat: bool, beats: u64, taken: bool) {
        self.asked += granted as usize;
        self.taken += taken as usize;
        if beat {
            self.beats += 1;
            if self.beats == beats {
                (self.beats, self.come) = (0, self.come + 1);
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Check(u32),
    Act,
    Loading,
}

/// The dispatcher (`core_dispatch`), for programs without errors.
#[derive(Debug)]
pub(super) struct Dispatch {
    state: State,
    instruction: usize,
}

/// What the dispatcher does in a cycle.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dispatching {
    /// It takes a descriptor.
    pub(super) takes: bool,
    /// It is done with its instruction, which it hands on unless that is a wait.
    pub(super) dispatched: bool,
    pub(super) enters: Option<Task>,
    pub(super) full: bool,
    pub(super) held: bool,
}

impl Dispatch {
    pub(super) const fn new() -> Self {
        Self {
            state: State::Idle,
            instruction: 0,
        }
    }

    pub(super) fn idle(&self) -> bool {
        self.state == State::Idle
    }

    pub(super) fn act(&self, fetch: &Fetch, board: &Scoreboard, program: &[Task]) -> Dispatching {
        let task = program.get(self.instruction).copied();
        match (self.state, task) {
            (State::Idle, _) => Dispatching {
                takes: fetch.valid(),
                ..Dispatching::default()
            },
            (State::Loading, _) => Dispatching {
                held: true,
                ..Dispatching::default()
            },
            (State::Act, Some(task)) => acts(task, board),
            _ => Dispatching::default(),
        }
    }

    pub(super) fn step(&mut self, now: &Dispatching, fetch: &Fetch, board: &Scoreboard, program: &[Task]) {
        let loaded = program.get(self.instruction).and_then(Task::loads);
        self.state = match self.state {
            State::Idle if now.takes => {
                self.instruction = fetch.first();
                State::Check(1)
            }
            State::Check(CHECK_CYCLES) => State::Act,
            State::Check(cycle) => State::Check(cycle + 1),
            State::Act if now.dispatched && loaded.is_some() => State::Loading,
            State::Act if now.dispatched => State::Idle,
            State::Loading if !loaded.is_some_and(|loaded| board.uses(loaded)) => State::Idle,
            state => state,
        };
    }
}

fn acts(task: Task, board: &Scoreboard) -> Dispatching {
    if matches!(task.instruction, Instruction::Wait | Instruction::Interrupt) {
        let held = !board.is_empty();
        return Dispatching {
            dispatched: !held,
            held,
            ..Dispatching::default()
        };
    }
    let holds = task.loads().is_some_and(|loaded| board.uses(loaded));
    let full = !holds && board.is_full();
    Dispatching {
        dispatched: !holds && !full,
        enters: (!holds && !full).then_some(task),
        full,
        held: holds,
        takes: false,
    }
}

/// An instruction in the scoreboard.
#[derive(Debug, Clone)]
struct Entry {
    unit: Unit,
    task: Task,
    running: bool,
    /// The entries that it waits for, by their numbers.
    waits: Vec<u64>,
    number: u64,
}

/// The scoreboard (`core_scoreboard`).
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    entries: Vec<Entry>,
    entered: u64,
}

/// What starts in a cycle, unit by unit.
pub(super) type Starts = [Option<Task>; Unit::ALL.len()];

impl Scoreboard {
    pub(super) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    const fn is_full(&self) -> bool {
        self.entries.len() == ENTRIES
    }

    fn uses(&self, loaded: Loaded) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.task.needs() == Some(loaded))
    }

    pub(super) fn working(&self, unit: Unit) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.unit == unit && entry.running)
    }

    /// Whether a unit is free, and its next instruction waits for buffers.
    pub(super) fn waiting(&self, unit: Unit) -> bool {
        let mut mine = self.entries.iter().filter(|entry| entry.unit == unit);
        mine.clone().next().is_some() && mine.all(|entry| !entry.running && !entry.waits.is_empty())
    }

    /// The end of a cycle: the units that are done, and the instruction that enters. Returns what starts in the next.
    pub(super) fn step(&mut self, done: [bool; Unit::ALL.len()], enters: Option<Task>) -> Starts {
        let is_done = |entry: &Entry| {
            let units = Unit::ALL.iter().zip(done);
            entry.running && units.into_iter().any(|(&unit, done)| unit == entry.unit && done)
        };
        let ended: Vec<u64> = self
            .entries
            .iter()
            .filter(|e| is_done(e))
            .map(|e| e.number)
            .collect();
        let mut starts = Starts::default();
        for entry in &mut self.entries {
            if !entry.running && entry.waits.is_empty() {
                entry.running = true;
                for (&unit, start) in Unit::ALL.iter().zip(&mut starts) {
                    if unit == entry.unit {
                        *start = Some(entry.task);
                    }
                }
            }
            entry.waits.retain(|number| !ended.contains(number));
        }
        self.entries.retain(|entry| !ended.contains(&entry.number));
        if let Some(task) = enters {
            self.enter(task);
        }
        starts
    }

    fn enter(&mut self, task: Task) {
        let Some(unit) = Unit::of(&task.instruction) else {
            return;
        };
        let conflicts = |entry: &&Entry| entry.unit == unit || entry.task.meets(&task);
        let waits = self
            .entries
            .iter()
            .filter(conflicts)
            .map(|entry| entry.number)
            .collect();
        self.entries.push(Entry {
            unit,
            task,
            running: false,
            waits,
            number: self.entered,
        });
        self.entered += 1;
    }
}
