use std::slice::ChunksExactMut;

use ringmill_arith::lanes::{Halves, Lanes};
use ringmill_arith::{Simd, WithSimd};

use super::KaratsubaError;
use super::error::expect_len;
use ringmill_arith::secret::Secret;

/// Words of a coefficient are a multiple of this: the widest vector's.
pub(super) const UNIT: usize = 16;

/// Most coefficients of the schoolbook base.
const MOST_BASE: usize = 8;

/// Binary polynomials that are packed in one array of words, a byte each (paper 4, fig. 4).
pub const PACKED: usize = 4;

/// Bits of a packed coefficient.
const FIELD: u32 = 8;

/// Recursions that packed coefficients stand: sums of 2^7 bits fit a byte.
const PACKED_DEPTH: u32 = FIELD - 1;

/// Karatsuba's method for one polynomial of many words a coefficient and up to four binary ones at a time
/// (paper 4, sec. 3.2).
///
/// Words have 32 bits, are added, subtracted and multiplied modulo 2^32 and never mix: pieces of a large
/// integer (chunks with guard bits), or of several polynomials side by side. A vector holds words of one
/// coefficient, so there is nothing to mask or to align at any length. The paper's 27-bit chunks have 5 guard bits,
/// for additions only, and are carried again and again; chunks that leave room for a whole product, log2 n bits,
/// need no carry before the end: sums may wrap in between, since the results fit.
///
/// The binary polynomials are packed four in a word for seven recursions, then unpacked (the paper leaves the
/// rest to 10-bit lanes of its hardware). The base is schoolbook on 5 to 8 coefficients, in registers.
#[derive(Debug, Clone)]
pub struct Multiplier {
    kernel: Simd,
    n: usize,
    words: usize,
    base: usize,
    padded: usize,
}

/// Memory for the intermediate products of a [`Multiplier`]; wiped when dropped.
pub struct Workspace(Secret<Vec<u32>>);

impl Multiplier {
    /// For polynomials of n coefficients, `words` words each (a multiple of 16).
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`] if n is 0 or `words` is not such a multiple.
    pub fn new(n: usize, words: usize, kernel: Simd) -> Result<Self, KaratsubaError> {
        expect_len(
            "words of a coefficient",
            words.next_multiple_of(UNIT).max(UNIT),
            words,
        )?;
        expect_len("coefficients", n.max(1), n)?;
        let (mut base, mut scale) = (n, 1);
        while base > MOST_BASE {
            scale *= 2;
            base = n.div_ceil(scale);
        }
        Ok(Self {
            kernel,
            n,
            words,
            base,
            padded: base * scale,
        })
    }

    /// Coefficients of the padded polynomials: a base of at most 8 times a power of two.
    #[must_use]
    pub const fn padded(&self) -> usize {
        self.padded
    }

    /// Recursions.
    #[must_use]
    pub const fn recursions(&self) -> u32 {
        (self.padded / self.base).ilog2()
    }

    /// Products of words that `count` products of polynomials take: the floor of the base.
    #[must_use]
    pub const fn word_products(&self, count: usize) -> usize {
        3_usize.pow(self.recursions()) * self.base * self.base * self.words * count
    }

    /// Words of the memory that `count` products at a time need: for each length of the recursion the sums
    /// of both operands and the middle products, the operands and products of the whole, and rounding.
    fn scratch(&self, count: usize) -> usize {
        self.padded * (self.words * (2 + 4 * count) + 3 * PACKED) + 64 * UNIT
    }

    /// Memory for up to `count` products at a time.
    #[must_use]
    pub fn workspace(&self, count: usize) -> Workspace {
        Workspace(Secret::zeros(self.scratch(count)))
    }

    /// The products of `a`, n coefficients of `words` words, with `count` binary polynomials, 1 to
    /// 4. Coefficient j of binary polynomial f is bit 8 f of `packed[j]`; other bits are 0. Item f of
    /// what is returned is product f: twice [`Multiplier::padded`] coefficients of as many words, each modulo 2^32;
    /// those from 2n - 1 on are 0.
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`] for other lengths or counts, or a workspace for fewer products.
    pub fn multiply<'a>(
        &self,
        a: &[u32],
        packed: &[u32],
        count: usize,
        workspace: &'a mut Workspace,
    ) -> Result<ChunksExactMut<'a, u32>, KaratsubaError> {
        expect_len("words of the polynomial", self.n * self.words, a.len())?;
        expect_len("packed words", self.n, packed.len())?;
        expect_len("products at a time", count.clamp(1, PACKED), count)?;
        if workspace.0.len() < self.scratch(count) {
            return Err(KaratsubaError::WrongLength {
                what: "words of the workspace",
                expected: self.scratch(count),
                got: workspace.0.len(),
            });
        }
        // Whole cache lines: a vector across two of them takes two loads.
        let start = workspace.0.as_ptr().align_offset(4 * UNIT) % UNIT;
        let stride = 2 * self.padded * self.words;
        let (products, rest) = workspace.0[start..].split_at_mut(count * stride);
        let (first, rest) = rest.split_at_mut(self.padded * self.words);
        let (second, rest) = rest.split_at_mut(self.padded.next_multiple_of(UNIT));
        first[..a.len()].copy_from_slice(a);
        first[a.len()..].fill(0);
        second[..self.n].copy_from_slice(packed);
        second[self.n..].fill(0);
        let root = Node {
            a: first.as_ptr(),
            u: second.as_ptr(),
            packed: true,
            out: products.as_mut_ptr(),
            stride,
            scratch: rest.as_mut_ptr(),
            len: self.padded,
            depth: 0,
            done: 0,
        };
        assert!(
            rest.len() >= root.needed(self.words, count, self.base),
            "scratch memory"
        );
        self.kernel.run(Recursion {
            multiplier: self,
            count,
            root,
        });
        Ok(products.chunks_exact_mut(stride))
    }
}

