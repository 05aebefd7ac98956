//! Inputs of several owners: each encrypts some ports, the server puts them together.

use std::path::{Path, PathBuf};

use ringmill::batches::Head;
use ringmill::{
    Error, ErrorKind, InputPacking, Optimise, Output, Planning, PublicInputs, Seed, Table, circuits,
};
use tempfile::TempDir;

use crate::{and_table, and8};

fn refused<T>(result: Result<T, Error>, kind: ErrorKind, problem: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(problem), "{error}");
}

/// A table with only the first or the second column of another.
fn column(table: &str, index: usize) -> Table {
    let lines = table.lines().map(|line| line.split(',').nth(index).unwrap());
    Table::csv(lines.map(|value| format!("{value}\n")).collect::<String>())
}

/// A directory and the names of files in it.
fn files<const N: usize>(names: [&str; N]) -> (TempDir, [PathBuf; N]) {
    let directory = tempfile::tempdir().unwrap();
    let paths = names.map(|name| directory.path().join(name));
    (directory, paths)
}

#[test]
fn parts_make_the_whole() {
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let (table, expected) = and_table(job.plan_details().records() + 5);
    let part = |port: &str, index| {
        let encryptor = client.encryptor().of_ports(&[port]).unwrap();
        encryptor.encrypt(&column(&table, index)).unwrap()
    };
    let none = PublicInputs::none();
    let results = server.evaluate_joint(vec![part("b", 1), part("a", 0)], &none);
    let decrypted = client.decrypt(&results.unwrap()).unwrap();
    assert_eq!(decrypted.to_csv().unwrap(), expected);
    // All ports by name are as all ports.
    let all = client.encryptor().of_ports(&["b", "a"]).unwrap();
    let results = server.evaluate(all.encrypt(&Table::csv(table.clone())).unwrap());
    assert_eq!(
        client.decrypt(&results.unwrap()).unwrap().to_csv().unwrap(),
        expected
    );
    let usage = ErrorKind::Usage;
    refused(
        server.evaluate(part("a", 0)),
        usage,
        "the private port \"b\" is not in encrypted inputs 1; give the file of its owner too",
    );
    refused(
        server.evaluate_joint(vec![part("a", 0), part("a", 0), part("b", 1)], &none),
        usage,
        "the private port \"a\" is in encrypted inputs 1 and in encrypted inputs 2",
    );
    refused(
        server.evaluate_joint(Vec::new(), &none),
        usage,
        "no encrypted inputs",
    );
    let few = client.encryptor().of_ports(&["b"]).unwrap();
    let few = few.encrypt(&Table::csv("b\n1\n2\n")).unwrap();
    refused(
        server.evaluate_joint(vec![part("a", 0), few], &none),
        ErrorKind::BadFile,
        &format!(
            "encrypted inputs 2: 2 records where encrypted inputs 1 has {}; owners must encrypt the same records in the \
             same order, or a single one that stands for all",
            job.plan_details().records() + 5
        ),
    );
}

#[test]
fn ports_are_those_of_the_circuit() {
    let client = and8().client(&Seed::random().unwrap()).unwrap();
    let refuse = |ports: &[&str], problem: &str| {
        refused(client.encryptor().of_ports(ports), ErrorKind::Usage, problem);
    };
    refuse(
        &["a", "c"],
        "and8 has no private port \"c\"; the private ports are a, b",
    );
    refuse(&["a", "a"], "port \"a\" is named twice");
    refuse(&[], "no port is named; the private ports are a, b");
    for (packing, name) in [
        (InputPacking::Slots, "slots"),
        (InputPacking::Broadcast, "broadcast"),
    ] {
        let planning = Planning::new().optimise(Optimise::Off).packing(Some(packing));
        let circuit = circuits::by_name("and8").unwrap();
        let circuit = if name == "broadcast" {
            circuit.with_public("b").unwrap()
        } else {
            circuit
        };
        let packed = planning.plan(&circuit).unwrap();
        let client = packed.client(&Seed::random().unwrap()).unwrap();
        refused(
            client.encryptor().of_ports(&["a"]),
            ErrorKind::Usage,
            &format!(
                "made for inputs of several ports in a ciphertext (--packing {name}), which one owner encrypts \
                 together; make parameters with --packing separate"
            ),
        );
    }
}

/// The digest of the encrypted inputs that the first batch of results names.
fn digest(path: &Path) -> [u8; 32] {
    let file = std::fs::File::open(path).unwrap();
    Head::read(file, 0).unwrap().0.origin.unwrap().private
}

