//! Packs inputs and takes them apart again.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ringmill_arith::sampling::Seed;
use ringmill_arith::secret::Secret;
use ringmill_circuit::Visibility;
use ringmill_device::Device;
use ringmill_fv::{
    Ciphertext, Combination, Context, Domain, ExtendedCiphertext, FvError, Plaintext, PlaintextOperand,
};
use ringmill_ring::{Factor, Repeated, Split};

use crate::execute::executor::require_scheme;
use crate::execute::inputs::{check_side, wire_value};
use crate::execute::workers::for_each;
use crate::fv::keys::EvaluationKeys;
use crate::fv::packed::{PackedInputs, PackedWire};
use crate::{Encoding, EngineError, FvEncoding, InputValues, Observer, Plan, Progress};

/// Nodes for each thread from which on subtrees are taken apart one by one.
const NODES_A_THREAD: usize = 4;

/// Encrypts the private inputs of one batch, packed as the plan says: [`encrypt_inputs`](crate::encrypt_inputs) for plans
/// with [`Plan::packed_inputs`]. For [`InputPacking::Broadcast`](crate::InputPacking::Broadcast) all records must have the
/// same values, those beyond the last too.
///
/// # Errors
/// As [`encrypt_inputs`](crate::encrypt_inputs); [`EngineError::NotPacked`] for a plan whose inputs are not packed.
pub fn encrypt_packed<D: Device, C: Send>(
    plan: &Plan,
    encoding: &FvEncoding<'_, D>,
    values: &InputValues,
    seed: &Seed,
    encrypt: impl Fn(&Plaintext, usize, &Seed) -> Result<C, FvError> + Sync,
) -> Result<Vec<C>, EngineError> {
    let (schedule, packed) = (
        plan.schedule(),
        plan.packed_inputs().ok_or(EngineError::NotPacked)?,
    );
    require_scheme(schedule, encoding)?;
    let ports = check_side(schedule, Visibility::Private, values)?;
    let element = |wire: &PackedWire| -> Result<Secret<Vec<u64>>, FvError> {
        let Some(values) = ports[wire.port] else {
            return Ok(Secret::default());
        };
        let mut value = wire_value(values, wire.wire);
        let plaintext = encoding.encode(&value);
        value.wipe();
        Ok(Secret::copy_of(plaintext?.coefficients()))
    };
    let groups: Vec<Range<usize>> = packed.groups().collect();
    let encrypted = for_each(groups.len(), |index| {
        let wires = &groups[index];
        let elements = packed.wires()[wires.clone()].iter().map(element);
        let elements = elements.collect::<Result<Vec<_>, FvError>>()?;
        let plaintext = encoding.pack(&packed.packing, &elements)?;
        encrypt(
            &plaintext,
            packed.level(wires, 0),
            &seed.derive("packed inputs", index as u64),
        )
    });
    encrypted.map_err(EngineError::of_scheme)
}

/// A ciphertext of some wires, at a depth of the tree.
struct Node<D: Device> {
    ciphertext: Arc<Ciphertext<D>>,
    wires: Range<usize>,
    depth: usize,
}

/// What images are multiplied by in the children of a split: each different one once.
struct Factors<D: Device> {
    operands: Vec<PlaintextOperand<D>>,
    /// Which one, for each child and image; None for 1.
    places: Vec<Vec<Option<usize>>>,
}

struct Unpacker<'a, D: Device> {
    context: &'a Context<D>,
    keys: &'a EvaluationKeys<D>,
    packed: &'a PackedInputs,
    /// Of each split, for each child and image.
    factors: Vec<Factors<D>>,
    observer: &'a dyn Observer,
    /// Wires that were handed out.
    done: Mutex<usize>,
}

