use super::program::require_residues;
use super::register::{self, Mode, Register, status};
use super::{Batch, Link, MachineProgram, Shape, Simulation};
use crate::RtlError;
use ringmill_arith::secret::Secret;

/// The host's side of a machine: configuration, jobs and counters.
#[derive(Debug)]
pub struct Host {
    machine: Simulation,
    link: Link,
    program: Option<MachineProgram>,
}

/// The machine's counters since they were last cleared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Cycles.
    pub cycles: u64,
    /// Jobs for which the machine gave the last result.
    pub jobs: u32,
    /// Beats that the machine took.
    pub input_beats: u32,
    /// Beats that the machine gave.
    pub output_beats: u32,
    /// Cycles in which the units were busy.
    pub compute_cycles: u32,
    /// Cycles in which the link offered a beat and the machine did not take it.
    pub input_stalls: u32,
    /// Cycles in which the machine offered a result and the link did not take it.
    pub output_stalls: u32,
    /// Cycles from the first read to the last result of the last job.
    pub latency: u32,
}

/// The polls of the status register after which the machine counts as stuck; it is never busy for longer
/// than a job.
const POLLS: usize = 100_000;

impl Host {
    /// Connects to a machine at the end of a link. Nothing is loaded yet.
    ///
    /// # Errors
    /// [`RtlError::WrongMachine`] if the machine's registers describe another machine.
    pub fn new(mut machine: Simulation, link: Link) -> Result<Self, RtlError> {
        let shape = machine.shape();
        let sizes = [
            shape.step_bits(),
            shape.log_link(),
            shape.log_units(),
            shape.log_n(),
        ];
        let sizes = sizes.into_iter().fold(0, |word, size| word << 8 | size);
        let expected = [
            (Register::Id, register::ID),
            (Register::Version, register::VERSION),
            (Register::Shape, sizes),
        ];
        for (register, expected) in expected {
            let got = machine.read(register)?;
            if got != expected {
                return Err(RtlError::WrongMachine {
                    address: register as u32,
                    expected,
                    got,
                });
            }
        }
        Ok(Self {
            machine,
            link,
            program: None,
        })
    }

    /// The machine's shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.machine.shape()
    }

    /// The link.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// Replaces the link between the host and the machine.
    pub fn set_link(&mut self, link: Link) {
        self.link = link;
    }

    /// The program that is loaded.
    #[must_use]
    pub const fn program(&self) -> Option<&MachineProgram> {
        self.program.as_ref()
    }

    /// Loads the difference to the loaded program: everything for another prime, otherwise the fixed
    /// polynomials.
    ///
    /// # Errors
    /// [`RtlError::WrongLength`] if the program is for a machine of another shape; other errors if the
    /// machine fails.
    pub fn load(&mut self, program: &MachineProgram) -> Result<(), RtlError> {
        if program.shape() != self.shape() {
            return Err(RtlError::WrongLength {
                expected: self.shape().factors() * self.shape().units(),
                got: program.factors().len(),
            });
        }
        let same_prime = |loaded: &MachineProgram| loaded.unit() == program.unit();
        match self.program.take() {
            Some(loaded) if loaded == *program => {}
            Some(loaded) if same_prime(&loaded) => {
                let operands = Secret::new([program.operand(0)?, program.operand(1)?].concat());
                self.load_words(Mode::LoadOperands, &operands)?;
            }
            _ => {
                self.wait_until_idle()?;
                self.machine
                    .write(Register::Modulus, program.unit().modulus().value() as u32)?;
                self.load_words(Mode::LoadInputScale, program.input_scale())?;
                self.load_words(Mode::LoadOutputScale, program.output_scale())?;
                self.load_words(Mode::LoadFactors, program.factors())?;
            }
        }
        self.machine.write(Register::Mode, Mode::Run as u32)?;
        self.program = Some(program.clone());
        Ok(())
    }

    /// Runs jobs back to back. Each job has n words, which are canonical residues. Returns, for each job,
    /// its times and the words of `products` products in coefficient domain.
    ///
    /// # Errors
    /// [`RtlError::NothingLoaded`], [`RtlError::BadProducts`], [`RtlError::WrongLength`],
    /// [`RtlError::OutOfRange`]; other errors if the machine fails.
    pub fn run(&mut self, words: &[u32], products: usize) -> Result<Batch, RtlError> {
        let program = self.program.as_ref().ok_or(RtlError::NothingLoaded)?;
        if !(1..=2).contains(&products) {
            return Err(RtlError::BadProducts(products));
        }
        let (n, modulus) = (self.shape().n(), *program.unit().modulus());
        if !words.len().is_multiple_of(n) {
            return Err(RtlError::WrongLength {
                expected: words.len().next_multiple_of(n),
                got: words.len(),
            });
        }
        require_residues(&modulus, words.len(), words.iter().copied().map(u64::from))?;
        self.machine.write(Register::Products, products as u32)?;
        let batch = self.machine.transfer(&self.link, words, n, products)?;
        self.wait_until_idle()?;
        Ok(batch)
    }

    /// Reads the machine's counters.
    ///
    /// # Errors
    /// Errors arise if the machine fails.
    pub fn counters(&mut self) -> Result<Counters, RtlError> {
        let low = self.machine.read(Register::CyclesLow)?;
        let high = self.machine.read(Register::CyclesHigh)?;
        Ok(Counters {
            cycles: u64::from(high) << 32 | u64::from(low),
            jobs: self.machine.read(Register::Jobs)?,
            input_beats: self.machine.read(Register::InputBeats)?,
            output_beats: self.machine.read(Register::OutputBeats)?,
            compute_cycles: self.machine.read(Register::ComputeCycles)?,
            input_stalls: self.machine.read(Register::InputStalls)?,
            output_stalls: self.machine.read(Register::OutputStalls)?,
            latency: self.machine.read(Register::Latency)?,
        })
    }

    /// Clears the machine's counters and errors.
    ///
    /// # Errors
    /// Errors arise if the machine fails.
    pub fn clear(&mut self) -> Result<(), RtlError> {
        self.machine.write(Register::Control, 1)
    }

    /// Sends a table.
    fn load_words(&mut self, mode: Mode, words: &[u32]) -> Result<(), RtlError> {
        self.wait_until_idle()?;
        self.machine.write(Register::Mode, mode as u32)?;
        self.machine.transfer(&self.link, words, words.len(), 0)?;
        self.wait_until_idle()
    }

    fn wait_until_idle(&mut self) -> Result<(), RtlError> {
        for _ in 0..POLLS {
            let status = self.machine.read(Register::Status)?;
            if status & (status::BAD_PACKET | status::BUSY_WRITE) != 0 {
                let cycle = self.machine.cycles();
                return Err(RtlError::Reported { status, cycle });
            }
            if status & status::IDLE != 0 {
                return Ok(());
            }
        }
        Err(RtlError::Stuck {
            cycle: self.machine.cycles(),
        })
    }
}
