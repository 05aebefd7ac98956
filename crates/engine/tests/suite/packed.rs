//! Inputs that come packed: taken apart they are what was packed, with noise as predicted.

use std::sync::{Arc, Mutex};

use ringmill_circuit::{Builder, ByteMap, Circuit, PortValues, Visibility, Word, aes, nibble, simon};
use ringmill_cpu::CpuDevice;
use ringmill_engine::{
    EncryptedInputs, EngineError, InputKey, InputPacking, InputValues, Loading, Observer, Plan, PlanError,
    Planner, ProductForm, SlotSharing, encrypt_packed,
};
use ringmill_fv::{Ciphertext, SecurityLevel};

use crate::common::circuits::{Dice, Wires, random_circuit};
use crate::common::{Party, insecure, seed, sides};

type Packed = Vec<Arc<Ciphertext<CpuDevice>>>;

fn pack(party: &Party, plan: &Plan, key: InputKey, values: &InputValues) -> Result<Packed, EngineError> {
    let encoding = plan.encoding(&party.context);
    let packed = encrypt_packed(
        plan,
        &encoding,
        values,
        &seed(4),
        |plaintext, level, seed| match key {
            InputKey::Public => party.context.encrypt(&party.public, plaintext, level, seed),
            InputKey::Secret => party
                .context
                .encrypt_with_secret(&party.secret, plaintext, level, seed),
        },
    )?;
    Ok(packed.into_iter().map(Arc::new).collect())
}

/// The wires by port and place.
fn unpack(party: &Party, plan: &Plan, packed: Packed) -> Vec<((usize, usize), Ciphertext<CpuDevice>)> {
    let wires = Mutex::new(Vec::new());
    let each = |place, ciphertext| {
        wires
            .lock()
            .unwrap()
            .push((place, Arc::into_inner(ciphertext).unwrap()));
        Ok(())
    };
    let time = plan.unpack(&party.context, &party.keys(plan), packed, each, &());
    assert!(!time.unwrap().is_zero());
    let mut wires = wires.into_inner().unwrap();
    wires.sort_by_key(|(place, _)| *place);
    wires
}

/// Values that are the same in all records, if that is asked for.
fn values(dice: &mut Dice, circuit: &Circuit, packing: InputPacking, records: usize) -> Vec<PortValues> {
    let ports = circuit.inputs().iter();
    ports
        .map(|port| {
            let values = dice.values(port.kind, port.wires.len(), records);
            match (values, packing, port.visibility) {
                (PortValues::Bits(wires), InputPacking::Broadcast, Visibility::Private) => {
                    let repeated = wires
                        .iter()
                        .map(|lane| vec![(lane[0] & 1).wrapping_neg(); lane.len()]);
                    PortValues::Bits(repeated.collect())
                }
                (PortValues::Rows(wires), InputPacking::Broadcast, Visibility::Private) => {
                    let slots = port.kind.slots();
                    let repeated = wires.iter().map(|row| row[..slots].repeat(records));
                    PortValues::Rows(repeated.collect())
                }
                (values, ..) => values,
            }
        })
        .collect()
}

fn packed_circuits_agree(form: ProductForm, packing: InputPacking, wires: Wires, n: usize) {
    packed_circuits_agree_in(SlotSharing::Never, form, packing, wires, n);
}

/// One record for all, as a key is, lies in slots that others share as in those of their own.
#[test]
fn broadcast_inputs_share_slots() {
    for n in [2048, 4096] {
        packed_circuits_agree_in(
            SlotSharing::Always,
            ProductForm::Bfv,
            InputPacking::Broadcast,
            Wires::Bits,
            n,
        );
    }
}

