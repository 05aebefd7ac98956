//! Machines on the command line: simulated where the build has them, refused with the way to one elsewhere.

use std::fs;
use std::path::Path;

use crate::common::{directory, refuse, ringmill, succeed};

const ENCRYPT: &str = "encrypt --params p.params --public-key keys/public.key --input in.csv";
const DECRYPT: &str = "decrypt --params p.params --secret-key keys/secret.key --input in.ct";
const DEVICE: &str = "--device rtl:ntt-multiplier";

#[test]
#[cfg(not(feature = "rtl"))]
fn builds_without_simulation_say_how_to_have_it() {
    let path = directory("hw");
    refuse(&path, "hw run", 2, "--features rtl");
    succeed(&path, "params --preset n1024-q26 -o p.params");
    succeed(&path, "keygen --params p.params --out-dir keys");
    fs::write(path.join("in.csv"), "1,2\n").unwrap();
    refuse(
        &path,
        &format!("{ENCRYPT} {DEVICE} -o in.ct"),
        2,
        "--features rtl",
    );
    succeed(&path, &format!("{ENCRYPT} -o in.ct"));
    refuse(
        &path,
        &format!("{DECRYPT} {DEVICE} -o out.csv"),
        2,
        "--features rtl",
    );
    refuse(
        &path,
        "params --circuit add8 -o a.params --device rtl:core",
        2,
        "--features rtl",
    );
}

#[test]
fn reports_need_the_repository() {
    let output = ringmill(Path::new("/"), "hw report");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no hdl/hw in /"));
}

#[test]
#[cfg(feature = "rtl")]
fn cycles_and_times_are_the_machines() {
    let path = directory("run");
    let report = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&succeed(&path, &format!("hw run --jobs 8 --json {arguments}"))).unwrap()
    };
    let said = report("--bits 27");
    assert_eq!(said["prime"].as_u64().unwrap() % 2048, 1);
    assert_eq!(said["checked"], 60);
    let [double, single, full_double, full_single] = &said["rows"].as_array().unwrap()[..] else {
        panic!("{said}");
    };
    assert_eq!(
        (double["cycles"].as_u64(), single["cycles"].as_u64()),
        (Some(260), Some(171))
    );
    assert_eq!(double["compute_seconds"].as_f64(), Some(1.3e-6));
    assert_eq!(full_single["period_cycles"].as_f64(), Some(256.0));
    assert_eq!(full_double["period_cycles"].as_f64(), Some(512.0));
    assert_eq!(
        full_single["jobs_per_second"].as_f64().map(f64::round),
        Some(781_250.0)
    );
    // Two jobs take turns in a deep pipeline: each takes longer, and they leave as often.
    let deep = report("--pipeline deep");
    assert_eq!(deep["latencies"][0]["cycles"], serde_json::json!([171, 260]));
    assert_eq!(deep["latencies"][1]["cycles"], serde_json::json!([392, 592]));
    assert_eq!(
        (
            deep["rows"][0]["cycles"].as_u64(),
            deep["rows"][1]["cycles"].as_u64()
        ),
        (Some(592), Some(392))
    );
    assert_eq!(deep["rows"][2]["period_cycles"].as_f64(), Some(512.0));
    assert_eq!(deep["rows"][3]["period_cycles"].as_f64(), Some(256.0));
    // At half the clock everything takes twice as long.
    let slow = report("--clock 100 --bandwidth 16000");
    assert_eq!(slow["rows"][0]["compute_seconds"].as_f64(), Some(2.6e-6));
    assert_eq!(slow["rows"][0]["period_cycles"], double["period_cycles"]);
    // Latency is waited for twice, and only once by many.
    let late = report("--latency 1000");
    let latency = |row: &serde_json::Value| (row["latency_seconds"].as_f64().unwrap() * 2e8).round();
    assert_eq!(latency(&late["rows"][0]), latency(double) + 2000.0);
    assert_eq!(late["rows"][3]["period_cycles"], full_single["period_cycles"]);
}

