//! GPU code as text, and what is counted in it.

use std::collections::HashSet;

/// The instructions of a kernel, each counted once, for one thread.
#[derive(Debug, Clone, Default)]
pub struct Instructions {
    /// Operations on doubles.
    pub fp64: u32,
    /// Integer multiplications, and moves on the same unit.
    pub imad: u32,
    /// Other integer and logical operations.
    pub alu: u32,
    /// Words of 64 bits read from and written to shared memory.
    pub shared_words: u32,
    /// Words of 64 bits read from memory.
    pub read: u32,
    /// Words of 64 bits written to memory.
    pub written: u32,
    /// Instructions of all kinds.
    pub all: u32,
    /// Jumps backwards.
    pub loops: u32,
}

/// The operations of the unit for other integers, by the beginnings of their names.
const ALU: [&str; 15] = [
    "IADD", "LOP", "SHF", "LEA", "ISETP", "SEL", "PRMT", "IABS", "IMNMX", "VIMNMX", "VIADD", "PLOP", "FSEL",
    "P2R", "R2P",
];
const FP64: [&str; 5] = ["DFMA", "DMUL", "DADD", "DSETP", "DMNMX"];

impl Instructions {
    /// Counts the instructions of a kernel in the output of nvdisasm.
    pub fn of(text: &str, entry: &str) -> Self {
        let mut found = Self::default();
        let mut labels = HashSet::new();
        let mut last = "";
        let section = format!(".text.{entry}:");
        let lines = text.lines().skip_while(|line| *line != section).skip(1);
        for line in lines.take_while(|line| !line.starts_with("//-----")) {
            if let Some(label) = line.strip_suffix(':') {
                labels.insert(label);
                last = label;
            }
            let Some(instruction) = instruction(line) else {
                continue;
            };
            match target(instruction) {
                // The padding after the end: a jump to itself, and nothing.
                Some(label) if label == last => {}
                _ if instruction.starts_with("NOP") => {}
                Some(label) if labels.contains(label) => {
                    found.loops += 1;
                    found.all += 1;
                }
                _ => found.count(instruction),
            }
            last = "";
        }
        found
    }

    fn count(&mut self, instruction: &str) {
        let name = instruction.split([' ', ';']).next().unwrap_or_default();
        let begins = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
        self.all += 1;
        self.fp64 += u32::from(begins(&FP64));
        self.imad += u32::from(begins(&["IMAD"]));
        self.alu += u32::from(begins(&ALU));
        let words = if name.contains(".128") { 2 } else { 1 };
        self.shared_words += if begins(&["LDS", "STS"]) { words } else { 0 };
        self.read += if begins(&["LDG"]) { words } else { 0 };
        self.written += if begins(&["STG"]) { words } else { 0 };
    }
}

/// The instruction of a line, without its address and its condition.
fn instruction(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let rest = rest.trim_start();
    match rest.strip_prefix('@') {
        Some(conditional) => conditional.split_once(' ').map(|(_, rest)| rest.trim_start()),
        None => Some(rest),
    }
}

/// The target of a jump.
fn target(instruction: &str) -> Option<&str> {
    let (_, rest) = instruction.strip_prefix("BRA")?.split_once("`(")?;
    rest.split_once(')').map(|(label, _)| label)
}