/// One product of the recursion: `len` coefficients of a, and of each binary polynomial.
#[derive(Clone, Copy)]
struct Node {
    a: *const u32,
    /// Packed words, or plain ones, word f of coefficient j at j * count + f.
    u: *const u32,
    packed: bool,
    /// Where product f is written: 2 `len` coefficients at `out + f * stride`.
    out: *mut u32,
    stride: usize,
    scratch: *mut u32,
    len: usize,
    depth: u32,
    /// Sub-products done.
    done: u8,
}

struct Recursion<'a> {
    multiplier: &'a Multiplier,
    count: usize,
    root: Node,
}

impl WithSimd for Recursion<'_> {
    type Output = ();

    /// Depth first with a stack of its own: a function that calls itself could not be inlined and would lose the
    /// kernel's instructions.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let (words, count, base) = (self.multiplier.words, self.count, self.multiplier.base);
        let mut stack = Vec::with_capacity(64);
        stack.push(self.root);
        while let Some(top) = stack.last_mut() {
            // SAFETY: `multiply` cut the root's arrays to `padded` coefficients and checked that the scratch memory
            // has what [`Node::needed`] counts; each node's are parts of its
            // parent's, or lie in scratch memory behind what the parent uses; the caller saw the instructions.
            unsafe {
                if top.packed && top.depth == PACKED_DEPTH {
                    unpack(top, count);
                }
                if top.len == base {
                    base_products::<L::Halves>(top, words, count, base);
                    stack.pop();
                    continue;
                }
                let node = *top;
                top.done += 1;
                match node.done {
                    0 => {
                        sums::<L::Halves>(&node, words, count);
                        stack.push(node.child(0, words, count));
                    }
                    1 => stack.push(node.child(1, words, count)),
                    2 => stack.push(node.child(2, words, count)),
                    _ => {
                        combine::<L::Halves>(&node, words, count);
                        stack.pop();
                    }
                }
            }
        }
    }
}

impl Node {
    /// Words of a coefficient of the binary polynomials.
    #[inline(always)]
    fn plain(&self, count: usize) -> usize {
        if self.packed { 1 } else { count }
    }

    /// Words of scratch memory that the node itself uses: a's sums, the middle products, the binary sums.
    #[inline(always)]
    fn own(&self, words: usize, count: usize) -> [usize; 3] {
        let half = self.len / 2;
        [half * words, 2 * half * words * count, half * self.plain(count)]
    }

    /// Words of scratch memory for the node and all below it: what [`unpack`] and [`Node::child`] take, level by level.
    fn needed(mut self, words: usize, count: usize, base: usize) -> usize {
        let mut needed = 0;
        loop {
            if self.packed && self.depth == PACKED_DEPTH {
                needed += (self.len * count).next_multiple_of(UNIT);
                self.packed = false;
            }
            if self.len == base {
                return needed;
            }
            let [a_sums, middles, u_sums] = self.own(words, count);
            needed += a_sums + middles + u_sums.next_multiple_of(UNIT);
            (self.len, self.depth) = (self.len / 2, self.depth + 1);
        }
    }

    /// The low, the high or the middle product.
    ///
    /// # Safety
    /// As [`Recursion`]'s.
    #[inline(always)]
    unsafe fn child(&self, which: usize, words: usize, count: usize) -> Self {
        let half = self.len / 2;
        let [a_sums, middles, u_sums] = self.own(words, count);
        // SAFETY: the caller's.
        unsafe {
            let scratch = self.scratch.add(a_sums + middles + u_sums.next_multiple_of(UNIT));
            let part = Self {
                scratch,
                len: half,
                depth: self.depth + 1,
                done: 0,
                ..*self
            };
            match which {
                0 => part,
                1 => Self {
                    a: self.a.add(half * words),
                    u: self.u.add(half * self.plain(count)),
                    out: self.out.add(2 * half * words),
                    ..part
                },
                _ => Self {
                    a: self.scratch,
                    u: self.scratch.add(a_sums + middles),
                    out: self.scratch.add(a_sums),
                    stride: 2 * half * words,
                    ..part
                },
            }
        }
    }
}