/// Cycles of the small engines, by the formulas of their documents.
#[test]
#[cfg(feature = "rtl")]
fn engines_transform_in_the_cycles_of_their_documents() {
    let path = directory("engines");
    // A butterfly with a deep pipeline for 50 bits has 20 cycles, for 30 and 32 bits 14, and 18 with steps of 8.
    for (machine, expected) in [
        ("ntt-fermat", [22 * 2048 / 8 + 20 + 4; 2]),
        ("hepcloud-ntt", [10 * 128 + 20, 11 * 128 + 20]),
    ] {
        let said = succeed(
            &path,
            &format!("hw run --machine {machine} --transforms 2 --json"),
        );
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["checked"], 4);
        assert_eq!(said["paper"], serde_json::Value::Null);
        let cycles = [&said["rows"][0]["cycles"], &said["rows"][1]["cycles"]];
        assert_eq!(
            cycles.map(|cycles| cycles.as_u64().unwrap()),
            expected,
            "{machine}"
        );
    }
    for network in ["ring", "transposer"] {
        let said = succeed(&path, &format!("hw run --machine tile-ntt --network {network}"));
        assert!(said.contains("16 butterfly units"), "{said}");
        assert!(said.contains("all words equal to the golden model's"), "{said}");
        assert!(!said.contains("paper"), "{said}");
    }
}

/// Sizes that no engine has, and sizes that this build does not simulate, are refused with the reason.
#[test]
#[cfg(feature = "rtl")]
fn other_engines_are_refused() {
    let path = directory("refused");
    let hw_run = "hw run --machine";
    refuse(
        &path,
        &format!("{hw_run} ntt-fermat --units 3"),
        2,
        "powers of two",
    );
    refuse(
        &path,
        &format!("{hw_run} ntt-fermat --units 1024"),
        2,
        "n/4 units",
    );
    refuse(&path, &format!("{hw_run} ntt-fermat --units 8"), 2, "rtl-full");
    refuse(
        &path,
        &format!("{hw_run} hepcloud-ntt --units 64"),
        2,
        "2 units^2",
    );
    refuse(&path, &format!("{hw_run} tile-ntt --units 12"), 2, "power of two");
}

/// The small core, beside the formulas of its data sheet.
#[test]
#[cfg(feature = "rtl")]
fn the_core_has_the_cycles_of_its_data_sheet() {
    let path = directory("core-cycles");
    let said = succeed(
        &path,
        "hw run --machine core --n 2048 --units 16 --clock 100 --json",
    );
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let instructions = said["instructions"].as_array().unwrap();
    let of = |name: &str| {
        let row = instructions.iter().find(|row| row["name"] == name).unwrap();
        [&row["cycles"], &row["bound"]].map(|cycles| cycles.as_u64().unwrap())
    };
    // A bank has 2048 / 32 words. Passes of 64 words are shorter than the pipeline: transforms wait between them.
    let [cycles, bound] = of("NTT forward");
    assert!(cycles <= bound && (22 * 64 + 24 + 64..23 * 64 + 24 + 64).contains(&bound));
    for (name, bound) in [
        ("VEC ADD", 64 + 32),
        ("MAC, count 3", 3 * 64 + 32),
        ("AUT", 64 + 64),
    ] {
        let [cycles, stated] = of(name);
        assert!(cycles <= bound && stated == bound, "{name}: {cycles}");
    }
    assert_eq!(said["limbs"], 10);
    assert_eq!(said["paper_cycles"], serde_json::Value::Null);
    let sums = said["sums"].as_array().unwrap();
    for sum in sums {
        assert_eq!(sum["bound"], 10 * (64 + 32));
        let [cycles, seconds] = [&sum["cycles"], &sum["seconds"]].map(|value| value.as_f64().unwrap());
        assert_eq!((1e8 * seconds).round(), cycles);
    }
    // 10 limbs of two summands and of the sum, at 268 MB/s.
    let slow = sums.last().unwrap()["seconds"].as_f64().unwrap();
    assert!(slow > f64::from(3 * 10 * 8 * 2048) / 268e6, "{slow}");
    refuse(&path, "hw run --machine core --units 8", 2, "rtl-full");
    refuse(&path, "hw run --machine core --units 3", 2, "powers of two");
    refuse(
        &path,
        "hw run --n 2048",
        2,
        "--n is for --machine core and ntt-fermat",
    );
    refuse(
        &path,
        "hw run --machine tile-ntt --n 2048",
        2,
        "--n is for --machine core and ntt-fermat",
    );
    refuse(
        &path,
        "hw run --machine tile-ntt --circuit simon",
        2,
        "--circuit is for --machine core",
    );
    refuse(
        &path,
        "hw run --machine core --circuit aes",
        2,
        "only --circuit simon is simulated",
    );
    refuse(&path, "hw run --machine core --model", 2, "--circuit <CIPHER>");
}

