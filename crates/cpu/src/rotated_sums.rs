//! Sums of automorphisms of several ciphertexts.

use rayon::prelude::*;
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_device::{Device, DeviceError, Digits, Pair, Rotatable, RotatedTerm};
use ringmill_ring::{Automorphism, Domain};

use super::digits::special_product;
use super::limbs::Product;
use super::switch::terms;
use super::{CpuDevice, CpuPoly, limbs};

/// A sum, and the factor with which something is added to it.
type Use<'a> = (usize, Option<&'a CpuPoly>);

/// A key: what its automorphism does, where it brings each row, and its elements.
struct Key<'a> {
    map: Automorphism,
    targets: Vec<usize>,
    elements: Vec<&'a Pair<CpuPoly>>,
}

/// A ciphertext, and what its images are for.
struct Operand<'a> {
    /// In evaluation domain.
    first: &'a CpuPoly,
    /// In evaluation domain; none where its digits have its limbs.
    second: Option<&'a CpuPoly>,
    parts: &'a [CpuPoly],
    /// Of its image under each key.
    rotated: Vec<Vec<Use<'a>>>,
    /// Of itself.
    kept: Vec<Use<'a>>,
}

/// Sums as the contract defines them, limb by limb. In each limb the rows that the automorphisms exchange among each
/// other are made together, so that their rows of a key stay in cache for all ciphertexts and those of digits and sums for
/// all keys. Images are added up row by row and never stored.
struct RotatedSums<'a> {
    device: &'a CpuDevice,
    digits: &'a Digits,
    /// Of the ciphertexts.
    own: &'a Basis,
    /// The primes of each digit, if digits have limbs.
    owns: Vec<Basis>,
    keys: Vec<Key<'a>>,
    operands: Vec<Operand<'a>>,
    row_len: usize,
    orbits: Vec<Vec<usize>>,
}

/// One limb of both halves of a sum.
type Halves<'a> = [&'a mut [u64]; 2];

/// As the contract defines it, given the exponent and the elements of each key.
pub(super) fn rotated_sums(
    device: &CpuDevice,
    operands: &[Rotatable<'_, CpuPoly>],
    digits: &Digits,
    keys: Vec<(u64, Vec<&Pair<CpuPoly>>)>,
    sums: &[Vec<RotatedTerm<'_, CpuPoly>>],
) -> Result<Vec<Pair<CpuPoly>>, DeviceError> {
    let own = operands.first().ok_or(DeviceError::NoOperands)?.first.basis();
    let key = |(exponent, elements)| {
        let map = Automorphism::new(&device.ring, exponent, Domain::Evaluation)?;
        let mut targets = vec![0; device.n() / map.row_len()];
        (0..targets.len()).for_each(|row| targets[map.source(row)] = row);
        Ok(Key {
            map,
            targets,
            elements,
        })
    };
    let keys = keys
        .into_iter()
        .map(key)
        .collect::<Result<Vec<_>, DeviceError>>()?;
    let values = operands
        .par_iter()
        .map(|operand| in_values(device, operand, digits));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let used = operands
        .iter()
        .zip(&values)
        .enumerate()
        .map(|(index, (operand, values))| {
            let uses = |key: Option<usize>| {
                let terms = sums
                    .iter()
                    .enumerate()
                    .flat_map(|(sum, terms)| terms.iter().map(move |term| (sum, term)));
                let terms = terms.filter(|(_, term)| term.operand == index && term.key == key);
                terms.map(|(sum, term)| (sum, term.factor)).collect()
            };
            Operand {
                first: values[0].as_ref().unwrap_or(operand.first),
                second: values[1].as_ref(),
                parts: operand.parts,
                rotated: (0..keys.len()).map(|key| uses(Some(key))).collect(),
                kept: uses(None),
            }
        });
    let used = used.collect();
    // Any automorphism has rows of this length.
    let row_len = Automorphism::new(&device.ring, 1, Domain::Evaluation)?.row_len();
    let work = RotatedSums {
        device,
        digits,
        own,
        owns: match digits {
            Digits::Limbs { groups, .. } => Digits::limbs_of(groups, own)?,
            Digits::BaseTwo { .. } => Vec::new(),
        },
        orbits: orbits(keys.iter().map(|key| &key.map), device.n() / row_len),
        keys,
        operands: used,
        row_len,
    };
    work.all(sums.len())
}

/// The parts of a ciphertext in evaluation domain, the first where it is not, the second unless its digits have its limbs.
fn in_values(
    device: &CpuDevice,
    operand: &Rotatable<'_, CpuPoly>,
    digits: &Digits,
) -> Result<[Option<CpuPoly>; 2], DeviceError> {
    let first = match operand.first.domain() {
        Domain::Evaluation => None,
        Domain::Coefficient => Some(device.transformed(operand.first, Domain::Evaluation)?),
    };
    let second = match (digits, operand.second.domain()) {
        (Digits::Limbs { .. }, _) if !operand.parts.is_empty() => None,
        (_, Domain::Evaluation) => Some(device.copy(operand.second)?),
        (_, Domain::Coefficient) => Some(device.transformed(operand.second, Domain::Evaluation)?),
    };
    Ok([first, second])
}

/// The rows that permutations of rows exchange among each other.
fn orbits<'a>(maps: impl Iterator<Item = &'a Automorphism>, rows: usize) -> Vec<Vec<usize>> {
    let maps: Vec<_> = maps.collect();
    let mut seen = vec![false; rows];
    let mut orbits = Vec::new();
    for first in 0..rows {
        let mut orbit = Vec::new();
        let mut next = vec![first];
        while let Some(row) = next.pop() {
            if !std::mem::replace(&mut seen[row], true) {
                orbit.push(row);
                next.extend(maps.iter().map(|map| map.source(row)));
            }
        }
        if !orbit.is_empty() {
            orbits.push(orbit);
        }
    }
    orbits
}

/// One limb of a ciphertext.
struct Limb<'a> {
    /// Of both parts; modulo special primes they are 0.
    halves: Option<[&'a [u64]; 2]>,
    /// For each key and half what the digits are multiplied with.
    products: Vec<[Vec<Product<'a>>; 2]>,
    rotated: Vec<Vec<LimbUse<'a>>>,
    kept: Vec<LimbUse<'a>>,
}

/// A sum, and the limb of the factor with which something is added to it.
type LimbUse<'a> = (usize, Option<&'a [u64]>);

/// Work modulo one prime.
struct LimbWork<'a> {
    kernel: Simd,
    q: &'a Modulus,
    /// P modulo the prime.
    special: u64,
    row_len: usize,
    operands: Vec<Limb<'a>>,
}

