use std::collections::BTreeSet;

use super::{Buffer, Instruction};

/// A program in the making: instructions in the order of the ring.
///
/// The core takes instructions in their order and holds a few that wait for their buffers. Behind more of them a load
/// would wait too, though its buffer is free. The program therefore moves loads up, by one step at most: the limbs of a
/// step are loaded before the work of the step ahead of it, and the load unit is busy while the others work. Constants
/// stay where they are, because the core holds everything behind them until they are loaded.
///
/// The program also puts a wait between a store and a load of the same place, which the core does not order.
#[derive(Debug, Default)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    /// Where the work of the last step begins: loads move up to here.
    ahead: usize,
    /// Where this step begins.
    step: usize,
    /// The places that were stored to since the last wait.
    stored: BTreeSet<u64>,
}

impl Program {
    /// Begins a step: the work on one limb.
    pub(super) fn step(&mut self) {
        let loads = self.instructions.iter().skip(self.step);
        self.ahead = self.step + loads.take_while(|&i| fetches(i)).count();
        self.step = self.instructions.len();
    }

    /// Adds an instruction.
    pub(super) fn push(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Load {
                destination, address, ..
            } => self.push_load(instruction, destination, address),
            Instruction::Store { address, .. } => {
                self.stored.insert(address);
                self.instructions.push(instruction);
            }
            _ => self.instructions.push(instruction),
        }
    }

    fn push_load(&mut self, load: Instruction, buffer: Buffer, address: u64) {
        if self.stored.contains(&address) {
            self.stored.clear();
            self.instructions.push(Instruction::Wait);
        }
        let earlier = self.instructions.iter().skip(self.ahead).rev();
        let passed = earlier.take_while(|other| may_pass(buffer, other)).count();
        let place = self.instructions.len() - passed;
        self.instructions.insert(place, load);
        if place <= self.step {
            self.step += 1;
        }
    }

    /// Ends the program and leaves an empty one.
    pub(super) fn take(&mut self) -> Vec<Instruction> {
        std::mem::take(self).instructions
    }
}

/// Whether the load unit does the instruction.
const fn fetches(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Load { .. } | Instruction::Constants { .. }
    )
}

/// Whether a load of a buffer may come before an instruction: one on other buffers, and no load, so that loads keep
/// their order.
fn may_pass(buffer: Buffer, other: &Instruction) -> bool {
    let holds = matches!(other, Instruction::Wait | Instruction::Interrupt);
    !fetches(other) && !holds && !other.names(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn load(destination: u8) -> Instruction {
        Instruction::Load {
            destination,
            slot: 0,
            address: 64 * destination as u64,
        }
    }

    const fn work(source: u8) -> Instruction {
        Instruction::Negate {
            destination: source,
            source,
            slot: 0,
        }
    }

    const fn store(source: u8, address: u64) -> Instruction {
        Instruction::Store {
            source,
            slot: 0,
            address,
        }
    }

    fn program(steps: &[&[Instruction]]) -> Vec<Instruction> {
        let mut program = Program::default();
        for step in steps {
            program.step();
            step.iter().for_each(|&instruction| program.push(instruction));
        }
        program.take()
    }

    #[test]
    fn loads_are_one_step_ahead() {
        let [a, b, c] = [1, 2, 3].map(|i| [load(i), work(i), store(i, 1024 + 64 * u64::from(i))]);
        let expected = [a[0], b[0], a[1], a[2], c[0], b[1], b[2], c[1], c[2]];
        assert_eq!(program(&[&a, &b, &c]), expected);
    }

    #[test]
    fn loads_stay_behind_what_uses_their_buffer() {
        let first = [load(1), work(1), store(1, 1024), work(2)];
        let expected = [load(1), work(1), store(1, 1024), load(1), work(2), work(1)];
        assert_eq!(program(&[&first, &[load(1), work(1)]]), expected);
    }

    #[test]
    fn loads_stay_behind_constants_and_other_loads() {
        let constants = Instruction::Constants { slot: 1, address: 0 };
        let first = [load(1), work(1)];
        let expected = [load(1), work(1), constants, load(2), load(3)];
        assert_eq!(program(&[&first, &[constants, load(2), load(3)]]), expected);
    }

    #[test]
    fn a_load_of_what_was_stored_waits() {
        let first = [load(1), store(1, 128)];
        let expected = [load(1), store(1, 128), Instruction::Wait, load(2)];
        assert_eq!(program(&[&first, &[load(2)]]), expected);
        // The wait was for all stores before it.
        let first = [store(1, 128), store(1, 192)];
        let expected = [first[0], first[1], Instruction::Wait, load(2), load(3)];
        assert_eq!(program(&[&first, &[load(2)], &[load(3)]]), expected);
    }
}
