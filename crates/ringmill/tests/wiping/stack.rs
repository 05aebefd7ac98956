//! The scratch memory of transforms, which is on the stack.

use ringmill_arith::Simd;
use ringmill_ring::{FermatRing, NegacyclicRing, Ring, Transform};

/// Bytes of the stack that are looked at: more than any transform's scratch.
const DEPTH: usize = 192 << 10;

/// Bytes nearest to the top that are left alone: the frames of whoever looks.
const NEAR: usize = 4096;

/// Runs something on the empty stack below this frame, and returns how many words it left there.
#[inline(never)]
fn words_left(run: impl FnOnce()) -> usize {
    let here = 0_u64;
    let top = (&raw const here).expose_provenance() - NEAR;
    let word = |i: usize| std::ptr::with_exposed_provenance_mut::<u64>(top - 8 * (i + 1));
    for i in 0..DEPTH / 8 {
        // SAFETY: the place is in the stack of this thread, which is far larger, is aligned as `here` is, and below
        // every frame that is in use.
        unsafe { word(i).write_volatile(0) };
    }
    run();
    // SAFETY: as above; the words were written before.
    let left = (0..DEPTH / 8).filter(|&i| unsafe { word(i).read_volatile() } != 0);
    left.count()
}

#[test]
fn transforms_leave_no_scratch() {
    let rings: [Ring; 4] = [
        FermatRing::new(2048).unwrap().into(),
        FermatRing::new(131_072).unwrap().into(),
        NegacyclicRing::new(4096).unwrap().into(),
        NegacyclicRing::new(16384).unwrap().into(),
    ];
    let look = || {
        for ring in &rings {
            let q = ring.primes(1 << 45, 1, &[]).unwrap()[0];
            for kernel in [Simd::Portable, Simd::from_environment().unwrap()] {
                let transform = Transform::new(ring, q, kernel).unwrap();
                let mut data: Vec<u64> = (0..ring.n() as u64).map(|i| i * i + 1).collect();
                let factor = transform.prepare(&data).unwrap();
                let mut other = vec![0; ring.n()];
                let counts = [
                    words_left(|| transform.evaluate(&mut data).unwrap()),
                    words_left(|| transform.interpolate(&mut data).unwrap()),
                    words_left(|| {
                        let others = &mut [&mut other[..]];
                        transform.products(&mut data, &[&factor; 2], others).unwrap();
                    }),
                ];
                // Spilled registers and frames; the least scratch is of 2048 words.
                let most = counts.into_iter().max().unwrap();
                assert!(most < 512, "{ring:?} {kernel:?}: {counts:?} words are left");
            }
        }
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(8 << 20);
        thread.spawn_scoped(scope, look).unwrap().join().unwrap();
    });
}
