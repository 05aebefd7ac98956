//! Whole products of FV, multiplied and relinearized on the simulated core: the file is the CPU's, and the time is the
//! model's.

use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::Seed;
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_fv::presets::MACHINE_N2048;
use ringmill_fv::{Context, Parameters};
#[cfg(feature = "rtl-full")]
use ringmill_fv::{KeySwitching, PrimeChoice, presets};
use ringmill_ring::Domain;
use ringmill_rtl::core::{
    Configuration, CoreDevice, Counter, Counts, Machine, MemoryTiming, Simulation, Stopwatch,
};

/// The files of two ciphertexts of the highest level and of a relinearization key, by the CPU, and of their product.
struct Files {
    ciphertexts: Vec<u8>,
    key: Vec<u8>,
    product: Vec<u8>,
}

impl Files {
    fn new(parameters: &Parameters) -> Self {
        let cpu = CpuDevice::new(parameters.ring(), Simd::from_environment().unwrap());
        let context = Context::new(parameters.clone(), Arc::new(cpu)).unwrap();
        let seed = |i| Seed::from_bytes([i; 32]);
        let secret = context.generate_secret_key(&seed(1)).unwrap();
        let key = context.generate_relinearization_key(&secret, &seed(2)).unwrap();
        let level = parameters.levels();
        let ciphertext = |i: u8| {
            let bits = (0..context.slots().unwrap().len()).map(|slot| slot % (3 + usize::from(i)) == 0);
            let plaintext = context.encode(&bits.collect::<Vec<_>>()).unwrap();
            context
                .encrypt_with_secret(&secret, &plaintext, level, &seed(i))
                .unwrap()
        };
        let mut files = Self {
            ciphertexts: Vec::new(),
            key: Vec::new(),
            product: Vec::new(),
        };
        context
            .write_ciphertexts(&mut files.ciphertexts, &[ciphertext(3), ciphertext(4)])
            .unwrap();
        context.write_relinearization_key(&mut files.key, &key).unwrap();
        files.product = files.multiply(&context, || ());
        files
    }

    /// The file of the product, computed on a device. Calls `ready` when operands and key are there.
    fn multiply<D: Device>(&self, context: &Context<D>, ready: impl FnOnce()) -> Vec<u8> {
        let read = context.read_ciphertexts(self.ciphertexts.as_slice()).unwrap();
        let key = context.read_relinearization_key(self.key.as_slice()).unwrap();
        ready();
        let lifted = [0, 1].map(|i| context.lift(&read[i]).unwrap());
        let product = context.multiply(&lifted[0], &lifted[1]).unwrap();
        let level = context.parameters().levels();
        let product = context.relinearize(&product, &[], &key, level, Domain::Coefficient);
        let mut file = Vec::new();
        context.write_ciphertexts(&mut file, &[product.unwrap()]).unwrap();
        file
    }

    /// The file and the counters of the product alone, on a core.
    fn on_core<M: Machine + Send + 'static>(&self, parameters: &Parameters, core: M) -> (Vec<u8>, Counts) {
        let device = Arc::new(CoreDevice::new(core).unwrap());
        let context = Context::new(parameters.clone(), Arc::clone(&device)).unwrap();
        let counts = || {
            device
                .with_driver(|driver| Counts::of(driver.machine_mut()))
                .unwrap()
        };
        let mut before = Counts::default();
        let file = self.multiply(&context, || before = counts());
        (file, counts().since(&before))
    }
}

fn memory(parameters: &Parameters, configuration: Configuration) -> u64 {
    400 * parameters.levels() as u64 * configuration.limb_bytes() + (16 << 20)
}

/// The counters of a product on the simulated core and by the model.
fn products(configuration: Configuration, parameters: &Parameters, timing: MemoryTiming) -> [Counts; 2] {
    let files = Files::new(parameters);
    let bytes = memory(parameters, configuration);
    let mut core = Simulation::new(configuration, 0, bytes).unwrap();
    core.set_timing(timing);
    let (file, counts) = files.on_core(parameters, core);
    assert!(file == files.product);
    let stopwatch = Stopwatch::new(configuration, timing, bytes).unwrap();
    [counts, files.on_core(parameters, stopwatch).1]
}

fn configuration(n: usize, units: usize) -> Configuration {
    let configurations = Simulation::configurations();
    let found = configurations
        .into_iter()
        .find(|core| (core.n(), core.units()) == (n, units));
    found.unwrap()
}

#[test]
fn a_product_takes_the_time_of_the_model() {
    let (configuration, parameters) = (
        configuration(2048, 16),
        Parameters::preset(MACHINE_N2048).unwrap(),
    );
    let latency = MemoryTiming {
        latency: 20,
        ..MemoryTiming::FAST
    };
    let [core, model] = products(configuration, &parameters, latency);
    assert_eq!(core, model);
    // A memory that cannot keep up: within a hundredth.
    let [core, model] = products(configuration, &parameters, MemoryTiming::of_bandwidth(3000, 200));
    let [core, model] = [core, model].map(|counts| counts.get(Counter::Cycles));
    assert!(core.abs_diff(model) * 100 < core, "{core}, {model}");
}

/// HEPCloud's ring and modulus, digits of nine limbs.
#[test]
#[ignore = "the machine of full size takes an hour"]
#[cfg(feature = "rtl-full")]
fn a_product_of_full_size_takes_the_time_of_the_model() {
    let mut spec = presets::spec(presets::HEPCLOUD_MACHINE).unwrap();
    "hepcloud-hybrid".clone_into(&mut spec.name);
    spec.key_switching = KeySwitching::Hybrid { digit_limbs: 9 };
    spec.special = Some(PrimeChoice { count: 9, bits: 49.9 });
    let parameters = Parameters::new(&spec).unwrap();
    let [core, model] = products(configuration(32768, 64), &parameters, MemoryTiming::FAST);
    println!("{core:?}");
    assert_eq!(core, model);
}