/// Circuits that tidy nibbles have the squares of bytes in some slots, where 3 divides d.
#[test]
fn bytes_of_nibbles_come_apart() {
    let mut builder = Builder::new();
    let x = builder.input_rows("x", Visibility::Private, 4, 1);
    let y = builder.input_rows("y", Visibility::Public, 1, 1);
    let product = builder.and(x[0], x[1]);
    let rotated = nibble::rotate(1).after(nibble::tidy());
    let tidied = builder.bytewise(product, rotated).unwrap();
    let product = builder.and(tidied, x[2]);
    let sum = builder.xor(product, x[3]);
    let other = builder.and(sum, y[0]);
    let map = ByteMap::of(|byte| byte.rotate_left(3));
    let mapped = builder.bytewise(sum, map).unwrap();
    builder.output_rows("z", &[tidied, other, mapped]);
    let circuit = builder.finish().unwrap();
    for (packing, n) in [
        (InputPacking::Broadcast, 2048),
        (InputPacking::Broadcast, 4096),
        (InputPacking::Slots, 2048),
    ] {
        circuit_agrees(&circuit, SlotSharing::Never, ProductForm::Bfv, packing, n);
    }
}

fn packed_circuits_agree_in(
    sharing: SlotSharing,
    form: ProductForm,
    packing: InputPacking,
    wires: Wires,
    n: usize,
) {
    let circuit = random_circuit(&mut Dice::new(n as u8 ^ 7), wires, 30, 4);
    circuit_agrees(&circuit, sharing, form, packing, n);
}

fn circuit_agrees(
    circuit: &Circuit,
    sharing: SlotSharing,
    form: ProductForm,
    packing: InputPacking,
    n: usize,
) {
    let mut dice = Dice::new(n as u8 ^ 9);
    let parameters = insecure(n, form, 9);
    let party = Party::new(&parameters);
    for key in [InputKey::Public, InputKey::Secret] {
        let planner = Planner::new(SecurityLevel::Bits128)
            .with_form(form)
            .with_slot_sharing(sharing)
            .with_input_key(key);
        let plan = planner
            .with_packing(packing)
            .plan_with(circuit, &parameters)
            .unwrap();
        let values = values(&mut dice, circuit, packing, plan.records());
        let (private, public) = sides(circuit, &values);
        let packed = pack(&party, &plan, key, &private).unwrap();
        let ports = plan.schedule().inputs().iter().enumerate();
        let private: Vec<_> = ports
            .filter(|(_, port)| port.visibility == Visibility::Private)
            .collect();
        let width: usize = private.iter().map(|(_, port)| port.width).sum();
        assert_eq!(packed.len(), plan.packed_inputs().unwrap().ciphertexts());
        assert!(packed.len() < width, "{} for {width} wires", packed.len());
        let mut unpacked = unpack(&party, &plan, packed);
        assert_eq!(unpacked.len(), width);
        check_noise(&party, &plan, &unpacked);
        let mut inputs = EncryptedInputs::new();
        for (index, port) in private {
            let wires: Vec<_> = unpacked.extract_if(.., |((port, _), _)| *port == index).collect();
            inputs.insert(&port.name, wires.into_iter().map(|(_, wire)| wire));
        }
        let keys = party.keys(&plan);
        let done = plan.execute(&party.context, &keys, inputs, &public, &()).unwrap();
        assert!(party.decrypt(&plan, &done) == circuit.evaluate(&values).unwrap());
        for (predicted, measured) in party.noises(&plan, &done) {
            assert!(
                measured <= predicted,
                "measured 2^{measured:.1}, predicted 2^{predicted:.1}"
            );
        }
    }
}

/// What was measured of each wire is below what was predicted of it as an input.
fn check_noise(party: &Party, plan: &Plan, unpacked: &[((usize, usize), Ciphertext<CpuDevice>)]) {
    let mut slack = f64::INFINITY;
    for ((port, wire), ciphertext) in unpacked {
        let Some(value) = plan.schedule().inputs()[*port].value(*wire) else {
            continue;
        };
        let plaintext = party.context.decrypt(&party.secret, ciphertext).unwrap();
        let measured = party
            .context
            .measure_noise(&party.secret, ciphertext, &plaintext)
            .unwrap();
        let predicted = plan.noise(value);
        slack = slack.min(predicted - measured);
    }
    println!("inputs are {slack:.1} bits below what is predicted");
    assert!(slack >= 0.0, "{slack}");
}

#[test]
fn bits_of_records_come_apart() {
    for form in ProductForm::ALL {
        packed_circuits_agree(form, InputPacking::Slots, Wires::Bits, 2048);
    }
    packed_circuits_agree(ProductForm::Bfv, InputPacking::Slots, Wires::Bits, 8192);
}

