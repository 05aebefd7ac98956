//! Circuits: those that come with the library, files in Bristol Fashion, Bristol Format, AIGER and BLIF, and your own.
//!
//! ```
//! use ringmill::circuits;
//!
//! # fn main() -> Result<(), ringmill::Error> {
//! // A full adder without its carry, as a Bristol file has it: two gates, five wires; two inputs of two bits.
//! let text = "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 XOR\n";
//! let circuit = circuits::from_bristol("xor2", text.as_bytes())?;
//! assert_eq!(circuit.circuit().inputs().len(), 2);
//!
//! // The same function of a hidden and a public number.
//! let circuit = circuit.with_public("x1")?;
//! assert_eq!(circuits::by_name("and8")?.circuit().and_count(), 8);
//! # Ok(())
//! # }
//! ```

mod aggregates;
mod chain;
mod expression;
mod file_format;
mod gates;
mod read;
pub(crate) mod source;

use std::path::Path;

use ringmill_circuit::aes::{self, KeySize};
use ringmill_circuit::{
    AggregateKind, Builder, Circuit, CircuitError, OutputPort, Visibility, bundled, compose, compose_record,
    simon, widen,
};

use ringmill_records::Schema;

use crate::Error;
use crate::cipher::Cipher;
use crate::files::is_standard;
use crate::table::{input_schema, output_schema};

pub use chain::chain;
pub use expression::{from_compiled, from_expression, known_types};
use read::open_with;
pub use read::{from_aiger, from_blif, from_bristol, open};
pub use ringmill_expression::{
    Compiled, ExpressionError, KnownTypes, PortType, Trace, TracedValue, Type, UnknownType,
};
use source::Step;

/// A circuit with its name.
#[derive(Debug, Clone)]
pub struct NamedCircuit {
    pub(crate) name: String,
    pub(crate) circuit: Circuit,
    pub(crate) cipher: Option<Cipher>,
    /// How it is made, for job files; empty where they cannot hold it.
    pub(crate) steps: Vec<Step>,
    /// The types of columns that are not their ports' usual ones.
    pub(crate) types: PortTypes,
    /// For each output port how all records become one; empty for a result for each record.
    pub(crate) aggregates: Vec<AggregateKind>,
}

/// Bits that ports may be extended to, all together.
const MOST_WIDENED: usize = 1 << 20;

/// Types of the columns of ports, by the ports' places; none for the usual type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PortTypes {
    /// Of input ports.
    pub inputs: Vec<Option<String>>,
    /// Of output ports.
    pub outputs: Vec<Option<String>>,
}

