//! The steps of a job through files, with a circuit small enough for tests.

use std::fs;

use crate::common::{
    ands, copy_of_job, decrypt, directory, encrypt, eval, frames, job, pairs, refuse, ringmill, succeed,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[test]
fn results_are_right() {
    let path = copy_of_job("right");
    let said = succeed(&path, &decrypt("out.ct", "out.bin"));
    assert!(said.contains("10 records") && !said.contains("noise"), "{said}");
    assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(10)));
    let said: Value = serde_json::from_str(&succeed(
        &path,
        &format!("{} --json", decrypt("out.ct", "again.bin")),
    ))
    .unwrap();
    assert_eq!(said["records"], 10);
    assert_eq!(
        (&said["margin_bits"], &said["noise_log2"]),
        (&Value::Null, &Value::Null)
    );
    // Noise is a secret: it is told who asks for it.
    let command = format!("{} --show-noise", decrypt("out.ct", "shown.bin"));
    assert!(succeed(&path, &command).contains("bits of noise margin were left"));
    let command = format!("{} --show-noise --json --force", decrypt("out.ct", "shown.bin"));
    let said: Value = serde_json::from_str(&succeed(&path, &command)).unwrap();
    assert!(said["margin_bits"].as_f64().unwrap() > 1.0);
}

/// What is decrypted is for its owner's eyes, unless it is said to be public; so are messages.
#[test]
#[cfg(unix)]
fn decrypted_records_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let path = copy_of_job("private");
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    succeed(&path, &decrypt("out.ct", "mine.bin"));
    succeed(
        &path,
        &format!("{} --public-output", decrypt("out.ct", "all.bin")),
    );
    assert_eq!(mode("mine.bin"), 0o600);
    assert_eq!(mode("all.bin"), mode("in.bin"));
    assert_ne!(mode("all.bin"), 0o600);
    succeed(&path, "params --preset n1024-q26 -o m.params");
    succeed(&path, "keygen --params m.params --out-dir m");
    fs::write(path.join("m.csv"), "1,2\n").unwrap();
    succeed(
        &path,
        "encrypt --params m.params --public-key m/public.key --input m.csv -o m.ct",
    );
    succeed(
        &path,
        "decrypt --params m.params --secret-key m/secret.key --input m.ct -o m-out.csv",
    );
    assert_eq!(mode("m-out.csv"), 0o600);
}

#[test]
fn many_records_take_several_batches() {
    let path = copy_of_job("steps-batches");
    let records = pairs(1300);
    fs::write(path.join("many.bin"), &records).unwrap();
    let said: Value = serde_json::from_str(&succeed(
        &path,
        &format!("{} --json", encrypt("many.bin", "many.ct")),
    ))
    .unwrap();
    assert!(said["batches"].as_u64().unwrap() > 1, "{said}");
    succeed(&path, &format!("{} --threads 1", eval("many.ct", "results.ct")));
    succeed(&path, &decrypt("results.ct", "results.bin"));
    assert_eq!(fs::read(path.join("results.bin")).unwrap(), ands(&records));
}

#[test]
fn tables_of_every_format() {
    let path = directory("tables");
    let circuit = "--circuit add8 --params p.params";
    succeed(&path, "params --circuit add8 -o p.params");
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    let encrypt = format!("encrypt {circuit} --secret-key keys/secret.key --type b=i8");
    fs::write(path.join("in.csv"), "b,name,a\n-1,x,1\n-128,y,5\n127,z,255\n").unwrap();
    succeed(
        &path,
        &format!("{encrypt} --input in.csv --ignore-extra -o csv.ct"),
    );
    fs::write(
        path.join("in.jsonl"),
        "{\"a\":1,\"b\":-1}\n{\"b\":-128,\"a\":5}\n{\"a\":255,\"b\":127}\n",
    )
    .unwrap();
    succeed(&path, &format!("{encrypt} --input in.jsonl -o json.ct"));
    for table in ["csv", "json"] {
        succeed(
            &path,
            &format!("eval {circuit} --evaluation-key keys/evaluation.key --input {table}.ct -o {table}.out"),
        );
        let decrypt = format!("decrypt {circuit} --secret-key keys/secret.key --input {table}.out --force");
        succeed(&path, &format!("{decrypt} -o out.csv"));
        assert_eq!(
            fs::read_to_string(path.join("out.csv")).unwrap(),
            "sum\n0\n133\n126\n"
        );
        succeed(&path, &format!("{decrypt} --type sum=i8 -o out.jsonl"));
        assert_eq!(
            fs::read_to_string(path.join("out.jsonl")).unwrap(),
            "{\"sum\":0}\n{\"sum\":-123}\n{\"sum\":126}\n"
        );
        succeed(&path, &format!("{decrypt} --format binary -o out.csv"));
        assert_eq!(fs::read(path.join("out.csv")).unwrap(), [0, 133, 126]);
    }
}

