//! Rows and conversions of the model's units.

use ringmill_arith::secret::Secret;

use super::memory::Memory;
use super::rows::Rows;
use super::units::{Content, LimbBuffer, Stop, Units};
use super::{ConversionTable, Fault, Instruction, Row, TableNumber};

impl Units {
    /// Looks at the rows that an instruction names.
    pub(super) fn check_rows(&self, instruction: &Instruction) -> Result<(), Fault> {
        let (log_rows, strip, named) = match *instruction {
            Instruction::LoadRow {
                destination: row,
                strip,
                log_rows,
                ..
            }
            | Instruction::StoreRow {
                source: row,
                strip,
                log_rows,
                ..
            } => (log_rows, strip, [row; 3]),
            Instruction::Convert {
                log_rows,
                destination,
                sources,
                own,
                ..
            } => (log_rows, 0, [destination, sources, own]),
            _ => return Ok(()),
        };
        let rows = Rows::new(&self.configuration, log_rows)?;
        let exists = |row: u8| usize::from(row) < rows.count();
        if exists(strip) && named.iter().all(|row| exists(row.row)) {
            Ok(())
        } else {
            Err(Fault::Rows)
        }
    }

    /// Looks at the table and the buffers of a conversion.
    pub(super) fn check_conversion(&self, instruction: &Instruction) -> Result<(), Fault> {
        match *instruction {
            Instruction::Table { table, .. } if usize::from(table) >= self.tables.len() => Err(Fault::Slot),
            Instruction::Convert {
                table,
                log_rows,
                destination,
                sources,
                own,
            } => {
                let rows = Rows::new(&self.configuration, log_rows)?;
                let shape = self.table(table)?.shape();
                let buffers = |first: Row, count: usize| {
                    let (last, _) = rows.behind(first, count.saturating_sub(1));
                    usize::from(first.buffer)..last + 1
                };
                let read = [
                    buffers(sources, shape.sources),
                    if shape.own {
                        buffers(own, shape.targets)
                    } else {
                        0..0
                    },
                ];
                let written = buffers(destination, shape.targets);
                if read
                    .iter()
                    .chain([&written])
                    .any(|range| range.end > self.buffers.len())
                {
                    return Err(Fault::Buffer);
                }
                self.check_content(read.into_iter().flatten(), Content::Rows)
            }
            _ => Ok(()),
        }
    }

    fn table(&self, table: TableNumber) -> Result<&ConversionTable, Fault> {
        let table = self.tables.get(usize::from(table)).and_then(Option::as_ref);
        table.ok_or(Fault::Slot)
    }

    /// Does a checked instruction on rows or tables. Returns the slots with doubtful columns.
    pub(super) fn convert(
        &mut self,
        instruction: &Instruction,
        memory: &mut Memory,
    ) -> Result<Vec<usize>, Stop> {
        match *instruction {
            Instruction::LoadRow {
                destination,
                strip,
                log_rows,
                address,
            } => self.load_row(destination, (strip, log_rows), address, memory)?,
            Instruction::StoreRow {
                source,
                strip,
                log_rows,
                address,
            } => self.store_row(source, (strip, log_rows), address, memory)?,
            Instruction::Table { table, address } => self.load_table(table, address, memory)?,
            Instruction::Convert {
                table,
                log_rows,
                destination,
                sources,
                own,
            } => {
                let rows = Rows::new(&self.configuration, log_rows)?;
                return self.convert_rows(table, rows, [sources, own, destination]);
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    fn load_row(
        &mut self,
        to: Row,
        (strip, log_rows): (u8, u8),
        address: u64,
        memory: &Memory,
    ) -> Result<(), Fault> {
        let (rows, width) = (
            Rows::new(&self.configuration, log_rows)?,
            self.configuration.sizes().width,
        );
        let bytes = 8 * rows.words() as u64;
        let words = memory.words(address + u64::from(strip) * bytes, rows.words());
        let words = words.map_err(|_| Fault::Read)?;
        self.bytes_read += bytes;
        if words.iter().any(|word| word >> width != 0) {
            return Err(Fault::Word);
        }
        let row = self.row_mut(rows, to, 0);
        for (place, &word) in rows.places(strip.into()).zip(words) {
            if let Some(to) = row.get_mut(place) {
                *to = word;
            }
        }
        Ok(())
    }

    fn store_row(
        &mut self,
        from: Row,
        (strip, log_rows): (u8, u8),
        address: u64,
        memory: &mut Memory,
    ) -> Result<(), Fault> {
        let rows = Rows::new(&self.configuration, log_rows)?;
        let bytes = 8 * rows.words() as u64;
        let words = memory.words_mut(address + u64::from(strip) * bytes, rows.words());
        let words = words.map_err(|_| Fault::Write)?;
        let row = self.row(rows, from, 0);
        for (place, word) in rows.places(strip.into()).zip(words) {
            *word = row.get(place).copied().unwrap_or_default();
        }
        self.bytes_written += bytes;
        Ok(())
    }

    fn load_table(&mut self, table: TableNumber, address: u64, memory: &Memory) -> Result<(), Stop> {
        let words = memory.words(address, ConversionTable::WORDS);
        let words = words.map_err(|_| Fault::Read)?;
        self.bytes_read += 8 * words.len() as u64;
        let read = ConversionTable::read(&self.configuration, words)?.ok_or(Fault::Table)?;
        if let Some(place) = self.tables.get_mut(usize::from(table)) {
            *place = Some(read);
        }
        Ok(())
    }

    /// Converts rows, from the first of the sources, own words and results on. Results are written when all are made.
    fn convert_rows(
        &mut self,
        table: TableNumber,
        rows: Rows,
        [sources, own, destination]: [Row; 3],
    ) -> Result<Vec<usize>, Stop> {
        let table = self.table(table)?;
        let shape = table.shape();
        let operands = |first, count| (0..count).map(|i| self.row(rows, first, i)).collect::<Vec<_>>();
        let own = operands(own, if shape.own { shape.targets } else { 0 });
        let converted = table.run(&operands(sources, shape.sources), &own)?;
        for (i, limb) in converted.limbs.into_iter().enumerate() {
            let limb = Secret::from(limb);
            self.row_mut(rows, destination, i).copy_from_slice(&limb);
        }
        let banks = 2 * self.configuration.units();
        let mut slots: Vec<usize> = converted.doubtful.iter().map(|column| column / banks).collect();
        slots.dedup();
        Ok(slots)
    }

    /// The words of a row behind another, of a checked instruction.
    fn row(&self, rows: Rows, first: Row, behind: usize) -> &[u64] {
        let (buffer, row) = rows.behind(first, behind);
        let words = self
            .buffers
            .get(buffer)
            .and_then(|buffer| buffer.words.get(rows.range(row)));
        words.unwrap_or_default()
    }

    /// The same, to write them: the buffer has rows from now on. What was in the others stays there, bank by bank.
    fn row_mut(&mut self, rows: Rows, first: Row, behind: usize) -> &mut [u64] {
        let (at, row) = rows.behind(first, behind);
        let Some(buffer) = self.buffers.get_mut(at) else {
            return &mut [];
        };
        if buffer.content != Content::Rows {
            let mut words = Secret::zeros(buffer.words.len());
            for (place, &word) in rows.in_banks().zip(buffer.words.iter()) {
                if let Some(to) = words.get_mut(place) {
                    *to = word;
                }
            }
            let content = Content::Rows;
            *buffer = LimbBuffer { words, content };
        }
        buffer.words.get_mut(rows.range(row)).unwrap_or_default()
    }
}
