//! Programs over messages against plain arithmetic, number by number, and the noise of every result against its bound.

use ringmill::messages::{Columns, MessageJob, MessagePlanning};
use ringmill::platform::{Cpu, Platform};
use ringmill::{ErrorKind, Output, Seed};

type Job = MessageJob<<Cpu as Platform>::Device>;

/// Numbers below t that look random, and among them 0 and t - 1.
fn numbers(count: usize, t: u64, seed: u64) -> Vec<u64> {
    let next = |x: &u64| {
        Some(
            x.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(2 * seed + 1),
        )
    };
    let words = std::iter::successors(Some(seed), next).skip(1);
    let mut numbers: Vec<u64> = words.take(count).map(|x| (x >> 20) % t).collect();
    for (number, edge) in numbers
        .iter_mut()
        .skip(seed as usize % 3)
        .step_by(5)
        .zip([0, t - 1].into_iter().cycle())
    {
        *number = edge;
    }
    numbers
}

/// A message in all slots.
fn filled(message: &[u64], slots: usize) -> Vec<u64> {
    let mut all = message.to_vec();
    all.resize(slots, 0);
    all
}

fn job(program: &str, planning: &MessagePlanning) -> Job {
    let plan = planning.plan(program).unwrap();
    MessageJob::of_plan(&Cpu, plan, std::sync::Arc::new(())).unwrap()
}

/// The arithmetic of a test, slot by slot, in 128 bits.
#[derive(Clone, Copy)]
struct Plain {
    t: u128,
    row: usize,
}

impl Plain {
    fn of(job: &Job) -> Self {
        let parameters = job.parameters();
        Self {
            t: u128::from(parameters.t()),
            row: parameters.n() / 2,
        }
    }

    fn map(self, a: &[u64], b: &[u64], f: impl Fn(u128, u128) -> u128) -> Vec<u64> {
        let pairs = a.iter().zip(b);
        pairs
            .map(|(a, b)| (f(u128::from(*a), u128::from(*b)) % self.t) as u64)
            .collect()
    }

    fn add(self, a: &[u64], b: &[u64]) -> Vec<u64> {
        self.map(a, b, |a, b| a + b)
    }

    fn sub(self, a: &[u64], b: &[u64]) -> Vec<u64> {
        self.map(a, b, |a, b| a + self.t - b)
    }

    fn mul(self, a: &[u64], b: &[u64]) -> Vec<u64> {
        self.map(a, b, |a, b| a * b)
    }

    fn times(self, c: u64, a: &[u64]) -> Vec<u64> {
        self.map(a, a, |a, _| u128::from(c) * a)
    }

    fn plus(self, a: &[u64], c: u64) -> Vec<u64> {
        self.map(a, a, |a, _| a + u128::from(c))
    }

    /// Both halves rotated to the left.
    fn left(self, a: &[u64], by: usize) -> Vec<u64> {
        let (mut first, mut second) = (a[..self.row].to_vec(), a[self.row..].to_vec());
        first.rotate_left(by);
        second.rotate_left(by);
        [first, second].concat()
    }

    fn right(self, a: &[u64], by: usize) -> Vec<u64> {
        self.left(a, self.row - by)
    }

    fn swap(self, a: &[u64]) -> Vec<u64> {
        [&a[self.row..], &a[..self.row]].concat()
    }

    fn sum(self, a: &[u64]) -> u64 {
        (a.iter().map(|x| u128::from(*x)).sum::<u128>() % self.t) as u64
    }
}

