//! Heads of batches of records in both versions of the format, of batches of messages, and names of key sets: as payloads
//! of valid frames. What is read is written back the same.

use ringmill::batches::{Head, Origin, Role};
use ringmill::{KeySet, Signature, messages};
use ringmill_format::FrameKind;

use super::sets::written;
use crate::frame::{framed, framed_as};
use crate::{Reader, Target, Verdict, refused};

const HASH: [u8; 32] = [3; 32];

/// Bytes of values in the clear that a reader allows.
const MOST_CLEAR: u64 = 2000;

pub static TARGET: Target = Target {
    name: "heads",
    readers: &[
        Reader {
            name: "records",
            read: records,
            seeds: || {
                heads()
                    .iter()
                    .map(|head| written(|out| head.write(out, &HASH)))
                    .collect()
            },
        },
        Reader {
            name: "records-v3",
            read: |payload| {
                let file = framed_as((3, FrameKind::BATCH.byte()), &HASH, payload);
                let head = read(&file)?;
                assert!(head.keys.is_none() && head.origin.is_none());
                Ok(())
            },
            seeds: || {
                let payloads = heads().map(|head| written(|out| head.write(out, &HASH)));
                // Version 3 knows no list of ports.
                payloads
                    .iter()
                    .take(2)
                    .map(|payload| without_digests(payload))
                    .collect()
            },
        },
        Reader {
            name: "messages",
            read: |payload| {
                let file = framed(FrameKind::MESSAGES, &HASH, payload);
                let (head, hash) = messages::Head::read(file.as_slice()).map_err(refused)?;
                assert_eq!(hash, HASH);
                assert_eq!(written(|out| head.write(out, &HASH)), payload);
                Ok(())
            },
            seeds: || {
                let keys = [None, Some(KeySet([8; 32]))];
                keys.map(|keys| written(|out| messages_head(keys).write(out, &HASH)))
                    .into()
            },
        },
        Reader {
            name: "messages-v3",
            read: |payload| {
                let file = framed_as((3, FrameKind::MESSAGES.byte()), &HASH, payload);
                let (head, _) = messages::Head::read(file.as_slice()).map_err(refused)?;
                assert!(head.keys.is_none());
                Ok(())
            },
            seeds: || {
                let payload = written(|out| messages_head(None).write(out, &HASH));
                vec![[&payload[..6], &payload[6 + 32..]].concat()]
            },
        },
        Reader {
            name: "signature",
            read: |payload| {
                let file = framed(FrameKind::SIGNATURE, &HASH, payload);
                let signature = Signature::read(file.as_slice()).map_err(refused)?;
                assert_eq!(written(|out| signature.write(out, &HASH)), payload);
                Ok(())
            },
            seeds: || vec![(0..96).collect()],
        },
        Reader {
            name: "keys",
            read: |payload| {
                let file = framed(FrameKind::KEY_SET, &HASH, payload);
                let (KeySet(digest), hash) = KeySet::read(file.as_slice()).map_err(refused)?;
                assert_eq!((&digest[..], hash), (payload, HASH));
                Ok(())
            },
            seeds: || vec![vec![5; 32]],
        },
        Reader {
            name: "file",
            read: |file| read(file).map(drop),
            seeds: || {
                vec![framed(
                    FrameKind::BATCH,
                    &HASH,
                    &written(|out| heads()[0].write(out, &HASH)),
                )]
            },
        },
    ],
    words: &["RMFV"],
    longest: 4000,
    memory: 1 << 16,
};

fn read(file: &[u8]) -> Result<Head, String> {
    let (head, _) = Head::read(file, MOST_CLEAR).map_err(refused)?;
    let clear: usize = head.clear.iter().map(|value| value.len() + 4).sum();
    assert!(clear as u64 <= MOST_CLEAR + 128);
    Ok(head)
}

fn records(payload: &[u8]) -> Verdict {
    let head = read(&framed(FrameKind::BATCH, &HASH, payload))?;
    assert_eq!(head.origin.is_some(), head.role == Role::Results);
    assert_eq!(written(|out| head.write(out, &HASH)), payload);
    Ok(())
}

/// A payload as version 3 has it: without the key set, and in results without their origin.
fn without_digests(payload: &[u8]) -> Vec<u8> {
    let (before, digests) = (46, if payload[32] == 1 { 5 * 32 } else { 32 });
    [&payload[..before], &payload[before + digests..]].concat()
}

fn messages_head(keys: Option<KeySet>) -> messages::Head {
    messages::Head {
        encoding: messages::Encoding::Coefficients,
        last: true,
        index: 0,
        keys,
        lengths: vec![1, 64, 3],
    }
}

fn heads() -> [Head; 3] {
    let inputs = Head {
        circuit: [1; 32],
        role: Role::Inputs,
        last: true,
        index: 0,
        records: 10,
        keys: Some(KeySet([8; 32])),
        origin: None,
        clear: Vec::new(),
        ports: Vec::new(),
    };
    let some = Head {
        ports: vec!["income".to_owned(), "b".to_owned()],
        ..inputs.clone()
    };
    let results = Head {
        role: Role::Results,
        last: false,
        index: 1,
        keys: None,
        origin: Some(Origin {
            evaluation_key: [2; 32],
            plan: [3; 32],
            private: [4; 32],
            public: [5; 32],
        }),
        clear: vec![vec![6; 8], Vec::new()],
        ..inputs.clone()
    };
    [inputs, results, some]
}
