use std::iter;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use ringmill::circuit::Visibility;
use ringmill::circuits::{self, KnownTypes};
use ringmill::{Error, JobFile, NamedCircuit, Trial};

use crate::error::{raise, usage};
use crate::table::{Table, Unpacked, unpacked};
use crate::threads::compute;

/// A circuit with its name.
#[pyclass(frozen)]
pub struct Circuit(pub NamedCircuit);

/// A column of a port: its name, its type, its bits, and whether the evaluator sees it.
type Port = (String, String, usize, bool);

/// The names of all circuits that come with the library.
#[pyfunction]
pub fn circuit_names() -> Vec<String> {
    circuits::names()
}

fn made(py: Python<'_>, circuit: Result<NamedCircuit, Error>) -> PyResult<Circuit> {
    circuit.map(Circuit).map_err(|error| raise(py, &error))
}

fn open(path: &Path) -> Result<NamedCircuit, Error> {
    if path.extension().is_none_or(|ending| ending != "job") {
        return circuits::open(path);
    }
    let file = JobFile::open(path)?;
    file.circuit()
        .cloned()
        .ok_or_else(|| Error::data(path, "the job file holds no circuit"))
}

#[pymethods]
impl Circuit {
    /// One that comes with the library.
    #[staticmethod]
    fn named(py: Python<'_>, name: &str) -> PyResult<Self> {
        made(py, circuits::by_name(name))
    }

    /// One of a file, by its ending; that of a job file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        made(py, py.detach(|| open(&path)))
    }

    /// One of text in Bristol Fashion or Bristol Format.
    #[staticmethod]
    fn bristol(py: Python<'_>, name: &str, text: &str) -> PyResult<Self> {
        made(py, py.detach(|| circuits::from_bristol(name, text.as_bytes())))
    }

    /// One of an expression program.
    #[staticmethod]
    fn expression(py: Python<'_>, name: &str, text: &str, types: Vec<(String, String)>) -> PyResult<Self> {
        let mut known = KnownTypes::default();
        for (column, named) in types {
            let (named, visibility) = match named.strip_prefix("public ") {
                Some(named) => (named.to_owned(), Visibility::Public),
                None => (named, Visibility::Private),
            };
            let found = named
                .parse()
                .map_err(|error| usage(py, format!("{column}: {error}")))?;
            known.insert(column, found, visibility);
        }
        made(py, py.detach(|| circuits::from_expression(name, text, &known)))
    }

    /// Several, each with the results of the one before as its private inputs.
    #[staticmethod]
    fn chain(py: Python<'_>, parts: Vec<Py<Self>>, public: Vec<String>, widen: bool) -> PyResult<Self> {
        let parts = parts.iter().map(|part| part.get().0.clone()).collect();
        made(py, circuits::chain(parts, &public, widen))
    }

    /// The same with an input that the evaluator sees.
    fn with_public(&self, py: Python<'_>, port: &str) -> PyResult<Self> {
        made(py, self.0.clone().with_public(port))
    }

    /// The same with other names of all ports.
    fn with_names(&self, py: Python<'_>, inputs: Vec<String>, outputs: Vec<String>) -> PyResult<Self> {
        made(py, self.0.clone().with_names(&inputs, &outputs))
    }

    /// The same with totals over all records as results, each `KIND:PORT`.
    fn with_totals(&self, py: Python<'_>, totals: Vec<String>) -> PyResult<Self> {
        made(py, self.0.clone().with_named_aggregates(&totals))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn depth(&self) -> u32 {
        self.0.circuit().and_depth()
    }

    #[getter]
    fn products(&self) -> usize {
        self.0.circuit().and_count()
    }

    #[getter]
    fn gates(&self) -> usize {
        self.0.circuit().gates().len()
    }

    /// The bytes of the key of the block cipher that it begins with, the port that takes its data, and the bytes of a block.
    #[getter]
    fn cipher(&self) -> Option<(usize, &str, usize)> {
        let cipher = self.0.cipher()?;
        Some((cipher.key_bytes, cipher.data, cipher.block))
    }

    /// The columns of all inputs and of all outputs.
    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let (inputs, outputs) = self.0.column_types();
        let width = |wires: usize, slots: usize, bit: bool| wires * if bit { 1 } else { 8 * slots };
        let circuit = self.0.circuit();
        let input_ports = circuit.inputs().iter().map(|port| {
            let width = width(port.wires.len(), port.kind.slots(), port.kind.is_bit());
            (port.name.clone(), width, port.visibility == Visibility::Public)
        });
        let totals = self
            .0
            .aggregates()
            .into_iter()
            .map(Some)
            .chain(iter::repeat(None));
        let output_ports = circuit.outputs().iter().zip(totals).map(|(port, total)| {
            // A total has more bits than the values that it is of.
            let wires = port.wires.len();
            let wires = total.map_or(wires, |total| total.total_width(wires));
            let width = width(wires, port.kind.slots(), port.kind.is_bit());
            (port.name.clone(), width, false)
        });
        let typed =
            |((name, width, public), kind): ((String, usize, bool), String)| (name, kind, width, public);
        (
            input_ports.zip(inputs).map(typed).collect(),
            output_ports.zip(outputs).map(typed).collect(),
        )
    }

    /// Evaluates it in the clear on a table of all inputs; the columns of the results, and those packed.
    fn simulate<'py>(&self, py: Python<'py>, table: Py<Table>) -> PyResult<Unpacked<'py>> {
        let table = &table.get().0;
        let tried = py.detach(|| compute(|| Trial::new(&self.0, table)?.into_records()));
        let records = tried.map_err(|error| raise(py, &error))?;
        unpacked(py, &records)
    }
}
