use ringmill::circuits::{NamedCircuit, find, names};
use ringmill_circuit::{Analysis, Circuit, Visibility, WireType};
use serde::Serialize;

use crate::arguments::CircuitsArguments;
use crate::error::CliError;
use crate::report::{Table, columns, print_either};

/// A circuit and its ports.
#[derive(Serialize)]
pub struct Entry {
    name: String,
    /// Products, and the most of them on a path.
    ands: usize,
    depth: u32,
    /// The most on a path among those of two encrypted values.
    private_depth: u32,
    gates: usize,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

#[derive(Serialize)]
struct Port {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    public: Option<bool>,
    wires: usize,
    /// Bytes of a wire's row; 0 for bits.
    row_bytes: usize,
    /// How all records become one, of results that are totals.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<String>,
    /// The type of its column in a table, unless it is said to be another.
    #[serde(rename = "type")]
    column_type: String,
}

/// Lists circuits, or shows one.
pub fn run(arguments: &CircuitsArguments) -> Result<(), CliError> {
    match &arguments.circuit {
        Some(name) => {
            let entry = Entry::new(&find(name)?);
            print_either(arguments.json, &entry, || entry.text())
        }
        None => {
            let entries = names().into_iter().map(|name| Ok(Entry::new(&find(&name)?)));
            let entries: Vec<Entry> = entries.collect::<Result<_, CliError>>()?;
            print_either(arguments.json, &entries, || list(&entries))
        }
    }
}

impl Entry {
    pub fn new(named: &NamedCircuit) -> Self {
        let circuit: &Circuit = named.circuit();
        let analysis = Analysis::new(circuit);
        let (input_types, output_types) = named.column_types();
        let inputs = circuit.inputs().iter().zip(input_types).map(|(port, found)| {
            let public = port.visibility == Visibility::Public;
            Port::new(&port.name, Some(public), (port.kind, port.wires.len()), found)
        });
        let outputs = circuit.outputs().iter().zip(output_types);
        let totals = named
            .aggregates()
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        let outputs = outputs.zip(totals).map(|((port, found), total)| Port {
            total: total.map(|aggregate| aggregate.kind.to_string()),
            ..Port::new(&port.name, None, (port.kind, port.wires.len()), found)
        });
        Self {
            name: named.name().to_owned(),
            ands: circuit.and_count(),
            depth: analysis.and_depth(),
            private_depth: analysis.private_and_depth(),
            gates: circuit.gates().len(),
            inputs: inputs.collect(),
            outputs: outputs.collect(),
        }
    }

    fn text(&self) -> String {
        let mut table = Table::new();
        table.heading(&self.name);
        table.row("products", format!("{}, depth {}", self.ands, self.depth));
        table.row("depth of encrypted ones", self.private_depth.to_string());
        table.row("gates", self.gates.to_string());
        self.port_rows(&mut table);
        table.to_text()
    }

    /// Rows with the name and the ports.
    pub fn rows(&self, table: &mut Table) {
        table.row("circuit", &*self.name);
        self.port_rows(table);
    }

    fn port_rows(&self, table: &mut Table) {
        for port in &self.inputs {
            table.row("input", port.text());
        }
        for port in &self.outputs {
            table.row("output", port.text());
        }
    }
}

impl Port {
    fn new(name: &str, public: Option<bool>, (kind, wires): (WireType, usize), column_type: String) -> Self {
        Self {
            name: name.to_owned(),
            public,
            wires,
            row_bytes: match kind {
                WireType::Bit => 0,
                WireType::Row(bytes) => bytes,
            },
            total: None,
            column_type,
        }
    }

    fn text(&self) -> String {
        let size = match self.row_bytes {
            0 if self.column_type == "hex" => format!("{} bits in hexadecimal digits", self.wires),
            0 => self.column_type.clone(),
            1 => format!("{} bytes", self.wires),
            bytes => format!("{} rows of {bytes} bytes", self.wires),
        };
        let public = if self.public == Some(true) { ", public" } else { "" };
        let total = self.total.as_ref();
        let total = total.map_or(String::new(), |total| format!(", {total} over all records"));
        format!("{}: {size}{public}{total}", self.name)
    }
}

fn list(entries: &[Entry]) -> String {
    let ports = |ports: &[Port]| ports.iter().map(Port::text).collect::<Vec<_>>().join("; ");
    let row = |entry: &Entry| {
        vec![
            entry.name.clone(),
            entry.ands.to_string(),
            entry.depth.to_string(),
            ports(&entry.inputs),
            ports(&entry.outputs),
        ]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    columns(
        &["circuit", "products", "depth", "inputs", "outputs"],
        1..3,
        &rows,
    )
}
