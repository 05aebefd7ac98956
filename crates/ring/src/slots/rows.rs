use std::collections::BTreeMap;

use super::{Slots, doublings};
use crate::{FermatRing, RingError};

/// The length of the longest row.
pub(super) const LONGEST: usize = 16;

/// An arrangement of slots as records of k slots each, for automorphisms that move values in the same way
/// within all records.
///
/// The records are the cosets of a subgroup H of order k of G/<2>. Position p of a record is its first
/// slot's unit times h_p = rho^(p mod 4) kappa^(p div 4), with rho of order 4 in G/<2>: position r + 4c is
/// row r, column c of an AES state (FIPS 197, section 3.4). At n = 16384 and 32768, H is Z_4 x Z_4 for k =
/// 16, and both rows and columns are cyclic; elsewhere it is Z_16 with kappa^4 = rho. For n = 4096 to 32768
/// the h_p are a group up to powers of 2^8, and bytes move unchanged. In the other rings those that pass the
/// end of Z_16 are squared some times, and [`Rows::compile`] uses a further automorphism for them.
#[derive(Debug, Clone)]
pub struct Rows {
    length: usize,
    d: u64,
    slots: Vec<u32>,
    /// The units h_p.
    exponents: Vec<u64>,
    /// Entry t k + s is the q with h_q h_t = h_s up to powers of 2.
    moves: Vec<u8>,
    /// For each q: the number of times x -> x^(h_q) squares the value that arrives in each slot.
    twists: Vec<Vec<u8>>,
}

/// One term of a GF(2)-linear map of rows of bytes: it adds factor * in\[source\]^(2^frobenius) to
/// out\[target\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowEntry {
    /// The position in the result.
    pub target: usize,
    /// The position in the operand.
    pub source: usize,
    /// The number of squarings of the operand's byte, modulo 8.
    pub frobenius: u8,
    /// The factor, in AES's field.
    pub factor: u8,
}

/// One term of a map of elements of R/2: an automorphism, followed by a product with an encoded constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowTerm {
    /// The exponent k of x -> x^k, below d; 1 is the identity.
    pub exponent: u64,
    /// The constant, as a byte for each slot of the ring, for [`Slots::encode_bytes`].
    pub factors: Vec<u8>,
}

impl Rows {
    /// Arranges slots in rows of `length` bytes: 1, 2, 4, 8 or 16. In rows of 1, record i is slot i.
    ///
    /// # Errors
    /// [`RingError::BadRowLength`] for any other length.
    pub fn new(slots: &Slots, length: usize) -> Result<Self, RingError> {
        if !length.is_power_of_two() || length > LONGEST {
            return Err(RingError::BadRowLength(length));
        }
        let (ring, d) = (&slots.ring, slots.ring.d());
        let exponents = positions(ring, length);
        let actions = exponents.iter().map(|&e| slots.action(e));
        let actions = actions.collect::<Result<Vec<_>, _>>()?;
        let mut arranged = Vec::with_capacity(slots.len());
        let mut taken = vec![false; slots.len()];
        for first in starts(slots, length) {
            if !taken[first] {
                let record = actions.iter().map(|action| action.source[first]);
                arranged.extend(record.inspect(|&slot| taken[slot as usize] = true));
            }
        }
        let class = |e: u64| ring.index_of(e).map(|index| slots.classes[index].0);
        let classes: Vec<_> = exponents.iter().map(|&h| class(h)).collect();
        let mut moves = vec![0; length * length];
        for (t, target) in exponents.iter().enumerate() {
            for (q, step) in exponents.iter().enumerate() {
                // H is a group, so there is a source.
                let reached = class(target * step % d);
                let source = classes.iter().position(|&c| c == reached).unwrap_or(0);
                moves[t * length + source] = q as u8;
            }
        }
        Ok(Self {
            length,
            d,
            slots: arranged,
            exponents,
            moves,
            twists: actions.into_iter().map(|action| action.frobenius).collect(),
        })
    }