impl Plan {
    /// Takes packed inputs of a batch apart, and hands each wire out at the level at which the schedule wants it: the
    /// port among all input ports, the place in the port, and the ciphertext; from several threads, in any order. Its
    /// progress counts wires, not steps of the schedule. Returns the time that it took, of all threads together.
    ///
    /// # Errors
    /// [`EngineError::NotPacked`] for a plan whose inputs are not packed; [`EngineError::OtherParameters`];
    /// [`EngineError::MissingGaloisKey`]; [`EngineError::WrongWidth`] for another number of ciphertexts;
    /// [`EngineError::LowLevel`]; [`EngineError::Cancelled`]; those of `each`; if the device fails.
    pub fn unpack<D: Device>(
        &self,
        context: &Context<D>,
        keys: &EvaluationKeys<D>,
        ciphertexts: Vec<Arc<Ciphertext<D>>>,
        each: impl Fn((usize, usize), Arc<Ciphertext<D>>) -> Result<(), EngineError> + Sync,
        observer: &dyn Observer,
    ) -> Result<Duration, EngineError> {
        let packed = self.packed_inputs().ok_or(EngineError::NotPacked)?;
        require_scheme(self.schedule(), &self.encoding(context))?;
        keys.check(self)?;
        let start = Instant::now();
        let unpacker = Unpacker::new(packed, (context, keys), observer)?;
        let mut nodes = unpacker.roots(ciphertexts)?;
        let mut time = start.elapsed();
        let enough = NODES_A_THREAD * rayon::current_num_threads();
        // Few nodes are worth as many threads only together; many would take too much memory at a time.
        for _ in packed.packing.splits() {
            if nodes.len() >= enough {
                break;
            }
            let children = for_each(nodes.len(), |i| timed(|| unpacker.split(&nodes[i])))?;
            time += children.iter().map(|(_, time)| *time).sum::<Duration>();
            nodes = children.into_iter().flat_map(|(children, _)| children).collect();
        }
        let each = |node: Node<D>| {
            let wire = &packed.wires()[node.wires.start];
            each((wire.port, wire.wire), node.ciphertext)?;
            unpacker.count();
            Ok(())
        };
        let subtrees = for_each(nodes.len(), |i| timed(|| unpacker.subtree(&nodes[i], &each)))?;
        Ok(time + subtrees.iter().map(|(_, time)| *time).sum::<Duration>())
    }
}

/// What something gives, and the time that it took.
fn timed<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<(T, Duration), EngineError> {
    let start = Instant::now();
    Ok((work()?, start.elapsed()))
}

impl<'a, D: Device> Unpacker<'a, D> {
    fn new(
        packed: &'a PackedInputs,
        (context, keys): (&'a Context<D>, &'a EvaluationKeys<D>),
        observer: &'a dyn Observer,
    ) -> Result<Self, EngineError> {
        let splits = packed.packing.splits().iter();
        let factors = splits.map(|split| Factors::new(context, packed.packing.factors(split)?));
        let factors = factors.collect::<Result<Vec<_>, FvError>>();
        Ok(Self {
            context,
            keys,
            packed,
            factors: factors.map_err(EngineError::of_scheme)?,
            observer,
            done: Mutex::new(0),
        })
    }

