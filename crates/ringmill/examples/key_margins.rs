//! The margins that secret keys leave a plan: how far the worst output's noise, followed at every pair of roots of the
//! secret, is below the limit less its reserve. Key generation refuses a secret below 0.
//!
//!     cargo run --release -p ringmill --example key_margins -- aes 100
//!
//! prints the planner's own margin, which holds for all secrets whose automorphisms meet roots as good as at random, and
//! quantiles over so many secrets, in bits of deviation. The secrets follow from their numbers; nobody uses them.

use std::error::Error;
use std::time::Instant;

use rayon::prelude::*;
use ringmill::{Job, ProductForm, circuits};
use ringmill_arith::sampling::Seed;
use ringmill_fv::{FvError, NoiseModel};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let circuit = arguments.next().unwrap_or_else(|| "less32".to_owned());
    let keys: u64 = arguments.next().map_or(Ok(100), |keys| keys.parse())?;
    let job = Job::plan(&circuits::by_name(&circuit)?)?;
    let (plan, parameters) = (job.plan_details(), job.parameters());
    let prediction = plan.prediction();
    let form = match plan.form() {
        ProductForm::Bfv => "BFV",
        ProductForm::Bgv => "BGV",
    };
    println!(
        "{circuit}: {} in the {form} form, depth {}; planned {:.2} bits, reserve {:.2}",
        parameters.name(),
        prediction.depth,
        prediction.margin - prediction.reserve,
        prediction.reserve
    );
    let admission = plan.admission();
    let model = NoiseModel::new(parameters);
    let spare = (0..keys).into_par_iter().map(|key| {
        let seed = Seed::from_bytes([7; 32]).derive("key", key);
        let secret = parameters.candidates(&model, &seed).next();
        let secret = secret.ok_or(FvError::NoSecretWithinBound(parameters.secret_bound()))??;
        let start = Instant::now();
        Ok((
            admission.spare_bits(secret.powers())?,
            start.elapsed().as_secs_f64(),
        ))
    });
    let spare = spare.collect::<Result<Vec<(f64, f64)>, FvError>>()?;
    let mut margins: Vec<f64> = spare.iter().map(|(margin, _)| *margin).collect();
    margins.sort_unstable_by(f64::total_cmp);
    let quantile = |part: f64| margins[((margins.len() - 1) as f64 * part).round() as usize];
    let quantiles = [0.0, 0.01, 0.1, 0.5, 0.9, 1.0].map(|part| format!("{:.2}", quantile(part)));
    println!("least, 1 %, 10 %, median, 90 %, most: {}", quantiles.join(", "));
    let refused = margins.iter().filter(|margin| **margin < 0.0).count();
    let seconds = spare.iter().map(|(_, seconds)| seconds).sum::<f64>() / keys as f64;
    println!("{refused} of {keys} refused; {seconds:.2} s a key on one thread");
    Ok(())
}
