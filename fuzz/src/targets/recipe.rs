//! Plans in files, as payloads of valid frames for one set of parameters. What is read is written back the same.

use ringmill_engine::{FormerResults, InputKey, InputPacking, ProductForm, Recipe, VariantChoice};
use ringmill_format::FrameKind;

use super::sets::{FERMAT, written};
use crate::frame::framed;
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "recipe",
    readers: &[
        Reader {
            name: "payload",
            read: |payload| file(&framed(FrameKind::PLAN, FERMAT.hash(), payload)),
            seeds: payloads,
        },
        Reader {
            name: "file",
            read: file,
            seeds: || vec![framed(FrameKind::PLAN, FERMAT.hash(), &payloads()[1])],
        },
    ],
    words: &["RMFV"],
    longest: 700,
    memory: 1 << 14,
};

fn file(file: &[u8]) -> Verdict {
    let recipe = Recipe::read(file, FERMAT.parameters()).map_err(refused)?;
    let mut written = Vec::new();
    recipe.write(&mut written, FERMAT.parameters()).expect("memory");
    assert_eq!(written, file[..written.len()]);
    assert!(recipe.tolerance >= 0.0 && recipe.tolerance.is_finite());
    assert!(recipe.log2_failure < 0.0 && recipe.log2_failure.is_finite());
    Ok(())
}

fn payloads() -> Vec<Vec<u8>> {
    let plain = Recipe {
        circuit: [7; 32],
        variant: None,
        aggregates: None,
        form: ProductForm::Bfv,
        tolerance: 0.5,
        input_key: InputKey::Public,
        log2_failure: -64.0,
        flooding: false,
        packing: InputPacking::Separate,
        former: None,
        further: 0,
        shared: false,
    };
    let variant = Recipe {
        variant: Some(VariantChoice {
            depth: 3,
            digest: [9; 32],
        }),
        form: ProductForm::Bgv,
        input_key: InputKey::Secret,
        packing: InputPacking::Broadcast,
        ..plain
    };
    let totals = Recipe {
        aggregates: Some([5; 32]),
        ..plain
    };
    let both = Recipe {
        aggregates: Some([5; 32]),
        ..variant
    };
    let later = Recipe {
        former: Some(FormerResults {
            circuit: [3; 32],
            plan: [4; 32],
            level: 1,
            depth: 6,
            log2_powers: std::array::from_fn(|bin| bin as f64 / 8.0 - 40.0),
        }),
        further: 2,
        form: ProductForm::Bfv,
        ..both
    };
    let shared = Recipe {
        shared: true,
        ..variant
    };
    [plain, variant, totals, both, later, shared]
        .map(|recipe| written(|out| recipe.write(out, FERMAT.parameters())))
        .to_vec()
}
