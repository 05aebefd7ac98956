//! Totals over all records by the library alone.

use ringmill::circuit::AggregateKind;
use ringmill::circuits::{self, KnownTypes};
use ringmill::{
    ErrorKind, Job, NamedCircuit, Output, Planning, PublicInputs, ResumableOutput, Seed, Table, Trial,
};

fn program(text: &str) -> NamedCircuit {
    circuits::from_expression("totals", text, &KnownTypes::default()).unwrap()
}

/// Saves a job and opens it again by its file alone.
fn reopened(circuit: &NamedCircuit) -> Job {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.job");
    Planning::new().plan(circuit).unwrap().save(&path).unwrap();
    Job::open(&path).unwrap()
}

fn csv(names: &str, rows: &[Vec<i64>]) -> Table {
    let line = |row: &Vec<i64>| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = rows.iter().map(line).collect();
    Table::csv(format!("{names}\n{}\n", rows.join("\n")))
}

/// Two owners, one of whom has a single record for all, and public values; two batches.
#[test]
fn owners_and_public_inputs() {
    let text = "a: u2; b: u1; p: public i2; n = records.count(a > p); sum = records.sum(p * 2); some = records.any(a == b)";
    let circuit = program(text);
    let job = reopened(&circuit);
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let count = job.plan_details().records() as i64 + 5;
    let rows: Vec<Vec<i64>> = (0..count).map(|i| vec![2 + i * 7 % 2, i * i % 4 - 2]).collect();
    let part = |port: &str, table: &Table| {
        let encryptor = client.encryptor().of_ports(&[port]).unwrap();
        encryptor.encrypt(table).unwrap()
    };
    let [mine, public] = [0, 1].map(|column| {
        let values: Vec<Vec<i64>> = rows.iter().map(|row| vec![row[column]]).collect();
        csv(["a", "p"][column], &values)
    });
    let parts = vec![part("b", &csv("b", &[vec![1]])), part("a", &mine)];
    let results = server
        .evaluate_joint(parts, &PublicInputs::table(public))
        .unwrap();
    let greater = rows.iter().filter(|row| row[0] > row[1]).count();
    let sum: i64 = rows.iter().map(|row| 2 * row[1]).sum();
    let expected = format!("n,sum,some\n{greater},{sum},false\n");
    assert_eq!(client.decrypt(&results).unwrap().to_csv().unwrap(), expected);
    // The same in the clear.
    let all: Vec<Vec<i64>> = rows.iter().map(|row| vec![row[0], 1, row[1]]).collect();
    let mut trial = Trial::new(&circuit, &csv("a,b,p", &all)).unwrap();
    assert_eq!(trial.next().unwrap().unwrap().to_csv().unwrap(), expected);
    assert!(trial.next().is_none());
    assert_eq!(trial.records(), count as u64);
}

/// Results of one total are not read as those of another with as many bits.
#[test]
fn files_of_another_total_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let [any, all] = ["any", "all"].map(|kind| {
        let circuit = program("x: u1; y = x == 1");
        let kind: AggregateKind = kind.parse().unwrap();
        reopened(&circuit.with_aggregates(vec![kind]).unwrap())
    });
    assert_eq!(any.parameters(), all.parameters());
    let client = any.client(&Seed::random().unwrap()).unwrap();
    client.save_keys(file("keys"), false).unwrap();
    client
        .encrypt_to(&csv("x", &[vec![0], vec![1]]), &Output::new(file("in.ct")))
        .unwrap();
    let server = any.server(client.evaluation_keys().unwrap()).unwrap();
    let output = ResumableOutput::from(Output::new(file("out.ct")));
    server
        .evaluate_to(file("in.ct"), &PublicInputs::none(), &output)
        .unwrap();
    let none: [&str; 0] = [];
    let table = Output::new(file("any.csv"));
    let done = client.decrypt_to(file("out.ct"), &table, None, &none).unwrap();
    assert_eq!((done.records, done.totals), (2, true));
    assert_eq!(std::fs::read_to_string(file("any.csv")).unwrap(), "y\ntrue\n");
    let other = all.open_client(file("keys").join("secret.key")).unwrap();
    let table = Output::new(file("all.csv"));
    let error = other.decrypt_to(file("out.ct"), &table, None, &none).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadFile, "{error}");
    assert!(error.to_string().contains("circuit"), "{error}");
}