impl RotatedSums<'_> {
    /// So many sums.
    fn all(&self, count: usize) -> Result<Vec<Pair<CpuPoly>>, DeviceError> {
        let extended = self.digits.extended(self.own)?;
        let new = || self.device.allocate(&extended, Domain::Evaluation);
        let mut sums: Vec<Pair<CpuPoly>> = (0..count).map(|_| (new(), new())).collect();
        let mut tasks: Vec<Vec<Halves<'_>>> = extended.moduli().iter().map(|_| Vec::new()).collect();
        for (b, a) in &mut sums {
            let limbs = b.limbs_mut().iter_mut().zip(a.limbs_mut());
            tasks
                .iter_mut()
                .zip(limbs)
                .for_each(|(task, (b, a))| task.push([b, a]));
        }
        tasks.par_iter_mut().zip(extended.moduli()).try_for_each_init(
            || [0; 3].map(|_| self.device.pool.take_one()),
            |scratch, (sums, q)| {
                let work = self.limb(q)?;
                let mut lines = scratch.each_mut().map(|line| &mut line[..self.row_len]);
                for orbit in &self.orbits {
                    work.orbit(orbit, &self.keys, &mut lines, sums);
                }
                Ok::<(), DeviceError>(())
            },
        )?;
        Ok(sums)
    }

    /// A limb of the second part of a ciphertext: modulo its own primes a digit is the polynomial itself.
    fn second<'b>(&self, operand: &Operand<'b>, q: &Modulus) -> Result<&'b [u64], DeviceError> {
        if let Some(second) = operand.second {
            return second.limb(q);
        }
        let digit = self.owns.iter().position(|own| own.position(q).is_some());
        let part = digit.and_then(|digit| operand.parts.get(digit));
        part.ok_or(DeviceError::MissingLimb(q.value()))?.limb(q)
    }

    /// What there is to do modulo one prime.
    fn limb<'b>(&'b self, q: &'b Modulus) -> Result<LimbWork<'b>, DeviceError> {
        let uses = |uses: &'b Vec<Use<'_>>| -> Result<Vec<LimbUse<'b>>, DeviceError> {
            let limb = |factor: &&'b CpuPoly| factor.limb(q);
            let uses = uses
                .iter()
                .map(|(sum, factor)| Ok((*sum, factor.as_ref().map(limb).transpose()?)));
            uses.collect()
        };
        let operand = |operand: &'b Operand<'_>| {
            let parts = operand.parts.iter().map(|part| part.limb(q));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            let products = |key: &'b Key<'_>| {
                Ok([
                    terms(&parts, &key.elements, |pair| &pair.0, q)?,
                    terms(&parts, &key.elements, |pair| &pair.1, q)?,
                ])
            };
            Ok(Limb {
                halves: match self.own.position(q) {
                    Some(_) => Some([operand.first.limb(q)?, self.second(operand, q)?]),
                    None => None,
                },
                products: self
                    .keys
                    .iter()
                    .map(products)
                    .collect::<Result<_, DeviceError>>()?,
                rotated: operand.rotated.iter().map(uses).collect::<Result<_, _>>()?,
                kept: uses(&operand.kept)?,
            })
        };
        Ok(LimbWork {
            kernel: self.device.kernel,
            q,
            special: special_product(self.digits, q),
            row_len: self.row_len,
            operands: self
                .operands
                .iter()
                .map(operand)
                .collect::<Result<_, DeviceError>>()?,
        })
    }
}

