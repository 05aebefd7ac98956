//! Circuits of ANDs and complements, as text and in binary: what is accepted can be evaluated.

use ringmill_circuit::aiger;

use super::circuits::is_kept;
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "aiger",
    readers: &[
        Reader {
            name: "text",
            read,
            seeds: texts,
        },
        Reader {
            name: "binary",
            read,
            seeds: binaries,
        },
    ],
    words: &[
        "aag ",
        "aig ",
        "\n",
        " ",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "i0 ",
        "i1 ",
        "o0 ",
        "o1 ",
        "l0 ",
        "b0 ",
        "c\n",
        "a[0]",
        "a[1]",
        "[",
        "]",
        "4294967295",
        "4294967296",
        "1048576",
        "16777217",
        "\x02\x02",
    ],
    longest: 4000,
    // Input bits take no space in a binary file: a million of them are allowed.
    memory: 512 << 20,
};

fn read(file: &[u8]) -> Verdict {
    is_kept(&aiger::read(file).map_err(refused)?);
    Ok(())
}

fn texts() -> Vec<Vec<u8>> {
    let half_adder =
        "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\ni1 y\no0 sum\no1 carry\nc\nby hand\n";
    let words =
        "aag 4 2 0 4 1 0 0 0 0\n2\n6\n1\n8\n9\n7\n8 7 2\ni0 a[1]\ni1 a[0]\no0 k\no1 z[3]\no2 z[5]\no3 z[4]\n";
    let choice = "aag 6 3 0 3 3\n2\n4\n6\n13\n8\n10\n8 2 4\n10 3 6\n12 9 11\n";
    [half_adder, words, choice]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}

fn binaries() -> Vec<Vec<u8>> {
    let half_adder = b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02i0 x\ni1 y\no0 sum\no1 carry\nc\n";
    let wide = b"aig 66 65 0 1 1\n132\n\x82\x01\x02";
    vec![half_adder.to_vec(), wide.to_vec()]
}
