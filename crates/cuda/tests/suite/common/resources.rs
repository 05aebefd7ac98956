//! The resources of a GPU that kernels take, read from the log of `ptxas`.

/// The option that makes `ptxas` write them.
pub const OPTION: &str = "--ptxas-options=-v";

/// The resources of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel's name.
    pub entry: String,
    /// The number of registers of a thread.
    pub registers: u32,
    /// The bytes of a thread in local memory, which is as slow as the GPU's memory.
    pub stack: u32,
    /// The bytes that are written to and read from local memory for lack of registers.
    pub spilled: u32,
    /// The bytes of shared memory of a block.
    pub shared: u32,
}

/// Reads the kernels of a log.
pub fn resources(log: &str) -> Vec<Resources> {
    let mut all: Vec<Resources> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let entry = rest.split('\'').next().unwrap_or_default().to_owned();
            all.push(Resources {
                entry,
                ..Resources::default()
            });
        }
        let Some(kernel) = all.last_mut() else { continue };
        if line.contains("bytes stack frame") {
            kernel.stack = before(line, " bytes stack frame");
            kernel.spilled = before(line, " bytes spill stores") + before(line, " bytes spill loads");
        }
        if line.contains("Used ") {
            kernel.registers = before(line, " registers");
            kernel.shared = before(line, " bytes smem");
        }
    }
    all
}

/// The number before some words; 0 if they do not occur.
fn before(line: &str, words: &str) -> u32 {
    let number = line
        .split_once(words)
        .and_then(|(head, _)| head.split_whitespace().last());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