#[test]
fn bytes_of_records_come_apart() {
    packed_circuits_agree(ProductForm::Bfv, InputPacking::Slots, Wires::Bytes, 2048);
    packed_circuits_agree(ProductForm::Bfv, InputPacking::Slots, Wires::Rows(4), 4096);
}

#[test]
fn single_records_come_apart() {
    for form in ProductForm::ALL {
        packed_circuits_agree(form, InputPacking::Broadcast, Wires::Bits, 2048);
    }
    packed_circuits_agree(ProductForm::Bfv, InputPacking::Broadcast, Wires::Bytes, 4096);
    packed_circuits_agree(ProductForm::Bfv, InputPacking::Broadcast, Wires::Rows(2), 2048);
}

/// Sums of inputs alone: their noise is the same at many roots, and its coefficients larger.
fn parity(width: usize) -> Circuit {
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Private, width);
    let sum = word.wires()[1..]
        .iter()
        .fold(word.wires()[0], |sum, wire| builder.xor(sum, *wire));
    builder.output("y", &Word::new(vec![sum]));
    builder.finish().unwrap()
}

/// Of 120 inputs, steps of unpacking are taken together by twos.
#[test]
fn sums_of_inputs_are_predicted() {
    for (width, packing, keys) in [
        (60, InputPacking::Slots, 4),
        (60, InputPacking::Broadcast, 3),
        (120, InputPacking::Slots, 5),
        (120, InputPacking::Broadcast, 5),
    ] {
        let circuit = parity(width);
        let parameters = insecure(2048, ProductForm::Bfv, 3);
        let party = Party::new(&parameters);
        let planner = Planner::new(SecurityLevel::Bits128).with_packing(packing);
        let plan = planner.plan_with(&circuit, &parameters).unwrap();
        assert_eq!(
            plan.packed_inputs().unwrap().exponents().len(),
            keys,
            "{packing:?}"
        );
        let values = values(&mut Dice::new(3), &circuit, packing, plan.records());
        let (private, public) = sides(&circuit, &values);
        let packed = pack(&party, &plan, InputKey::Public, &private).unwrap();
        let wires = unpack(&party, &plan, packed);
        check_noise(&party, &plan, &wires);
        let mut inputs = EncryptedInputs::new();
        inputs.insert("x", wires.into_iter().map(|(_, wire)| wire));
        let keys = party.keys(&plan);
        let done = plan.execute(&party.context, &keys, inputs, &public, &()).unwrap();
        assert!(party.decrypt(&plan, &done) == circuit.evaluate(&values).unwrap());
        for (predicted, measured) in party.noises(&plan, &done) {
            assert!(
                measured <= predicted,
                "{width} {packing:?}: measured 2^{measured:.1}, predicted 2^{predicted:.1}"
            );
        }
    }
}

/// A key that stands for all records goes up in fewer than four mebibytes, with the uniform halves as seeds.
#[test]
fn keys_of_ciphers_go_up_in_four_mebibytes() {
    let planner = Planner::new(SecurityLevel::Bits128)
        .with_threads(2)
        .with_packing(InputPacking::Broadcast)
        .with_input_key(InputKey::Secret);
    let ciphers = [
        simon::decrypt_circuit(),
        aes::encrypt_circuit(aes::KeySize::Bits128),
        aes::encrypt_circuit(aes::KeySize::Bits256),
    ];
    for circuit in ciphers {
        let traffic = planner.plan(&circuit.unwrap()).unwrap().traffic().unwrap();
        assert!((1 << 20..4 << 20).contains(&traffic.inputs), "{}", traffic.inputs);
    }
}