/// FV messages through paper 4's machine, one and four.
#[test]
#[cfg(feature = "rtl")]
fn messages_are_encrypted_by_paper_4s_machine() {
    let path = directory("karatsuba");
    for encryptions in [1, 4] {
        let said = succeed(
            &path,
            &format!("hw run --machine karatsuba --encryptions {encryptions} --json"),
        );
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["rows"].as_array().unwrap().len(), 2);
        for row in said["rows"].as_array().unwrap() {
            // 145,800 beats and at most one percent of fill.
            let cycles = row["cycles"].as_u64().unwrap();
            assert!((145_800..145_800 + 1458).contains(&cycles), "{cycles}");
            assert_eq!(row["input_bytes"], 145_800 * 16);
        }
    }
    for (encryptions, most) in [(1, 32_000), (4, 126_000)] {
        let said = succeed(
            &path,
            &format!("hw run --machine karatsuba --all-hardware --encryptions {encryptions} --json"),
        );
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        for (row, bits) in said["rows"].as_array().unwrap().iter().zip([125, 135]) {
            assert!(row["cycles"].as_u64().unwrap() <= most, "{row}");
            assert_eq!(row["output_bytes"], encryptions * 2560 * bits / 8);
        }
    }
    refuse(&path, "hw run --machine karatsuba --encryptions 5", 2, "1..=4");
}

/// Encryption over the integers: by the models of both designs, and by the systolic machine itself.
#[test]
#[cfg(feature = "rtl")]
fn integers_are_encrypted_by_paper_5s_machines() {
    let path = directory("comba");
    let rows = |arguments: &str| {
        let said = succeed(&path, &format!("hw run --machine comba --json {arguments}"));
        let mut said: serde_json::Value = serde_json::from_str(&said).unwrap();
        said["rows"].as_array_mut().unwrap().split_off(0)
    };
    let models = rows("--set toy");
    assert_eq!(models.len(), 2);
    // 16 ms at 307.754 MHz, and 6 ms at 197.465.
    for (row, (cycles, paper)) in models
        .iter()
        .zip([(3_122_617, 4_924_064.0), (834_625, 1_184_790.0)])
    {
        assert_eq!(row["cycles"], cycles);
        assert_eq!(row["paper_cycles"].as_f64().unwrap().round(), paper);
        assert!(row["accesses"].is_null());
    }
    let [systolic] = &rows("--systolic --full")[..] else {
        panic!("one machine");
    };
    assert_eq!(systolic["cycles"], 78_856);
    let accesses = systolic["accesses"].as_u64().unwrap();
    // Each word of the stream and of the modulus, and of the result; the reader may be ahead by a few.
    let memory = systolic["memory_bytes"].as_u64().unwrap() / 8;
    assert!(
        (memory - 1..memory + 8).contains(&accesses),
        "{accesses}, {memory}"
    );
    assert_eq!(rows("--units 3")[0]["multipliers"], 3 * 64);
    let hw_run = "hw run --machine comba";
    refuse(&path, &format!("{hw_run} --units 65"), 2, "1 to 64 units");
    refuse(&path, &format!("{hw_run} --units 3 --full"), 2, "build script");
    refuse(
        &path,
        &format!("{hw_run} --systolic --units 3"),
        2,
        "without --systolic",
    );
    refuse(
        &path,
        "hw run --machine core --systolic",
        2,
        "--systolic is for --machine comba",
    );
}