/// Files in any order make the same results, and say the same of their inputs. One owner has a single record.
#[test]
fn files_in_any_order() {
    let (_directory, [a, b, one, other, table]) = files(["a.ct", "b.ct", "one.ct", "other.ct", "out.csv"]);
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let records = 2 * job.plan_details().records() + 3;
    let (columns, _) = and_table(records);
    let encrypt = |port: &str, table: &Table, path: &Path| {
        let encryptor = client.encryptor().of_ports(&[port]).unwrap();
        encryptor.encrypt_to(table, &Output::new(path)).unwrap()
    };
    let written = encrypt("a", &column(&columns, 0), &a);
    assert_eq!(
        (written.records, written.batches, written.ciphertexts),
        (records, 3, 3 * 8)
    );
    encrypt("b", &Table::csv("b\n60\n"), &b);
    let (none, out) = (PublicInputs::none(), |path: &Path| Output::new(path).into());
    let evaluated = server.evaluate_joint_to(&[&a, &b], &none, &out(&one)).unwrap();
    assert_eq!((evaluated.records, evaluated.batches), (records as u64, 3));
    server.evaluate_joint_to(&[&b, &a], &none, &out(&other)).unwrap();
    assert_eq!(digest(&one), digest(&other));
    assert!(std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap());

    let decryption = client.decryption(&one).of_joint_inputs(&[&b, &a], none.clone());
    decryption.to(&Output::new(&table), None, &[] as &[&str]).unwrap();
    let ands = columns.lines().skip(1).map(|line| {
        let a: u32 = line.split(',').next().unwrap().parse().unwrap();
        format!("{}\n", a & 60)
    });
    let ands: String = ands.collect();
    assert_eq!(std::fs::read_to_string(&table).unwrap(), format!("and\n{ands}"));
    // Other inputs, also of one owner only.
    std::fs::remove_file(&b).unwrap();
    encrypt("b", &Table::csv("b\n60\n"), &b);
    let again = client.decryption(&one).of_joint_inputs(&[&b, &a], none.clone());
    let output = Output::new(&table).replacing(true);
    refused(
        again.to(&output, None, &[] as &[&str]),
        ErrorKind::BadFile,
        &format!(
            "batch 0 is of other encrypted inputs than {}, {}",
            b.display(),
            a.display()
        ),
    );
    refused(
        client
            .decryption(&one)
            .of_inputs(&a, none)
            .to(&output, None, &[] as &[&str]),
        ErrorKind::Usage,
        "the private port \"b\" is not in ",
    );
}

/// A last batch of one record, in a file of its own, stands for no other record.
#[test]
fn a_last_batch_of_one_record() {
    let (_directory, [a, b, more, out]) = files(["a", "b", "more", "out"]);
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let records = job.plan_details().records() + 1;
    let encrypt = |port: &str, records: usize, directory: &Path| {
        let encryptor = client.encryptor().of_ports(&[port]).unwrap();
        let rows: String = (0..records).map(|row| format!("{}\n", row % 250 + 2)).collect();
        let written = encryptor.encrypt_batches_to(&Table::csv(format!("{port}\n{rows}")), directory);
        assert_eq!(written.unwrap().batches, 2);
    };
    encrypt("a", records, &a);
    encrypt("b", records, &b);
    encrypt("b", records + 1, &more);
    let (none, output) = (PublicInputs::none(), Output::new(&out).into());
    let [a, b, more] = [a, b, more].map(|directory| directory.join("000001.ct"));
    refused(
        server.evaluate_joint_to(&[&a, &more], &none, &output),
        ErrorKind::BadFile,
        "owners must encrypt the same records in the same order",
    );
    server.evaluate_joint_to(&[&a, &b], &none, &output).unwrap();
    let (last, table) = (records - 1, out.with_extension("csv"));
    client
        .decryption(&out)
        .to(&Output::new(&table), None, &[] as &[&str])
        .unwrap();
    let expected = format!("and\n{}\n", last % 250 + 2);
    assert_eq!(std::fs::read_to_string(&table).unwrap(), expected);
}

