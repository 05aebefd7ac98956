//! What an execution refuses, and how it can be watched and stopped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use ringmill_arith::Simd;
use ringmill_circuit::{Builder, Circuit, PortLanes, PortValues, Visibility, WireType, Word};
use ringmill_cpu::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, EngineError, EvaluationKeys, FvScheme, InputKey, InputValues, Layout, Observer, Plan,
    Planner, ProductForm, Progress, Scheme, decrypt_outputs, encrypt_inputs,
};
use ringmill_fv::{Ciphertext, FvError, Plaintext, SecurityLevel};
use ringmill_ring::Slots;

use crate::common::circuits::Dice;
use crate::common::{Party, insecure, seed, sides};

/// Some rounds of SIMON encryption with independent round keys.
fn simon_rounds(rounds: usize) -> Circuit {
    let mut builder = Builder::new();
    let block = builder.input("block", Visibility::Public, 64);
    let key = builder.input("key", Visibility::Private, 32 * rounds);
    let [mut y, mut x] = block.split();
    for round in 0..rounds {
        let key = Word::new(key.wires()[32 * round..32 * (round + 1)].to_vec());
        let product = builder.and_words(&x.rotate_left(1), &x.rotate_left(8)).unwrap();
        let sum = builder.xor_words(&product, &x.rotate_left(2)).unwrap();
        let sum = builder.xor_words(&sum, &y).unwrap();
        let next = builder.xor_words(&sum, &key).unwrap();
        (x, y) = (next, x);
    }
    builder.output("block", &y.concat(&x));
    builder.finish().unwrap()
}

/// Two rounds at n = 2048, and one batch of records.
struct Small {
    circuit: Circuit,
    plan: Plan,
    party: Party,
    keys: EvaluationKeys<CpuDevice>,
    inputs: EncryptedInputs<Ciphertext<CpuDevice>>,
    private: InputValues,
    public: InputValues,
}

impl Small {
    fn new() -> Self {
        let circuit = simon_rounds(2);
        let party = Party::new(&insecure(2048, ProductForm::Bfv, 2));
        let planner = Planner::new(SecurityLevel::Bits128).with_form(ProductForm::Bfv);
        let plan = planner.plan_with(&circuit, party.context.parameters()).unwrap();
        let (private, public) = sides(&circuit, &Dice::new(60).inputs(&circuit, plan.records()));
        Self {
            keys: party.keys(&plan),
            inputs: party.encrypt(&plan, InputKey::Public, &private),
            circuit,
            plan,
            party,
            private,
            public,
        }
    }

    fn execute(
        &self,
        inputs: EncryptedInputs<Ciphertext<CpuDevice>>,
        public: &InputValues,
        observer: &dyn Observer,
    ) -> Result<Vec<PortValues>, EngineError> {
        let Self { plan, party, .. } = self;
        let done = plan.execute(&party.context, &self.keys, inputs, public, observer)?;
        decrypt_outputs(
            plan.schedule(),
            &plan.encoding(&party.context),
            &done.outputs,
            |ciphertext| party.context.decrypt(&party.secret, ciphertext),
        )
    }

    fn error(&self, inputs: &EncryptedInputs<Ciphertext<CpuDevice>>, public: &InputValues) -> EngineError {
        self.execute(inputs.clone(), public, &()).err().unwrap()
    }

    /// Encrypts at a level of one's own.
    fn encrypt_at(&self, level: usize) -> EncryptedInputs<Ciphertext<CpuDevice>> {
        let context = &self.party.context;
        let encrypted = encrypt_inputs(
            self.plan.schedule(),
            &self.plan.encoding(context),
            &self.private,
            &seed(9),
            |plaintext, _, seed| context.encrypt(&self.party.public, plaintext, level, seed),
        );
        encrypted.unwrap()
    }
}

fn lanes(values: &mut InputValues, port: &str) -> PortLanes {
    values[port].as_bits().unwrap().clone()
}

struct Stop {
    after: usize,
    seen: AtomicUsize,
}

impl Observer for Stop {
    fn progress(&self, progress: Progress) {
        self.seen.fetch_max(progress.done, Ordering::SeqCst);
        assert!(progress.done <= progress.total && progress.weight_done <= progress.weight_total * 1.000_001);
    }

    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::SeqCst) >= self.after
    }
}

#[test]
fn progress_reaches_the_end_and_cancelling_stops() {
    let small = Small::new();
    let total = small
        .plan
        .schedule()
        .waves()
        .iter()
        .map(|wave| wave.steps.len())
        .sum();
    let watch = |after| Stop {
        after,
        seen: AtomicUsize::new(0),
    };
    let all = watch(usize::MAX);
    small.execute(small.inputs.clone(), &small.public, &all).unwrap();
    assert_eq!(all.seen.into_inner(), total);

    let result = small.execute(small.inputs.clone(), &small.public, &watch(10));
    assert!(matches!(result, Err(EngineError::Cancelled { done, .. }) if done >= 10 && done < total));
}

