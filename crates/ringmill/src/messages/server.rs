//! The party that evaluates a program.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use ringmill_device::Device;
use ringmill_expression::MessageProgram;
use ringmill_format::Access;
use ringmill_fv::Ciphertext;
use ringmill_records::TableFormat;

use super::columns::places;
use super::evaluation::{Evaluator, Input};
use super::inputs::RowTotals;
use super::program_file::{self, RowsBatch, RowsFile, digest};
use super::public::{Public, PublicLines, public_rows, require_all};
use super::{Columns, EncryptedRows, MessageSession, RowsHead};
use crate::Error;
use crate::batches::Role;
use crate::files::{Content, Output};
use crate::keys::{EvaluationKeys, KeySet};
use crate::observer::{Running, Stage};
use crate::session::Steps;

/// A party that evaluates a program over messages, without any secret.
pub struct MessageServer<D: Device> {
    session: Arc<MessageSession<D>>,
    keys: EvaluationKeys<D>,
    /// The name of the evaluation keys for messages to people.
    name: PathBuf,
}

impl<D: Device> MessageServer<D> {
    pub(super) fn new(
        session: Arc<MessageSession<D>>,
        keys: EvaluationKeys<D>,
        name: &Path,
    ) -> Result<Self, Error> {
        let server = Self {
            session,
            keys,
            name: name.to_path_buf(),
        };
        server.evaluator()?;
        Ok(server)
    }

    fn evaluator(&self) -> Result<Evaluator<'_, D>, Error> {
        let session = &*self.session;
        Evaluator::new(&session.context, session.plan()?, &self.keys, &*session.observer)
    }

    fn own_set(&self) -> Option<(KeySet, PathBuf)> {
        self.keys.set.map(|set| (set, self.name.clone()))
    }

    /// Evaluates the program, row by row. Each public input has as many messages as there are rows, or one that stands
    /// for all.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for inputs that are missing, unknown, of another program or of other
    /// keys, and for numbers that do not suit the parameters; if the device fails.
    pub fn evaluate(&self, inputs: EncryptedRows<D>, public: &Columns) -> Result<EncryptedRows<D>, Error> {
        self.evaluate_joint(vec![inputs], public)
    }

    /// As [`MessageServer::evaluate`], of inputs of several owners, each of whom encrypted some, in the same rows.
    ///
    /// # Errors
    /// As [`MessageServer::evaluate`]; for numbers of rows that differ.
    pub fn evaluate_joint(
        &self,
        inputs: Vec<EncryptedRows<D>>,
        public: &Columns,
    ) -> Result<EncryptedRows<D>, Error> {
        let _running = Running::begin(&*self.session.observer, Stage::Evaluating);
        let plan = self.session.plan()?;
        let own = self.own_set();
        for rows in &inputs {
            KeySet::check(rows.head.keys, own.as_ref(), "messages").map_err(Error::Usage)?;
            if rows.head.program != digest(plan.program()) || rows.head.role != Role::Inputs {
                return Err(Error::Usage("these are no inputs of the program".to_owned()));
            }
        }
        let public = public_rows(plan, public, inputs.first().map_or(0, EncryptedRows::rows))?;
        let batches = inputs
            .into_iter()
            .map(|rows| (rows.head, rows.ciphertexts))
            .collect();
        let (head, ciphertexts) = self.evaluate_batch(&self.evaluator()?, batches, &public, &|| ())?;
        Ok(EncryptedRows { head, ciphertexts })
    }

    /// Evaluates a batch whose private inputs are in several files, each row of which has some. Each thread takes a row;
    /// so many are in progress at a time.
    fn evaluate_batch(
        &self,
        evaluator: &Evaluator<'_, D>,
        batches: Vec<RowsBatch<D>>,
        public: &Public,
        step: &(dyn Fn() + Sync),
    ) -> Result<RowsBatch<D>, Error> {
        let plan = self.session.plan()?;
        let program = plan.program();
        let names = batches
            .iter()
            .flat_map(|(head, _)| head.names.iter().map(String::as_str));
        require_all(program, false, &places(program, false, names)?)?;
        let Some((first, _)) = batches.first() else {
            return Err(Error::Usage(
                "no encrypted inputs; give at least one file".to_owned(),
            ));
        };
        let (rows, last, index, keys) = (first.rows(), first.last, first.index, first.keys);
        if batches
            .iter()
            .any(|(head, _)| (head.rows(), head.last) != (rows, last))
        {
            let problem =
                "the encrypted inputs have different numbers of rows; row i of all belongs together";
            return Err(Error::Usage(problem.to_owned()));
        }
        let sources = batches.into_iter();
        let mut sources: Vec<Source<D>> = sources
            .map(|(head, ciphertexts)| (head, ciphertexts.into_iter()))
            .collect();
        let (mut results, mut lengths) = (Vec::new(), Vec::new());
        let together = rayon::current_num_threads();
        for start in (0..rows).step_by(together) {
            let mut begun = Vec::with_capacity(together);
            for row in start..rows.min(start + together) {
                let (inputs, longest) = row_inputs(program, &mut sources, public, row)?;
                lengths.extend(plan.result_lengths(longest).map(|length| length as u32));
                begun.push(inputs);
            }
            let ended = begun.into_par_iter().map(|inputs| {
                let outputs = evaluator.row(inputs)?;
                step();
                Ok(outputs)
            });
            results.extend(ended.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten());
        }
        let head = RowsHead {
            program: digest(program),
            role: Role::Results,
            last,
            index,
            keys: keys.or(self.keys.set),
            names: program
                .outputs()
                .iter()
                .map(|output| output.name.clone())
                .collect(),
            lengths,
        };
        Ok((head, results))
    }

    /// Evaluates files of encrypted inputs, of one owner or of several. Each public input has a file with a message a
    /// line, as many lines as there are rows or one that stands for all. One batch is in memory at a time; `-` is
    /// standard input.
    ///
    /// # Errors
    /// As [`MessageServer::evaluate_joint`]; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) for damaged files, and for
    /// files that do not belong together; [`Output::check`].
    pub fn evaluate_to(
        &self,
        inputs: &[impl AsRef<Path>],
        public: &[(impl AsRef<str>, impl AsRef<Path>)],
        format: Option<TableFormat>,
        output: &Output,
    ) -> Result<RowTotals, Error> {
        output.prepare(Content::Binary, &*self.session.observer)?;
        let (context, plan) = (&self.session.context, self.session.plan()?);
        let open = |path: &Path| {
            let file = RowsFile::open(context, plan, Role::Inputs, path)?;
            Ok(file.of_keys(self.keys.set, &self.name))
        };
        let files = inputs.iter().map(|path| open(path.as_ref()));
        let mut files = files.collect::<Result<Vec<_>, Error>>()?;
        let mut public = PublicLines::open(plan, public, format)?;
        let evaluator = self.evaluator()?;
        let (totals, bytes) = output.write(Access::Public, |out| {
            let running = Running::begin(&*self.session.observer, Stage::Evaluating);
            let mut totals = RowTotals::none();
            while let Some(batches) = next_batches(&mut files)? {
                let (rows, last) = batches
                    .first()
                    .map_or((0, true), |(head, _)| (head.rows(), head.last));
                let total = files
                    .first()
                    .and_then(|file| file.meter().batches(totals.batches + 1, last));
                let steps = Steps::new(&running, totals.batches, total, rows);
                let public = public.take(rows, last)?;
                let start = Instant::now();
                let (head, results) = self.evaluate_batch(&evaluator, batches, &public, &|| steps.step())?;
                totals.add(head.rows(), results.len(), start.elapsed().as_secs_f64());
                program_file::write(out, context, &head, &results)?;
            }
            Ok(totals)
        })?;
        Ok(RowTotals { bytes, ..totals })
    }
}