/// From packed words to plain ones: word f of coefficient j at j * count + f.
///
/// # Safety
/// As [`Recursion`]'s.
#[inline(always)]
unsafe fn unpack(node: &mut Node, count: usize) {
    // SAFETY: the caller's.
    unsafe {
        for j in 0..node.len {
            let word = *node.u.add(j);
            for f in 0..count {
                *node.scratch.add(j * count + f) = word >> (FIELD * f as u32) & ((1 << FIELD) - 1);
            }
        }
        node.u = node.scratch;
        // Whole vectors, so that what follows is aligned as before.
        node.scratch = node.scratch.add((node.len * count).next_multiple_of(UNIT));
    }
    node.packed = false;
}

/// The pre-computation: sums of both halves, of a and of the binary polynomials (all four packed ones at
/// once).
///
/// # Safety
/// As [`Recursion`]'s.
#[inline(always)]
unsafe fn sums<V: Halves>(node: &Node, words: usize, count: usize) {
    let half = node.len / 2;
    let [a_sums, middles, u_sums] = node.own(words, count);
    // SAFETY: the caller's; `a_sums` is a multiple of the vector's width.
    unsafe {
        for i in (0..a_sums).step_by(V::WIDTH) {
            V::load(node.a.add(i))
                .add(V::load(node.a.add(a_sums + i)))
                .store(node.scratch.add(i));
        }
        let to = node.scratch.add(a_sums + middles);
        let second = node.u.add(half * node.plain(count));
        for i in 0..u_sums {
            *to.add(i) = *node.u.add(i) + *second.add(i);
        }
    }
}

/// The post-computation: with L, H and M the three products of 2h coefficients, M - L - H is added at h. L and H
/// are where they belong already.
///
/// # Safety
/// As [`Recursion`]'s.
#[inline(always)]
unsafe fn combine<V: Halves>(node: &Node, words: usize, count: usize) {
    let size = node.len / 2 * words;
    // SAFETY: the caller's; `size` is a multiple of the vector's width.
    unsafe {
        for f in 0..count {
            let out = node.out.add(f * node.stride);
            let middle = node.scratch.add(size + f * 2 * size);
            for i in (0..size).step_by(V::WIDTH) {
                let [l0, l1, h0, h1] = [0, 1, 2, 3].map(|part| V::load(out.add(part * size + i)));
                let [m0, m1] = [0, 1].map(|part| V::load(middle.add(part * size + i)));
                let inner = l1.sub(h0);
                m0.sub(l0).add(inner).store(out.add(size + i));
                m1.sub(h1).sub(inner).store(out.add(2 * size + i));
            }
        }
    }
}

/// The base by its length, a constant in each arm.
///
/// # Safety
/// As [`Recursion`]'s.
#[inline(always)]
unsafe fn base_products<V: Halves>(node: &Node, words: usize, count: usize, base: usize) {
    // SAFETY: the caller's.
    unsafe {
        match base {
            1 => schoolbook::<V, 1>(node, words, count),
            2 => schoolbook::<V, 2>(node, words, count),
            3 => schoolbook::<V, 3>(node, words, count),
            4 => schoolbook::<V, 4>(node, words, count),
            5 => schoolbook::<V, 5>(node, words, count),
            6 => schoolbook::<V, 6>(node, words, count),
            7 => schoolbook::<V, 7>(node, words, count),
            _ => schoolbook::<V, 8>(node, words, count),
        }
    }
}

/// Products of B coefficients with B of each binary polynomial, a vector of words at a time.
///
/// # Safety
/// As [`Recursion`]'s.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // constant ranges, so that the arrays become registers
unsafe fn schoolbook<V: Halves, const B: usize>(node: &Node, words: usize, count: usize) {
    // SAFETY: the caller's; `words` is a multiple of the vector's width.
    unsafe {
        for column in (0..words).step_by(V::WIDTH) {
            let mut a = [V::splat(0); B];
            for i in 0..B {
                a[i] = V::load(node.a.add(i * words + column));
            }
            for f in 0..count {
                let mut sums = [V::splat(0); 2 * MOST_BASE];
                for j in 0..B {
                    let word = if node.packed {
                        *node.u.add(j) >> (FIELD * f as u32) & ((1 << FIELD) - 1)
                    } else {
                        *node.u.add(j * count + f)
                    };
                    let factor = V::splat(word);
                    for i in 0..B {
                        sums[i + j] = sums[i + j].add(a[i].mul(factor));
                    }
                }
                let out = node.out.add(f * node.stride + column);
                for i in 0..2 * B {
                    sums[i].store(out.add(i * words));
                }
            }
        }
    }
}