impl NamedCircuit {
    /// Names a circuit, of a [`Builder`] say.
    #[must_use]
    pub fn new(name: impl Into<String>, circuit: Circuit) -> Self {
        let name = name.into();
        let steps = gates::step(&name, &circuit).into_iter().collect();
        Self {
            name,
            circuit,
            cipher: None,
            steps,
            types: PortTypes::default(),
            aggregates: Vec::new(),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The circuit.
    #[must_use]
    pub const fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// How the key of a block cipher becomes private inputs, if the circuit is or begins with a bundled cipher.
    #[must_use]
    pub const fn cipher(&self) -> Option<&Cipher> {
        self.cipher.as_ref()
    }

    /// Has the evaluator see an input port in the clear.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there is no such input.
    pub fn with_public(mut self, port: &str) -> Result<Self, Error> {
        let visible = self.circuit.with_visibility(port, Visibility::Public);
        self.circuit = visible.map_err(|error| Error::Usage(format!("--public: {error}")))?;
        self.add_step(Step::Public(port.to_owned()));
        Ok(self)
    }

    /// Names the ports: those of files are x0, x1, ..., and y0, y1, ....
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there are more or fewer ports than names, or if a name comes twice.
    pub fn with_names(mut self, inputs: &[String], outputs: &[String]) -> Result<Self, Error> {
        let fail = |problem: String| Error::Usage(format!("--names: {problem}"));
        let ports = (self.circuit.inputs().len(), self.circuit.outputs().len());
        if ports != (inputs.len(), outputs.len()) {
            return Err(fail(format!(
                "{} has {} input and {} output ports, and {} and {} are named",
                self.name,
                ports.0,
                ports.1,
                inputs.len(),
                outputs.len()
            )));
        }
        let (mut input, mut output) = (inputs.iter(), outputs.iter());
        let next = |name: Option<&String>| name.cloned().unwrap_or_default();
        let named = self
            .circuit
            .with_names(|_| next(input.next()), |_| next(output.next()));
        self.circuit = named.map_err(|error| fail(error.to_string()))?;
        self.add_step(Step::Names {
            inputs: inputs.to_vec(),
            outputs: outputs.to_vec(),
        });
        Ok(self)
    }

    /// The types of the columns of input and output ports, as [`Table::with_types`](crate::Table::with_types) names them.
    #[must_use]
    pub fn column_types(&self) -> (Vec<String>, Vec<String>) {
        let names = |schema: Result<Schema, Error>| {
            let schema = schema.ok();
            let columns = schema.iter().flat_map(Schema::columns);
            columns.map(|column| column.column_type().to_string()).collect()
        };
        let none: &[&str] = &[];
        (names(input_schema(self, none)), names(output_schema(self, none)))
    }

    /// Columns that are not of their ports' usual types, as overrides of those: NAME=TYPE.
    pub(crate) fn input_types(&self) -> Vec<String> {
        let ports = self.circuit.inputs().iter().map(|port| &*port.name);
        overrides(ports, &self.types.inputs)
    }

    /// The same of output ports.
    pub(crate) fn output_types(&self) -> Vec<String> {
        let ports = self.circuit.outputs().iter().map(|port| &*port.name);
        overrides(ports, &self.result_types())
    }

    /// Has columns be of other types than usual; there must be as many as ports.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for types that ports cannot have.
    pub(crate) fn with_types(mut self, types: PortTypes) -> Result<Self, Error> {
        let counts = (self.circuit.inputs().len(), self.circuit.outputs().len());
        if counts != (types.inputs.len(), types.outputs.len()) {
            return Err(Error::Usage(format!(
                "{}: there are more or fewer types than ports",
                self.name
            )));
        }
        self.types = types.clone();
        input_schema(&self, &[] as &[&str])?;
        output_schema(&self, &[] as &[&str])?;
        self.add_step(Step::Types(types));
        Ok(self)
    }

    /// The types of a circuit that puts the results of this one through another.
    fn types_then(&self, next: &Self) -> PortTypes {
        let known = |types: &[Option<String>], index: usize| types.get(index).cloned().flatten();
        let own = (0..self.circuit.inputs().len()).map(|index| known(&self.types.inputs, index));
        let others = next.circuit.inputs().iter().enumerate();
        let others = others.filter(|(_, port)| port.visibility == Visibility::Public);
        PortTypes {
            inputs: own
                .chain(others.map(|(index, _)| known(&next.types.inputs, index)))
                .collect(),
            outputs: next.types.outputs.clone(),
        }
    }

    /// Notes a step, unless the circuit cannot be kept anyway.
    fn add_step(&mut self, step: Step) {
        if !self.steps.is_empty() {
            self.steps.push(step);
        }
    }

    /// Whether all private inputs are the key of a bundled cipher, which is the same for all blocks.
    pub(crate) fn takes_only_a_key(&self) -> bool {
        let ports = self.circuit.inputs().iter();
        let private = ports.filter(|port| port.visibility == Visibility::Private);
        let bytes = private.map(|port| match port.kind.is_bit() {
            true => port.wires.len() / 8,
            false => port.wires.len() * port.kind.slots(),
        });
        let bytes: usize = bytes.sum();
        self.cipher.is_some_and(|cipher| {
            let key = cipher.private_bytes(&vec![0; cipher.key_bytes]);
            key.is_ok_and(|key| key.len() == bytes)
        })
    }

    /// Feeds the outputs to another circuit's private inputs, port by port; both are evaluated as one.
    ///
    /// A block of a cipher is data that may hold more than is asked for: it becomes one record of the private inputs,
    /// each in whole bytes as in a binary table, and the rest of it is padding.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the widths of the ports differ, or if these outputs are totals.
    pub fn then(&self, next: &Self) -> Result<Self, Error> {
        self.refuse_after_totals()?;
        let joined = match self.cipher {
            Some(_) => compose_record(&self.circuit, &next.circuit),
            None => compose(&self.circuit, &next.circuit),
        };
        let known = !self.steps.is_empty() && !next.steps.is_empty();
        let steps = known.then(|| [&*self.steps, &next.steps, &[Step::Then]].concat());
        Ok(Self {
            name: format!("{} then {}", self.name, next.name),
            circuit: joined.map_err(|error| Error::Usage(format!("--then: {error}")))?,
            cipher: self.cipher,
            steps: steps.unwrap_or_default(),
            types: self.types_then(next),
            aggregates: next.aggregates.clone(),
        })
    }

    /// Extends output ports by zeros to the widths of the ports of another circuit that they are to be fed to.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for a signed output that is narrower, which zeros would change.
    pub fn widened_for(self, next: &Self) -> Result<Self, Error> {
        let private = next.circuit.inputs().iter();
        let private = private.filter(|port| port.visibility == Visibility::Private);
        let widths: Vec<usize> = private.map(|port| port.wires.len()).collect();
        for (index, (port, width)) in self.circuit.outputs().iter().zip(&widths).enumerate() {
            let known = self.types.outputs.get(index).and_then(Option::as_ref);
            let signed = known.is_some_and(|known| known.starts_with('i'));
            if signed && port.wires.len() < *width {
                return Err(Error::Usage(format!(
                    "--widen: {} of {} is signed, and zeros above would change negative numbers; make it as wide as \
                     {} takes it, {width} bits",
                    port.name, self.name, next.name
                )));
            }
        }
        if self.has_narrower(&widths) {
            self.widened(&widths)
        } else {
            Ok(self)
        }
    }

    /// Whether an output port of bits has less than these widths.
    fn has_narrower(&self, widths: &[usize]) -> bool {
        let narrower = |(port, width): (&OutputPort, &usize)| port.kind.is_bit() && port.wires.len() < *width;
        self.circuit.outputs().iter().zip(widths).any(narrower)
    }

    /// Extends output ports of bits to these widths, by zeros.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if no port becomes wider, as a step of a job file that does nothing.
    pub(crate) fn widened(mut self, widths: &[usize]) -> Result<Self, Error> {
        if widths.iter().sum::<usize>() > MOST_WIDENED {
            return Err(Error::Usage(format!(
                "--widen: ports of more than {MOST_WIDENED} bits together"
            )));
        }
        if !self.has_narrower(widths) {
            return Err(Error::Usage(format!(
                "--widen: the outputs of {} are as wide already",
                self.name
            )));
        }
        self.refuse_after_totals()?;
        self.circuit = widen(&self.circuit, widths)?;
        self.add_step(Step::Widen(widths.to_vec()));
        Ok(self)
    }
}

fn overrides<'a>(ports: impl Iterator<Item = &'a str>, types: &[Option<String>]) -> Vec<String> {
    let typed = ports.zip(types);
    typed
        .filter_map(|(port, found)| Some(format!("{port}={}", found.as_ref()?)))
        .collect()
}

/// The names of all circuits that come with the library.
#[must_use]
pub fn names() -> Vec<String> {
    let mut names = vec!["and8".to_owned()];
    names.extend(bundled::names().map(str::to_owned));
    names.extend(["simon-encrypt-nibbles", "simon-decrypt-nibbles"].map(str::to_owned));
    for size in KeySize::ALL {
        let bits = 8 * size.bytes();
        for what in ["encrypt", "decrypt", "ctr", "encrypt-row", "decrypt-row"] {
            names.push(format!("aes-{bits}-{what}"));
        }
    }
    names
}

/// Builds a circuit that comes with the library.
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there is none of that name; [`names`] lists them.
pub fn by_name(name: &str) -> Result<NamedCircuit, Error> {
    let Some((circuit, cipher)) = builtin(name) else {
        return Err(Error::Usage(format!(
            "there is no circuit {name}; `ringmill circuits` lists the circuits"
        )));
    };
    Ok(NamedCircuit {
        name: name.to_owned(),
        circuit: circuit?,
        cipher,
        steps: vec![Step::Builtin(name.to_owned())],
        types: PortTypes::default(),
        aggregates: Vec::new(),
    })
}

/// The first rounds of SIMON-64/128 encryption, [`ROUNDS`](ringmill_circuit::simon::ROUNDS) at most, to try machines with:
/// it is no cipher.
///
/// # Errors
/// None that these circuits cause.
pub fn simon_rounds(rounds: usize) -> Result<NamedCircuit, Error> {
    Ok(NamedCircuit {
        name: format!("{rounds} rounds of simon-encrypt"),
        circuit: simon::reduced_circuit(rounds)?,
        cipher: Some(Cipher::simon(false)),
        steps: Vec::new(),
        types: PortTypes::default(),
        aggregates: Vec::new(),
    })
}

/// Builds a circuit that comes with the library, or else reads a file of that name.
///
/// # Errors
/// As [`open`]; [`ErrorKind::Usage`](crate::ErrorKind::Usage) if there is neither.
pub fn find(name: &str) -> Result<NamedCircuit, Error> {
    find_with(name, &KnownTypes::default())
}

/// The same, with types of inputs that an expression program uses and does not declare.
///
/// # Errors
/// As [`find`].
pub fn find_with(name: &str, known: &KnownTypes) -> Result<NamedCircuit, Error> {
    let path = Path::new(name);
    if builtin(name).is_some() {
        return by_name(name);
    }
    if !is_standard(path) && path.symlink_metadata().is_err() {
        return Err(Error::Usage(format!(
            "there is neither a circuit nor a file {}; `ringmill circuits` lists the circuits",
            path.display()
        )));
    }
    open_with(path, known)
}

type Built = (Result<Circuit, CircuitError>, Option<Cipher>);

fn builtin(name: &str) -> Option<Built> {
    if name == "and8" {
        return Some((and8(), None));
    }
    if let Some(circuit) = bundled::circuit(name) {
        let cipher = match name {
            "simon-encrypt" => Some(Cipher::simon(false)),
            "simon-decrypt" => Some(Cipher::simon(true)),
            "aes128-encrypt" | "aes128-decrypt" => Some(Cipher::aes_bits()),
            _ => None,
        };
        return Some((circuit, cipher));
    }
    match name {
        "simon-encrypt-nibbles" => {
            return Some((
                simon::nibble_encrypt_circuit(),
                Some(Cipher::simon_nibbles(false)),
            ));
        }
        "simon-decrypt-nibbles" => {
            return Some((simon::nibble_decrypt_circuit(), Some(Cipher::simon_nibbles(true))));
        }
        _ => {}
    }
    let (bits, what) = name.strip_prefix("aes-")?.split_once('-')?;
    let size = KeySize::ALL
        .into_iter()
        .find(|size| (8 * size.bytes()).to_string() == bits)?;
    let (circuit, cipher) = match what {
        "encrypt" => (aes::encrypt_circuit(size), Cipher::aes_encrypt(size)),
        "decrypt" => (aes::decrypt_circuit(size), Cipher::aes_decrypt(size)),
        "ctr" => (aes::ctr_circuit(size), Cipher::aes_ctr(size)),
        "encrypt-row" => (aes::row_encrypt_circuit(size), Cipher::aes_encrypt_row(size)),
        "decrypt-row" => (aes::row_decrypt_circuit(size), Cipher::aes_decrypt(size)),
        _ => return None,
    };
    Some((circuit, Some(cipher)))
}

/// The AND of two private bytes, to try the steps with.
fn and8() -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, 8);
    let b = builder.input("b", Visibility::Private, 8);
    let both = builder.and_words(&a, &b)?;
    builder.output("and", &both);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_circuit() {
        for name in names() {
            let named = by_name(&name).unwrap();
            let private = named.circuit.inputs().iter();
            let private = private.filter(|port| port.visibility == Visibility::Private);
            let bytes: usize = private
                .map(|port| {
                    if port.kind.is_bit() {
                        port.wires.len().div_ceil(8)
                    } else {
                        port.wires.len() * port.kind.slots()
                    }
                })
                .sum();
            if let Some(cipher) = named.cipher {
                let given = cipher.private_bytes(&vec![3; cipher.key_bytes]).unwrap();
                assert_eq!(given.len(), bytes, "{name}");
                assert!(cipher.private_bytes(&[0; 3]).is_err() || bytes == 16, "{name}");
            }
        }
    }
}
