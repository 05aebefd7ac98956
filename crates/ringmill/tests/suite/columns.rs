//! Columns of tables that are no ports.

use std::sync::{Arc, Mutex};

use ringmill::{
    ErrorKind, Observer, Optimise, Output, Planning, PublicInputs, Seed, Table, TableFormat, circuits,
};

use crate::and8;

/// Keeps the notes that it gets.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

#[test]
fn skipped_columns_are_noted_once() {
    let notes = Arc::new(Notes::default());
    let planning = Planning::new().optimise(Optimise::Off).observer(notes.clone());
    let job = planning.plan(&circuits::by_name("and8").unwrap()).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    notes.0.lock().unwrap().clear();
    // Two batches, in which every row has other keys.
    let rows = 0..=job.plan_details().records();
    let rows = rows.map(|i| format!("{{\"id{i}\":0,\"a\":1,\"b\":3}}\n"));
    let table = Table::json_lines(rows.collect::<String>());
    client.encrypt(&table).unwrap();
    client.encrypt(&table.ignoring_extra(true)).unwrap();
    client.encrypt(&Table::csv("a,b\n1,2\n")).unwrap();
    client.encrypt(&Table::binary([1, 2])).unwrap();
    let notes = notes.0.lock().unwrap();
    assert_eq!(
        *notes,
        [
            "note: the table: column id0 belongs to no private port and is not encrypted; --ignore-extra silences this"
        ]
    );
}

#[test]
fn columns_go_before_results() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let table = Table::csv("id,a,b\nx,12,10\ny,255,7\n").ignoring_extra(true);
    client.encrypt_to(&table, &Output::new(path("in.ct"))).unwrap();
    let output = Output::new(path("out.ct")).into();
    server
        .evaluate_to(path("in.ct"), &PublicInputs::none(), &output)
        .unwrap();
    let carry = |table: &Table, columns: &[&str], output: &str| {
        let decryption = client
            .decryption(path("out.ct"))
            .carrying(table.clone(), columns.to_vec());
        decryption.to(&Output::new(path(output)), None, &["and=hex"])
    };
    assert_eq!(carry(&table, &["id", "b"], "out.csv").unwrap().records, 2);
    let written = std::fs::read_to_string(path("out.csv")).unwrap();
    assert_eq!(written, "id,b,and\nx,10,08\ny,7,07\n");
    carry(&table, &[], "plain.csv").unwrap();
    assert_eq!(
        std::fs::read_to_string(path("plain.csv")).unwrap(),
        "and\n08\n07\n"
    );
    for (table, columns, kind, problem) in [
        (
            Table::csv("id\nx\n"),
            &["id"][..],
            ErrorKind::BadFile,
            "the table: 1 rows, but ",
        ),
        (
            table.clone(),
            &["no"],
            ErrorKind::BadFile,
            "no column \"no\"; it has id, a, b",
        ),
        (
            table.clone(),
            &["id", "id"],
            ErrorKind::Usage,
            "it is named twice",
        ),
        (
            Table::open(path("out.ct")),
            &["id"],
            ErrorKind::Usage,
            "does not tell the format of the table; give it a name that ends in .csv, .tsv, .json, .jsonl or .ndjson",
        ),
    ] {
        let error = carry(&table, columns, "new.csv").unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(problem), "{error}");
        assert!(!path("new.csv").exists());
    }
}

/// Owners whose tables are in different orders, over more than a batch.
#[test]
fn owners_share_an_order() {
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let count = job.plan_details().records() + 7;
    let table = |name: &str, step: usize, value: &dyn Fn(usize) -> usize| {
        let rows = (0..count).map(|i| i * step % count);
        let rows = rows.map(|key| format!("{key},{}\n", value(key)));
        Table::csv(format!("id,{name}\n{}", rows.collect::<String>())).ignoring_extra(true)
    };
    let (a, b) = (|key| key % 256, |key| key * 5 % 251);
    let ids = table("x", 1, &|_| 0);
    let part = |port: &str, table: Table| {
        let encryptor = client.encryptor().of_ports(&[port]).unwrap();
        encryptor.encrypt(&table.in_order("id", ids.clone())).unwrap()
    };
    // Both steps go through all records.
    assert!(count % 2 == 1);
    let parts = vec![part("a", table("a", 2, &a)), part("b", table("b", count - 1, &b))];
    let results = server.evaluate_joint(parts, &PublicInputs::none()).unwrap();
    let written = client
        .decrypt(&results)
        .unwrap()
        .to_bytes(TableFormat::Binary)
        .unwrap();
    let expected: Vec<u8> = (0..count).map(|key| (a(key) & b(key)) as u8).collect();
    assert!(written == expected);
}
