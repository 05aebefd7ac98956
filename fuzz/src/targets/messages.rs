//! Programs over messages, as texts and in job files, and heads of batches of their rows. What is accepted can be
//! evaluated, and what is read is written back the same.

use ringmill::batches::Role;
use ringmill::fuzzing::message_program;
use ringmill::messages::RowsHead;
use ringmill::{FrameKind, KeySet};
use ringmill_expression::{MAX_OPERATIONS, MessageProgram, Slots};

use super::sets::written;
use crate::frame::framed;
use crate::{Reader, Target, Verdict, refused};

const HASH: [u8; 32] = [3; 32];

/// Two halves of four slots.
const SLOTS: Slots = Slots { t: 97, half: 4 };

pub static TARGET: Target = Target {
    name: "messages",
    readers: &[
        Reader {
            name: "program",
            read: program,
            seeds: || PROGRAMS.map(|text| text.as_bytes().to_vec()).into(),
        },
        Reader {
            name: "frame",
            read: |payload| {
                let file = framed(FrameKind::MESSAGE_PROGRAM, &HASH, payload);
                let (found, written) = message_program(&HASH, &file).map_err(refused)?;
                assert_eq!(written, file);
                program(found.text().as_bytes())
            },
            seeds: || {
                let payload = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
                PROGRAMS.map(payload).into()
            },
        },
        Reader {
            name: "rows",
            read: |payload| {
                let file = framed(FrameKind::MESSAGE_ROWS, &HASH, payload);
                let (head, hash) = RowsHead::read(file.as_slice()).map_err(refused)?;
                assert_eq!(hash, HASH);
                assert_eq!(head.lengths.len(), head.rows() * head.names.len());
                if !head.names.is_empty() {
                    assert_eq!(written(|out| head.write(out, &HASH)), payload);
                }
                Ok(())
            },
            seeds: || heads().map(|head| written(|out| head.write(out, &HASH))).into(),
        },
    ],
    words: &[
        "a",
        "w",
        "r",
        ":",
        "=",
        ";",
        "\n",
        "#",
        "public",
        "private",
        "let ",
        "(",
        ")",
        ",",
        "+",
        "-",
        "*",
        "/",
        "rotate(",
        "swap(",
        "sum(",
        "inner(",
        "0",
        "1",
        "16383",
        "9223372036854775807",
        "0x",
        "_",
    ],
    longest: 400,
    memory: 4 << 20,
};

const PROGRAMS: [&str; 3] = [
    "w: public; r = a * b + 3 * c; s = rotate(a, -1); d = inner(a, w)",
    "# A polynomial.\nx: private\nlet y = x * x\nr = y * y - 2 * (y + 1) * x",
    "r = swap(rotate(a, 3)) - sum(-a); t = r * (r + 1)",
];

fn program(text: &[u8]) -> Verdict {
    let text = std::str::from_utf8(text).map_err(refused)?;
    let program = MessageProgram::compile(text).map_err(|error| {
        assert!(error.line <= text.matches('\n').count() + 1);
        refused(error)
    })?;
    assert!((1..=MAX_OPERATIONS).contains(&program.operations().len()));
    let inputs: Vec<&[u64]> = program.inputs().iter().map(|_| &[96, 1, 0, 5, 7][..]).collect();
    let results = program.evaluate(SLOTS, &inputs);
    for (output, numbers) in program.outputs().iter().zip(&results) {
        assert!(numbers.len() == 8 && numbers.iter().all(|number| *number < SLOTS.t));
        assert!(!output.uniform || numbers.iter().all(|number| *number == numbers[0]));
    }
    assert_eq!(results.len(), program.outputs().len());
    Ok(())
}

fn heads() -> [RowsHead; 2] {
    let inputs = RowsHead {
        program: [1; 32],
        role: Role::Inputs,
        last: true,
        index: 0,
        keys: Some(KeySet([8; 32])),
        names: vec!["a".to_owned(), "b".to_owned()],
        lengths: vec![3, 4, 4096, 1],
    };
    let results = RowsHead {
        role: Role::Results,
        last: false,
        index: 7,
        keys: None,
        names: vec!["d".to_owned()],
        lengths: vec![1],
        ..inputs.clone()
    };
    [inputs, results]
}