/// Owners of a single record each, with and without public records.
#[test]
fn single_records() {
    let circuit = circuits::from_bristol(
        "three",
        "2 5\n3 1 1 1\n1 1\n\n2 1 0 1 3 AND\n2 1 2 3 4 AND\n".as_bytes(),
    );
    let circuit = circuit.unwrap();
    let names: Vec<String> = circuit
        .circuit()
        .inputs()
        .iter()
        .map(|port| port.name.clone())
        .collect();
    let column = |index: usize, values: &str| Table::csv(format!("{}\n{values}", names[index]));
    let job = Planning::new().optimise(Optimise::Off).plan(&circuit).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let part = |index: usize, values: &str| {
        let encryptor = client.encryptor().of_ports(&[&names[index]]).unwrap();
        encryptor.encrypt(&column(index, values)).unwrap()
    };
    let none = PublicInputs::none();
    let parts = vec![part(2, "1\n"), part(0, "1\n"), part(1, "1\n")];
    let results = server.evaluate_joint(parts, &none).unwrap();
    assert_eq!(client.decrypt(&results).unwrap().len(), 1);
    assert!(
        client
            .decrypt(&results)
            .unwrap()
            .to_csv()
            .unwrap()
            .ends_with("\ntrue\n")
    );

    let public = circuit.with_public(&names[1]).unwrap();
    let job = Planning::new().optimise(Optimise::Off).plan(&public).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let part = |index: usize, values: &str| {
        let encryptor = client.encryptor().of_ports(&[&names[index]]).unwrap();
        encryptor.encrypt(&column(index, values)).unwrap()
    };
    let data = PublicInputs::table(column(1, "1\n0\n1\n"));
    let results = server
        .evaluate_joint(vec![part(2, "1\n"), part(0, "1\n")], &data)
        .unwrap();
    let text = client.decrypt(&results).unwrap().to_csv().unwrap();
    assert!(text.ends_with("\ntrue\nfalse\ntrue\n"), "{text}");
    let results = server
        .evaluate_joint(vec![part(2, "1\n1\n0\n"), part(0, "1\n")], &data)
        .unwrap();
    let text = client.decrypt(&results).unwrap().to_csv().unwrap();
    assert!(text.ends_with("\ntrue\nfalse\nfalse\n"), "{text}");
    let evaluated = server.evaluate_joint(vec![part(2, "1\n1\n"), part(0, "1\n")], &data);
    refused(
        evaluated,
        ErrorKind::BadFile,
        "3 public records where 2 are encrypted",
    );
}

/// The heads of a file's batches, and the frames of ciphertexts behind them.
fn batches(mut file: &[u8]) -> Vec<(Head, [u8; 32], Vec<u8>)> {
    let mut batches = Vec::new();
    while !file.is_empty() {
        let (head, hash) = Head::read(&mut file, 100).unwrap();
        let length = u64::from_le_bytes(file[40..48].try_into().unwrap()) as usize + 80;
        batches.push((head, hash, file[..length].to_vec()));
        file = &file[length..];
    }
    batches
}

/// Whoever writes a file can list any ports in it.
#[test]
fn lists_of_ports_are_not_trusted() {
    let (_directory, [a, b, bad, out]) = files(["a.ct", "b.ct", "bad.ct", "out.ct"]);
    let job = and8();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let (columns, _) = and_table(job.plan_details().records() + 1);
    for (port, index, path) in [("a", 0, &a), ("b", 1, &b)] {
        let encryptor = client.encryptor().of_ports(&[port]).unwrap();
        encryptor
            .encrypt_to(&column(&columns, index), &Output::new(path))
            .unwrap();
    }
    let refuse = |ports: [&[&str]; 2], problem: &str| {
        let mut file = Vec::new();
        for ((mut head, hash, ciphertexts), ports) in
            batches(&std::fs::read(&b).unwrap()).into_iter().zip(ports)
        {
            head.ports = ports.iter().map(|port| (*port).to_owned()).collect();
            head.write(&mut file, &hash).unwrap();
            file.extend(ciphertexts);
        }
        std::fs::write(&bad, file).unwrap();
        let output = Output::new(&out).replacing(true).into();
        let evaluated = server.evaluate_joint_to(&[&a, &bad], &PublicInputs::none(), &output);
        let error = evaluated.err().unwrap().to_string();
        assert!(error.contains(problem), "{error}");
    };
    refuse([&["a"], &["a"]], "the private port \"a\" is in ");
    let order = "which are not private ports of and8 in order";
    refuse([&["c"], &["c"]], order);
    refuse([&["b", "a"], &["b", "a"]], order);
    refuse([&["b", "b"], &["b", "b"]], order);
    refuse(
        [&[], &[]],
        "8 ciphertexts and 0 clear values in a batch, where and8 has 16 and 0",
    );
    refuse(
        [&["b"], &["a"]],
        "a batch of other ports than the first one holds",
    );
}
