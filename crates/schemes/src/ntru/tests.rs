use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::Domain;
use ringmill_ring::PrimeRule;
use ringmill_rlwe::PrimeChoice;

use super::testing::seed;
use super::*;
use crate::ltv::Ltv;

fn spec() -> Spec {
    Spec {
        name: "ltv-toy".to_owned(),
        scheme: Scheme::Ltv,
        n: 2048,
        prime_rule: PrimeRule::Transform,
        large: PrimeChoice { count: 3, bits: 45.0 },
        small: Some(PrimeChoice { count: 2, bits: 30.0 }),
        levels: 6,
        floor: 30.0,
        step: 30.0,
        digit_bits: 16,
        auxiliary: 3,
        sigma: 3.2,
    }
}

fn context_of(spec: &Spec) -> Context<Ltv, CpuDevice> {
    testing::context(Parameters::new(spec).unwrap())
}

#[test]
fn levels_of_the_named_sets() {
    for name in Parameters::names() {
        let parameters = Parameters::named(&name).unwrap();
        let (q, levels) = (parameters.pool().log2(), parameters.levels());
        assert_eq!(parameters.q_at(levels).unwrap(), parameters.pool());
        let bits: Vec<f64> = (1..=levels)
            .map(|level| parameters.log2_q(level).unwrap())
            .collect();
        let (expected, step, slack) = match name.as_str() {
            "yashe-1225" | "yashe-1225-machine" => (1225.0, 19.0, 49.0),
            "ltv-1271-machine" => (1270.2, 45.3, 2.0),
            "ltv-1271" => (1271.0, 31.0, 0.2),
            _ => (1271.0, 1271.0 / 44.0, 0.8),
        };
        assert!((q - expected).abs() < 0.3, "{name}: {q}");
        assert!(bits.is_sorted(), "{name}");
        for (index, pair) in bits.windows(2).enumerate() {
            assert!(pair[1] - pair[0] <= step + slack, "{name}, {index}: {pair:?}");
        }
        let last = expected - bits[0] - step * (levels - 1) as f64;
        assert!(last.abs() < slack, "{name}: {last}");
        assert!(parameters.warning().contains("insecure") && !parameters.warning().contains('\n'));
        for level in [0, levels + 1] {
            assert!(matches!(parameters.q_at(level), Err(NtruError::BadLevel { .. })));
        }
    }
    assert!(matches!(
        Parameters::named("yashe"),
        Err(NtruError::UnknownSet { .. })
    ));
}

#[test]
fn unfit_parameters_are_refused() {
    let changed = |change: fn(&mut Spec)| {
        let mut spec = spec();
        change(&mut spec);
        Parameters::new(&spec)
    };
    let changes: [fn(&mut Spec); 7] = [
        |spec| spec.name = "toy".to_owned(),
        |spec| spec.large.count = 0,
        |spec| spec.large.bits = 51.0,
        |spec| spec.levels = 9,
        |spec| spec.step = f64::NAN,
        |spec| spec.digit_bits = 1,
        |spec| spec.sigma = 100.0,
    ];
    for change in changes {
        assert!(matches!(changed(change), Err(NtruError::BadParameter { .. })));
    }
    assert!(matches!(changed(|spec| spec.n = 1000), Err(NtruError::Ring(_))));
    let named = changed(|spec| spec.name = "ltv-other".to_owned()).unwrap();
    assert_eq!(named, Parameters::new(&spec()).unwrap());
    assert_ne!(named, changed(|spec| spec.sigma = 3.0).unwrap());
}

/// h f = 2 g with g ternary, and f = 1 modulo 2.
#[test]
fn keys_are_what_they_should_be() {
    let context = context_of(&spec());
    let (device, secret) = (context.device(), context.generate_secret_key(&seed(1)).unwrap());
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let q = context.parameters().pool().moduli()[0];
    let centred = |poly| {
        let words = device
            .download(&device.transform(poly, Domain::Coefficient).unwrap())
            .unwrap();
        words[..context.n()]
            .iter()
            .map(|&x| q.center(x))
            .collect::<Vec<i64>>()
    };
    let f = &*secret.evaluated;
    let g = centred(
        device
            .inner_product(&[(&public.h, f)], Domain::Coefficient)
            .unwrap(),
    );
    assert!(g.iter().all(|x| [-2, 0, 2].contains(x)) && g.iter().any(|&x| x != 0));
    // 1 is -1 or 1 times the sum of the normal basis.
    assert!(
        centred(device.copy(f).unwrap())
            .iter()
            .all(|x| x % 2 != 0 && x.abs() <= 3)
    );
    assert_eq!(format!("{secret:?}"), "SecretKey(..)");
}

#[test]
fn keys_go_through_files() {
    let context = context_of(&spec());
    let secret = context.generate_secret_key(&seed(1)).unwrap();
    let public = context.generate_public_key(&secret, &seed(2)).unwrap();
    let (mut secret_file, mut public_file) = (Vec::new(), Vec::new());
    context.write_secret_key(&mut secret_file, &secret).unwrap();
    context.write_public_key(&mut public_file, &public).unwrap();
    let words = |poly| context.device().download(poly).unwrap();
    let read = context.read_secret_key(&secret_file[..]).unwrap();
    assert_eq!(words(&read.evaluated), words(&secret.evaluated));
    assert_eq!(
        words(&context.read_public_key(&public_file[..]).unwrap().h),
        words(&public.h)
    );

    assert!(context.read_public_key(&secret_file[..]).is_err());
    for file in [&secret_file, &public_file] {
        let refused =
            |bytes: &[u8]| context.read_secret_key(bytes).is_err() && context.read_public_key(bytes).is_err();
        for at in [0, 7, 20, 45, 60, file.len() / 2, file.len() - 1] {
            let mut changed = file.clone();
            changed[at] ^= 4;
            assert!(refused(&changed), "byte {at}");
            assert!(refused(&file[..at]), "cut off at {at}");
        }
        assert!(refused(&[&file[..], &[0]].concat()));
    }

    let mut other = spec();
    other.sigma = 3.0;
    let other = context_of(&other);
    assert!(matches!(
        other.read_secret_key(&secret_file[..]),
        Err(NtruError::ParameterMismatch { .. })
    ));
}
