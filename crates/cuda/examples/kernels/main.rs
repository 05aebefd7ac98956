//! Prints a table of the kernels: the resources of an H100 that each takes, and the speed that its
//! instructions allow.
//!
//! It needs NVRTC and nvdisasm, but no GPU; docs/machines/cuda.md explains the columns:
//!
//! ```text
//! RINGMILL_NVRTC=$(crates/cuda/nvrtc --sass) cargo run -p ringmill-cuda --example kernels -- RINGMILL_DOUBLES
//! ```
//!
//! The arguments are the definitions with which the kernels are compiled.

mod h100;
mod image;
#[path = "../rates/mod.rs"]
mod rates;
#[path = "../../tests/suite/common/resources.rs"]
mod resources;
mod sass;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use h100::{CAPABILITY, blocks, occupancy, picoseconds_by_memory, picoseconds_by_units};
use resources::{OPTION, Resources, resources};
use ringmill_cuda::KernelSource;
use ringmill_cuda::gpu::nvidia::Compiler;
use sass::Instructions;

fn main() -> Result<(), Box<dyn Error>> {
    let defined: Vec<String> = env::args().skip(1).collect();
    let mut program = KernelSource::kernels(&defined.iter().map(String::as_str).collect::<Vec<_>>());
    program.options.push(OPTION.to_owned());
    let compiler = Compiler::load(None)?.keeping_in(None);
    let image = compiler.compile(&program, CAPABILITY)?;
    let text = disassemble(&image.bytes)?;
    println!(
        "| kernel | threads | registers | shared, bytes | blocks an SM | occupancy | FP64 | IMAD | ALU | shared, words \
         | memory, words | all | units, ps a word | memory, ps a word |"
    );
    println!("|{}", "---|".repeat(14));
    for kernel in resources(&image.log) {
        let threads =
            image::threads(&image.bytes, &kernel.entry).ok_or("the image does not tell its threads")?;
        println!(
            "{}",
            row(&kernel, threads, &Instructions::of(&text, &kernel.entry))
        );
    }
    Ok(())
}

fn row(kernel: &Resources, threads: u32, instructions: &Instructions) -> String {
    let Resources {
        entry,
        registers,
        shared,
        ..
    } = kernel;
    let blocks = blocks(threads, *registers, *shared);
    let Instructions {
        fp64,
        imad,
        alu,
        shared_words,
        read,
        written,
        all,
        ..
    } = instructions;
    // Instructions in a loop are counted once, so the time of such a kernel cannot be told here.
    let times = match instructions.loops {
        0 if *written > 0 => format!(
            "{:.1} | {:.1}",
            picoseconds_by_units(instructions),
            picoseconds_by_memory(instructions)
        ),
        _ => "loops | loops".to_owned(),
    };
    format!(
        "| `{entry}` | {threads} | {registers} | {shared} | {blocks} | {:.0} % | {fp64} | {imad} | {alu} | {shared_words} \
         | {read} + {written} | {all} | {times} |",
        100.0 * occupancy(blocks, threads)
    )
}

/// Disassembles machine code with nvdisasm: the one beside NVRTC, or one on the path.
fn disassemble(image: &[u8]) -> Result<String, Box<dyn Error>> {
    let beside = env::var_os("RINGMILL_NVRTC").map(|folder| Path::new(&folder).join("../bin/nvdisasm"));
    let program = beside
        .filter(|file| file.is_file())
        .unwrap_or_else(|| PathBuf::from("nvdisasm"));
    let file = env::temp_dir().join(format!("ringmill-kernels-{}.cubin", std::process::id()));
    fs::write(&file, image)?;
    let output = Command::new(program).arg("--print-code").arg(&file).output();
    fs::remove_file(&file)?;
    let output = output?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
