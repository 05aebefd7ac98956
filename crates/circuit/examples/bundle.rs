//! Writes the bundled circuits as Bristol Fashion files into the folder `circuits` at the root of the
//! repository, or into the given folder.
#![allow(missing_docs)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use ringmill_circuit::{bristol, bundled};

fn main() -> Result<(), Box<dyn Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../circuits");
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| default.into()));
    std::fs::create_dir_all(&folder)?;
    for name in bundled::names() {
        let circuit = bundled::circuit(name).ok_or("a name without a circuit")??;
        let file = File::create(folder.join(format!("{name}.txt")))?;
        bristol::write(&circuit, BufWriter::new(file))?;
        println!(
            "{name}: AND depth {}, {} ANDs, {} XORs",
            circuit.and_depth(),
            circuit.and_count(),
            circuit.xor_count()
        );
    }
    Ok(())
}
