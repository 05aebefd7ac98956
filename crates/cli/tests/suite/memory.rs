//! Evaluation within little memory, with the rest in a file.

use std::fs;
use std::path::Path;

use crate::common::{directory, piped, refuse, ringmill, succeed};
use serde_json::Value;

/// Keys, inputs and results of additions.
fn additions(path: &Path) {
    let circuit = "--circuit add8 --params p.params";
    succeed(path, "params --circuit add8 -o p.params");
    succeed(path, &format!("keygen {circuit} --out-dir keys"));
    fs::write(path.join("in.csv"), "a,b\n1,2\n100,100\n255,1\n").unwrap();
    succeed(
        path,
        &format!("encrypt {circuit} --secret-key keys/secret.key --input in.csv -o in.ct"),
    );
    succeed(path, &eval("in.ct", "out.ct", ""));
}

fn eval(input: &str, output: &str, options: &str) -> String {
    format!(
        "eval --circuit add8 --params p.params --evaluation-key keys/evaluation.key --input {input} -o {output} {options}"
    )
}

/// The least memory, in GiB, that a refusal names.
fn least(path: &Path, options: &str) -> f64 {
    let refused = ringmill(
        path,
        &eval("in.ct", "none.ct", &format!("--memory 0.001 {options}")),
    );
    let text = String::from_utf8(refused.stderr).unwrap();
    let (_, text) = text.split_once("needs about ").expect(&text);
    let mebibytes: f64 = text.split_once(" MiB").unwrap().0.parse().unwrap();
    mebibytes / 1024.0
}

#[test]
fn what_memory_has_no_room_for_waits_in_a_file() {
    let path = directory("aside");
    additions(&path);
    fs::create_dir(path.join("spill")).unwrap();
    let (without, with) = (least(&path, ""), least(&path, "--spill-dir spill"));
    assert!(with < without, "{with} {without}");
    let memory = format!("--memory {with}");
    refuse(&path, &eval("in.ct", "none.ct", &memory), 5, "--spill-dir");
    let memory = format!("{memory} --spill-dir spill");
    let planned: Value =
        serde_json::from_str(&succeed(&path, &format!("params --circuit add8 {memory} --json"))).unwrap();
    assert!(planned["plan"]["written_aside_bytes"].as_u64().unwrap() > 0);
    let done = ringmill(&path, &eval("in.ct", "tight.ct", &memory));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && said.contains("aside in spill"), "{said}");
    // The same bits, and nothing is left of the file.
    assert_eq!(
        fs::read(path.join("tight.ct")).unwrap(),
        fs::read(path.join("out.ct")).unwrap()
    );
    assert_eq!(fs::read_dir(path.join("spill")).unwrap().count(), 0);
    let nowhere = eval("in.ct", "none.ct", "--spill-dir nowhere");
    refuse(&path, &nowhere, 6, "nowhere: no such directory");
}

#[test]
fn inputs_by_standard_input_give_the_same() {
    let path = directory("standard-inputs");
    additions(&path);
    let inputs = fs::read(path.join("in.ct")).unwrap();
    let done = piped(&path, &eval("-", "piped.ct", ""), &inputs);
    assert!(done.status.success());
    let same = fs::read(path.join("piped.ct")).unwrap() == fs::read(path.join("out.ct")).unwrap();
    assert!(same);
}

#[test]
fn damaged_inputs_are_refused_before_anything_is_evaluated() {
    let path = directory("damaged-inputs");
    additions(&path);
    let inputs = fs::read(path.join("in.ct")).unwrap();
    for (at, problem) in [
        (inputs.len() - 40, "the checksum does not match"),
        (inputs.len() / 2, ""),
    ] {
        let mut damaged = inputs.clone();
        damaged[at] ^= 0x40;
        fs::write(path.join("damaged.ct"), damaged).unwrap();
        refuse(&path, &eval("damaged.ct", "none.ct", ""), 3, problem);
        assert!(!path.join("none.ct").exists());
    }
    fs::write(path.join("short.ct"), &inputs[..inputs.len() - 1]).unwrap();
    refuse(&path, &eval("short.ct", "none.ct", ""), 3, "ends too early");
}
