//! Whole files of several frames, as `inspect` reads them: made of frames that are valid, or as they are.
//!
//! A frame is made of a byte for its kind, a byte for its version, two bytes for the length of its payload, and that.

use ringmill::Inspection;
use ringmill_engine::{InputKey, InputPacking, ProductForm, Recipe};
use ringmill_format::FrameKind;

use super::sets::{FERMAT, written};
use crate::frame::{framed_as, parameters_hash};
use crate::{Reader, Target, refused};

pub static TARGET: Target = Target {
    name: "inspect",
    readers: &[
        Reader {
            name: "frames",
            read: |input| {
                let (file, frames) = file(input);
                let found = file_of(&file)?;
                assert_eq!(found.frames, frames);
                Ok(())
            },
            seeds: files,
        },
        Reader {
            name: "file",
            read: |file| file_of(file).map(drop),
            seeds: || files().iter().map(|input| file(input).0).collect(),
        },
    ],
    words: &["RMFV", "\u{9}\u{3}", "\u{1}\u{3}", "\u{6}\u{3}"],
    longest: 4000,
    memory: 4 << 20,
};

fn file_of(file: &[u8]) -> Result<Inspection, String> {
    let found = Inspection::read(file).map_err(refused)?;
    assert_eq!(found.bytes, file.len() as u64);
    assert!(found.plan.is_none() || found.parameters.is_some());
    Ok(found)
}

/// The file of an input, and its number of frames.
fn file(mut input: &[u8]) -> (Vec<u8>, usize) {
    let (mut file, mut frames, mut hash) = (Vec::new(), 0, [3; 32]);
    while let Some(([kind, version, low, high], rest)) = input.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let (payload, rest) = rest.split_at(length.min(rest.len()));
        if *kind == FrameKind::PARAMETERS.byte() {
            hash = parameters_hash(payload);
        }
        file.extend(framed_as((u16::from(*version), *kind), &hash, payload));
        frames += 1;
        input = rest;
    }
    (file, frames)
}

fn files() -> Vec<Vec<u8>> {
    let part = |kind: FrameKind, payload: &[u8]| {
        let length = (payload.len() as u16).to_le_bytes();
        [&[kind.byte(), kind.version() as u8][..], &length, payload].concat()
    };
    let parameters = part(
        FrameKind::PARAMETERS,
        &written(|out| FERMAT.parameters().write(out)),
    );
    let recipe = Recipe {
        circuit: [7; 32],
        variant: None,
        aggregates: None,
        form: ProductForm::Bfv,
        tolerance: 0.5,
        input_key: InputKey::Public,
        log2_failure: -64.0,
        flooding: false,
        packing: InputPacking::Separate,
        former: None,
        further: 0,
        shared: false,
    };
    let plan = part(
        FrameKind::PLAN,
        &written(|out| recipe.write(out, FERMAT.parameters())),
    );
    let secret = part(FrameKind::SECRET_KEY, &[0; 16]);
    let keys = part(FrameKind::KEY_SET, &[5; 32]);
    let relinearization = part(FrameKind::RELINEARIZATION_KEY, &[1; 64]);
    let galois = part(FrameKind::GALOIS_KEYS, &[2, 0, 0, 0, 9]);
    let mut head = [0; 82];
    (head[33], head[38]) = (1, 10);
    let batch = part(FrameKind::BATCH, &head);
    let ciphertexts = part(FrameKind::CIPHERTEXTS, &[1, 0, 0, 0, 2, 0, 2, 1, 77]);
    let mut head = [0; 46];
    (head[0], head[1], head[38], head[42]) = (1, 1, 1, 9);
    let messages = part(FrameKind::MESSAGES, &head);
    let signature = part(FrameKind::SIGNATURE, &[3; 96]);
    vec![
        [parameters, plan].concat(),
        [secret, keys.clone()].concat(),
        [relinearization, galois, keys].concat(),
        [batch.clone(), ciphertexts.clone()].concat().repeat(2),
        [batch, ciphertexts.clone(), signature].concat(),
        [messages, ciphertexts].concat().repeat(2),
    ]
}
