//! Products in both forms, each as the planner would have it where a number of levels is left.

use ringmill_circuit::{Builder, Circuit, Visibility};
use ringmill_engine::{InputKey, Operation, Plan, Planner, ProductForm};
use ringmill_fv::{Domain, SecurityLevel};

use super::jobs::{N, seed};
use super::{Bench, peers};
use crate::error::CliError;
use ringmill::platform::Platform;

/// Products one after the other, the first of which is measured: the BGV form does not go much deeper at 128 bits
/// and n = 32768.
const DEPTH: usize = 20;

/// Records wanted, so that both forms are planned with n = 32768, whether a smaller ring would do or not.
const RECORDS: usize = 2048;

/// The name of a measurement.
fn name(form: ProductForm) -> String {
    format!("multiply-relinearize, {DEPTH} left, {form}")
}

/// Everything that can be measured here.
pub fn names() -> Vec<String> {
    ProductForm::ALL.map(name).into()
}

/// Measures what is wanted, on the current pool of one thread.
pub fn run(bench: &mut Bench, devices: &impl Platform) -> Result<(), CliError> {
    for form in ProductForm::ALL {
        if bench.wants(&name(form)) {
            bench.group(&name(form), |bench| product(bench, devices, form));
        }
    }
    Ok(())
}

fn product(bench: &mut Bench, devices: &impl Platform, form: ProductForm) -> Result<(), CliError> {
    let planner = Planner::new(SecurityLevel::Bits128)
        .with_input_key(InputKey::Secret)
        .with_records(RECORDS);
    let plan = planner.with_form(form).plan(&rounds()?)?;
    let n = plan.parameters().n();
    let (Some((level, to)), N) = (first(&plan), n) else {
        return Err(CliError::wrong_result(format!(
            "planned with n = {n} where n = {N} was to be measured; this is a defect, please report it"
        )));
    };
    let context = devices.context(plan.parameters().clone())?;
    let plaintext = context.encode(&vec![true; context.slots()?.len()])?;
    let secret = context.generate_secret_key(&seed("secret"))?;
    let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
    let a = context.encrypt_with_secret(&secret, &plaintext, level, &seed("a"))?;
    let b = context.encrypt_with_secret(&secret, &plaintext, level, &seed("b"))?;
    let name = format!("{}, log2 q = {:.0}", name(form), plan.parameters().log2_q(level));
    bench.measure(context.device(), &name, (1, 0.08), ("", peers::MULTIPLY), || {
        Ok(match form {
            ProductForm::Bfv => context.multiply_relinearize([&a, &b], &key, to, Domain::Coefficient)?,
            ProductForm::Bgv => {
                let factors = (context.evaluated(&a)?, context.evaluated(&b)?);
                let product = context.multiply_bgv(&[(&factors.0, &factors.1)])?;
                context.relinearize(&product, &[], &key, to, Domain::Coefficient)?
            }
        })
    });
    Ok(())
}

/// Rounds like SIMON's on four bits: products of two different values of the round before.
fn rounds() -> Result<Circuit, CliError> {
    let mut builder = Builder::new();
    let mut left = builder.input("left", Visibility::Private, 4);
    let mut right = builder.input("right", Visibility::Private, 4);
    for _ in 0..DEPTH {
        let product = builder.and_words(&left.rotate_left(1), &left.rotate_left(2))?;
        (left, right) = (builder.xor_words(&product, &right)?, left);
    }
    builder.output("left", &left);
    builder.output("right", &right);
    Ok(builder.finish()?)
}

/// The level of the operands of the first product, and that to which it is brought.
fn first(plan: &Plan) -> Option<(usize, usize)> {
    let steps = plan.schedule().steps().iter();
    let mut products = steps.filter(|step| matches!(step.operation, Operation::Product { .. }));
    products
        .find(|step| step.depth == 1)
        .map(|step| (step.at, step.level))
}
