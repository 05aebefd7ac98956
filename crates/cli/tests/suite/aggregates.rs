//! Totals over all records of a table, in the clear and under encryption, against plain integers.

use std::fs;
use std::path::Path;

use crate::common::{directory, refuse, ringmill, succeed};

fn read(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

/// Numbers below `limit` that follow no pattern.
fn numbers(count: usize, limit: u64) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ count as u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % limit
    };
    (0..count).map(|_| next()).collect()
}

/// A table with a column x.
fn table(numbers: &[u64]) -> String {
    let rows: String = numbers.iter().map(|number| format!("{number}\n")).collect();
    format!("x\n{rows}")
}

/// The slots of a plan, from its summary.
fn slots(path: &Path, plan: &str) -> usize {
    let report: serde_json::Value = serde_json::from_str(&succeed(path, &format!("{plan} --json"))).unwrap();
    report["plan"]["slots"].as_u64().unwrap() as usize
}

#[test]
fn a_whole_table_is_added_up_in_the_clear() {
    let path = directory("aggregates-check");
    // More than are evaluated at a time.
    let values = numbers(5000, 200);
    let rows: String = values
        .iter()
        .map(|value| format!("{value},{}\n", *value as i64 - 150))
        .collect();
    fs::write(path.join("all.csv"), format!("x,s\n{rows}")).unwrap();
    let sum: u64 = values.iter().sum();
    let signed: i64 = sum as i64 - 150 * 5000;
    let count = values.iter().filter(|value| **value < 10).count();
    let expected = format!("total,signed,low,high,none\n{sum},{signed},{count},199,-150\n");
    let program = "total=records.sum(x);signed=records.sum(s);low=records.count(x<10);high=records.max(x);\
                   none=records.min(s)";
    fs::write(path.join("all.expr"), program.replace(';', "\n")).unwrap();
    let arguments = "--circuit all.expr --types-from all.csv --optimise off";
    let done = ringmill(&path, &format!("check {arguments} --input all.csv"));
    let said = String::from_utf8(done.stdout).unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains(&expected), "{said} {errors}");
    for part in [
        "total: u40, sum over all records",
        "none: i9, min over all records",
        "5000\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("more; -o"), "{said}");
    let written = format!("check {arguments} --input all.csv -o out.csv");
    succeed(&path, &written);
    assert_eq!(read(&path, "out.csv"), expected);
}

/// Tables of one record, of a full batch less one record, of a full one, and of two.
#[test]
fn totals_come_in_one_row() {
    let path = directory("aggregates-steps");
    let plan = "plan --expr x:u3;n=records.count(x<3);some=records.any(x==7);each=records.all(x<6) -o n.job";
    let slots = slots(&path, plan);
    succeed(&path, "keygen n.job --out-dir keys");
    for count in [1, slots - 1, slots, slots + 1] {
        let values = numbers(count, if count < slots { 6 } else { 8 });
        fs::write(path.join("in.csv"), table(&values)).unwrap();
        succeed(
            &path,
            "encrypt n.job --public-key keys/public.key --input in.csv -o in.ct --force",
        );
        succeed(
            &path,
            "eval n.job --evaluation-key keys/evaluation.key --input in.ct -o out.ct --force",
        );
        let decrypt =
            "decrypt n.job --secret-key keys/secret.key --input out.ct -o out.csv --force --inputs in.ct";
        let done = ringmill(&path, decrypt);
        let errors = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success(), "{errors}");
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(
            said.contains(&format!("totals of {count} records decrypted")),
            "{said}"
        );
        let batches = count.div_ceil(slots);
        let note = format!("the totals of {batches} batches are added up here");
        assert_eq!(errors.contains(&note), batches > 1, "{errors}");
        let low = values.iter().filter(|value| **value < 3).count();
        let (some, each) = (values.contains(&7), values.iter().all(|value| *value < 6));
        assert_eq!(
            read(&path, "out.csv"),
            format!("n,some,each\n{low},{some},{each}\n"),
            "{count}"
        );
    }
    refuse(
        &path,
        "decrypt n.job --secret-key keys/secret.key --input out.ct -o new.csv --carry x --from in.csv",
        2,
        "--carry: the results are totals over all records",
    );
    fs::write(
        path.join("plain.expr"),
        "x: u3\nn = x < 3\nsome = x == 7\neach = x < 6\n",
    )
    .unwrap();
    refuse(
        &path,
        "decrypt --params n.job --circuit plain.expr --secret-key keys/secret.key --input out.ct -o new.csv",
        3,
        "for other totals than plain.expr has",
    );
    let said = succeed(&path, "inspect n.job");
    assert!(said.contains("n: u32, count over all records"), "{said}");
}

/// One encrypted query for all public records, which are fewer than slots: the outputs of slots without a record do not
/// count.
#[test]
fn one_query_counts_public_records() {
    let path = directory("aggregates-query");
    fs::write(path.join("near.expr"), "q: u2\nx: public u2\nnear = x != q\n").unwrap();
    let plan = "plan --circuit near.expr --aggregate count:near --packing broadcast -o near.job";
    succeed(&path, plan);
    succeed(&path, "keygen near.job --out-dir keys");
    fs::write(path.join("q.csv"), "q\n2\n").unwrap();
    let values = numbers(300, 4);
    fs::write(path.join("x.csv"), table(&values)).unwrap();
    succeed(
        &path,
        "encrypt near.job --public-key keys/public.key --input q.csv -o q.ct",
    );
    succeed(
        &path,
        "eval near.job --evaluation-key keys/evaluation.key --input q.ct --data x.csv -o out.ct",
    );
    succeed(
        &path,
        "decrypt near.job --secret-key keys/secret.key --input out.ct -o out.csv",
    );
    let count = values.iter().filter(|value| **value != 2).count();
    assert_eq!(read(&path, "out.csv"), format!("near\n{count}\n"));
}

#[test]
fn wrong_aggregates_are_refused() {
    let path = directory("aggregates-refused");
    fs::write(path.join("two.expr"), "x: u4\na = x > 3\nb = x + 1\n").unwrap();
    fs::write(path.join("total.expr"), "x: u4\nn = records.sum(x)\n").unwrap();
    fs::write(path.join("next.expr"), "n: u4\nm = n + 1\n").unwrap();
    for (arguments, problem) in [
        ("--circuit two.expr --aggregate sum", "a colon and an output"),
        (
            "--circuit two.expr --aggregate mean:a",
            "the aggregates are count, sum, any",
        ),
        (
            "--circuit two.expr --aggregate sum:c",
            "there is no output c; there are a, b",
        ),
        (
            "--circuit two.expr --aggregate count:a",
            "b has a result for each record",
        ),
        (
            "--circuit two.expr --aggregate count:a --aggregate any:a",
            "named twice",
        ),
        (
            "--circuit two.expr --aggregate count:b --aggregate any:a",
            "which has 5 bits",
        ),
        ("--circuit total.expr --aggregate sum:n", "outputs are totals"),
        ("--circuit total.expr --then next.expr", "outputs are totals"),
        ("--circuit aes-128-ctr --aggregate sum:result", "--aggregate"),
        ("--preset n4096-t65537 --aggregate sum:x", "of use with a circuit"),
    ] {
        refuse(&path, &format!("plan {arguments} -o new"), 2, problem);
    }
}
