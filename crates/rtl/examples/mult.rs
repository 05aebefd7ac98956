#![allow(missing_docs)]
use ringmill_arith::sampling::Seed;
use ringmill_fv::*;
use ringmill_ring::Domain;
use ringmill_rtl::core::*;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let [n, count, digit, units, limbs, slots] = args[..] else {
        panic!()
    };
    let spec = ParametersSpec {
        name: "x".to_owned(),
        ring: RingKind::Fermat,
        n,
        t: 2,
        prime_rule: PrimeRule::Machine,
        limbs: PrimeChoice { count, bits: 49.12 },
        small: None,
        special: Some(PrimeChoice {
            count: digit,
            bits: 49.9,
        }),
        key_switching: KeySwitching::Hybrid { digit_limbs: digit },
        sigma: 3.2,
        secret: SecretDistribution::Ternary,
        secret_bound: None,
        allow_insecure: true,
    };
    let parameters = Parameters::new(&spec).unwrap();
    let sizes = Sizes {
        limbs: limbs as u8,
        slots: slots as u8,
        ..Sizes::default()
    };
    let configuration = Configuration::new(n, units, sizes).unwrap();
    let watch = Stopwatch::new(configuration, MemoryTiming::FAST, 1 << 40).unwrap();
    let device = Arc::new(CoreDevice::new(watch).unwrap());
    let context = Context::new(parameters, Arc::clone(&device)).unwrap();
    let t = Instant::now();
    let count = |name: &str| {
        let v = device.with_driver(|d| Counter::ALL.map(|c| d.machine_mut().counter(c).unwrap()));
        println!("{name}: {:?} {:.1?}", v, t.elapsed());
        v
    };
    let seed = |i| Seed::from_bytes([i; 32]);
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let relin = context.generate_relinearization_key(&secret, &seed(3)).unwrap();
    count("keys");
    let bits = || Plaintext::new(vec![0; n], 2).unwrap();
    let top = context.parameters().levels();
    let fresh = context
        .encrypt_many(&public, &[bits(), bits()], top, &seed(5))
        .unwrap();
    let a = count("fresh");
    let x = context.lift(&fresh[0]).unwrap();
    let y = context.lift(&fresh[1]).unwrap();
    let b = count("lifted");
    let p = context.multiply(&x, &y).unwrap();
    let c = count("product");
    let r = context
        .relinearize(&p, &[], &relin, top, Domain::Coefficient)
        .unwrap();
    let d = count("relinearized");
    let names = Counter::ALL.map(|c| format!("{c:?}"));
    for i in 0..18 {
        println!(
            "{:18} lift {:>12} mult {:>12} relin {:>12} total {:>12}",
            names[i],
            b[i] - a[i],
            c[i] - b[i],
            d[i] - c[i],
            d[i] - a[i]
        );
    }
    drop(r);
}
