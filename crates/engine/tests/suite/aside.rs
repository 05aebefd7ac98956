//! Values in files: inputs that are read when they are used, and what memory has no room for.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ringmill_circuit::Circuit;
use ringmill_cpu::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, EncryptedWire, EngineError, InputKey, Loading, OperationKind, Plan, PlanError, Planner,
    ProductForm, StoredWire,
};
use ringmill_fv::{Ciphertext, Parameters, SecurityLevel};

use crate::common::circuits::{Dice, Wires, random_circuit};
use crate::common::{LIMB_BITS, Party, insecure_of, sides};

/// A ciphertext as bytes, and how often all of them were read.
struct Bytes {
    level: usize,
    bytes: Vec<u8>,
    reads: Arc<AtomicUsize>,
}

impl StoredWire for Bytes {
    fn level(&self) -> usize {
        self.level
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        Ok(self.bytes.clone())
    }
}

/// What happens to bytes in a file.
type Damage = fn(&mut Vec<u8>);

/// The same inputs as bytes.
fn stored(
    party: &Party,
    inputs: &EncryptedInputs<Ciphertext<CpuDevice>>,
    reads: &Arc<AtomicUsize>,
) -> EncryptedInputs<Ciphertext<CpuDevice>> {
    let mut result = EncryptedInputs::new();
    for (port, wires) in inputs.iter() {
        let wires = wires.iter().map(|wire| {
            let ciphertext = wire.here().unwrap();
            let mut bytes = Vec::new();
            party.context.put_ciphertext(&mut bytes, ciphertext).unwrap();
            EncryptedWire::Stored(Arc::new(Bytes {
                level: ciphertext.level(),
                bytes,
                reads: Arc::clone(reads),
            }))
        });
        result.insert_wires(port, wires);
    }
    result
}

struct Sample {
    circuit: Circuit,
    parameters: Parameters,
    planner: Planner,
    party: Party,
}

impl Sample {
    fn new(form: ProductForm, loading: Loading) -> Self {
        let circuit = random_circuit(&mut Dice::new(78), Wires::Bits, 200, 5);
        let parameters = insecure_of(2048, form, 9, LIMB_BITS);
        Self {
            planner: Planner::new(SecurityLevel::Bits128)
                .with_form(form)
                .with_loading(loading),
            party: Party::new(&parameters),
            circuit,
            parameters,
        }
    }

    fn plan(&self, planner: &Planner) -> Result<Plan, PlanError> {
        planner.plan_with(&self.circuit, &self.parameters)
    }

    /// The least memory, in MiB.
    fn least(&self, planner: &Planner) -> u64 {
        let refused = self.plan(&planner.clone().with_memory_limit(0));
        let Err(PlanError::TooMuchMemory { needed, .. }) = refused else {
            panic!("a plan without memory");
        };
        needed
    }
}

