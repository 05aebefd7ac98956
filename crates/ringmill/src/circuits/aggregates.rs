//! Circuits whose results are totals over all records.

use ringmill_circuit::{Aggregate, AggregateKind, Circuit, OutputPort, Signedness};
use sha2::{Digest, Sha256};

use super::NamedCircuit;
use super::chain::label;
use super::source::Step;
use crate::Error;

impl NamedCircuit {
    /// Makes the results totals over all records of a table: for each output port in order, how all records become one.
    ///
    /// Numbers are signed where their columns are, as those of a program with signed outputs are.
    ///
    /// ```
    /// use ringmill::circuit::AggregateKind;
    /// use ringmill::{Table, Trial, circuits};
    ///
    /// # fn main() -> Result<(), ringmill::Error> {
    /// let circuit = circuits::by_name("less32")?.with_aggregates(vec![AggregateKind::Count])?;
    /// let mut trial = Trial::new(&circuit, &Table::csv("a,b\n3,5\n5,3\n1,2\n"))?;
    /// let results = trial.next().transpose()?;
    /// assert_eq!(results.map(|records| records.to_csv()).transpose()?.as_deref(), Some("less\n2\n"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) unless there is one for each output port that can take its values;
    /// if the results are totals already.
    pub fn with_aggregates(mut self, aggregates: Vec<AggregateKind>) -> Result<Self, Error> {
        self.refuse_after_totals()?;
        let outputs = self.circuit.outputs();
        if aggregates.len() != outputs.len() {
            return Err(Error::Usage(format!(
                "{}: there are {} aggregates for {} outputs",
                self.name,
                aggregates.len(),
                outputs.len()
            )));
        }
        for (port, kind) in outputs.iter().zip(&aggregates) {
            check(port, *kind)?;
        }
        self.aggregates.clone_from(&aggregates);
        self.add_step(Step::Aggregates(aggregates));
        Ok(self)
    }

    /// The same by the names of output ports: each text is an aggregate, a colon and a port, as in `sum:distance`. The port
    /// may have the name of the last circuit of a chain and a dot before it.
    ///
    /// # Errors
    /// As [`NamedCircuit::with_aggregates`]; for texts of another form, and ports that are unknown or named twice.
    pub fn with_named_aggregates(self, texts: &[impl AsRef<str>]) -> Result<Self, Error> {
        let mut found: Vec<Option<AggregateKind>> = vec![None; self.circuit.outputs().len()];
        for text in texts {
            let text = text.as_ref();
            let fail = |problem: String| Error::Usage(format!("--aggregate {text}: {problem}"));
            let Some((kind, port)) = text.split_once(':') else {
                let form = "give an aggregate, a colon and an output, like sum:distance";
                return Err(fail(form.to_owned()));
            };
            let kind: AggregateKind = kind.parse().map_err(|error| fail(format!("{error}")))?;
            let place = self.output(port).map(|index| found.get_mut(index));
            match place.flatten() {
                Some(place @ None) => *place = Some(kind),
                Some(Some(_)) => {
                    return Err(fail(format!("{port} is named twice; each output has one total")));
                }
                None => {
                    return Err(fail(format!(
                        "there is no output {port}; there are {}",
                        self.output_names()
                    )));
                }
            }
        }
        let missing = self
            .circuit
            .outputs()
            .iter()
            .zip(&found)
            .find(|(_, kind)| kind.is_none());
        if let Some((port, _)) = missing {
            return Err(Error::Usage(format!(
                "--aggregate: {} has a result for each record beside totals, which have one for all; name an aggregate for \
                 it too, or plan it as a job of its own",
                port.name
            )));
        }
        self.with_aggregates(found.into_iter().flatten().collect())
    }

    /// The aggregates of the outputs in order; none if there is a result for each record.
    #[must_use]
    pub fn aggregates(&self) -> Vec<Aggregate> {
        let types = self
            .types
            .outputs
            .iter()
            .map(Option::as_deref)
            .chain(std::iter::repeat(None));
        let aggregates = self.aggregates.iter().zip(types);
        aggregates
            .map(|(kind, found)| Aggregate {
                kind: *kind,
                signedness: match found {
                    Some(found) if found.starts_with('i') => Signedness::Signed,
                    _ => Signedness::Unsigned,
                },
            })
            .collect()
    }

    /// The types of the columns of results that are not those usual for their widths.
    pub(super) fn result_types(&self) -> Vec<Option<String>> {
        if self.aggregates.is_empty() {
            return self.types.outputs.clone();
        }
        let known = self.types.outputs.iter().cloned().chain(std::iter::repeat(None));
        let totals = self
            .aggregates()
            .into_iter()
            .zip(self.circuit.outputs())
            .zip(known);
        let of_total =
            |((aggregate, port), known): ((Aggregate, &OutputPort), Option<String>)| match aggregate.kind {
                AggregateKind::Count => None,
                AggregateKind::Sum => {
                    let width = aggregate.total_width(port.wires.len());
                    (aggregate.is_signed() && width <= 128).then(|| format!("i{width}"))
                }
                AggregateKind::Any | AggregateKind::All | AggregateKind::Max | AggregateKind::Min => known,
            };
        totals.map(of_total).collect()
    }

    /// The digest that files of inputs and results have: that of the circuit and, if there are any, of the aggregates.
    pub(crate) fn digest(&self) -> [u8; 32] {
        if self.aggregates.is_empty() {
            return self.circuit.digest();
        }
        let mut hash = Sha256::new_with_prefix(b"ringmill totals 1");
        hash.update(self.circuit.digest());
        hash.update(Aggregate::digest(&self.aggregates()));
        hash.finalize().into()
    }

    pub(super) fn refuse_after_totals(&self) -> Result<(), Error> {
        if self.aggregates.is_empty() {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{}: its outputs are totals over all records, which nothing can be computed of; decrypt them first",
            self.name
        )))
    }

    /// The place of an output port, by its name alone or after that of the last circuit.
    fn output(&self, name: &str) -> Option<usize> {
        let place = |name: &str| output_names(&self.circuit).position(|known| known == name);
        place(name).or_else(|| {
            let last = self.name.rsplit(" then ").next().unwrap_or(&self.name);
            place(name.strip_prefix(&label(last))?.strip_prefix('.')?)
        })
    }

    fn output_names(&self) -> String {
        output_names(&self.circuit).collect::<Vec<_>>().join(", ")
    }
}

fn output_names(circuit: &Circuit) -> impl Iterator<Item = &str> {
    circuit.outputs().iter().map(|port| &*port.name)
}

/// Refuses an aggregate of values that it cannot take.
fn check(port: &OutputPort, kind: AggregateKind) -> Result<(), Error> {
    let name = &port.name;
    match (port.kind.is_bit(), kind.takes_bits(), port.wires.len()) {
        (true, true, 1) | (true, false, _) => Ok(()),
        (true, true, bits) => Err(Error::Usage(format!(
            "{kind} cannot be taken of the output {name}, which has {bits} bits: it takes a condition of one bit; sum, max \
             and min take numbers"
        ))),
        (false, ..) => Err(Error::Usage(format!(
            "{kind} cannot be taken of the output {name}, which has bytes: take a circuit on bits, or put one behind it with \
             --then"
        ))),
    }
}
