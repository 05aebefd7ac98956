use ringmill_circuit::{Builder, ByteMap, Circuit, RowMap, Visibility, Wire, Word};
use ringmill_fv::Parameters;

use super::*;
use crate::fv::product_form::ProductForm;
use crate::fv::rules::{Demand, InputKey};
use crate::fv::slot_maps::tests::slot_maps;
use crate::ir::lower::lower;

fn predictor(name: &str, form: ProductForm, maps: &[RowMap]) -> Predictor {
    let demand = Demand {
        log2_failure: -64.0,
        flooding: false,
        unpacking: None,
        former: None,
        further: 0,
        related: false,
        ciphertexts: 1,
        inputs: InputKey::Public,
    };
    let maps = slot_maps(maps, 1);
    Predictor::new(&Parameters::preset(name).unwrap(), form, demand, maps.powers())
}

/// A chain of products of the last two values, with linear maps and public factors in between.
fn chain(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let [a, b] = builder.input_rows("a", Visibility::Private, 2, 1)[..] else {
        panic!("two wires");
    };
    let p = builder.input_rows("p", Visibility::Public, 1, 1)[0];
    let (mut last, mut before) = (b, a);
    for index in 0..depth {
        let mut next = builder.and(last, before);
        match index % 4 {
            1 => next = builder.bytewise(next, ByteMap::of(|x| x.rotate_left(3))).unwrap(),
            2 => next = builder.and(next, p),
            _ => {}
        }
        next = builder.xor(next, a);
        (last, before) = (next, last);
    }
    builder.output_rows("x", &[last]);
    builder.finish().unwrap()
}

#[test]
fn levels_never_rise_along_a_path() {
    let circuit = chain(9);
    let program = lower(&circuit).unwrap();
    for form in ProductForm::ALL {
        for tolerance in [0.0, 0.1, 2.0] {
            let mut predictor = predictor("fv128-n32768", form, circuit.maps());
            let levels = Levels::choose(&program, &mut predictor, tolerance);
            for (index, operation) in program.operations.iter().enumerate() {
                let (at, made) = (levels.at[index], levels.made[index]);
                assert!((1..=predictor.levels()).contains(&made));
                if !matches!(operation, Operation::Input { .. }) {
                    assert!(made <= at, "{operation:?} is made above its operands");
                }
                if matches!(
                    operation,
                    Operation::PlainProduct { .. } | Operation::Linear { .. }
                ) {
                    assert_eq!(made, at, "nothing is rescaled");
                }
                for operand in operation.operands() {
                    assert!(levels.made[operand.0] >= at, "{operation:?}");
                }
            }
            for value in program.encrypted_outputs() {
                assert!(levels.made[value.0] >= levels.output);
            }
        }
    }
}

/// The rank of levels of products in the order of a circuit.
fn squarings(depth: usize) -> Vec<usize> {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 2);
    let mut wires: Vec<Wire> = a.wires().to_vec();
    for index in 0..depth {
        wires.push(builder.and(wires[index], wires[index + 1]));
    }
    builder.output("x", &Word::new(vec![wires[depth + 1]]));
    let program = lower(&builder.finish().unwrap()).unwrap();
    let mut predictor = predictor("fv128-n32768", ProductForm::Bfv, &[]);
    let levels = Levels::choose(&program, &mut predictor, 1.0);
    assert_eq!(levels.output, 1);
    levels.at[2..].to_vec()
}

#[test]
fn limbs_are_dropped_as_noise_grows() {
    let levels = squarings(30);
    assert!(levels.is_sorted_by(|a, b| a >= b), "{levels:?}");
    // About 20 bits a product, limbs of 48.
    let dropped = levels[0] - levels[29];
    assert!((9..=14).contains(&dropped), "{levels:?}");
}

#[test]
fn inputs_are_encrypted_where_it_costs_no_bits() {
    for (form, name) in [
        (ProductForm::Bfv, "fv128-n32768"),
        (ProductForm::Bgv, "fv128-n32768"),
    ] {
        let mut predictor = predictor(name, form, &[]);
        let top = predictor.levels();
        assert_eq!(input_level(&mut predictor, top), top);
        for needed in 1..top {
            let level = input_level(&mut predictor, needed);
            assert!(level > needed);
            let switched = |predictor: &mut Predictor, level| {
                let fresh = predictor.fresh(level);
                let switched = predictor.switch(fresh, needed);
                predictor.bound(switched)
            };
            let best = switched(&mut predictor, top);
            assert!(switched(&mut predictor, level) <= best + 0.2);
        }
    }
}
