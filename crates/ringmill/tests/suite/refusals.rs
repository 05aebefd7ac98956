use ringmill::{
    Error, ErrorKind, InputKey, Job, JobFile, Optimise, Output, Planning, Policy, PublicInputs, Seed, Table,
    circuits,
};

use crate::and8;

fn kind<T>(result: Result<T, Error>, kind: ErrorKind, problem: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(problem), "{error}");
}

/// Keys of different clients are not mixed, in memory and in files.
#[test]
fn other_clients_keys_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = and8();
    let [one, other] = [0; 2].map(|_| job.client(&Seed::random().unwrap()).unwrap());
    let server = job.server(one.evaluation_keys().unwrap()).unwrap();
    let table = Table::csv("a,b\n1,2\n");
    let foreign = other.encrypt(&table).unwrap();
    kind(
        server.evaluate(foreign),
        ErrorKind::Usage,
        "encrypted inputs under the keys of set",
    );
    let results = server.evaluate(one.encrypt(&table).unwrap()).unwrap();
    kind(
        other.decrypt(&results),
        ErrorKind::Usage,
        "results under the keys of set",
    );
    assert_eq!(one.decrypt(&results).unwrap().to_csv().unwrap(), "and\n0\n");

    other.encrypt_to(&table, &Output::new(path("in.ct"))).unwrap();
    let output = Output::new(path("out.ct")).into();
    let evaluated = server.evaluate_to(path("in.ct"), &PublicInputs::none(), &output);
    kind(evaluated, ErrorKind::BadFile, "under the keys of set");
    assert!(!path("out.ct").exists());
}

/// A reader that wants more security than the file has refuses it.
#[test]
fn readers_decide_how_secure_files_must_be() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.params");
    and8().save(&path).unwrap();
    let file = JobFile::open(&path).unwrap();
    let strict = Planning::new().policy(Policy::default().with_least_security(256));
    kind(
        strict.open(&file),
        ErrorKind::BadFile,
        "at least 256 bits are required",
    );
    Job::open(&path).unwrap();
}

#[test]
fn plans_for_the_secret_key_refuse_the_public_one() {
    let circuit = circuits::by_name("and8").unwrap();
    let planning = Planning::new()
        .optimise(Optimise::Off)
        .input_key(InputKey::Secret);
    let job = planning.plan(&circuit).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    kind(
        job.encryptor(client.public_key().unwrap()),
        ErrorKind::Usage,
        "with the secret key",
    );
}

#[test]
fn unfit_tables_and_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    kind(client.encrypt(&Table::csv("a\n1\n")), ErrorKind::BadFile, "b");
    kind(
        client.encrypt(&Table::csv("a,b\n1,256\n")),
        ErrorKind::BadFile,
        "column \"b\": the value cannot be used",
    );
    kind(
        client.encrypt(&Table::open(path("none.csv"))),
        ErrorKind::Io,
        "none.csv",
    );
    kind(
        client.encrypt(&Table::open(path("table"))),
        ErrorKind::Usage,
        "does not tell the format",
    );
    kind(
        job.cipher_key(&[1; 16]),
        ErrorKind::Usage,
        "takes no cipher's key",
    );
    kind(
        circuits::by_name("nothing"),
        ErrorKind::Usage,
        "no circuit nothing",
    );
    let text = "1 3\n2 1 1\n1 1\n\n2 1 0 9 2 AND\n";
    kind(
        circuits::from_bristol("x", text.as_bytes()),
        ErrorKind::BadFile,
        "x: line 5",
    );
    kind(
        circuits::from_aiger("x.aag", &b"aag 1 1 0 1 0\n2\n4\n"[..]),
        ErrorKind::BadFile,
        "x.aag: line 3",
    );
    kind(
        circuits::from_blif("x.blif", &b".model m\n.inputs a\n.latch a b\n"[..]),
        ErrorKind::BadFile,
        "x.blif: line 3",
    );
    std::fs::write(path("x.aag"), text).unwrap();
    kind(
        circuits::open(&path("x.aag")),
        ErrorKind::BadFile,
        "\"1\" where aag or aig should stand",
    );

    job.save(path("p.params")).unwrap();
    kind(job.save(path("p.params")), ErrorKind::Io, "exists already");
    let other = circuits::by_name("add8").unwrap();
    let file = JobFile::open(path("p.params")).unwrap();
    kind(
        Planning::new().open(&file.with_circuit(other)),
        ErrorKind::BadFile,
        "another circuit than add8",
    );
    std::fs::write(path("half"), &std::fs::read(path("p.params")).unwrap()[..100]).unwrap();
    kind(Job::open(path("half")), ErrorKind::BadFile, "half");
    // A client of a file has no public key, so it makes no set of keys.
    client.save_keys(path("keys"), false).unwrap();
    let opened = job.open_client(path("keys/secret.key")).unwrap();
    kind(
        opened.save_keys(path("more"), false),
        ErrorKind::Usage,
        "public key was not made here",
    );
    kind(
        client.save_keys(path("keys"), false),
        ErrorKind::Io,
        "exists already",
    );
}
