//! The work of whole operations, kernel by kernel, and the least time that it takes an H100: without a GPU.
//!
//! The emulated GPU runs everything over bounds: words mean nothing, and the work is counted
//! (docs/measurements/gpus.md explains the columns):
//!
//! ```text
//! cargo run --release -p ringmill-cuda --features emulator --example work
//! ```

mod rates;

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use rates::{BANDWIDTH, CLOCK, FP64, MULTIPROCESSORS};
use ringmill_arith::Basis;
use ringmill_arith::sampling::Seed;
use ringmill_cuda::gpu::{Emulator, EmulatorOptions, KernelWork};
use ringmill_cuda::{Arithmetic, CudaDevice};
use ringmill_device::Device;
use ringmill_fv::{Context, Domain, FvError, Parameters, RelinearizationKey, SecretKey};

/// The preset that `ringmill bench` measures: log2 q about 720.
const PRESET: &str = "fv128-n32768";
/// The number of transforms in a batch: those of one polynomial of this many limbs.
const TRANSFORMS: usize = 128;
/// The number of products in SIMON-64/128.
const SIMON: f64 = 1376.0;

type Work = BTreeMap<String, KernelWork>;

fn main() -> Result<(), Box<dyn Error>> {
    let parameters = Parameters::preset(PRESET)?;
    let emulator = Arc::new(Emulator::new(EmulatorOptions::default()));
    let device = CudaDevice::new(parameters.ring(), Arithmetic::Bounds, Arc::clone(&emulator) as _);
    let context = Context::new(parameters, Arc::new(device))?;
    let counting = Counting {
        secret: context.generate_secret_key(&seed(1))?,
        emulator,
        context,
    };
    let key = counting
        .context
        .generate_relinearization_key(&counting.secret, &seed(2))?;
    let limbs = counting.context.parameters().levels();
    counting.transforms()?;
    let mut floors = Vec::new();
    for level in (1..=limbs).rev() {
        let [factors, third, relinearization] = counting.product(level, &key)?;
        if level == limbs || level == limbs / 2 {
            print(&format!("a first and a second factor: {level} limbs"), &factors);
            print(&format!("third part of the product: {level} limbs"), &third);
            print(
                &format!("other parts and relinearization: {level} limbs"),
                &relinearization,
            );
        }
        floors.push(floor(&factors) + floor(&third) + floor(&relinearization));
    }
    let mean = floors.iter().sum::<f64>() / floors.len() as f64;
    println!(
        "{SIMON} products with relinearization, as many at each number of limbs from {limbs} to 1, each with two new factors: \
         {:.3} s",
        SIMON * mean / 1e6
    );
    Ok(())
}

/// A scheme on an emulated GPU.
struct Counting {
    emulator: Arc<Emulator>,
    context: Context<CudaDevice>,
    secret: SecretKey<CudaDevice>,
}

impl Counting {
    /// The work of kernels for a job.
    fn of<T>(
        &self,
        job: impl FnOnce(&Context<CudaDevice>) -> Result<T, FvError>,
    ) -> Result<(T, Work), FvError> {
        // Earlier work does not count.
        drop(self.emulator.work());
        let result = job(&self.context)?;
        Ok((result, self.emulator.work()))
    }

    fn transforms(&self) -> Result<(), Box<dyn Error>> {
        let device = self.context.device();
        let basis = Basis::new(&device.ring().primes(1 << 50, TRANSFORMS, &[])?)?;
        let words = vec![0; TRANSFORMS * device.ring().n()];
        let mut poly = device.upload(&basis, Domain::Coefficient, &words)?;
        for (domain, name) in [
            (Domain::Evaluation, "values"),
            (Domain::Coefficient, "coefficients"),
        ] {
            let (transformed, work) = self.of(|context| Ok(context.device().transform(poly, domain)?))?;
            poly = transformed;
            print(&format!("{TRANSFORMS} transforms to {name}"), &work);
        }
        Ok(())
    }

    /// The work of a product of two ciphertexts of this many limbs: of factors, third part and relinearization.
    fn product(&self, level: usize, key: &RelinearizationKey<CudaDevice>) -> Result<[Work; 3], FvError> {
        let plaintext = self.context.encode(&[])?;
        let ciphertext = |i| {
            self.context
                .encrypt_with_secret(&self.secret, &plaintext, level, &seed(i))
        };
        let (a, b) = (ciphertext(3)?, ciphertext(4)?);
        let (factors, preparation) =
            self.of(|context| Ok((context.first_factor(&a)?, context.second_factor(&b)?)))?;
        let (product, third) = self.of(|context| context.product(&[(&factors.0, &factors.1)]))?;
        let (_, relinearization) =
            self.of(|context| context.relinearize_product(&product, &[], key, level, Domain::Coefficient))?;
        Ok([preparation, third, relinearization])
    }
}

fn seed(i: u8) -> Seed {
    Seed::from_bytes([i; 32])
}

/// The microseconds of a kernel's operations on doubles, and of its words if none of them is in a cache.
fn times(work: &KernelWork) -> [f64; 2] {
    [
        work.operations as f64 / (MULTIPROCESSORS * FP64 * CLOCK * 1e3),
        (8 * (work.read + work.written)) as f64 / (BANDWIDTH * 1e6),
    ]
}

/// The least microseconds of a kernel.
fn kernel_floor(work: &KernelWork) -> f64 {
    let [units, memory] = times(work);
    units.max(memory)
}

/// The least microseconds of all kernels, one after the other.
fn floor(work: &Work) -> f64 {
    work.values().map(kernel_floor).sum()
}

/// Prints a table in Markdown.
fn print(title: &str, work: &Work) {
    let all = floor(work);
    println!("**{title}: {all:.1} us**\n");
    println!(
        "| kernel | launches | operations, 10^6 | bytes, 10^6 | factors, 10^6 | operations, us | bytes, us | share |"
    );
    println!("|---|{}", "---:|".repeat(7));
    let mut kernels: Vec<_> = work.iter().collect();
    kernels.sort_by(|a, b| kernel_floor(b.1).total_cmp(&kernel_floor(a.1)));
    for (entry, work) in kernels {
        let [units, memory] = times(work);
        let millions = |count: u64| count as f64 / 1e6;
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.1} | {units:.1} | {memory:.1} | {:.0} % |",
            entry.trim_end_matches("_bounds"),
            work.launches,
            millions(work.operations),
            millions(8 * (work.read + work.written)),
            millions(work.factors),
            100.0 * kernel_floor(work) / all
        );
    }
    println!();
}