/// Sums and products of ciphertexts by way of the core are the CPU's, byte for byte; primes and rings that it does not have
/// are refused.
#[test]
#[cfg(feature = "rtl")]
fn circuits_by_way_of_the_core() {
    const CORE: &str = "--device rtl:core";
    let path = directory("core");
    fs::write(
        path.join("xor.txt"),
        "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 XOR\n",
    )
    .unwrap();
    fs::write(path.join("in.csv"), "x0,x1\n0,3\n1,3\n2,1\n3,3\n").unwrap();
    let xor = "--circuit xor.txt --params p.params";
    succeed(&path, "params --circuit xor.txt --primes machine -o p.params");
    succeed(&path, &format!("keygen {xor} --out-dir keys {CORE}"));
    succeed(
        &path,
        &format!("encrypt {xor} --public-key keys/public.key --input in.csv -o in.ct {CORE}"),
    );
    let eval = "--evaluation-key keys/evaluation.key --input in.ct";
    succeed(&path, &format!("eval {xor} {eval} -o cpu.ct"));
    succeed(&path, &format!("eval {xor} {eval} -o core.ct {CORE}"));
    assert_eq!(
        fs::read(path.join("core.ct")).unwrap(),
        fs::read(path.join("cpu.ct")).unwrap()
    );
    for device in [CORE, ""] {
        succeed(
            &path,
            &format!(
                "decrypt {xor} --secret-key keys/secret.key --input core.ct -o out.csv --force {device}"
            ),
        );
        assert_eq!(
            fs::read_to_string(path.join("out.csv")).unwrap(),
            "y0\n3\n2\n3\n0\n"
        );
    }
    // A product, with its conversions and its key switch.
    fs::write(path.join("and.txt"), "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n").unwrap();
    let and = "--circuit and.txt --params and.params";
    succeed(&path, "params --circuit and.txt --primes machine -o and.params");
    succeed(&path, &format!("keygen {and} --out-dir and"));
    fs::write(path.join("and.csv"), "x0,x1\n1,1\n0,1\n1,0\n1,1\n").unwrap();
    succeed(
        &path,
        &format!("encrypt {and} --secret-key and/secret.key --input and.csv -o and.ct"),
    );
    let eval = format!("eval {and} --evaluation-key and/evaluation.key --input and.ct");
    succeed(&path, &format!("{eval} -o and-cpu.ct"));
    succeed(&path, &format!("{eval} -o and-core.ct {CORE}"));
    assert_eq!(
        fs::read(path.join("and-core.ct")).unwrap(),
        fs::read(path.join("and-cpu.ct")).unwrap()
    );
    succeed(
        &path,
        &format!("decrypt {and} --secret-key and/secret.key --input and-core.ct -o and-out.csv"),
    );
    assert_eq!(
        fs::read_to_string(path.join("and-out.csv")).unwrap(),
        "y0\ntrue\nfalse\nfalse\ntrue\n"
    );
    // Parameters whose primes are not for machines.
    succeed(&path, "params --circuit xor.txt -o other.params");
    refuse(
        &path,
        &format!("keygen --circuit xor.txt --params other.params --out-dir other {CORE}"),
        7,
        "primes of at most 50 bits that are 1 modulo 2^17",
    );
    // A ring that no core of this build has.
    succeed(&path, "params --circuit add32 --primes machine -o large.params");
    refuse(
        &path,
        &format!("keygen --circuit add32 --params large.params --out-dir large {CORE}"),
        2,
        "no core for this ring",
    );
}

#[test]
#[cfg(feature = "rtl")]
fn messages_by_way_of_the_machine() {
    let path = directory("messages");
    succeed(&path, "params --preset n1024-q26 -o p.params");
    succeed(&path, "keygen --params p.params --out-dir keys");
    fs::write(path.join("in.csv"), "1,2,3\n255\n0,7,9\n").unwrap();
    succeed(&path, &format!("{ENCRYPT} {DEVICE} -o in.ct"));
    for device in [DEVICE, "--device cpu"] {
        succeed(&path, &format!("{DECRYPT} {device} --force -o out.csv"));
        let rows = fs::read_to_string(path.join("out.csv")).unwrap();
        assert_eq!(rows, "1,2,3\n255\n0,7,9\n");
    }
    succeed(&path, "params --preset n4096-t65537 --force -o p.params");
    succeed(&path, "keygen --params p.params --force --out-dir keys");
    refuse(&path, &format!("{ENCRYPT} {DEVICE} -o other.ct"), 2, "n1024-q26");
}
