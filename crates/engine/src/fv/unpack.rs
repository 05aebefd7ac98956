//! Packs inputs and takes them apart again.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ringmill_arith::sampling::Seed;
use ringmill_arith::secret::Secret;
use ringmill_circuit::Visibility;
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Combination, Context, Domain, FvError, Plaintext, PlaintextOperand};

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

struct Unpacker<'a, D: Device> {
    context: &'a Context<D>,
    keys: &'a EvaluationKeys<D>,
    packed: &'a PackedInputs,
    /// theta and sigma(theta) of each step.
    factors: Vec<[PlaintextOperand<D>; 2]>,
    observer: &'a dyn Observer,
    /// Wires that were handed out.
    done: Mutex<usize>,
}

impl Plan {
    /// Takes packed inputs of a batch apart, and hands each wire out at the level at which the schedule wants it: the
    /// port among all input ports, the place in the port, and the ciphertext; from several threads, in any order. Its
    /// progress counts wires, not steps of the schedule.
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
    ) -> Result<(), EngineError> {
        let packed = self.packed_inputs().ok_or(EngineError::NotPacked)?;
        require_scheme(self.schedule(), &self.encoding(context))?;
        keys.check(self)?;
        let unpacker = Unpacker::new(packed, (context, keys), observer)?;
        let mut nodes = unpacker.roots(ciphertexts)?;
        let enough = NODES_A_THREAD * rayon::current_num_threads();
        // Few nodes are worth as many threads only together; many would take too much memory at a time.
        let leaves = packed.packing.halvings().len();
        for _ in 0..leaves {
            if nodes.len() >= enough {
                break;
            }
            let halves = for_each(nodes.len(), |i| unpacker.halve(&nodes[i]))?;
            nodes = halves.into_iter().flatten().collect();
        }
        let each = |node: Node<D>| {
            let wire = &packed.wires()[node.wires.start];
            each((wire.port, wire.wire), node.ciphertext)?;
            unpacker.count();
            Ok(())
        };
        for_each(nodes.len(), |i| unpacker.subtree(&nodes[i], &each))?;
        Ok(())
    }
}

impl<'a, D: Device> Unpacker<'a, D> {
    fn new(
        packed: &'a PackedInputs,
        (context, keys): (&'a Context<D>, &'a EvaluationKeys<D>),
        observer: &'a dyn Observer,
    ) -> Result<Self, EngineError> {
        let steps = packed.packing.halvings().iter().map(|halving| {
            let [theta, image] = packed.packing.factors(halving)?;
            Ok([context.factor(&theta)?, context.factor(&image)?])
        });
        let factors = steps.collect::<Result<Vec<_>, FvError>>();
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
        // Of each node on the way down the other half waits.
        let mut waiting: Vec<Node<D>> = Vec::new();
        let mut next = self.halve_or_switch(node)?;
        loop {
            waiting.extend(next.into_iter().rev());
            let Some(node) = waiting.pop() else {
                return Ok(());
            };
            if node.depth == self.factors.len() {
                each(node)?;
                next = Vec::new();
            } else {
                next = self.halve(&node)?;
            }
        }
    }

    /// A leaf is brought to its level.
    fn halve_or_switch(&self, node: &Node<D>) -> Result<Vec<Node<D>>, EngineError> {
        if node.depth < self.factors.len() {
            return self.halve(node);
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

    /// The nodes below one: Tr(x), and Tr(theta x) if there are wires in it.
    fn halve(&self, node: &Node<D>) -> Result<Vec<Node<D>>, EngineError> {
        if self.observer.cancelled() {
            return Err(EngineError::Cancelled {
                done: *self.done.lock().unwrap_or_else(PoisonError::into_inner),
                total: self.packed.wires().len(),
            });
        }
        self.try_halve(node).map_err(EngineError::of_scheme)
    }

    fn try_halve(&self, node: &Node<D>) -> Result<Vec<Node<D>>, FvError> {
        let (context, depth) = (self.context, node.depth);
        let halving = &self.packed.packing.halvings()[depth];
        let key = self
            .keys
            .rotation(halving.exponent())
            .ok_or(FvError::NoOperands)?;
        let mut moved: Option<Ciphertext<D>> = None;
        for _ in 1..halving.times() {
            moved = Some(context.automorphism(moved.as_ref().unwrap_or(&node.ciphertext), key)?);
        }
        let moved = context.decompose(moved.as_ref().unwrap_or(&node.ciphertext))?;
        let (x, image) = (
            context.extend_by_p(&node.ciphertext)?,
            context.rotate(&moved, key)?,
        );
        let [theta, theta_image] = &self.factors[depth];
        let halves = self.packed.halves(&node.wires, depth);
        let factors = [[None, None], [Some(theta), Some(theta_image)]];
        let halves: Vec<_> = halves
            .into_iter()
            .zip(factors)
            .filter(|(wires, _)| !wires.is_empty())
            .collect();
        let combinations = halves.iter().map(|(wires, [first, second])| Combination {
            terms: vec![(&x, *first), (&image, *second)],
            addends: Vec::new(),
            level: self.packed.level(wires, depth + 1).min(node.ciphertext.level()),
        });
        let combinations: Vec<_> = combinations.collect();
        let made = context.combine_all(&combinations, Domain::Coefficient)?;
        let nodes = made.into_iter().zip(halves);
        Ok(nodes
            .map(|(ciphertext, (wires, _))| Node {
                ciphertext: Arc::new(ciphertext),
                wires,
                depth: depth + 1,
            })
            .collect())
    }
}
