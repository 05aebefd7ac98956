//! Circuits of tables: what is accepted can be evaluated.

use ringmill_circuit::blif;

use super::circuits::is_kept;
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "blif",
    readers: &[Reader {
        name: "text",
        read,
        seeds: texts,
    }],
    words: &[
        ".model ",
        ".inputs ",
        ".outputs ",
        ".names ",
        ".subckt ",
        ".end\n",
        ".latch ",
        ".gate ",
        ".exdc\n",
        "\n",
        " ",
        "\\\n",
        "#",
        "=",
        "0 1\n",
        "1 1\n",
        "11 1\n",
        "-1 0\n",
        "1",
        "0",
        "-",
        "a",
        "b",
        "y",
        "a[0]",
        "a[1]",
        "[",
        "]",
        "top",
        "part",
    ],
    longest: 4000,
    // Copies of models take no space in a text: two megabytes of tables are allowed.
    memory: 1 << 30,
};

fn read(text: &[u8]) -> Verdict {
    is_kept(&blif::read(text).map_err(refused)?);
    Ok(())
}

fn texts() -> Vec<Vec<u8>> {
    let adder = ".model adder # full\n.inputs a b \\\n carry\n.outputs sum next\n.names d carry sum\n10 1\n01 1\n\
                 .names a b carry next\n0-0 0\n-00 0\n00- 0\n.names a b d\n00 0\n11 0\n.end\n";
    let words = ".model w\n.inputs x[1] x[0] f\n.outputs y[2] y[3] one f\n.names one\n1\n.names x[1] y[2]\n1 1\n\
                 .names x[1] x[0] f one y[3]\n1--0 1\n-011 1\n01-1 1\n.names lost least\n1 1\n";
    let wide = ".model m\n.inputs a b c d e f g h i\n.outputs y z\n.names a b c d e f g h y\n11001100 1\n--1-0-1- 1\n\
                0000---- 1\n.names a b c d e f g h i z\n000000000 0\n";
    let copies = ".model top\n.inputs a b\n.outputs y z\n.subckt part p=a q=y\n.subckt part p=c q=z\n.names a b c\n\
                  11 1\n.end\n.model part\n.inputs p\n.outputs q\n.names p q\n0 1\n.end\n";
    [adder, words, wide, copies]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}