/// A batch whose ciphertexts are taken row by row.
type Source<D> = (RowsHead, std::vec::IntoIter<Ciphertext<D>>);

/// The inputs of the next row, in the program's order, and the most numbers in one.
fn row_inputs<'a, D: Device>(
    program: &MessageProgram,
    sources: &mut [Source<D>],
    public: &'a Public,
    row: usize,
) -> Result<(Vec<Input<'a, D>>, usize), Error> {
    let mut inputs: Vec<(usize, Input<'a, D>)> = Vec::new();
    let mut longest = 1;
    for (place, message) in public.row(row) {
        longest = longest.max(message.len());
        inputs.push((place, Input::Public(message)));
    }
    for (head, ciphertexts) in sources {
        let lengths = head.row_lengths().nth(row).into_iter().flatten();
        longest = lengths.fold(longest, |longest, length| longest.max(*length as usize));
        let own = places(program, false, head.names.iter().map(String::as_str))?;
        let own = own.into_iter().zip(ciphertexts.by_ref());
        inputs.extend(own.map(|(place, ciphertext)| (place, Input::Encrypted(ciphertext))));
    }
    inputs.sort_by_key(|(place, _)| *place);
    Ok((inputs.into_iter().map(|(_, input)| input).collect(), longest))
}

/// The next batch of each file; none at the end of all.
fn next_batches<D: Device>(files: &mut [RowsFile<'_, D>]) -> Result<Option<Vec<RowsBatch<D>>>, Error> {
    let mut batches = Vec::with_capacity(files.len());
    let mut ended = None;
    for file in files {
        match file.next()? {
            Some(batch) => batches.push(batch),
            None => ended = Some(file.path().to_path_buf()),
        }
    }
    match (ended, batches.is_empty()) {
        (None, _) => Ok(Some(batches)),
        (Some(_), true) => Ok(None),
        (Some(path), false) => Err(Error::data(
            &path,
            "it has fewer rows than another file of inputs",
        )),
    }
}
