use std::collections::VecDeque;

/// The most beats of a burst, and the bursts under way each way.
const BURST_BEATS: u64 = 16;
const OUTSTANDING: usize = 8;

/// Cuts a request into bursts and offers their addresses (`axi_bursts`).
#[derive(Debug, Default)]
struct Bursts {
    active: bool,
    offered: Option<u64>,
    /// The first beat of the next burst in its line, and the beats that are left.
    offset: u64,
    left: u64,
}

/// A burst that begins.
#[derive(Debug, Clone, Copy)]
struct Begun {
    beats: u64,
    last: bool,
}

impl Bursts {
    const fn begun(&self, room: bool) -> Option<Begun> {
        if !self.active || self.offered.is_some() || !room {
            return None;
        }
        let line = BURST_BEATS - self.offset;
        let last = self.left <= line;
        let beats = if last { self.left } else { line };
        Some(Begun { beats, last })
    }

    /// The end of a cycle, in which a request may be asked for: its first beat's number and its beats. The memory takes
    /// every address at once.
    const fn step(&mut self, begun: Option<Begun>, request: Option<(u64, u64)>) {
        self.offered = None;
        if let Some(Begun { beats, last }) = begun {
            self.offered = Some(beats);
            self.left -= beats;
            self.offset = 0;
            self.active = !last;
        } else if let (false, Some((first, beats))) = (self.active, request) {
            (self.active, self.offset, self.left) = (true, first % BURST_BEATS, beats);
        }
    }
}

/// A stream's register of two places (`stream_register`).
#[derive(Debug, Default)]
struct Register<T> {
    places: VecDeque<T>,
}

impl<T> Register<T> {
    fn ready(&self) -> bool {
        self.places.len() < 2
    }

    fn step(&mut self, taken: bool, come: Option<T>) {
        if taken {
            self.places.pop_front();
        }
        self.places.extend(come);
    }
}

/// Who asked for data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Client {
    Fetch,
    Load,
}

/// The read master (`axi_read_master`).
#[derive(Debug, Default)]
pub(super) struct Reader {
    bursts: Bursts,
    client: Option<Client>,
    outstanding: VecDeque<Option<Client>>,
    /// Beats: whether each is the last of its burst.
    data: Register<bool>,
}

impl Reader {
    /// Whether a request is taken.
    pub(super) const fn ready(&self) -> bool {
        !self.bursts.active
    }

    /// The burst that is asked for on the bus.
    pub(super) const fn address(&self) -> Option<u64> {
        self.bursts.offered
    }

    /// Whether a beat is taken from the bus.
    pub(super) fn takes(&self) -> bool {
        self.data.ready()
    }

    /// Whose beat is there.
    pub(super) fn beat(&self) -> Option<Client> {
        self.data.places.front()?;
        *self.outstanding.front()?
    }

    /// The end of a cycle: whether the beat was taken, a beat from the bus (its burst's last or not), a request.
    pub(super) fn step(&mut self, taken: bool, come: Option<bool>, request: Option<(Client, u64, u64)>) {
        let begun = self.bursts.begun(self.outstanding.len() < OUTSTANDING);
        if taken && self.data.places.front() == Some(&true) {
            self.outstanding.pop_front();
        }
        if begun.is_some() {
            self.outstanding.push_back(self.client);
        }
        self.data.step(taken, come);
        if let (true, Some((client, ..))) = (self.ready(), request) {
            self.client = Some(client);
        }
        self.bursts
            .step(begun, request.map(|(_, first, beats)| (first, beats)));
    }
}

/// The write master (`axi_write_master`).
#[derive(Debug, Default)]
pub(super) struct Writer {
    bursts: Bursts,
    /// The beats that are left of bursts whose data is not all there.
    lengths: VecDeque<u64>,
    data: Register<()>,
    /// Bursts without a response: whether each is its request's last.
    outstanding: VecDeque<bool>,
    done: bool,
}

impl Writer {
    pub(super) const fn ready(&self) -> bool {
        !self.bursts.active
    }

    pub(super) const fn address(&self) -> Option<u64> {
        self.bursts.offered
    }

    /// Whether a beat is taken from the store unit.
    pub(super) fn takes(&self) -> bool {
        !self.lengths.is_empty() && self.data.ready()
    }

    /// Whether a beat is offered to the bus.
    pub(super) fn offers(&self) -> bool {
        !self.data.places.is_empty()
    }

    pub(super) fn response_ready(&self) -> bool {
        !self.outstanding.is_empty()
    }

    /// Whether a request ended in the cycle before.
    pub(super) const fn done(&self) -> bool {
        self.done
    }

    /// The end of a cycle: whether a beat came from the store unit, whether the bus took one, whether it answered, a
    /// request.
    pub(super) fn step(&mut self, come: bool, taken: bool, answered: bool, request: Option<(u64, u64)>) {
        let begun = self.bursts.begun(self.outstanding.len() < OUTSTANDING);
        if let (true, Some(left)) = (come, self.lengths.front_mut()) {
            *left -= 1;
            if *left == 0 {
                self.lengths.pop_front();
            }
        }
        self.data.step(taken, come.then_some(()));
        self.done = answered && self.outstanding.pop_front() == Some(true);
        if let Some(Begun { beats, last }) = begun {
            self.lengths.push_back(beats);
            self.outstanding.push_back(last);
        }
        self.bursts.step(begun, request);
    }
}
