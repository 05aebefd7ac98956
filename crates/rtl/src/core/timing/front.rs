use std::ops::Range;

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
}

impl Unit {
    pub(super) const ALL: [Self; 4] = [Self::Load, Self::Store, Self::Transform, Self::Vector];

    /// The unit of an instruction; none for waits and interrupts.
    const fn of(instruction: &Instruction) -> Option<Self> {
        match instruction {
            Instruction::Load { .. } | Instruction::Constants { .. } => Some(Self::Load),
            Instruction::Store { .. } => Some(Self::Store),
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
    pub(super) enters: Option<Instruction>,
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

    pub(super) fn act(&self, fetch: &Fetch, board: &Scoreboard, program: &[Instruction]) -> Dispatching {
        let instruction = program.get(self.instruction).copied();
        match (self.state, instruction) {
            (State::Idle, _) => Dispatching {
                takes: fetch.valid(),
                ..Dispatching::default()
            },
            (State::Loading, _) => Dispatching {
                held: true,
                ..Dispatching::default()
            },
            (State::Act, Some(instruction)) => acts(instruction, board),
            _ => Dispatching::default(),
        }
    }

    pub(super) fn step(
        &mut self,
        now: &Dispatching,
        fetch: &Fetch,
        board: &Scoreboard,
        program: &[Instruction],
    ) {
        let constants = match program.get(self.instruction) {
            Some(Instruction::Constants { slot, .. }) => Some(*slot),
            _ => None,
        };
        self.state = match self.state {
            State::Idle if now.takes => {
                self.instruction = fetch.first();
                State::Check(1)
            }
            State::Check(CHECK_CYCLES) => State::Act,
            State::Check(cycle) => State::Check(cycle + 1),
            State::Act if now.dispatched && constants.is_some() => State::Loading,
            State::Act if now.dispatched => State::Idle,
            State::Loading if !constants.is_some_and(|slot| board.names_slot(slot)) => State::Idle,
            state => state,
        };
    }
}

fn acts(instruction: Instruction, board: &Scoreboard) -> Dispatching {
    let holds = match instruction {
        Instruction::Wait | Instruction::Interrupt => {
            let held = !board.is_empty();
            return Dispatching {
                dispatched: !held,
                held,
                ..Dispatching::default()
            };
        }
        Instruction::Constants { slot, .. } => board.names_slot(slot),
        _ => false,
    };
    let full = !holds && board.is_full();
    Dispatching {
        dispatched: !holds && !full,
        enters: (!holds && !full).then_some(instruction),
        full,
        held: holds,
        takes: false,
    }
}

/// An instruction in the scoreboard.
#[derive(Debug, Clone)]
struct Entry {
    unit: Unit,
    instruction: Instruction,
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
pub(super) type Starts = [Option<Instruction>; 4];

impl Scoreboard {
    pub(super) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    const fn is_full(&self) -> bool {
        self.entries.len() == ENTRIES
    }

    fn names_slot(&self, slot: u8) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.instruction.slot() == Some(slot))
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
    pub(super) fn step(&mut self, done: [bool; 4], enters: Option<Instruction>) -> Starts {
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
                        *start = Some(entry.instruction);
                    }
                }
            }
            entry.waits.retain(|number| !ended.contains(number));
        }
        self.entries.retain(|entry| !ended.contains(&entry.number));
        if let Some(instruction) = enters {
            self.enter(instruction);
        }
        starts
    }

    fn enter(&mut self, instruction: Instruction) {
        let Some(unit) = Unit::of(&instruction) else {
            return;
        };
        let conflicts = |entry: &&Entry| entry.unit == unit || meet(&entry.instruction, &instruction);
        let waits = self
            .entries
            .iter()
            .filter(conflicts)
            .map(|entry| entry.number)
            .collect();
        self.entries.push(Entry {
            unit,
            instruction,
            running: false,
            waits,
            number: self.entered,
        });
        self.entered += 1;
    }
}

/// Whether two instructions name a buffer in common.
fn meet(a: &Instruction, b: &Instruction) -> bool {
    let uses = |instruction: &Instruction| -> Vec<Range<usize>> {
        let written = instruction.destination().map(usize::from);
        let written = written.map(|buffer| buffer..buffer + 1);
        instruction.sources().into_iter().chain(written).collect()
    };
    let theirs = uses(b);
    uses(a)
        .iter()
        .any(|x| theirs.iter().any(|y| x.start.max(y.start) < x.end.min(y.end)))
}
