//! Jobs that go on with the results of others, through files.

use std::fs;
use std::path::Path;

use crate::common::{directory, refuse, succeed};

const RECORDS: &str = "a,b\n0,0\n255,0\n15,240\n1,2\n7,3\n";

const EVAL: &str = "eval near.job --evaluation-key keys/evaluation.key --data limit.csv";

/// Plans and evaluates distances, whose results stay encrypted.
fn distances(name: &str) -> std::path::PathBuf {
    let path = directory(name);
    fs::write(path.join("in.csv"), RECORDS).unwrap();
    fs::write(path.join("limit.csv"), "limit\n1\n8\n8\n3\n3\n").unwrap();
    fs::write(path.join("distance.expr"), "a: u8\nb: u8\nd = popcount(a ^ b)\n").unwrap();
    fs::write(
        path.join("near.expr"),
        "d: u4\nlimit: public u4\nnear = d < limit\n",
    )
    .unwrap();
    let plan = "plan --circuit distance.expr --optimise off";
    succeed(&path, &format!("{plan} --further-levels 4 -o distance.job"));
    succeed(&path, "keygen distance.job --out-dir keys");
    let encrypt = "encrypt distance.job --public-key keys/public.key --input in.csv -o in.ct";
    succeed(&path, encrypt);
    let eval = "eval distance.job --evaluation-key keys/evaluation.key --input in.ct -o d.ct";
    succeed(&path, eval);
    path
}

fn plan_near(path: &Path) {
    let plan = "plan --circuit near.expr --optimise off --after distance.job -o near.job";
    let said = succeed(path, plan);
    assert!(said.contains("inputs are those of the job before"), "{said}");
}

#[test]
fn results_are_inputs_of_a_later_job() {
    let path = distances("later-jobs");
    plan_near(&path);
    succeed(&path, &format!("{EVAL} --input d.ct -o near.ct"));
    let decrypt = "decrypt near.job --secret-key keys/secret.key --input near.ct -o near.csv";
    succeed(&path, decrypt);
    let near = fs::read_to_string(path.join("near.csv")).unwrap();
    assert_eq!(near, "near\ntrue\nfalse\nfalse\ntrue\ntrue\n");
    // The results in between are as good as ever.
    let decrypt = "decrypt distance.job --secret-key keys/secret.key --input d.ct -o d.csv";
    succeed(&path, decrypt);
    let d = fs::read_to_string(path.join("d.csv")).unwrap();
    assert_eq!(d, "d\n0\n8\n8\n2\n1\n");
    let said = succeed(&path, "inspect distance.job");
    assert!(said.contains("4 levels of products in later jobs"), "{said}");
    let said = succeed(&path, "inspect near.job");
    assert!(said.contains("results of the circuit"), "{said}");
}

#[test]
fn what_does_not_follow_is_refused() {
    let path = distances("later-refusals");
    plan_near(&path);
    // Fresh inputs, keys, and other results.
    let encrypt = "encrypt near.job --public-key keys/public.key --input in.csv -o new.ct";
    refuse(&path, encrypt, 2, "nothing is encrypted for it");
    refuse(
        &path,
        "keygen near.job --out-dir new",
        2,
        "its keys are those of that job",
    );
    let fresh = format!("{EVAL} --input in.ct -o new.ct");
    refuse(&path, &fresh, 3, "encrypted inputs where results are needed");
    fs::write(path.join("other.expr"), "a: u8\nb: u8\nd = popcount(a & b)\n").unwrap();
    let plan = "plan --circuit other.expr --optimise off --further-levels 4";
    succeed(&path, &format!("{plan} -o other.job"));
    let inputs = "--input in.ct -o other.ct";
    let eval = "eval other.job --evaluation-key keys/evaluation.key";
    refuse(&path, &format!("{eval} {inputs}"), 3, "of another circuit");
    let encrypt = "encrypt other.job --public-key keys/public.key --input in.csv -o other-in.ct";
    succeed(&path, encrypt);
    succeed(&path, &format!("{eval} --input other-in.ct -o other.ct"));
    let wrong = format!("{EVAL} --input other.ct -o new.ct");
    refuse(&path, &wrong, 3, "results of another job than the one");
    // Results for a job that takes fresh inputs, with the way to do it.
    let again = "eval distance.job --evaluation-key keys/evaluation.key --input d.ct -o new.ct";
    refuse(
        &path,
        again,
        3,
        "plan their job with --further-levels, and this one with --after",
    );
    assert!(!path.join("new.ct").exists() && !path.join("new").exists());
}

#[test]
fn levels_and_ports_must_suit() {
    let path = distances("later-plans");
    let after = |circuit: &str, job: &str| format!("plan --circuit {circuit} --optimise off --after {job}");
    let ports = "distance.expr gives d of 4 bits, and distance.expr takes a of 8 bits, b of 8 bits";
    refuse(&path, &after("distance.expr", "distance.job"), 2, ports);
    let form = format!("{} --form bgv", after("near.expr", "distance.job"));
    refuse(&path, &form, 2, "in the BFV form only");
    let preset = format!("{} --preset fv128-n8192", after("near.expr", "distance.job"));
    refuse(&path, &preset, 2, "cannot be used with");
    let shared = "plan --circuit distance.expr --further-levels 2 --share-results";
    refuse(&path, shared, 2, "leave out --further-levels");
    // No levels were left.
    succeed(&path, "plan --circuit distance.expr --optimise off -o last.job");
    refuse(&path, &after("near.expr", "last.job"), 5, "noise too large");
}