#[test]
fn higher_levels_do_no_harm() {
    let small = Small::new();
    let top = small.party.context.parameters().levels();
    let result = small.execute(small.encrypt_at(top), &small.public, &()).unwrap();
    let values = [small.public["block"].clone(), small.private["key"].clone()];
    assert_eq!(result, small.circuit.evaluate(&values).unwrap());
}

#[test]
fn unfit_inputs_are_named() {
    let mut small = Small::new();
    let (inputs, none) = (small.inputs.clone(), EncryptedInputs::new());
    let message = small.error(&none, &small.public).to_string();
    assert!(
        message.contains("encrypted input \"key\" is missing"),
        "{message}"
    );
    let message = small.error(&inputs, &BTreeMap::new()).to_string();
    assert!(message.contains("public input \"block\" is missing"), "{message}");

    let with = |small: &mut Small, lanes: PortValues| {
        let mut public = small.public.clone();
        public.insert("block".to_string(), lanes);
        small.error(&small.inputs, &public)
    };
    let block = lanes(&mut small.public, "block");
    let short = with(&mut small, PortValues::Bits(block[..63].to_vec()));
    assert!(matches!(
        short,
        EngineError::WrongWidth {
            expected: 64,
            got: 63,
            ..
        }
    ));
    let mut long = block.clone();
    long[5].push(0);
    let long = with(&mut small, PortValues::Bits(long));
    assert!(matches!(
        long,
        EngineError::TooManyRecords { got: 192, slots: 128 }
    ));
    let rows = with(&mut small, PortValues::Rows(vec![vec![0]; 64]));
    assert!(
        matches!(
            rows,
            EngineError::WrongKind {
                kind: WireType::Bit,
                ..
            }
        ),
        "{rows}"
    );

    let mut more = small.public.clone();
    more.insert("key".to_string(), PortValues::Bits(vec![]));
    assert!(matches!(
        small.error(&inputs, &more),
        EngineError::UnknownInput { .. }
    ));
    let mut extra = inputs.clone();
    extra.insert("block", []);
    assert!(matches!(
        small.error(&extra, &small.public),
        EngineError::UnknownInput { .. }
    ));
    let mut narrow = inputs.clone();
    narrow.insert("key", []);
    assert!(matches!(
        small.error(&narrow, &small.public),
        EngineError::WrongWidth {
            expected: 64,
            got: 0,
            ..
        }
    ));
}

#[test]
fn unfit_ciphertexts_are_named() {
    let small = Small::new();
    // All bits at level 1: too low for those of the first product.
    let low = small.error(&small.encrypt_at(1), &small.public);
    assert!(
        matches!(&low, EngineError::LowLevel { port, got: 1, .. } if port == "key"),
        "{low}"
    );
    let context = &small.party.context;
    let zero = context.encode(&[false]).unwrap();
    let three = || {
        let zero = context.encrypt(&small.party.public, &zero, 2, &seed(9)).unwrap();
        let lifted = context.lift(&zero).unwrap();
        context.multiply(&lifted, &lifted).unwrap()
    };
    let mut product = EncryptedInputs::new();
    product.insert("key", (0..64).map(|_| three()));
    let error = small.error(&product, &small.public);
    assert!(matches!(error, EngineError::WrongParts { got: 3, .. }), "{error}");

    let other = Party::new(&insecure(2048, ProductForm::Bfv, 3));
    let foreign = small.plan.execute(
        &other.context,
        &EvaluationKeys::generate(&small.plan, &other.context, &other.secret, &seed(3)).unwrap(),
        EncryptedInputs::new(),
        &small.public,
        &(),
    );
    assert!(matches!(foreign, Err(EngineError::OtherParameters { .. })));
}

#[test]
fn unfit_records_are_not_encrypted() {
    let small = Small::new();
    let error = |values: &InputValues| {
        let Small { plan, party, .. } = &small;
        let encrypted = encrypt_inputs(
            plan.schedule(),
            &plan.encoding(&party.context),
            values,
            &seed(9),
            |plaintext, level, seed| party.context.encrypt(&party.public, plaintext, level, seed),
        );
        encrypted.err().unwrap()
    };
    let none = error(&InputValues::new());
    assert!(matches!(
        none,
        EngineError::MissingInput {
            kind: "encrypted",
            ..
        }
    ));
    let foreign = error(&small.public);
    assert!(matches!(
        foreign,
        EngineError::UnknownInput {
            kind: "encrypted",
            ..
        }
    ));
    let mut values = small.private.clone();
    values.insert("key".to_string(), PortValues::Bits(vec![vec![0; 3]; 64]));
    assert!(matches!(
        error(&values),
        EngineError::TooManyRecords { got: 192, .. }
    ));
    values.insert("key".to_string(), PortValues::Bits(vec![vec![0; 2]; 65]));
    assert!(matches!(error(&values), EngineError::WrongWidth { got: 65, .. }));
    values.insert("key".to_string(), PortValues::Rows(vec![]));
    assert!(matches!(error(&values), EngineError::WrongKind { .. }));
}

