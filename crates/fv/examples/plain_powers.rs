//! The power of public values as a factor, at the root where it is largest, against the mean n/4 of random ones: of
//! patterns that tables have, and of random values. The planner allows 32 times the mean.
//!
//!     cargo run --release -p ringmill-fv --example plain_powers

use std::error::Error;
use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_cpu::CpuDevice;
use ringmill_fv::{Context, Parameters};

fn main() -> Result<(), Box<dyn Error>> {
    for (n, records) in [(4096, 256), (8192, 512), (32768, 2048)] {
        let parameters = Parameters::preset(&format!("fv128-n{n}"))?;
        let device = CpuDevice::new(parameters.ring(), Simd::from_environment()?);
        let context = Context::new(parameters.clone(), Arc::new(device))?;
        let show = |name: &str, bits: &dyn Fn(usize) -> bool| -> Result<(), Box<dyn Error>> {
            let bits: Vec<bool> = (0..records).map(bits).collect();
            let power = context.encode(&bits)?.power(parameters.ring(), parameters.t())?;
            println!("n = {n:5}  {name:12}  {:6.2}", power / (n as f64 / 4.0));
            Ok(())
        };
        show("all", &|_| true)?;
        show("all but last", &|i| i + 1 < records)?;
        for k in [1, 2, 3, 5, 16, 17, 64, 100, 128, 255, records / 2] {
            show(&format!("first {k}"), &|i| i < k)?;
        }
        for k in [2, 3, 4, 8, 16, 32, 64, 128] {
            show(&format!("every {k}"), &|i| i % k == 0)?;
            show(&format!("runs of {k}"), &|i| i / k % 2 == 1)?;
        }
        for byte in 0..4 {
            let mut words = vec![0; records];
            Stream::new(&Seed::from_bytes([byte; 32])).fill_words(&mut words);
            show(&format!("random {byte}"), &|i| words[i] & 1 == 1)?;
        }
    }
    Ok(())
}
