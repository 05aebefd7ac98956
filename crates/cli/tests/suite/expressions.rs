//! Functions said in a line or a file of expressions, on a table of customers.

use std::fs;
use std::path::Path;

use crate::common::{directory, refuse, succeed};

const CUSTOMERS: &str = "id,name,income,score\n1,Ada,120000,5\n2,Bob,40000,9\n3,Cy,250000,11\n4,Di,99999,3\n";

/// The same with the limit as a column.
fn with_limit(limit: u32) -> String {
    let mut lines = CUSTOMERS.lines();
    let header = lines.next().unwrap();
    let rows: String = lines.map(|line| format!("{line},{limit}\n")).collect();
    format!("{header},limit\n{rows}")
}

fn json(path: &Path, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&succeed(path, &format!("{arguments} --json"))).unwrap()
}

#[test]
fn an_expression_is_checked_in_the_clear() {
    let path = directory("expression-check");
    fs::write(path.join("all.csv"), with_limit(99_999)).unwrap();
    let check = "check --expr flag=(income>limit)and(score<10);above=income-limit --types-from all.csv \
                 --public limit --input all.csv --optimise off";
    let said = succeed(&path, check);
    let expected = "flag,above\ntrue,20001\nfalse,-59999\nfalse,150001\nfalse,0\n";
    assert!(said.contains(expected), "{said}");
    for part in [
        "income: u18",
        "limit: u17, public",
        "score: u4",
        "flag: bool",
        "above: i19",
        "4\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let report = json(&path, check);
    assert_eq!(report["results"], expected);
    assert_eq!((&report["records"], &report["batches"]), (&4.into(), &1.into()));
    for figure in ["seconds", "bytes_up", "bytes_down"] {
        assert!(report[figure].as_f64().unwrap() > 0.0, "{figure}: {report}");
    }
    succeed(&path, &format!("{check} -o checked.csv"));
    assert_eq!(fs::read_to_string(path.join("checked.csv")).unwrap(), expected);
    refuse(&path, &format!("{check} -o checked.csv"), 6, "exists already");
}

/// Public inputs may have a table of their own, a record for each or a single one.
#[test]
fn public_inputs_are_checked_from_a_table_of_their_own() {
    let path = directory("expression-check-data");
    fs::write(path.join("customers.csv"), CUSTOMERS).unwrap();
    fs::write(path.join("limit.csv"), "limit\n99999\n").unwrap();
    fs::write(path.join("limits.csv"), "limit\n99999\n10000\n250000\n1\n").unwrap();
    fs::write(path.join("two.csv"), "limit\n99999\n10000\n").unwrap();
    fs::write(path.join("ada.csv"), "income,score\n120000,5\n").unwrap();
    let check = |customers: &str, data: &str| {
        format!(
            "check --expr flag=(income>limit)and(score<10) --types-from customers.csv --type limit=u18 --public limit --input \
             {customers} --data {data} --optimise off"
        )
    };
    for (customers, data, flags) in [
        ("customers.csv", "limit.csv", "true\nfalse\nfalse\nfalse\n"),
        ("customers.csv", "limits.csv", "true\ntrue\nfalse\ntrue\n"),
        ("ada.csv", "limits.csv", "true\ntrue\nfalse\ntrue\n"),
        ("ada.csv", "limit.csv", "true\n"),
    ] {
        let report = json(&path, &check(customers, data));
        assert_eq!(report["results"], format!("flag\n{flags}"), "{customers} {data}");
        assert_eq!(report["records"], flags.lines().count());
    }
    refuse(
        &path,
        &check("customers.csv", "two.csv"),
        3,
        "two.csv: fewer records than in customers.csv; there must be one for each, or a single one that stands for all",
    );
    refuse(
        &path,
        &check("customers.csv", "ada.csv"),
        3,
        "has no column \"limit\"",
    );
    refuse(
        &path,
        "check --expr y=score*score --types-from customers.csv --input customers.csv --data limit.csv",
        2,
        "has no public inputs; leave out --data",
    );
    refuse(
        &path,
        "check --integers r=a*a --input customers.csv --data limit.csv",
        2,
        "--data is of use with a circuit or an expression only",
    );
}

/// Many records are checked without holding them, and the first ten shown.
#[test]
fn long_tables_are_shown_in_part() {
    let path = directory("expression-long");
    let rows: String = (0..10_000).map(|i| format!("{}\n", i % 256)).collect();
    fs::write(path.join("x.csv"), format!("x\n{rows}")).unwrap();
    let said = succeed(
        &path,
        "check --expr y=x*x --types-from x.csv --input x.csv --optimise off",
    );
    assert!(
        said.contains("y\n0\n1\n4\n9\n16\n25\n36\n49\n64\n81\nand 9990 more"),
        "{said}"
    );
}

#[test]
fn a_file_of_expressions_is_a_job() {
    let path = directory("expression-job");
    let program = "income: u18\nlimit: public u18  # the evaluator's\nscore: u7\n\
                   flag = income > limit and score < 10\nabove: i19 = income - limit\n";
    fs::write(path.join("flag.expr"), program).unwrap();
    let numbers = CUSTOMERS.lines().map(|line| line.splitn(3, ',').last().unwrap());
    let numbers: String = numbers.map(|line| format!("{line}\n")).collect();
    fs::write(path.join("in.csv"), numbers).unwrap();
    fs::write(path.join("limit.csv"), "limit\n99999\n99999\n99999\n99999\n").unwrap();
    succeed(&path, "plan --circuit flag.expr --optimise off -o flag.job");
    fs::remove_file(path.join("flag.expr")).unwrap();
    succeed(&path, "keygen flag.job --out-dir keys");
    succeed(
        &path,
        "encrypt flag.job --public-key keys/public.key --input in.csv -o in.ct",
    );
    succeed(
        &path,
        "eval flag.job --evaluation-key keys/evaluation.key --input in.ct --data limit.csv -o out.ct",
    );
    // Signed numbers are written as such, though no type is said here.
    succeed(
        &path,
        "decrypt flag.job --secret-key keys/secret.key --input out.ct -o out.csv",
    );
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        "flag,above\ntrue,20001\nfalse,-59999\nfalse,150001\nfalse,0\n"
    );
    succeed(
        &path,
        "decrypt flag.job --secret-key keys/secret.key --input out.ct --type above=u19 -o unsigned.csv",
    );
    let unsigned = fs::read_to_string(path.join("unsigned.csv")).unwrap();
    assert!(
        unsigned.contains(&format!("false,{}", (1 << 19) - 59_999)),
        "{unsigned}"
    );
    let said = succeed(&path, "inspect flag.job");
    for part in ["flag.expr", "limit: u18, public", "above: i19"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// The results of a bundled circuit through an expression.
#[test]
fn an_expression_follows_a_circuit() {
    let path = directory("expression-then");
    fs::write(
        path.join("big.expr"),
        "sum: u8\nlimit: public u8\nbig = sum >= limit\n",
    )
    .unwrap();
    fs::write(path.join("all.csv"), "a,b,limit\n1,2,3\n1,2,4\n200,100,44\n").unwrap();
    let said = succeed(
        &path,
        "check --circuit add8 --then big.expr --input all.csv --optimise off",
    );
    assert!(said.contains("big\ntrue\nfalse\ntrue\n"), "{said}");
    fs::write(path.join("two.expr"), "x: u8\ny: u8\nz = x + y\n").unwrap();
    refuse(&path, "plan --circuit add8 --then two.expr -o new", 2, "--then: ");
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let path = directory("expression-mistakes");
    fs::write(path.join("all.csv"), with_limit(7)).unwrap();
    let plan = |rest: &str| format!("plan {rest} --types-from all.csv -o new");
    refuse(
        &path,
        &plan("--expr flag=incme>limit"),
        2,
        "line 1, column 6: `incme` has no type",
    );
    refuse(&path, &plan("--expr flag=incme>limit"), 2, "     ^^^^^");
    refuse(
        &path,
        &plan("--expr flag=incme>limit"),
        2,
        "did you mean `income`?",
    );
    refuse(&path, &plan("--expr flag=name==1"), 2, "`name` has no type");
    refuse(&path, &plan("--expr flag=income/10"), 2, "division");
    refuse(
        &path,
        &plan("--expr flag=income>limit --circuit and8"),
        2,
        "cannot be used with",
    );
    refuse(&path, &plan("--expr flag=x --type x"), 2, "--type x: give a name");
    refuse(&path, &plan("--expr flag=x --type x=u0"), 2, "--type x=u0: ");
    refuse(
        &path,
        &plan("--expr flag=income>limit --public none"),
        2,
        "no input port none",
    );
    refuse(
        &path,
        "plan --public a -o new",
        2,
        "--public is of use with a circuit only",
    );
    refuse(
        &path,
        "check --input all.csv",
        2,
        "give --circuit, --expr or --integers",
    );
    refuse(
        &path,
        "check --circuit less32 --input all.csv",
        3,
        "no column \"a\"",
    );
    refuse(
        &path,
        "check --expr y=x --type x=u8 --types-from none.csv --input all.csv",
        6,
        "none.csv",
    );
    fs::write(
        path.join("deep.expr"),
        format!("x: u8\ny = {}x{}\n", "(".repeat(5000), ")".repeat(5000)),
    )
    .unwrap();
    refuse(&path, "plan --circuit deep.expr -o new", 2, "deep.expr: line 2");
    fs::write(path.join("raw.expr"), [0xff, 0xfe, 0]).unwrap();
    refuse(&path, "plan --circuit raw.expr -o new", 3, "raw.expr: not UTF-8");
    fs::write(path.join("table.csv"), "a,b\n1\n").unwrap();
    refuse(
        &path,
        "plan --expr y=a --types-from table.csv -o new",
        3,
        "table.csv: ",
    );
}
