use std::sync::{Arc, Mutex, PoisonError};

use num_bigint::BigInt;
use pyo3::prelude::*;
use ringmill::circuit::AggregateKind;
use ringmill::circuits::{ExpressionError, PortType, TracedValue, Type, from_compiled};

use crate::circuit::Circuit;
use crate::error::{circuit_error, raise, raise_expression};

/// A circuit that is being written.
#[pyclass(frozen)]
pub struct Trace(Mutex<Option<ringmill::circuits::Trace>>);

/// A value of it.
#[pyclass(frozen)]
pub struct Value(Arc<TracedValue>);

#[pymethods]
impl Value {
    /// Its type, as expressions write it.
    #[getter]
    fn type_name(&self) -> String {
        self.0.value_type().to_string()
    }

    /// Its bits.
    #[getter]
    fn width(&self) -> usize {
        self.0.value_type().width()
    }
}

impl Trace {
    /// Does something with the trace, if it has not ended.
    fn with<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut ringmill::circuits::Trace) -> Result<T, ExpressionError>,
    ) -> PyResult<T> {
        let mut trace = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let trace = trace.as_mut().ok_or_else(|| {
            circuit_error(
                py,
                "this circuit is finished: its values have no meaning any more",
            )
        })?;
        work(trace).map_err(|error| raise_expression(py, &error))
    }
}

fn type_of(py: Python<'_>, name: &str) -> PyResult<Type> {
    name.parse()
        .map_err(|error| circuit_error(py, &format!("{error}")))
}

#[pymethods]
impl Trace {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Some(ringmill::circuits::Trace::new())))
    }

    /// Declares an input.
    fn input(&self, py: Python<'_>, name: String, type_name: &str, public: bool) -> PyResult<Value> {
        let port = PortType {
            name,
            value_type: type_of(py, type_name)?,
            public,
        };
        Ok(Value(Arc::new(self.with(py, |trace| trace.input(port))?)))
    }

    /// The value of a formula of these names.
    fn value(&self, py: Python<'_>, formula: &str, operands: Vec<(String, Py<Value>)>) -> PyResult<Value> {
        let named = operands.iter().map(|(name, value)| (&**name, &*value.get().0));
        let named: Vec<_> = named.collect();
        let value = self.with(py, |trace| trace.value(formula, &named))?;
        Ok(Value(Arc::new(value)))
    }

    /// The entry of a table.
    fn look_up(
        &self,
        py: Python<'_>,
        entries: Vec<BigInt>,
        entry_type: Option<&str>,
        index: Py<Value>,
    ) -> PyResult<Value> {
        let entry = entry_type.map(|name| type_of(py, name)).transpose()?;
        let value = self.with(py, |trace| trace.look_up(entries, entry, &index.get().0))?;
        Ok(Value(Arc::new(value)))
    }

    /// Makes a value an output.
    fn output(&self, py: Python<'_>, name: &str, value: Py<Value>, type_name: Option<&str>) -> PyResult<()> {
        let wanted = type_name.map(|name| type_of(py, name)).transpose()?;
        self.with(py, |trace| trace.output(name, &value.get().0, wanted))
    }

    /// Makes a total over all records an output.
    fn total(&self, py: Python<'_>, name: &str, kind: &str, value: Py<Value>) -> PyResult<()> {
        let kind: AggregateKind = kind
            .parse()
            .map_err(|error| circuit_error(py, &format!("{error}")))?;
        self.with(py, |trace| trace.total(name, kind, &value.get().0))
    }

    /// Ends; the circuit, and the inputs that no output needs.
    fn finish(&self, py: Python<'_>, name: &str) -> PyResult<(Circuit, Vec<String>)> {
        let trace = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let trace = trace.ok_or_else(|| circuit_error(py, "this circuit is finished already"))?;
        let compiled = py.detach(|| trace.finish());
        let compiled = compiled.map_err(|error| raise_expression(py, &error))?;
        let unused = compiled.unused.clone();
        let circuit = from_compiled(name, compiled).map_err(|error| raise(py, &error))?;
        Ok((Circuit(circuit), unused))
    }
}