/// x0 AND x1, and the complement of x0, on values of two bits.
const FILE: &str = "4 8\n2 2 2\n2 2 2\n\n2 1 0 2 4 AND\n2 1 1 3 5 AND\n1 1 0 6 INV\n1 1 1 7 INV\n";

#[test]
fn one_record_for_all_and_outputs_of_public_inputs_only() {
    let path = directory("single");
    fs::write(path.join("two.txt"), FILE).unwrap();
    let circuit = "--circuit two.txt --public x0 --params p.params";
    succeed(&path, "params --circuit two.txt --public x0 -o p.params");
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    fs::write(path.join("x1.csv"), "x1\n2\n").unwrap();
    // More records than a batch has.
    let x0: String = (0..2000).map(|i| format!("{}\n", i % 4)).collect();
    fs::write(path.join("x0.csv"), format!("x0\n{x0}")).unwrap();
    let encrypt = format!("encrypt {circuit} --input x1.csv");
    succeed(
        &path,
        &format!("{encrypt} --public-key keys/public.key -o public.ct"),
    );
    succeed(
        &path,
        &format!("{encrypt} --secret-key keys/secret.key -o secret.ct"),
    );
    let bytes = |file: &str| fs::metadata(path.join(file)).unwrap().len();
    assert!(bytes("secret.ct") < bytes("public.ct") * 55 / 100);
    for inputs in ["public.ct", "secret.ct"] {
        let said = succeed(
            &path,
            &format!(
                "eval {circuit} --evaluation-key keys/evaluation.key --input {inputs} --data x0.csv -o out.ct \
                 --force --json"
            ),
        );
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["records"], 2000);
        assert!(said["batches"].as_u64().unwrap() > 1, "{said}");
        let decrypt = format!("decrypt {circuit} --secret-key keys/secret.key --input out.ct");
        succeed(&path, &format!("{decrypt} -o out.csv --force"));
        let expected: String = (0..2000)
            .map(|i| format!("{},{}\n", (i % 4) & 2, 3 - i % 4))
            .collect();
        let found = fs::read_to_string(path.join("out.csv")).unwrap();
        assert_eq!(found, format!("y0,y1\n{expected}"));
    }
}

#[test]
fn one_circuit_after_another() {
    let path = directory("then");
    // As FILE, on values of eight bits.
    let mut file = "16 32\n2 8 8\n2 8 8\n\n".to_owned();
    (0..8).for_each(|i| file += &format!("2 1 {i} {} {} AND\n", i + 8, i + 16));
    (0..8).for_each(|i| file += &format!("1 1 {i} {} INV\n", i + 24));
    fs::write(path.join("two.txt"), file).unwrap();
    let circuit = "--circuit and8 --then two.txt --public x0";
    succeed(&path, &format!("params {circuit} -o p.params"));
    let circuit = format!("{circuit} --params p.params");
    succeed(&path, &format!("keygen {circuit} --out-dir keys"));
    fs::write(path.join("in.csv"), "a,b\n255,1\n254,7\n3,3\n").unwrap();
    fs::write(path.join("x0.csv"), "x0\n3\n2\n1\n").unwrap();
    succeed(
        &path,
        &format!("encrypt {circuit} --public-key keys/public.key --input in.csv -o in.ct"),
    );
    succeed(
        &path,
        &format!("eval {circuit} --evaluation-key keys/evaluation.key --input in.ct --data x0.csv -o out.ct"),
    );
    succeed(
        &path,
        &format!("decrypt {circuit} --secret-key keys/secret.key --input out.ct -o out.csv"),
    );
    assert_eq!(
        fs::read_to_string(path.join("out.csv")).unwrap(),
        "y0,y1\n1,252\n2,253\n1,254\n"
    );
    let wrong = circuit.replace("--then two.txt --public x0", "");
    let output = ringmill(
        &path,
        &format!("decrypt {wrong} --secret-key keys/secret.key --input out.ct -o new.bin"),
    );
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn forms_can_be_chosen() {
    let path = directory("forms");
    for (form, name) in [("bfv", "BFV form"), ("low", "BGV form")] {
        let said = succeed(&path, &format!("params --circuit and8 --form {form} --json"));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["plan"]["form"], name);
        assert!(said["plan"]["seconds"].as_f64().unwrap() > 0.0);
        assert_eq!(said["file"], Value::Null);
    }
}

#[test]
fn circuits_are_listed() {
    let path = directory("steps-circuits");
    let said: Value = serde_json::from_str(&succeed(&path, "circuits --json")).unwrap();
    let entries = said.as_array().unwrap();
    let find = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!(
        (&find("and8")["ands"], &find("and8")["depth"]),
        (&8.into(), &1.into())
    );
    assert_eq!(find("aes-128-ctr")["inputs"][0]["public"], true);
    let text = succeed(&path, "circuits");
    for entry in entries {
        assert!(text.contains(entry["name"].as_str().unwrap()));
    }
    assert!(succeed(&path, "circuits less32").contains("a: u32"));
}

