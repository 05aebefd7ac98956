//! Choosing devices: what is refused, what is fallen back to, and that all devices give the same results.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{ands, copy_of_job, decrypt, directory, encrypt, eval, pairs, refuse, ringmill, succeed};
use serde_json::Value;

/// A GPU that no machine has.
const NO_CARD: &str = "--device cuda:4096";

/// Every command that takes a device, in a directory with the files of a job.
fn commands() -> Vec<String> {
    vec![
        "params --circuit and8 -o new".to_owned(),
        "keygen --circuit and8 --params p.params --out-dir new".to_owned(),
        encrypt("in.bin", "new"),
        eval("in.ct", "new"),
        decrypt("out.ct", "new.bin"),
        "transcipher --circuit and8 --params p.params --evaluation-key keys/evaluation.key --key in.ct --data in.bin \
         -o new"
            .to_owned(),
        "demo --blocks 1".to_owned(),
        "demo --scheme yashe-1225".to_owned(),
        "bench --only decode --quick".to_owned(),
    ]
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn unknown_devices_are_refused() {
    let path = copy_of_job("unknown");
    for device in ["abacus", "cuda:", "cuda:first", "CPU"] {
        for command in commands() {
            refuse(
                &path,
                &format!("{command} --device {device}"),
                2,
                "no device of that name; it has: cpu, auto, cuda (GPU 0), cuda:N (GPU N)",
            );
        }
    }
}

/// Without a driver, or without that GPU where there is one.
#[test]
fn gpus_that_cannot_be_used_are_errors() {
    let path = copy_of_job("GPUs");
    for command in commands() {
        let command = format!("{command} {NO_CARD}");
        let output = ringmill(&path, &command);
        let errors = errors(&output);
        refuse(&path, &command, 7, "error: --device cuda: there is no ");
        assert!(
            errors.contains("no usable CUDA driver") || errors.contains("no CUDA GPU 4096"),
            "{errors}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn machines_are_for_messages_only() {
    let path = copy_of_job("machines");
    for command in commands() {
        refuse(
            &path,
            &format!("{command} --device rtl:ntt-multiplier"),
            2,
            "without --circuit; elsewhere there are cpu, auto, cuda (GPU 0), cuda:N (GPU N)",
        );
    }
    refuse(&path, "bench --paper 2 --device cpu", 2, "cannot be used with");
}

#[test]
fn only_gpus_have_profiles() {
    let path = directory("profiles");
    let command = "bench --only decode --quick --profile";
    let problem = "cpu does not measure kernels, only GPUs do: --device cuda";
    refuse(&path, command, 2, problem);
    refuse(&path, &format!("{command} {NO_CARD}"), 7, "there is no ");
    refuse(&path, "bench --paper 2 --profile", 2, "cannot be used with");
}

/// Runs a command with --device auto, which must say what it took; what it prints.
fn with_auto(path: &Path, command: &str) -> String {
    let output = ringmill(path, &format!("{command} --device auto"));
    let errors = errors(&output);
    assert!(output.status.success(), "{errors}");
    let said = errors.lines().filter(|line| line.starts_with("device: "));
    let said: Vec<&str> = said.collect();
    assert_eq!(said.len(), 1, "{errors}");
    let fell_back = said[0].starts_with("device: cpu, because no GPU can be used: ");
    assert!(fell_back || said[0].starts_with("device: cuda:"), "{}", said[0]);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn auto_says_what_it_takes() {
    let path = copy_of_job("auto");
    let circuit = "--circuit and8 --params p.params";
    with_auto(&path, &format!("keygen {circuit} --force --out-dir keys"));
    with_auto(&path, &format!("{} --force", encrypt("in.bin", "in.ct")));
    with_auto(&path, &format!("{} --force", eval("in.ct", "out.ct")));
    with_auto(&path, &decrypt("out.ct", "auto.bin"));
    succeed(&path, &decrypt("out.ct", "cpu.bin"));
    for output in ["auto.bin", "cpu.bin"] {
        assert_eq!(fs::read(path.join(output)).unwrap(), ands(&pairs(10)));
    }
}

#[test]
fn batches_are_measured_beside_the_processor() {
    let path = directory("batches");
    let said = with_auto(&path, "bench --only batch-encrypt --quick --json");
    let said: Value = serde_json::from_str(&said).unwrap();
    let rows = said["batches"].as_array().unwrap();
    assert_eq!(rows[0]["device"], "cpu");
    assert_eq!(rows.last().unwrap()["device"], said["machine"]["device"]);
    assert!(rows.iter().all(|row| row["name"] == "batch-encrypt"));
    for row in rows {
        assert!(row["seconds"]["median"].as_f64().unwrap() > 0.0);
        // 8 encryptions at 15 limbs or so of 256 KiB: two parts each.
        let floor = row["floor_bytes"].as_u64().unwrap();
        assert!((40 << 20..100 << 20).contains(&floor), "{floor}");
        assert!(row["floor_seconds"].as_f64().unwrap() > 0.0);
    }
}

/// The whole way of a job over the emulated GPU, its files used by the processor and the other way round.
#[cfg(feature = "cuda-emulator")]
#[test]
fn an_emulated_gpu_gives_the_same_results() {
    devices_agree(&copy_of_job("emulated"));
}

/// The same with primes that the machines of hdl/ could take.
#[cfg(feature = "cuda-emulator")]
#[test]
fn primes_of_machines_serve_on_all_devices() {
    let path = copy_of_job("machine");
    let said = succeed(
        &path,
        "params --circuit and8 --primes machine --json -o p.params --force",
    );
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["parameters"]["prime_rule"], "machine");
    succeed(
        &path,
        "keygen --circuit and8 --params p.params --out-dir keys --force",
    );
    devices_agree(&path);
    refuse(
        &path,
        "params --circuit and8 --primes machine --preset hepcloud",
        2,
        "cannot be used with",
    );
}

#[cfg(feature = "cuda-emulator")]
fn devices_agree(path: &Path) {
    const EMULATED: &str = "--device cuda:emulated";
    succeed(
        path,
        &format!("{} --force {EMULATED}", encrypt("in.bin", "in.ct")),
    );
    for device in ["--device cpu", EMULATED] {
        succeed(path, &format!("{} --force {device}", eval("in.ct", "out.ct")));
        // Evaluation has no randomness: the same bits in files.
        let bits = fs::read(path.join("out.ct")).unwrap();
        if device == EMULATED {
            assert!(bits == fs::read(path.join("expected.ct")).unwrap())
        } else {
            fs::write(path.join("expected.ct"), bits).unwrap()
        }
        succeed(
            path,
            &format!("{} --force {device}", decrypt("out.ct", "out.bin")),
        );
        assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(10)));
    }
}

/// What packed inputs are taken apart into stays in a device's own memory; on the processor, with little memory, it is put
/// in a file.
#[cfg(feature = "cuda-emulator")]
#[test]
fn a_device_with_memory_puts_nothing_aside() {
    let path = copy_of_job("unpacked");
    let circuit = "--circuit and8 --params packed.params";
    succeed(&path, "params --circuit and8 --packing slots -o packed.params");
    succeed(&path, &format!("keygen {circuit} --out-dir keys --force"));
    let public = "--public-key keys/public.key --input in.bin -o in.ct";
    succeed(&path, &format!("encrypt {circuit} {public} --force"));
    let nowhere = path.join("nowhere");
    let evaluate = |device: &str| {
        let key = "--evaluation-key keys/evaluation.key --input in.ct -o out.ct";
        let command = format!("eval {circuit} {key} --device {device} --force");
        crate::common::ringmill_with(&path, &command, &[("TMPDIR", nowhere.to_str().unwrap())])
    };
    let output = evaluate("cpu --memory 0.025");
    assert_eq!(output.status.code(), Some(6), "{}", errors(&output));
    assert!(errors(&output).contains("nowhere"), "{}", errors(&output));
    let output = evaluate("cuda:emulated");
    assert!(output.status.success(), "{}", errors(&output));
    let secret = "--secret-key keys/secret.key --input out.ct -o out.bin";
    succeed(&path, &format!("decrypt {circuit} {secret} --force"));
    assert_eq!(fs::read(path.join("out.bin")).unwrap(), ands(&pairs(10)));
}