impl LimbWork<'_> {
    /// Some rows of all sums, made of the same rows of the operands: while one of digits is in cache it is multiplied with
    /// all keys, and one of a key with all operands.
    fn orbit(&self, orbit: &[usize], keys: &[Key<'_>], lines: &mut [&mut [u64]; 3], sums: &mut [Halves<'_>]) {
        for half in sums.iter_mut().flatten() {
            orbit.iter().for_each(|row| self.row_mut(half, *row).fill(0));
        }
        for row in orbit {
            for (index, key) in keys.iter().enumerate() {
                let operands = self.operands.iter();
                for operand in operands.filter(|operand| !operand.rotated[index].is_empty()) {
                    self.rotate(operand, (index, key), *row, lines, sums);
                }
            }
        }
        for operand in self.operands.iter().filter(|operand| !operand.kept.is_empty()) {
            self.keep(operand, orbit, &mut *lines[0], sums);
        }
    }

    /// Adds what becomes of a row of a ciphertext under a key.
    fn rotate(
        &self,
        operand: &Limb<'_>,
        (index, key): (usize, &Key<'_>),
        row: usize,
        [x, y, placed]: &mut [&mut [u64]; 3],
        sums: &mut [Halves<'_>],
    ) {
        let start = row * self.row_len;
        limbs::dot_both(
            self.kernel,
            self.q,
            &operand.products[index],
            start,
            [&mut **x, &mut **y],
        );
        if let Some([first, _]) = operand.halves {
            let first = &first[start..start + self.row_len];
            limbs::add_product(self.kernel, self.q, x, self.special, first);
        }
        let target = key.targets[row];
        for (half, line) in [&**x, &**y].into_iter().enumerate() {
            key.map.place(self.q, target, line, placed);
            self.add((half, target), placed, &operand.rotated[index], sums);
        }
    }

    /// Adds some rows of P times a ciphertext itself.
    fn keep(&self, operand: &Limb<'_>, orbit: &[usize], line: &mut [u64], sums: &mut [Halves<'_>]) {
        for (half, part) in operand.halves.into_iter().flatten().enumerate() {
            for row in orbit {
                let start = row * self.row_len;
                line.copy_from_slice(&part[start..start + self.row_len]);
                limbs::scale(self.kernel, self.q, self.special, line);
                self.add((half, *row), line, &operand.kept, sums);
            }
        }
    }

    /// Adds a row of an image to the sums that it belongs to.
    fn add(&self, (half, row): (usize, usize), image: &[u64], uses: &[LimbUse<'_>], sums: &mut [Halves<'_>]) {
        for (sum, factor) in uses {
            let to = self.row_mut(&mut *sums[*sum][half], row);
            match factor {
                None => limbs::add(self.kernel, self.q, to, image),
                Some(factor) => {
                    let start = row * self.row_len;
                    let factor = &factor[start..start + self.row_len];
                    limbs::add_products(self.kernel, self.q, to, image, factor);
                }
            }
        }
    }

    fn row_mut<'b>(&self, limb: &'b mut [u64], row: usize) -> &'b mut [u64] {
        &mut limb[row * self.row_len..(row + 1) * self.row_len]
    }
}