#[test]
fn the_same_parameters_come_out_of_the_same_choice() {
    let path = directory("deterministic");
    succeed(&path, "params --circuit and8 -o p.params --threads 1");
    assert_eq!(
        fs::read(path.join("p.params")).unwrap(),
        fs::read(job().join("p.params")).unwrap()
    );
}

#[cfg(unix)]
#[test]
fn the_secret_key_is_its_owners() {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(job().join("keys/secret.key"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn inspect_knows_every_file() {
    let hash = |file: &str| {
        let said: Value = serde_json::from_str(&succeed(job(), &format!("inspect --json {file}"))).unwrap();
        assert_eq!(said["file_bytes"], fs::metadata(job().join(file)).unwrap().len());
        said["parameters_hash"].as_str().unwrap().to_owned()
    };
    let parameters = hash("p.params");
    let files = [
        ("p.params", "parameters", "security"),
        ("keys/secret.key", "a secret key", "checksums are right"),
        ("keys/public.key", "a public key", "checksums are right"),
        (
            "keys/evaluation.key",
            "a relinearization key",
            "checksums are right",
        ),
        ("in.ct", "a batch of records", "10 in 1 batches: encrypted inputs"),
        ("out.ct", "a batch of records", "2 parts"),
    ];
    for (file, kind, detail) in files {
        assert_eq!(hash(file), parameters);
        let said = succeed(job(), &format!("inspect {file}"));
        assert!(said.contains(kind) && said.contains(detail), "{said}");
    }
}

#[test]
fn insecure_parameters_are_named_so_every_time() {
    let path = directory("insecure");
    let warned = |arguments: &str| {
        let output = ringmill(&path, arguments);
        assert!(output.status.success());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains("INSECURE") && errors.contains("85-bit"),
            "{errors}"
        );
    };
    warned("params --circuit and8 --preset hepcloud -o p.params");
    warned("inspect p.params");
}

/// A plan with weak parameters, or whose results may be wrong too often, is refused by whoever gets it.
#[test]
fn weak_plans_are_refused_unless_accepted() {
    let path = copy_of_job("weak-plans");
    succeed(&path, "params --circuit and8 --preset hepcloud -o weak.params");
    let commands = |params: &str| {
        let circuit = format!("--circuit and8 --params {params}");
        [
            format!("keygen {circuit} --out-dir new"),
            format!("encrypt {circuit} --public-key keys/public.key --input in.bin -o new"),
            format!("eval {circuit} --evaluation-key keys/evaluation.key --input in.ct -o new"),
            format!("decrypt {circuit} --secret-key keys/secret.key --input out.ct -o new.bin"),
        ]
    };
    for command in commands("weak.params") {
        refuse(
            &path,
            &command,
            3,
            "weak.params: the parameters hepcloud are INSECURE",
        );
    }
    // The recipe's probability of failure is its last number: 2^-20 in place of 2^-64.
    let mut file = fs::read(path.join("p.params")).unwrap();
    let wanted = (-64.0_f64).to_le_bytes();
    let place = file.windows(8).rposition(|bytes| bytes == wanted).unwrap();
    file[place..place + 8].copy_from_slice(&(-20.0_f64).to_le_bytes());
    fs::write(path.join("often.params"), resealed(&file)).unwrap();
    for command in commands("often.params") {
        refuse(
            &path,
            &command,
            3,
            "often.params: results may be wrong with a probability of 2^-20, where 2^-64 is required",
        );
    }
    // Two bits of tolerance are the most.
    let mut file = fs::read(path.join("p.params")).unwrap();
    file[place - 8..place].copy_from_slice(&2.5_f64.to_le_bytes());
    fs::write(path.join("loose.params"), resealed(&file)).unwrap();
    for command in commands("loose.params") {
        refuse(
            &path,
            &command,
            3,
            "loose.params: operations may add 2.5 bits to the noise",
        );
    }
}

/// The file with the checksum of its plan, the second frame, made right again.
fn resealed(file: &[u8]) -> Vec<u8> {
    let (start, end) = (frames(file)[1], frames(file)[2] - 32);
    let mut sealed = file.to_vec();
    sealed[end..end + 32].copy_from_slice(&Sha256::digest(&file[start..end]));
    sealed
}

#[test]
fn every_command_explains_itself() {
    let path = directory("help");
    let text = succeed(&path, "--help");
    for command in [
        "demo",
        "circuits",
        "plan",
        "check",
        "keygen",
        "encrypt",
        "eval",
        "transcipher",
        "decrypt",
        "inspect",
        "bench",
    ] {
        assert!(text.contains(command));
        let text = succeed(&path, &format!("{command} --help"));
        assert!(text.contains("Example") && text.contains("Exit codes"), "{text}");
        assert!(text.contains("--json") && text.contains("--threads"), "{text}");
    }
}
