//! Programs over messages against plain arithmetic, number by number, and the noise of every result against its bound.

use ringmill::Seed;
use ringmill::messages::{Columns, MessageJob, MessagePlanning};
use ringmill::platform::{Cpu, Platform};

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

/// The noise of each operation alone, and its result in every slot, for full and short messages.
#[test]
fn every_operation_is_plain_arithmetic() {
    let public = Columns::new;
    let cases: [(&str, fn(Plain, &[u64], &[u64]) -> Vec<u64>); 16] = [
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
        let results = evaluate(&job, &inputs, &public(), 22.0);
        for ((a, b), found) in rows.iter().zip(results.get("r").unwrap()) {
            let mut expected = plain(p, &filled(a, slots), &filled(b, slots));
            expected.truncate(a.len().max(b.len()));
            assert!(*found == expected, "{program}");
        }
    }
}
