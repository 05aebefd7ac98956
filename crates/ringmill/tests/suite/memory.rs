use ringmill::batches::Head;
use ringmill::circuit::{Builder, Visibility};
use ringmill::{Job, NamedCircuit, Optimise, Output, Planning, PublicInputs, Seed, Server, Table, circuits};

use crate::{and_table, and8};

#[test]
fn many_batches_come_back_in_order() {
    let job = and8();
    let slots = job.plan_details().records();
    let (table, expected) = and_table(2 * slots + 3);
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let encrypted = client.encrypt(&Table::csv(table)).unwrap();
    assert_eq!(encrypted.records(), 2 * slots + 3);
    let results = server.evaluate(encrypted).unwrap();
    assert_eq!(results.account().batches, 3);
    let records = client.decrypt(&results).unwrap();
    assert_eq!((records.len(), records.batches().len()), (2 * slots + 3, 3));
    assert_eq!(records.to_csv().unwrap(), expected);
    assert_eq!(format!("{records:?}"), format!("{} records", records.len()));
    let signed = records.with_types(&["and=i8"]).unwrap();
    assert!(signed.to_json_lines().unwrap().starts_with("{\"and\":0}\n"));
}

/// A party without the secret encrypts; memory and files give the same.
#[test]
fn files_and_memory_agree() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = and8();
    let (table, expected) = and_table(10);
    let client = job.client(&Seed::random().unwrap()).unwrap();
    client.save_keys(path("keys"), false).unwrap();
    let encryptor = job.encryptor(client.public_key().unwrap()).unwrap();
    let results = |encrypted| {
        let server = job.open_server(path("keys/evaluation.key")).unwrap();
        server.evaluate(encrypted).unwrap()
    };
    let in_memory = client.decrypt(&results(encryptor.encrypt(&Table::csv(table.clone())).unwrap()));
    assert_eq!(in_memory.unwrap().to_csv().unwrap(), expected);

    let written = encryptor
        .encrypt_to(&Table::csv(table), &Output::new(path("in.ct")))
        .unwrap();
    assert_eq!(
        (written.records, written.batches, written.ciphertexts),
        (10, 1, 16)
    );
    assert_eq!(written.bytes, path("in.ct").metadata().unwrap().len());
    // Keys that never were in a file have the digest that their file would have, so that a later run can go on from
    // results of either.
    let origin = |server: Server<_>, name: &str| {
        let output = Output::new(path(name)).into();
        server
            .evaluate_to(path("in.ct"), &PublicInputs::none(), &output)
            .unwrap();
        let file = std::fs::File::open(path(name)).unwrap();
        Head::read(file, 0).unwrap().0.origin.unwrap()
    };
    let here = origin(job.server(client.evaluation_keys().unwrap()).unwrap(), "out.ct");
    let opened = job.open_server(path("keys/evaluation.key")).unwrap();
    assert_eq!(here, origin(opened, "again.ct"));
    let opened = job.open_client(path("keys/secret.key")).unwrap();
    let decrypted = opened.decrypt_to(
        path("out.ct"),
        &Output::new(path("out.csv")),
        None,
        &[] as &[&str],
    );
    let decrypted = decrypted.unwrap();
    assert_eq!((decrypted.records, decrypted.batches), (10, 1));
    assert!(decrypted.log2_noise < -1.0);
    assert_eq!(std::fs::read_to_string(path("out.csv")).unwrap(), expected);
}

fn masked() -> Job {
    let mut builder = Builder::new();
    let hidden = builder.input("hidden", Visibility::Private, 4);
    let mask = builder.input("mask", Visibility::Public, 4);
    let both = builder.and_words(&hidden, &mask).unwrap();
    builder.output("both", &both);
    Job::plan(&NamedCircuit::new("masked", builder.finish().unwrap())).unwrap()
}

/// One encrypted record stands for all public ones; several must be as many.
#[test]
fn one_record_serves_all_public_ones() {
    let job = masked();
    let slots = job.plan_details().records();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let encrypted = client.encrypt(&Table::csv("hidden\n6\n")).unwrap();
    let masks: Vec<usize> = (0..slots + 5).map(|i| i % 16).collect();
    let column = |name: &str, values: Vec<usize>| {
        let lines = values.iter().map(|value| format!("{value}\n"));
        format!("{name}\n{}", lines.collect::<String>())
    };
    let public = PublicInputs::table(Table::csv(column("mask", masks.clone())));
    let results = server.evaluate_with(encrypted, &public).unwrap();
    let expected = column("both", masks.iter().map(|mask| mask & 6).collect());
    assert_eq!(client.decrypt(&results).unwrap().to_csv().unwrap(), expected);

    let two = client.encrypt(&Table::csv("hidden\n6\n7\n")).unwrap();
    let error = server.evaluate_with(two, &PublicInputs::table(Table::csv("mask\n1\n2\n3\n")));
    assert!(
        error
            .err()
            .unwrap()
            .to_string()
            .contains("3 public records where 2 are encrypted")
    );
}

/// The same seed makes the same keys, and nothing that is encrypted ever repeats.
#[test]
fn seeds_make_keys_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (job, seed) = (and8(), Seed::from_bytes([7; 32]));
    let keys = |name: &str| {
        let client = job.client(&seed).unwrap();
        client.save_keys(path(name), false).unwrap();
        let output = Output::new(path(name).join("in.ct"));
        client.encrypt_to(&Table::csv("a,b\n1,2\n"), &output).unwrap();
    };
    keys("first");
    keys("second");
    let read = |set: &str, name: &str| std::fs::read(path(set).join(name)).unwrap();
    for name in ["secret.key", "public.key", "evaluation.key"] {
        assert!(read("first", name) == read("second", name), "{name}");
    }
    assert!(read("first", "in.ct") != read("second", "in.ct"));
}

/// A single public record stands for all encrypted ones, in every batch.
#[test]
fn a_public_record_stands_for_all() {
    let circuit = circuits::by_name("and8").unwrap().with_public("b").unwrap();
    let job = Planning::new().optimise(Optimise::Off).plan(&circuit).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let records = job.plan_details().records() + 3;
    let (mut table, mut expected) = ("a\n".to_owned(), "and\n".to_owned());
    for i in 0..records {
        table.push_str(&format!("{}\n", i % 256));
        expected.push_str(&format!("{}\n", (i % 256) & 0x5a));
    }
    let inputs = client.encrypt(&Table::csv(table)).unwrap();
    let public = PublicInputs::table(Table::csv("b\n90\n"));
    let results = server.evaluate_with(inputs, &public).unwrap();
    assert_eq!(client.decrypt(&results).unwrap().to_csv().unwrap(), expected);
}