/// Evaluates a program on rows of inputs, and holds the noise against its bound.
fn evaluate(job: &Job, inputs: &Columns, public: &Columns, slack: f64) -> Columns {
    let client = job.client(&Seed::from_bytes([7; 32])).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let results = server
        .evaluate(client.encrypt_inputs(inputs).unwrap(), public)
        .unwrap();
    let decrypted = client.decrypt_results(&results).unwrap();
    let plan = job.plan_details().unwrap();
    let bound = plan.noise_bounds().into_iter().fold(f64::NEG_INFINITY, f64::max);
    let measured = decrypted.log2_noise;
    println!(
        "{}: measured 2^{measured:.1}, bound 2^{bound:.1}, margin {:.1}, reserve {:.1}, {}",
        plan.program().text(),
        plan.margin_bits(),
        plan.reserve_bits(),
        plan.parameters().name()
    );
    assert!(plan.missing_bits() <= 0.0);
    assert!(
        measured <= bound && bound <= measured + slack,
        "measured {measured:.2}, bound {bound:.2}"
    );
    decrypted.columns
}

/// A program of a and b, and the same in plain arithmetic.
type Case = (&'static str, fn(Plain, &[u64], &[u64]) -> Vec<u64>);

/// The noise of each operation alone, and its result in every slot, for full and short messages.
#[test]
fn every_operation_is_plain_arithmetic() {
    let cases: [Case; 16] = [
        ("r = a + b", |p, a, b| p.add(a, b)),
        ("r = a - b", |p, a, b| p.sub(a, b)),
        ("r = a * b", |p, a, b| p.mul(a, b)),
        ("r = b * b - a", |p, a, b| p.sub(&p.mul(b, b), a)),
        ("r = -a + b - a", |p, a, b| p.sub(&p.sub(b, a), a)),
        ("r = 3 * a - b * 65530 + 0 * a", |p, a, b| {
            p.sub(&p.times(3, a), &p.times(65530, b))
        }),
        ("r = a + 65536 - b", |p, a, b| p.sub(&p.plus(a, 65536), b)),
        ("r = 5 - a + 0 * b", |p, a, _| p.sub(&vec![5; 2 * p.row], a)),
        ("r = rotate(a, 1) + b", |p, a, b| p.add(&p.left(a, 1), b)),
        ("r = rotate(a, -3) - rotate(b, 0)", |p, a, b| {
            p.sub(&p.right(a, 3), b)
        }),
        ("r = swap(rotate(a * b, 1000))", |p, a, b| {
            p.swap(&p.left(&p.mul(a, b), 1000))
        }),
        ("r = sum(a - b)", |p, a, b| vec![p.sum(&p.sub(a, b))]),
        ("r = sum(a) * b", |p, a, b| p.times(p.sum(a), b)),
        ("r = inner(a, b)", |p, a, b| vec![p.sum(&p.mul(a, b))]),
        ("let c = a * a; r = c * c + b", |p, a, b| {
            let c = p.mul(a, a);
            p.add(&p.mul(&c, &c), b)
        }),
        ("r = (a + b) * (a - b) * (a + 1) * (b + 2)", |p, a, b| {
            let first = p.mul(&p.add(a, b), &p.sub(a, b));
            p.mul(&p.mul(&first, &p.plus(a, 1)), &p.plus(b, 2))
        }),
    ];
    for (program, plain) in cases {
        let job = job(program, &MessagePlanning::new());
        let (p, slots) = (Plain::of(&job), job.parameters().n());
        let rows = [
            (numbers(slots, 65537, 1), numbers(slots, 65537, 2)),
            (numbers(7, 65537, 3), numbers(5, 65537, 4)),
        ];
        let inputs = Columns::new()
            .with("a", rows.iter().map(|(a, _)| a.clone()).collect())
            .with("b", rows.iter().map(|(_, b)| b.clone()).collect());
        let results = evaluate(&job, &inputs, &Columns::new(), 22.0);
        for ((a, b), found) in rows.iter().zip(results.get("r").unwrap()) {
            let mut expected = plain(p, &filled(a, slots), &filled(b, slots));
            expected.truncate(a.len().max(b.len()));
            assert!(*found == expected, "{program}");
        }
    }
}

/// Public messages: full ones of the largest numbers, short ones, and one row for all; every slot of several outputs.
#[test]
fn public_messages_are_factors_and_terms() {
    let program = "w: public; v: public; d = inner(a, w); r = a * w - v; s = v - a * (w * w + 3); p = a + v";
    let job = job(program, &MessagePlanning::new());
    let (p, slots) = (Plain::of(&job), job.parameters().n());
    let a = vec![numbers(slots, 65537, 1), numbers(3, 65537, 2), vec![65536; slots]];
    let w = vec![vec![65536; slots], numbers(5, 65537, 3), numbers(slots, 65537, 4)];
    let v = numbers(slots, 65537, 5);
    let inputs = Columns::new().with("a", a.clone());
    // In another order than the program's.
    let public = Columns::new().with("v", vec![v.clone()]).with("w", w.clone());
    let results = evaluate(&job, &inputs, &public, 30.0);
    for (row, (a, w)) in a.iter().zip(&w).enumerate() {
        let (a, w) = (filled(a, slots), filled(w, slots));
        let column = |name: &str| results.get(name).unwrap()[row].clone();
        assert_eq!(column("d"), [p.sum(&p.mul(&a, &w))]);
        assert!(column("r") == p.sub(&p.mul(&a, &w), &v));
        assert!(column("s") == p.sub(&v, &p.mul(&a, &p.plus(&p.mul(&w, &w), 3))));
        assert!(column("p") == p.add(&a, &v));
    }
}

/// Moduli of other sizes, with slots in some dimensions only.
#[test]
fn other_moduli_have_slots() {
    for t in [40961, 114_689, 786_433, 2_148_728_833] {
        let job = job(
            "r = a * b - a; d = inner(a, b)",
            &MessagePlanning::new().modulus(t),
        );
        let n = job.parameters().n() as u64;
        assert_eq!((job.parameters().t(), t % (2 * n)), (t, 1));
        let (p, slots) = (Plain::of(&job), job.parameters().n());
        let (a, b) = (numbers(slots, t, 1), numbers(slots, t, 2));
        let inputs = Columns::new()
            .with("a", vec![a.clone()])
            .with("b", vec![b.clone()]);
        let results = evaluate(&job, &inputs, &Columns::new(), 22.0);
        assert!(results.get("r").unwrap()[0] == p.sub(&p.mul(&a, &b), &a));
        assert_eq!(results.get("d").unwrap()[0], [p.sum(&p.mul(&a, &b))]);
    }
}

/// Depth four, in more limbs than one, so that levels are given up.
#[test]
fn deep_products_give_up_levels() {
    let program = "let x2 = x * x; let x4 = x2 * x2; let x8 = x4 * x4; r = x8 * x8 - 3 * x4 * x + sum(x8) + rotate(x2, 5)";
    let job = job(program, &MessagePlanning::new());
    let plan = job.plan_details().unwrap();
    assert_eq!((plan.depth(), plan.products()), (4, 5));
    let (p, slots) = (Plain::of(&job), job.parameters().n());
    let x = numbers(slots, 65537, 9);
    let results = evaluate(
        &job,
        &Columns::new().with("x", vec![x.clone()]),
        &Columns::new(),
        26.0,
    );
    let x2 = p.mul(&x, &x);
    let x4 = p.mul(&x2, &x2);
    let x8 = p.mul(&x4, &x4);
    let terms = p.sub(&p.mul(&x8, &x8), &p.mul(&p.times(3, &x4), &x));
    let expected = p.add(&p.plus(&terms, p.sum(&x8)), &p.left(&x2, 5));
    assert!(results.get("r").unwrap()[0] == expected);
}

/// Where more is asked for than there is, the refusal says what to change.
#[test]
fn what_cannot_be_planned_is_refused() {
    let deep: String = (0..40)
        .map(|i| format!("let x{} = x{i} * x{i}; ", i + 1))
        .collect();
    let cases = [
        (
            MessagePlanning::new().modulus(65536),
            "r = a".to_owned(),
            ErrorKind::Usage,
            "--modulus 65536: not a prime",
        ),
        (
            MessagePlanning::new().modulus(12289),
            "r = a".to_owned(),
            ErrorKind::Usage,
            "take one of 65537",
        ),
        (
            MessagePlanning::new().modulus(40961),
            "r = rotate(a, 2048)".to_owned(),
            ErrorKind::Usage,
            "halves of at least 2049",
        ),
        (
            MessagePlanning::new().numbers(40000),
            "r = a".to_owned(),
            ErrorKind::Usage,
            "at most 32768 numbers",
        ),
        (
            MessagePlanning::new(),
            format!("{deep}r = x40"),
            ErrorKind::NoParameters,
            "fewer products",
        ),
        (
            MessagePlanning::new().modulus(40961),
            "r = a * a * a".to_owned(),
            ErrorKind::NoParameters,
            "--modulus 65537",
        ),
        (
            MessagePlanning::new(),
            "r = a /".to_owned(),
            ErrorKind::Usage,
            "line 1, column 8",
        ),
    ];
    for (planning, program, kind, problem) in cases {
        let error = planning.plan(&program).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
        assert_eq!(error.kind(), kind, "{error}");
    }
    let wide = MessagePlanning::new()
        .numbers(5000)
        .plan("r = rotate(a, 9000)")
        .unwrap();
    assert_eq!(wide.parameters().n(), 32768);
}

/// Inputs of two owners, in memory and through files; what does not belong together is refused.
#[test]
fn owners_encrypt_apart() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    MessageJob::plan("w: public; r = a * b + w; d = inner(a, b)")
        .unwrap()
        .save(path("m.job"))
        .unwrap();
    let job = MessageJob::open(path("m.job")).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    client.save_keys(path("keys"), false).unwrap();
    let encryptor = job.open_encryptor(path("keys/public.key")).unwrap();
    write("a.csv", "1,2,3\n4\n65536,5\n");
    write("b.json", "[7,8]\n[9,9,9]\n[2]\n");
    write("w.csv", "100\n");
    let none: &[(&str, std::path::PathBuf)] = &[];
    for (name, file, to) in [("a", "a.csv", "a.ct"), ("b", "b.json", "b.ct")] {
        let totals = encryptor
            .encrypt_inputs_to(&[(name, path(file))], None, &Output::new(path(to)))
            .unwrap();
        assert_eq!((totals.rows, totals.ciphertexts), (3, 3));
    }
    let server = job.open_server(path("keys/evaluation.key")).unwrap();
    let public = [("w", path("w.csv"))];
    let output = |name: &str| Output::new(path(name));
    let both = [path("b.ct"), path("a.ct")];
    assert_eq!(
        server
            .evaluate_to(&both, &public, None, &output("out.ct"))
            .unwrap()
            .ciphertexts,
        6
    );
    let owner = job.open_client(path("keys/secret.key")).unwrap();
    let file = owner
        .decrypt_results_to(path("out.ct"), &output("out.json"), None, None)
        .unwrap();
    assert!(file.log2_noise < -1.0 && file.totals.rows == 3);
    let expected =
        "{\"r\":[107,16,0],\"d\":[23]}\n{\"r\":[136,0,0],\"d\":[36]}\n{\"r\":[98,0],\"d\":[65535]}\n";
    assert_eq!(std::fs::read_to_string(path("out.json")).unwrap(), expected);
    owner
        .decrypt_results_to(path("out.ct"), &output("d.csv"), None, Some("d"))
        .unwrap();
    assert_eq!(std::fs::read_to_string(path("d.csv")).unwrap(), "23\n36\n65535\n");

    let refused = |result: Result<(), ringmill::Error>, problem: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    };
    let evaluate = |inputs: &[std::path::PathBuf], public: &[(&str, std::path::PathBuf)]| {
        server
            .evaluate_to(inputs, public, None, &output("no.ct"))
            .map(drop)
    };
    refused(evaluate(&both[..1], &public), "encrypted input `a` is missing");
    refused(
        evaluate(&[path("a.ct"), path("a.ct")], &public),
        "`a` is given twice",
    );
    refused(evaluate(&both, none), "public input `w` is missing");
    refused(
        evaluate(&both, &[("a", path("w.csv"))]),
        "no public input `a`; it has w",
    );
    refused(evaluate(&[path("out.ct")], &public), "it holds results");
    write("two.csv", "1\n2\n");
    refused(
        evaluate(&both, &[("w", path("two.csv"))]),
        "as many lines as rows",
    );
    write("four.csv", "1\n2\n3\n4\n");
    refused(
        evaluate(&both, &[("w", path("four.csv"))]),
        "as many lines as rows",
    );
    refused(
        encryptor
            .encrypt_inputs_to(&[("w", path("w.csv"))], None, &output("no.ct"))
            .map(drop),
        "no encrypted input `w`; it has a, b",
    );
    let uneven = [("a", path("a.csv")), ("b", path("two.csv"))];
    refused(
        encryptor
            .encrypt_inputs_to(&uneven, None, &output("no.ct"))
            .map(drop),
        "as many lines",
    );
    refused(
        owner
            .decrypt_results_to(path("out.ct"), &output("no.csv"), None, None)
            .map(drop),
        "--result NAME",
    );
    refused(
        owner
            .decrypt_results_to(path("out.ct"), &output("no.csv"), None, Some("q"))
            .map(drop),
        "no such output; it has r, d",
    );
    refused(
        owner
            .decrypt_results_to(path("a.ct"), &output("no.json"), None, None)
            .map(drop),
        "it holds encrypted inputs",
    );
    let other = MessageJob::plan("r = a * b").unwrap();
    let other = other.client(&Seed::random().unwrap()).unwrap();
    refused(
        other
            .decrypt_results_to(path("out.ct"), &output("no.csv"), None, None)
            .map(drop),
        "",
    );
    assert!(!path("no.ct").exists() && !path("no.csv").exists() && !path("no.json").exists());
    let messages = MessageJob::preset("n4096-t65537").unwrap();
    assert!(messages.plan_details().is_none());
    let keys = client.evaluation_keys().unwrap();
    assert!(
        messages
            .server(keys)
            .err()
            .unwrap()
            .to_string()
            .contains("no program")
    );
}