#[test]
fn missing_keys_are_named() {
    let mut builder = Builder::new();
    let a = builder.input_rows("a", Visibility::Private, 1, 1);
    let square = builder.frobenius(a[0], 1).unwrap();
    builder.output_rows("x", &[square]);
    let circuit = builder.finish().unwrap();
    let party = Party::new(&insecure(2048, ProductForm::Bfv, 1));
    let plan = Planner::new(SecurityLevel::Bits128).plan_with(&circuit, party.context.parameters());
    let plan = plan.unwrap();
    let exponents: Vec<u64> = plan.galois_exponents().into_iter().collect();
    assert_eq!(exponents, [2]);
    let relinearization = party
        .context
        .generate_relinearization_key(&party.secret, &seed(3))
        .unwrap();
    let keys = EvaluationKeys::new(relinearization, []);
    let result = plan.execute(
        &party.context,
        &keys,
        party.encrypt(
            &plan,
            InputKey::Public,
            &InputValues::from([("a".to_string(), PortValues::Rows(vec![vec![3; 5]]))]),
        ),
        &InputValues::new(),
        &(),
    );
    assert!(matches!(
        result,
        Err(EngineError::MissingGaloisKey { exponent: 2 })
    ));
}

#[test]
fn outputs_of_another_plan_are_refused() {
    let small = Small::new();
    let Small { plan, party, .. } = &small;
    let decrypt = |ciphertext: &_| party.context.decrypt(&party.secret, ciphertext);
    let error = decrypt_outputs(plan.schedule(), &plan.encoding(&party.context), &[], decrypt)
        .err()
        .unwrap();
    assert!(
        matches!(
            error,
            EngineError::WrongWidth {
                expected: 64,
                got: 0,
                ..
            }
        ),
        "{error}"
    );
}

/// A factor in the clear with a large value at one root multiplies noise there. Patterns of bits have none.
#[test]
fn heavy_factors_in_the_clear_are_refused() {
    let parameters = insecure(4096, ProductForm::Bfv, 2);
    let party = Party::new(&parameters);
    let context = &party.context;
    let slots = Slots::new(parameters.ring().as_fermat().unwrap(), Simd::Portable).unwrap();
    let layout = Layout::new(&slots, 1).unwrap();
    let key = context
        .generate_relinearization_key(&party.secret, &seed(5))
        .unwrap();
    let scheme = FvScheme::new(context, &layout, ProductForm::Bfv, &key);
    let records = layout.records();
    let one = context.encode(&vec![true; records]).unwrap();
    let factor = context.encrypt(&party.public, &one, 2, &seed(6)).unwrap();

    let patterns: [&dyn Fn(usize) -> bool; 6] = [
        &|_| true,
        &|i| i == 0,
        &|i| i < records / 2,
        &|i| i + 1 < records,
        &|i| i % 16 == 0,
        &|i| i / 64 % 2 == 0,
    ];
    for (index, pattern) in patterns.iter().enumerate() {
        let bits: Vec<bool> = (0..records).map(pattern).collect();
        let plaintext = context.encode(&bits).unwrap();
        let product = scheme.multiply_plain(&factor, &plaintext);
        let product = product.unwrap_or_else(|error| panic!("pattern {index}: {error}"));
        let decrypted = context.decrypt(&party.secret, &product).unwrap();
        assert_eq!(context.decode(&decrypted).unwrap(), bits, "pattern {index}");
    }
    // As many coefficients as add up at the first root.
    let ring = parameters.ring();
    let coefficients = (0..parameters.n()).map(|index| {
        let turns = (ring.coefficient_exponent(index) * ring.value_exponent(0) % ring.conductor()) as f64;
        let real = (std::f64::consts::TAU * turns / ring.conductor() as f64).cos();
        // A factor's coefficients alternate in sign.
        u64::from((real > 0.0) == (index % 2 == 0))
    });
    let heavy = Plaintext::new(coefficients.collect(), 2).unwrap();
    let error = scheme.multiply_plain(&factor, &heavy).err().unwrap();
    assert!(
        matches!(error, FvError::HeavyPlaintext { times } if times > 4.0),
        "{error}"
    );
}