#[test]
fn what_is_put_aside_changes_no_result() {
    let directory = tempfile::tempdir().unwrap();
    for (form, loading) in [
        (ProductForm::Bfv, Loading::AtOnce),
        (ProductForm::Bgv, Loading::WhenUsed),
    ] {
        let sample = Sample::new(form, loading);
        let without = sample.least(&sample.planner);
        let planner = sample.planner.clone().with_directory(directory.path());
        let with = sample.least(&planner);
        assert!(with < without, "{with} {without}");
        // Not a byte is written while memory suffices.
        let roomy = sample
            .plan(&planner.clone().with_memory_limit(without << 20))
            .unwrap();
        assert_eq!(roomy.prediction().memory.written, 0);
        let plan = sample.plan(&planner.with_memory_limit(with << 20)).unwrap();
        let memory = plan.prediction().memory;
        assert!(memory.peak <= with << 20);
        assert!(memory.written > 0 && memory.read > 0);

        let values = Dice::new(3).inputs(&sample.circuit, plan.records());
        let expected = sample.circuit.evaluate(&values).unwrap();
        let (private, public) = sides(&sample.circuit, &values);
        let mut inputs = sample.party.encrypt(&plan, InputKey::Public, &private);
        let reads = Arc::new(AtomicUsize::new(0));
        if loading == Loading::WhenUsed {
            inputs = stored(&sample.party, &inputs, &reads);
        }
        let done = plan
            .execute(
                &sample.party.context,
                &sample.party.keys(&plan),
                inputs,
                &public,
                &(),
            )
            .unwrap();
        assert_eq!(sample.party.decrypt(&plan, &done), expected);
        assert!(done.statistics.tally(OperationKind::Aside).count > 0);
        assert!(done.statistics.most_ciphertexts <= memory.ciphertexts);
        assert_eq!(reads.load(Ordering::Relaxed) > 0, loading == Loading::WhenUsed);
    }
    // The file has no name, and nothing of it stays.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn inputs_from_a_file_are_fewer_in_memory_and_the_results_the_same() {
    let sample = Sample::new(ProductForm::Bfv, Loading::WhenUsed);
    let plan = sample.plan(&sample.planner).unwrap();
    let at_once = sample
        .plan(&sample.planner.clone().with_loading(Loading::AtOnce))
        .unwrap();
    assert!(plan.prediction().memory.ciphertexts <= at_once.prediction().memory.ciphertexts);
    let values = Dice::new(4).inputs(&sample.circuit, plan.records());
    let (private, public) = sides(&sample.circuit, &values);
    let inputs = sample.party.encrypt(&plan, InputKey::Public, &private);
    let reads = Arc::new(AtomicUsize::new(0));
    let from_file = stored(&sample.party, &inputs, &reads);
    let keys = sample.party.keys(&plan);
    let execute = |inputs| {
        plan.execute(&sample.party.context, &keys, inputs, &public, &())
            .unwrap()
    };
    let (here, there) = (execute(inputs), execute(from_file));
    let expected = sample.circuit.evaluate(&values).unwrap();
    assert_eq!(sample.party.decrypt(&plan, &here), expected);
    assert_eq!(sample.party.decrypt(&plan, &there), expected);
    let used = plan.schedule().steps().iter();
    let used = used.filter(|step| step.operation.name() == "input").count();
    assert_eq!(reads.load(Ordering::Relaxed), used);
    assert_eq!(there.statistics.tally(OperationKind::Bring).count, used as u64);
}

#[test]
fn a_directory_that_cannot_be_used_is_named() {
    let sample = Sample::new(ProductForm::Bfv, Loading::AtOnce);
    let none = Path::new("/nowhere/at/all");
    let planner = sample.planner.clone().with_directory(none);
    let limit = sample.least(&planner) << 20;
    let plan = sample.plan(&planner.with_memory_limit(limit)).unwrap();
    let (private, public) = sides(
        &sample.circuit,
        &Dice::new(3).inputs(&sample.circuit, plan.records()),
    );
    let inputs = sample.party.encrypt(&plan, InputKey::Public, &private);
    let keys = sample.party.keys(&plan);
    let error = plan
        .execute(&sample.party.context, &keys, inputs, &public, &())
        .err()
        .unwrap();
    let EngineError::Step { source, .. } = &error else {
        panic!("{error}");
    };
    assert!(source.to_string().contains("/nowhere/at/all"), "{source}");
}

#[test]
fn stored_bytes_that_are_no_ciphertext_are_refused() {
    let sample = Sample::new(ProductForm::Bfv, Loading::WhenUsed);
    let plan = sample.plan(&sample.planner).unwrap();
    let (private, public) = sides(
        &sample.circuit,
        &Dice::new(3).inputs(&sample.circuit, plan.records()),
    );
    let inputs = sample.party.encrypt(&plan, InputKey::Public, &private);
    let keys = sample.party.keys(&plan);
    let reads = Arc::new(AtomicUsize::new(0));
    let damage: [(Damage, &str); 3] = [
        (|bytes| bytes.truncate(bytes.len() - 1), "too early"),
        (|bytes| bytes.push(0), "after the end"),
        (|bytes| bytes[4..12].fill(0xff), "is not below its modulus"),
    ];
    for (damage, expected) in damage {
        let mut damaged = EncryptedInputs::new();
        for (port, wires) in inputs.iter() {
            let wires = wires.iter().map(|wire| {
                let ciphertext = wire.here().unwrap();
                let mut bytes = Vec::new();
                sample
                    .party
                    .context
                    .put_ciphertext(&mut bytes, ciphertext)
                    .unwrap();
                damage(&mut bytes);
                EncryptedWire::Stored(Arc::new(Bytes {
                    level: ciphertext.level(),
                    bytes,
                    reads: Arc::clone(&reads),
                }))
            });
            damaged.insert_wires(port, wires);
        }
        let result = plan.execute(&sample.party.context, &keys, damaged, &public, &());
        let Err(EngineError::Step { source, .. }) = result else {
            panic!("damaged bytes are taken");
        };
        assert!(source.to_string().contains(expected), "{source}");
    }
}
