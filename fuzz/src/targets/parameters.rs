//! Parameters: as payloads of frames whose hash and checksum are right, and whole files. What is read is written back the
//! same, and is secure by the table unless its maker said otherwise.

use ringmill_format::FrameKind;
use ringmill_fv::Parameters;

use super::sets::{FERMAT, SMALL, written};
use crate::frame::{framed, parameters_hash};
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "parameters",
    readers: &[
        Reader {
            name: "payload",
            read: |payload| file(&framed(FrameKind::PARAMETERS, &parameters_hash(payload), payload)),
            seeds: payloads,
        },
        Reader {
            name: "file",
            read: file,
            seeds: || {
                let payload = &payloads()[0];
                vec![framed(FrameKind::PARAMETERS, &parameters_hash(payload), payload)]
            },
        },
    ],
    words: &["RMFV", "hepcloud", "n1024-q26"],
    longest: 5000,
    memory: 4 << 20,
};

fn file(file: &[u8]) -> Verdict {
    let parameters = Parameters::read(file).map_err(refused)?;
    let mut written = Vec::new();
    parameters.write(&mut written).expect("memory");
    // A reader stops at the end of the frame.
    assert_eq!(written, file[..written.len()]);
    assert_eq!(written.len() as u64, parameters.encoded_bytes());
    let allowed = file[written.len() - 33] == 1;
    assert!(allowed || parameters.security().warning.is_none());
    Ok(())
}

fn payloads() -> Vec<Vec<u8>> {
    let presets = ["fv128-n4096", "n1024-q26", "hepcloud", "n4096-t65537"];
    let presets = presets.map(|name| Parameters::preset(name).expect("a preset"));
    let sets = [SMALL.parameters(), FERMAT.parameters()]
        .into_iter()
        .chain(&presets);
    sets.map(|set| written(|out| set.write(out))).collect()
}
