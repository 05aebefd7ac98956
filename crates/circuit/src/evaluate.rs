//! Evaluation in the clear, 64 records at a time.

mod chunk;

use chunk::Chunk;

use crate::{Circuit, EvaluateError, InputPort, PortLanes, PortValues};

/// The number of records evaluated at a time: the bits of a machine word.
const CHUNK: usize = 64;

impl Circuit {
    /// Evaluates the circuit on many records at once.
    /// `inputs` has one entry per input port, in the order of [`Circuit::inputs`], each of the port's kind
    /// and width. Rows determine the number of records, and bits come in as many words of 64 as that takes.
    /// If no port has rows, all ports have the same number of words, which is arbitrary, and every bit of
    /// them is a record. A circuit without inputs has 64 records. The result has one entry per output port
    /// for the same records. If the last word is not full, its remaining output bits belong to whatever
    /// input bits stood there.
    ///
    /// # Errors
    ///
    /// * [`EvaluateError::PortCount`]: there is not exactly one entry per input port.
    /// * [`EvaluateError::PortKind`]: bits for rows or rows for bits.
    /// * [`EvaluateError::PortWidth`]: an entry has a wrong number of wires.
    /// * [`EvaluateError::LaneLength`], [`EvaluateError::RowBytes`]: wires have different numbers of
    ///   records.
    pub fn evaluate(&self, inputs: &[PortValues]) -> Result<Vec<PortValues>, EvaluateError> {
        let records = self.check_inputs(inputs)?;
        let mut outputs: Vec<PortValues> = self
            .outputs()
            .iter()
            .map(|port| {
                if port.kind.is_bit() {
                    PortValues::Bits(vec![Vec::new(); port.wires.len()])
                } else {
                    PortValues::Rows(vec![Vec::new(); port.wires.len()])
                }
            })
            .collect();

        // Processing one chunk of records after another keeps the working set at 8 bytes per bit gate, which
        // stays in cache for circuits of interest.
        let mut chunk = Chunk::new(self);
        for start in (0..records).step_by(CHUNK) {
            let count = CHUNK.min(records - start);
            for (port, values) in self.inputs().iter().zip(inputs) {
                chunk.load(port, values, start, count);
            }
            chunk.compute(self);
            for (port, values) in self.outputs().iter().zip(&mut outputs) {
                chunk.store(port, values, count);
            }
        }
        Ok(outputs)
    }

    /// Evaluates a circuit on bits on one record. There is one entry per input port with one `bool` per bit,
    /// least significant first; the result has the same form. Outputs of rows are empty.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::PortCount`], [`EvaluateError::PortKind`] and
    /// [`EvaluateError::PortWidth`] as for [`Circuit::evaluate`].
    pub fn evaluate_record(&self, inputs: &[Vec<bool>]) -> Result<Vec<Vec<bool>>, EvaluateError> {
        let lanes =
            |bits: &Vec<bool>| -> PortLanes { bits.iter().map(|bit| vec![u64::from(*bit)]).collect() };
        let inputs: Vec<PortValues> = inputs.iter().map(|bits| lanes(bits).into()).collect();
        let record = |lane: &Vec<u64>| lane.first().is_some_and(|word| word & 1 == 1);
        let outputs = self.evaluate(&inputs)?;
        let bits = outputs.iter().map(|values| {
            let lanes = values.as_bits().into_iter().flatten();
            lanes.map(record).collect()
        });
        Ok(bits.collect())
    }