/// Few wires wait in memory, and memory is predicted for that, unless it is limited; those of a single record do not.
#[test]
fn wires_wait_in_memory_or_in_a_file() {
    let (circuit, parameters) = (parity(60), insecure(2048, ProductForm::Bfv, 2));
    let planner = Planner::new(SecurityLevel::Bits128).with_packing(InputPacking::Slots);
    let plan = |planner: Planner| planner.plan_with(&circuit, &parameters).unwrap();
    let loading = |plan: &Plan| plan.packed_inputs().unwrap().loading();
    let here = plan(planner.clone());
    let limited = plan(planner.clone().with_memory_limit(here.prediction().memory.peak));
    let broadcast = plan(planner.with_packing(InputPacking::Broadcast));
    assert_eq!(
        [&here, &limited, &broadcast].map(loading),
        [Loading::AtOnce, Loading::WhenUsed, Loading::WhenUsed]
    );
    let most = |plan: &Plan| plan.memory_by_wave(Loading::WhenUsed).unwrap().into_iter().max();
    assert!(most(&here) > most(&limited));
}

#[test]
fn wrong_inputs_are_refused() {
    struct Cancelled;
    impl Observer for Cancelled {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let circuit = parity(5);
    let parameters = insecure(2048, ProductForm::Bfv, 2);
    let party = Party::new(&parameters);
    let planner = Planner::new(SecurityLevel::Bits128);
    let separate = planner.plan_with(&circuit, &parameters).unwrap();
    let plan = planner
        .with_packing(InputPacking::Slots)
        .plan_with(&circuit, &parameters)
        .unwrap();
    let values = sides(&circuit, &Dice::new(1).inputs(&circuit, plan.records())).0;
    let packed = || pack(&party, &plan, InputKey::Public, &values).unwrap();
    let refused = pack(&party, &separate, InputKey::Public, &values);
    assert!(matches!(refused, Err(EngineError::NotPacked)));
    let refused = pack(&party, &plan, InputKey::Public, &InputValues::new());
    assert!(matches!(refused, Err(EngineError::MissingInput { .. })));
    let mut unknown = values.clone();
    unknown.insert("z".to_owned(), PortValues::Bits(Vec::new()));
    let refused = pack(&party, &plan, InputKey::Public, &unknown);
    assert!(matches!(refused, Err(EngineError::UnknownInput { .. })));
    let (keys, others, each) = (party.keys(&plan), party.keys(&separate), |_, _| Ok(()));
    let unpack = |plan: &Plan, keys, packed, observer: &dyn Observer| {
        plan.unpack(&party.context, keys, packed, each, observer)
    };
    let refused = unpack(&separate, &keys, packed(), &());
    assert!(matches!(refused, Err(EngineError::NotPacked)));
    let refused = unpack(&plan, &others, packed(), &());
    assert!(matches!(refused, Err(EngineError::MissingGaloisKey { .. })));
    let refused = unpack(&plan, &keys, Vec::new(), &());
    assert!(matches!(refused, Err(EngineError::WrongWidth { .. })));
    let refused = unpack(&plan, &keys, packed(), &Cancelled);
    assert!(matches!(refused, Err(EngineError::Cancelled { .. })));
    let failing = |_, _| Err(EngineError::NotPacked);
    let refused = plan.unpack(&party.context, &keys, packed(), failing, &());
    assert!(matches!(refused, Err(EngineError::NotPacked)));
    assert!(unpack(&plan, &keys, packed(), &()).is_ok());
}

/// A plan whose inputs are packed is made again from its recipe, and differs from one whose inputs are not.
#[test]
fn recipes_say_how_inputs_are_packed() -> Result<(), PlanError> {
    let circuit = parity(20);
    let planner = Planner::new(SecurityLevel::Bits128);
    for packing in [InputPacking::Slots, InputPacking::Broadcast] {
        let plan = planner.clone().with_packing(packing).plan(&circuit)?;
        assert_eq!(plan.recipe().packing, packing);
        let again = planner.plan_exactly(&circuit, plan.parameters(), plan.recipe())?;
        assert_eq!(again.recipe(), plan.recipe());
        assert_eq!(again.galois_exponents(), plan.galois_exponents());
        assert_eq!(again.prediction().log2_noise, plan.prediction().log2_noise);
        assert!(again.prediction().unpacking > 0.0);
        let mut file = Vec::new();
        plan.recipe().write(&mut file, plan.parameters()).unwrap();
        let read = ringmill_engine::Recipe::read(file.as_slice(), plan.parameters()).unwrap();
        assert_eq!(read, *plan.recipe());
    }
    Ok(())
}
