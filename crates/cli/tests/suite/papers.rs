//! The papers' tables: every line that can be measured quickly has a figure of ours.

use crate::common::{directory, ringmill, succeed};
use serde_json::Value;

/// The tables of a paper, each line with its operation and our median.
fn lines(paper: u8) -> Vec<(String, Option<f64>)> {
    let path = directory(&format!("paper{paper}"));
    let said = succeed(&path, &format!("bench --paper {paper} --quick --json"));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(
        said["paper"]
            .as_str()
            .unwrap()
            .starts_with(&format!("Paper {paper}."))
    );
    let rows = said["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        let operation = row["published"]["operation"].as_str().unwrap();
        let median = row["ours"]["seconds"]["median"].as_f64();
        (operation.to_owned(), median)
    })
    .collect()
}

#[test]
fn paper_2_has_all_parts_of_an_encryption() {
    let lines = lines(2);
    assert_eq!(lines.len(), 7);
    let of = |name: &str| lines.iter().find(|line| line.0 == name).unwrap().1.unwrap();
    let measured = [
        "encryption",
        "u <- R2",
        "NTT double multiply",
        "e1, e2 <- chi",
        "decryption",
        "product",
    ];
    assert!(measured.map(of).iter().all(|&seconds| seconds > 0.0));
    assert!(of("others") >= 0.0);
}

#[test]
fn paper_4_has_every_method_for_every_number_of_encryptions() {
    let lines = lines(4);
    for count in ["1 encryption", "2 encryptions", "3 encryptions", "4 encryptions"] {
        let of = lines.iter().filter(|line| line.0 == count);
        // Karatsuba for two moduli, padded transforms for four sets, the Fermat ring; our machine where it is built.
        let ways = 7 + usize::from(cfg!(feature = "rtl"));
        assert_eq!(of.filter(|line| line.1.unwrap() > 0.0).count(), ways, "{count}");
    }
}

#[test]
fn paper_5_has_both_methods() {
    let lines = lines(5);
    // Two ways to encrypt, and three operations; our machines where they are built.
    let machines = if cfg!(feature = "rtl") { 3 } else { 0 };
    assert_eq!(lines.iter().filter(|line| line.0 == "Toy").count(), 5 + machines);
    assert!(lines.iter().all(|line| line.1.unwrap() > 0.0));
}

#[test]
fn only_five_papers_and_not_with_other_choices() {
    let path = directory("papers");
    for arguments in ["bench --paper 6", "bench --paper 0", "bench --paper 1 --only add"] {
        assert_eq!(ringmill(&path, arguments).status.code(), Some(2), "{arguments}");
    }
}