    /// Evaluates the circuit on one record of bytes. There is one entry per input port: the bytes of its
    /// rows in order, or bit `i` of the port as bit `i % 8` of byte `i / 8`. The result has the same form.
    /// Surplus bits of the last byte are ignored.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::PortCount`], and [`EvaluateError::RecordBytes`] for an
    /// entry with a wrong number of bytes.
    pub fn evaluate_record_bytes(&self, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, EvaluateError> {
        self.check_port_count(inputs.len())?;
        let ports = self.inputs().iter().zip(inputs);
        let values = ports.map(|(port, bytes)| record_values(port, bytes));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let outputs = self.evaluate(&values)?;
        let ports = self.outputs().iter().zip(outputs);
        Ok(ports
            .map(|(port, values)| values.record_bytes(port.kind, 0))
            .collect())
    }

    fn check_port_count(&self, found: usize) -> Result<(), EvaluateError> {
        let expected = self.inputs().len();
        if found == expected {
            Ok(())
        } else {
            Err(EvaluateError::PortCount { expected, found })
        }
    }

    /// Checks shapes and returns the number of records.
    fn check_inputs(&self, inputs: &[PortValues]) -> Result<usize, EvaluateError> {
        self.check_port_count(inputs.len())?;
        for (port, values) in self.inputs().iter().zip(inputs) {
            if port.kind.is_bit() != matches!(values, PortValues::Bits(_)) {
                return Err(EvaluateError::PortKind {
                    port: port.name.clone(),
                    expected: port.kind,
                });
            }
            if values.width() != port.wires.len() {
                return Err(EvaluateError::PortWidth {
                    port: port.name.clone(),
                    expected: port.wires.len(),
                    found: values.width(),
                });
            }
        }
        let records = self.count_records(inputs);
        for (port, values) in self.inputs().iter().zip(inputs) {
            check_lengths(port, values, records)?;
        }
        Ok(records)
    }

    /// The number of records, determined by the first port of rows or else by the first bit.
    fn count_records(&self, inputs: &[PortValues]) -> usize {
        let ports = || self.inputs().iter().zip(inputs);
        let rows = ports().find_map(|(port, values)| {
            let bytes = values.as_rows()?.first()?.len();
            Some(bytes.div_ceil(port.kind.slots()))
        });
        let words = || ports().find_map(|(_, values)| Some(values.as_bits()?.first()?.len()));
        rows.or_else(|| Some(CHUNK * words()?)).unwrap_or(CHUNK)
    }
}

/// Checks that every wire of a port has values for this number of records.
fn check_lengths(port: &InputPort, values: &PortValues, records: usize) -> Result<(), EvaluateError> {
    match values {
        PortValues::Bits(lanes) => {
            let expected = records.div_ceil(CHUNK);
            let odd = lanes.iter().position(|lane| lane.len() != expected);
            odd.map_or(Ok(()), |bit| {
                Err(EvaluateError::LaneLength {
                    port: port.name.clone(),
                    bit,
                    expected,
                    found: lanes.get(bit).map_or(0, Vec::len),
                })
            })
        }
        PortValues::Rows(rows) => {
            let expected = records * port.kind.slots();
            let odd = rows.iter().position(|row| row.len() != expected);
            odd.map_or(Ok(()), |wire| {
                Err(EvaluateError::RowBytes {
                    port: port.name.clone(),
                    wire,
                    expected,
                    found: rows.get(wire).map_or(0, Vec::len),
                })
            })
        }
    }
}

/// The values of a port for one record given as bytes.
fn record_values(port: &InputPort, bytes: &[u8]) -> Result<PortValues, EvaluateError> {
    let width = port.wires.len();
    let expected = if port.kind.is_bit() {
        width.div_ceil(8)
    } else {
        width * port.kind.slots()
    };
    if bytes.len() != expected {
        return Err(EvaluateError::RecordBytes {
            port: port.name.clone(),
            expected,
            found: bytes.len(),
        });
    }
    if port.kind.is_bit() {
        let bits = bytes
            .iter()
            .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
        let lanes: PortLanes = bits.take(width).map(|bit| vec![u64::from(bit)]).collect();
        return Ok(lanes.into());
    }
    let rows = bytes.chunks(port.kind.slots()).map(<[u8]>::to_vec);
    Ok(PortValues::Rows(rows.collect()))
}