/// The bytes that a plan predicts are those of the files, but for their heads.
#[test]
fn bytes_are_as_planned() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let job = job("r = rotate(a, 1) * b; d = sum(a)", &MessagePlanning::new());
    let traffic = job.plan_details().unwrap().traffic().unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    client.save_keys(path("keys"), false).unwrap();
    std::fs::write(path("in.csv"), "1\n").unwrap();
    let encryptor = job.open_encryptor(path("keys/public.key")).unwrap();
    let files = [("a", path("in.csv")), ("b", path("in.csv"))];
    encryptor
        .encrypt_inputs_to(&files, None, &Output::new(path("in.ct")))
        .unwrap();
    let server = job.open_server(path("keys/evaluation.key")).unwrap();
    let none: &[(&str, std::path::PathBuf)] = &[];
    server
        .evaluate_to(&[path("in.ct")], none, None, &Output::new(path("out.ct")))
        .unwrap();
    let predicted = [
        ("keys/evaluation.key", traffic.keys),
        ("in.ct", traffic.inputs),
        ("out.ct", traffic.results),
    ];
    for (name, predicted) in predicted {
        let bytes = std::fs::metadata(path(name)).unwrap().len();
        assert!(
            (predicted..predicted + 1000).contains(&bytes),
            "{name}: {bytes}, predicted {predicted}"
        );
    }
}
