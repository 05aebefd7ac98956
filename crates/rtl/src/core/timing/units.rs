use crate::core::{Configuration, ConstantsBlock, ConversionTable, Instruction};

/// Cycles from the read of a bank to its word, behind the choice of the buffer.
const BANK_CYCLES: usize = 2;

/// Beats of a store on their way from the banks to the bus.
const PLACES: usize = BANK_CYCLES + 3;

/// A unit that works for a time that its instruction determines: transforms and vectors.
#[derive(Debug, Default)]
pub(super) struct Timer {
    left: Option<u64>,
}

impl Timer {
    /// Whether it is done in this cycle; `start` is the time of what starts in it.
    pub(super) const fn step(&mut self, start: Option<u64>) -> bool {
        self.left = match (start, self.left) {
            (Some(cycles), _) => Some(cycles),
            (None, Some(0) | None) => None,
            (None, Some(left)) => Some(left - 1),
        };
        matches!(self.left, Some(0))
    }
}

/// A request to a master: its first beat's number and its beats.
pub(super) type Request = (u64, u64);

/// LOAD and CONSTANTS (`core_load`).
#[derive(Debug, Default)]
pub(super) struct Loading {
    pub(super) request: Option<Request>,
    /// Beats, or words of a block, that are left.
    left: u64,
    /// The words of a beat, where words are taken one by one.
    words: Option<u64>,
    last: [bool; 2],
}

impl Loading {
    /// Whether its beat is taken whole in this cycle, if there is one.
    pub(super) const fn takes(&self) -> bool {
        match self.words {
            None => self.left > 0,
            Some(words) => self.left > 0 && (self.left - 1).is_multiple_of(words),
        }
    }

    pub(super) const fn done(&self) -> bool {
        self.last[1]
    }

    /// The end of a cycle: its request was granted, a beat is there, an instruction starts.
    pub(super) fn step(
        &mut self,
        granted: bool,
        beat: bool,
        start: Option<Instruction>,
        configuration: &Configuration,
    ) {
        let takes = beat && self.left > 0;
        self.last = [takes && self.left == 1, self.last[0]];
        self.left -= u64::from(takes);
        if granted {
            self.request = None;
        }
        let Some(instruction) = start else {
            return;
        };
        let words = words_a_beat(configuration);
        let block = match instruction {
            Instruction::Constants { .. } => Some(ConstantsBlock::len(configuration)),
            Instruction::Table { .. } => Some(ConversionTable::WORDS),
            _ => None,
        };
        let (first, beats) = beats_of(instruction, configuration);
        (self.words, self.left, self.request) = match block {
            Some(block) => (Some(words), block as u64, Some((first, block as u64 / words))),
            None => (None, beats, Some((first, beats))),
        };
    }
}

/// STORE (`core_store`).
#[derive(Debug)]
pub(super) struct Storing {
    pub(super) request: Option<Request>,
    /// Beats that are not read yet.
    left: u64,
    free: usize,
    /// Beats on their way through the banks, and in the queue.
    banks: [bool; BANK_CYCLES + 1],
    queued: usize,
    done: bool,
}

impl Storing {
    pub(super) const fn new() -> Self {
        Self {
            request: None,
            left: 0,
            free: PLACES,
            banks: [false; BANK_CYCLES + 1],
            queued: 0,
            done: false,
        }
    }

    /// Whether a beat is offered to the master.
    pub(super) const fn offers(&self) -> bool {
        self.queued > 0
    }

    pub(super) const fn done(&self) -> bool {
        self.done
    }

    /// The end of a cycle: its request was granted, a beat was taken, the master's end of a request, an instruction
    /// starts.
    pub(super) fn step(
        &mut self,
        granted: bool,
        taken: bool,
        ended: bool,
        start: Option<Instruction>,
        configuration: &Configuration,
    ) {
        let reads = self.left > 0 && self.free > 0;
        let [first, second, third] = self.banks;
        self.queued = self.queued + usize::from(third) - usize::from(taken);
        self.banks = [reads, first, second];
        self.free = self.free + usize::from(taken) - usize::from(reads);
        self.left -= u64::from(reads);
        self.done = ended;
        if granted {
            self.request = None;
        }
        if let Some(instruction) = start {
            let request = beats_of(instruction, configuration);
            (self.left, self.request) = (request.1, Some(request));
        }
    }
}

/// The first beat of a limb's or a strip's words in memory, and their beats.
fn beats_of(instruction: Instruction, configuration: &Configuration) -> Request {
    let words = words_a_beat(configuration);
    let beats = configuration.n() as u64 / words;
    let first = instruction.address().unwrap_or_default() / (8 * words);
    match instruction {
        Instruction::LoadRow { strip, log_rows, .. } | Instruction::StoreRow { strip, log_rows, .. } => {
            let beats = beats >> log_rows;
            (first + u64::from(strip) * beats, beats)
        }
        _ => (first, beats),
    }
}

const fn words_a_beat(configuration: &Configuration) -> u64 {
    configuration.sizes().data_width as u64 / 64
}
