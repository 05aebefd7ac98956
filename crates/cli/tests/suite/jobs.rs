//! One job file for all steps.

use std::fs;
use std::path::Path;

use crate::common::{directory, refuse, succeed};

/// Goes through all steps of a job, `p.job`, on `in.csv` and perhaps `public.csv`; the results.
fn results(path: &Path, public: bool) -> String {
    let data = if public { "--data public.csv" } else { "" };
    succeed(path, "keygen p.job --out-dir keys");
    succeed(
        path,
        "encrypt p.job --public-key keys/public.key --input in.csv -o in.ct",
    );
    let eval = "eval p.job --evaluation-key keys/evaluation.key --input in.ct -o out.ct";
    succeed(path, &format!("{eval} {data}"));
    succeed(
        path,
        "decrypt p.job --secret-key keys/secret.key --input out.ct -o out.csv",
    );
    fs::read_to_string(path.join("out.csv")).unwrap()
}

#[test]
fn a_file_with_names_needs_no_circuit_afterwards() {
    let path = directory("job-names");
    let text = "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 AND\n";
    fs::write(path.join("two.txt"), text).unwrap();
    let plan = "plan --circuit two.txt --names left,right->mixed --public right -o p.job";
    succeed(&path, plan);
    fs::remove_file(path.join("two.txt")).unwrap();
    fs::write(path.join("in.csv"), "left\n3\n1\n").unwrap();
    fs::write(path.join("public.csv"), "right\n2\n3\n").unwrap();
    assert_eq!(results(&path, true), "mixed\n3\n0\n");
    let said = succeed(&path, "inspect p.job");
    for part in ["two.txt", "left: u2\n", "right: u2, public", "mixed: u2"] {
        assert!(said.contains(part), "{said}");
    }
    let said: serde_json::Value = serde_json::from_str(&succeed(&path, "inspect p.job --json")).unwrap();
    assert_eq!(said["circuit"]["inputs"][1]["public"], true);
    assert_eq!(said["circuit"]["outputs"][0]["name"], "mixed");
}

#[test]
fn three_circuits_are_one_job() {
    let path = directory("job-chain");
    let plan = "plan --circuit add32 --then add32 --then less32 --public less32.a --optimise off -o p.job";
    // The second adder would take two private words, and there is one.
    refuse(&path, plan, 2, "--then: ");
    let gates: String = (0..32).map(|i| format!("1 1 {i} {} INV\n", 32 + i)).collect();
    fs::write(path.join("not.txt"), format!("32 64\n1 32\n1 32\n\n{gates}")).unwrap();
    let plan = "plan --circuit add32 --then not.txt --then less32 --public less32.a --optimise off -o p.job";
    succeed(&path, plan);
    fs::write(path.join("in.csv"), "a,b\n1,2\n1,2\n").unwrap();
    // The complement of 3 is 4294967292.
    fs::write(path.join("public.csv"), "less32.a\n4294967291\n4294967292\n").unwrap();
    assert_eq!(results(&path, true), "less\ntrue\nfalse\n");
}

#[test]
fn a_job_is_named_once() {
    let path = directory("job-choice");
    succeed(&path, "params --circuit and8 --optimise off -o p.job");
    refuse(&path, "keygen --out-dir keys", 2, "<JOB>");
    refuse(
        &path,
        "keygen p.job --params p.job --out-dir keys",
        2,
        "cannot be used with",
    );
    refuse(
        &path,
        "keygen p.job --circuit add8 --out-dir keys",
        3,
        "another circuit than add8",
    );
    refuse(&path, "plan --circuit and8 --names a,b -o new", 2, "an arrow");
    refuse(
        &path,
        "plan --circuit and8 --names a->b -o new",
        2,
        "2 input and 1 output ports",
    );
    refuse(
        &path,
        "encrypt p.job --public-key keys/public.key --input in.csv --as slots -o new",
        2,
        "of use for messages only",
    );
}
