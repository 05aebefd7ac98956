use std::io::{self, Read};
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringmill::{PublicInputs, TableFormat};
use zeroize::Zeroizing;

use crate::error::{raise, usage};

/// A table to be read.
#[pyclass(frozen)]
pub struct Table(pub ringmill::Table);

#[pymethods]
impl Table {
    /// Packed records.
    #[staticmethod]
    fn packed(records: Vec<u8>) -> Self {
        Self(ringmill::Table::binary(records))
    }

    /// Packed records that `read()` of an object gives, some at a time, until it gives none. They can be used once; what is
    /// wrong with them is blamed on the file that they are of.
    #[staticmethod]
    fn stream(path: PathBuf, records: Py<PyAny>) -> Self {
        let records = Records {
            object: records,
            read: Zeroizing::default(),
            next: 0,
        };
        Self(ringmill::Table::binary_stream(path, records))
    }

    /// A file.
    #[staticmethod]
    #[pyo3(signature = (path, format=None, types=Vec::new()))]
    fn open(py: Python<'_>, path: PathBuf, format: Option<&str>, types: Vec<String>) -> PyResult<Self> {
        let table = ringmill::Table::open(path).with_format(format.map(|name| named(py, name)).transpose()?);
        Ok(Self(table.with_types(types).ignoring_extra(true)))
    }
}

/// Packed records of a Python object.
struct Records {
    object: Py<PyAny>,
    /// What it gave last, and how much of that is used.
    read: Zeroizing<Vec<u8>>,
    next: usize,
}

impl Read for Records {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.next == self.read.len() {
            let more = Python::attach(|py| self.object.call_method0(py, "read")?.extract(py));
            self.read = Zeroizing::new(more.map_err(io::Error::other)?);
            self.next = 0;
        }
        let mut left = self.read.get(self.next..).unwrap_or_default();
        let count = left.read(bytes)?;
        self.next += count;
        Ok(count)
    }
}

/// The format of a name.
pub fn named(py: Python<'_>, name: &str) -> PyResult<TableFormat> {
    TableFormat::of_extension(name).ok_or_else(|| {
        usage(
            py,
            format!("there is no format {name:?}; there are csv, tsv, json, bin and parquet"),
        )
    })
}

/// Records for Python: the name, the type and the bits of each column, and the records packed.
pub type Unpacked<'py> = (Vec<(String, String, usize)>, Bound<'py, PyBytes>);

/// Packs records for Python.
pub fn unpacked<'py>(py: Python<'py>, records: &ringmill::Records) -> PyResult<Unpacked<'py>> {
    let columns = records.schema().columns().iter();
    let columns = columns.map(|column| {
        let (name, kind) = (column.port().name.clone(), column.column_type().to_string());
        (name, kind, column.width())
    });
    let bytes = records.to_bytes(TableFormat::Binary);
    let bytes = bytes.map_err(|error| raise(py, &error))?;
    Ok((columns.collect(), PyBytes::new(py, &bytes)))
}

/// Public inputs: a table, or data of a cipher and a table of the others.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Public {
    table: Option<Py<Table>>,
    data: Option<Py<Table>>,
    counter: Option<[u8; 16]>,
}

impl Public {
    /// The same for the library.
    pub fn inputs(self) -> PublicInputs {
        let table = self.table.map(|table| table.get().0.clone());
        match (self.data, table) {
            (Some(data), others) => PublicInputs::cipher_data(data.get().0.clone(), self.counter, others),
            (None, Some(table)) => PublicInputs::table(table),
            (None, None) => PublicInputs::none(),
        }
    }
}