    /// Another wire was handed out.
    fn count(&self) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        let total = self.packed.wires().len();
        // Told while the lock is held, so that progress never seems to go back.
        self.observer.progress(Progress {
            done: *done,
            total,
            weight_done: *done as f64,
            weight_total: total as f64,
        });
    }

    fn roots(&self, ciphertexts: Vec<Arc<Ciphertext<D>>>) -> Result<Vec<Node<D>>, EngineError> {
        let groups: Vec<Range<usize>> = self.packed.groups().collect();
        if groups.len() != ciphertexts.len() {
            return Err(EngineError::WrongWidth {
                port: "the packed inputs".to_owned(),
                expected: groups.len(),
                got: ciphertexts.len(),
            });
        }
        let roots = groups.into_iter().zip(ciphertexts).enumerate();
        let roots = roots.map(|(bit, (wires, ciphertext))| {
            let (needed, got) = (self.packed.level(&wires, 0), ciphertext.level());
            if got < needed {
                return Err(EngineError::LowLevel {
                    port: "the packed inputs".to_owned(),
                    bit,
                    needed,
                    got,
                });
            }
            Ok(Node {
                ciphertext,
                wires,
                depth: 0,
            })
        });
        roots.collect()
    }

    /// The leaves below a node, one after the other.
    fn subtree(
        &self,
        node: &Node<D>,
        each: &impl Fn(Node<D>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        // Of each node on the way down the other children wait.
        let mut waiting: Vec<Node<D>> = Vec::new();
        let mut next = self.split_or_switch(node)?;
        loop {
            waiting.extend(next.into_iter().rev());
            let Some(node) = waiting.pop() else {
                return Ok(());
            };
            if node.depth == self.factors.len() {
                each(node)?;
                next = Vec::new();
            } else {
                next = self.split(&node)?;
            }
        }
    }

    /// A leaf is brought to its level.
    fn split_or_switch(&self, node: &Node<D>) -> Result<Vec<Node<D>>, EngineError> {
        if node.depth < self.factors.len() {
            return self.split(node);
        }
        let level = self.packed.level(&node.wires, node.depth);
        let switched = self.context.switch_modulus(&node.ciphertext, level);
        let switched =
            switched.and_then(|ciphertext| self.context.transform(ciphertext, Domain::Coefficient));
        Ok(vec![Node {
            ciphertext: Arc::new(switched.map_err(EngineError::of_scheme)?),
            wires: node.wires.clone(),
            depth: node.depth,
        }])
    }

    /// The children of a node in which there are wires.
    fn split(&self, node: &Node<D>) -> Result<Vec<Node<D>>, EngineError> {
        if self.observer.cancelled() {
            return Err(EngineError::Cancelled {
                done: *self.done.lock().unwrap_or_else(PoisonError::into_inner),
                total: self.packed.wires().len(),
            });
        }
        self.try_split(node).map_err(EngineError::of_scheme)
    }

    fn try_split(&self, node: &Node<D>) -> Result<Vec<Node<D>>, FvError> {
        let (context, depth) = (self.context, node.depth);
        let (split, factors) = (&self.packed.packing.splits()[depth], &self.factors[depth]);
        let images = self.images(split, &node.ciphertext)?;
        let children: Vec<_> = self
            .packed
            .children(&node.wires, split)
            .zip(&factors.places)
            .filter(|(wires, _)| !wires.is_empty())
            .collect();
        let combinations = children.iter().map(|(wires, places)| {
            let operands = places
                .iter()
                .map(|place| place.map(|place| &factors.operands[place]));
            Combination {
                terms: images.iter().zip(operands).collect(),
                addends: Vec::new(),
                level: self.packed.level(wires, depth + 1).min(node.ciphertext.level()),
            }
        });
        let combinations: Vec<_> = combinations.collect();
        let made = context.combine_all(&combinations, Domain::Coefficient)?;
        let nodes = made.into_iter().zip(children);
        Ok(nodes
            .map(|(ciphertext, (wires, _))| Node {
                ciphertext: Arc::new(ciphertext),
                wires,
                depth: depth + 1,
            })
            .collect())
    }

    /// A ciphertext itself and its images under the automorphisms of a split.
    fn images(&self, split: &Split, x: &Ciphertext<D>) -> Result<Vec<ExtendedCiphertext<D>>, FvError> {
        let key = |automorphism: &Repeated| {
            let key = self.keys.rotation(automorphism.exponent);
            key.ok_or(FvError::NoOperands)
        };
        let mut images = vec![self.context.extend_by_p(x)?];
        let mut moved: Option<Ciphertext<D>> = None;
        // Only one that is alone is repeated.
        if let [repeated] = split.automorphisms() {
            for _ in 1..repeated.times {
                moved = Some(
                    self.context
                        .automorphism(moved.as_ref().unwrap_or(x), key(repeated)?)?,
                );
            }
        }
        let decomposed = self.context.decompose(moved.as_ref().unwrap_or(x))?;
        for automorphism in split.automorphisms() {
            images.push(self.context.rotate(&decomposed, key(automorphism)?)?);
        }
        Ok(images)
    }
}

impl<D: Device> Factors<D> {
    fn new(context: &Context<D>, children: Vec<Vec<Factor>>) -> Result<Self, FvError> {
        let mut different: Vec<Vec<i64>> = Vec::new();
        let mut place = |factor: Factor| {
            let factor = factor?;
            let found = different.iter().position(|other| *other == factor);
            Some(found.unwrap_or_else(|| {
                different.push(factor);
                different.len() - 1
            }))
        };
        let places = children
            .into_iter()
            .map(|images| images.into_iter().map(&mut place).collect())
            .collect();
        let operands = different.iter().map(|factor| context.factor(factor));
        Ok(Self {
            operands: operands.collect::<Result<_, _>>()?,
            places,
        })
    }
}