    /// The number of bytes in a row.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.length
    }

    /// The number of records: slots / length.
    #[must_use]
    pub fn records(&self) -> usize {
        self.slots.len() / self.length
    }

    /// The slot of a position in a record, or `None` if there is no such record or position.
    #[must_use]
    pub fn slot(&self, record: usize, position: usize) -> Option<usize> {
        let row = self.slots.chunks_exact(self.length).nth(record)?;
        row.get(position).map(|&slot| slot as usize)
    }

    /// The slots of all positions, record after record; every slot occurs once.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The exponent of the automorphism that brings the value at position `source` of every record to
    /// position `target`, up to powers of 2. Other moves by the same step of H have the same exponent.
    ///
    /// # Errors
    /// [`RingError::NoSuchPosition`] if a position is beyond the end of a row.
    pub fn exponent(&self, target: usize, source: usize) -> Result<u64, RingError> {
        Ok(self.exponents[self.step(target, source)?])
    }

    /// Compiles a linear map of rows into automorphisms and products with constants. The sum of these terms,
    /// applied to an element whose slots hold bytes, maps every record by the sum of the entries. The terms
    /// are sorted by step of H, then by powers of 2; those that vanish are left out.
    ///
    /// # Errors
    /// [`RingError::NoSuchPosition`] if an entry names a position beyond the end of a row.
    pub fn compile(&self, entries: &[RowEntry]) -> Result<Vec<RowTerm>, RingError> {
        let mut terms: BTreeMap<(usize, u8), Vec<u8>> = BTreeMap::new();
        for entry in entries {
            let step = self.step(entry.target, entry.source)?;
            for record in self.slots.chunks_exact(self.length) {
                let slot = record[entry.target] as usize;
                let twist = self.twists[step][slot];
                let power = entry.frobenius.wrapping_sub(twist) % 8;
                let factors = terms
                    .entry((step, power))
                    .or_insert_with(|| vec![0; self.slots.len()]);
                factors[slot] ^= entry.factor;
            }
        }
        let kept = terms.into_iter().filter(|(_, f)| f.iter().any(|&byte| byte != 0));
        Ok(kept
            .map(|((step, power), factors)| RowTerm {
                exponent: (self.exponents[step] << power) % self.d,
                factors,
            })
            .collect())
    }

    fn step(&self, target: usize, source: usize) -> Result<usize, RingError> {
        let length = self.length;
        match [target, source].into_iter().find(|&p| p >= length) {
            Some(position) => Err(RingError::NoSuchPosition { position, length }),
            None => Ok(self.moves[target * length + source].into()),
        }
    }
}

/// The slots in the order in which they may start a record: those of lower rows first.
fn starts(slots: &Slots, length: usize) -> Vec<usize> {
    let mut starts: Vec<usize> = (0..slots.len()).collect();
    if let Some(stride) = four_rows(&slots.ring).filter(|_| length > 1) {
        let row = |l: u64| slots.ring.index_of(l).map(|index| index / stride % 4);
        starts.sort_by_key(|&slot| row(slots.representatives[slot]));
    }
    starts
}

/// The units h_p of a row's positions.
pub(super) fn positions(ring: &FermatRing, length: usize) -> Vec<u64> {
    let d = ring.d();
    let (rho, kappa) = generators(ring);
    // A row of 2 uses every second step of rho, a row of 8 every second step of kappa.
    let rho = if length == 2 { rho * rho % d } else { rho };
    let kappa = if length == 8 { kappa * kappa % d } else { kappa };
    let step = |unit: u64, times: usize| (0..times).fold(1, |e, _| e * unit % d);
    (0..length)
        .map(|p| step(rho, p % 4) * step(kappa, p / 4) % d)
        .collect()
}

/// The units rho and kappa of [`Rows`].
fn generators(ring: &FermatRing) -> (u64, u64) {
    let orders = ring.orders();
    let last = orders.len() - 1;
    // A power of the generator of the last dimension of G.
    let unit = |log: usize| u64::from(ring.exponents()[log]);
    // The order in G/<2> is the first power of two whose power lies in <2>.
    let powers: Vec<u64> = doublings(1, ring.d()).collect();
    let mut order = orders[last];
    while powers.contains(&unit(order / 2)) {
        order /= 2;
    }
    match four_rows(ring) {
        Some(stride) => (u64::from(ring.exponents()[stride]), unit(order / 4)),
        None => (unit(order / 4), unit(order / LONGEST)),
    }
}

/// Where 85 divides d: the stride, in index order, of the dimension of 5, along which the four rows lie.
fn four_rows(ring: &FermatRing) -> Option<usize> {
    let five = ring.orders().iter().position(|&m| m == 4)?;
    let stride = ring.orders()[five + 1..].iter().product();
    ring.d().is_multiple_of(85).then_some(stride)
}
