use std::path::{Path, PathBuf};

use ringmill_circuit::PortValues;
use ringmill_device::Device;
use ringmill_records::{RecordsError, TableFormat, TableWriter};

use crate::Error;
use crate::batches::{Batches, Role, to_outputs};
use crate::client::Client;
use crate::columns::{Carried, carried_error};
use crate::evaluation::{Checks, Origins, Pairs, PublicInputs};
use crate::files::Output;
use crate::observer::{Observer, Running, Stage};
use crate::server::ResultBatch;
use crate::session::Steps;
use crate::signing::VerifyingKey;
use crate::table::{Table, blame, content, format_of, output_schema};
use crate::totals::Totals;
use crate::values;

/// A file of results that is to be decrypted, and what it must be.
pub struct Decryption<'a, D: Device> {
    client: &'a Client<D>,
    results: PathBuf,
    inputs: Option<(Vec<PathBuf>, PublicInputs)>,
    signer: Option<VerifyingKey>,
    /// A table of the client's own, and the columns of it that go before the results.
    carried: Option<(Table, Vec<String>)>,
}

/// Counts of a table of results.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DecryptedFile {
    /// Records.
    pub records: u64,
    /// Batches of them.
    pub batches: usize,
    /// Whether the table has their totals in one row, and not a row for each.
    pub totals: bool,
    /// log2 of the largest noise found, as [`Decrypted::log2_noise`](crate::Decrypted::log2_noise).
    pub log2_noise: f64,
    /// Bytes of the table.
    pub bytes: u64,
}

impl<'a, D: Device> Decryption<'a, D> {
    pub(crate) fn new(client: &'a Client<D>, results: &Path) -> Self {
        Self {
            client,
            results: results.to_path_buf(),
            inputs: None,
            signer: None,
            carried: None,
        }
    }

    /// Accepts only results that say that they were made of these inputs, by the plan of this job. Unless they are
    /// signed too, whoever made them can say what he likes; this finds mistakes.
    #[must_use]
    pub fn of_inputs(self, encrypted: impl AsRef<Path>, public: PublicInputs) -> Self {
        self.of_joint_inputs(&[encrypted], public)
    }

    /// As [`Decryption::of_inputs`], for the files of several owners, in any order.
    #[must_use]
    pub fn of_joint_inputs(self, encrypted: &[impl AsRef<Path>], public: PublicInputs) -> Self {
        let files = encrypted.iter().map(|path| path.as_ref().to_path_buf());
        let inputs = Some((files.collect(), public));
        Self { inputs, ..self }
    }

    /// Accepts only results that are signed with the key of an evaluator: all of them, in this order. That they are
    /// right, this does not say.
    #[must_use]
    pub fn signed_by(self, key: VerifyingKey) -> Self {
        let signer = Some(key);
        Self { signer, ..self }
    }

    /// Puts columns of another table before the results, row by row: names of the records, say, which nobody encrypted.
    /// The table must have as many rows as there are results. Of it, too, one batch is in memory at a time.
    #[must_use]
    pub fn carrying(self, table: Table, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        let carried = Some((table, columns));
        Self { carried, ..self }
    }

    /// Decrypts the results into a table, with one batch in memory at a time. Totals of several batches are added up, and a
    /// note says so. The table's format is the one given or
    /// that of its name; `types` are overrides `NAME=TYPE`. Only its owner can read it, unless it is
    /// [`Output::shared`]. If anything is wrong with the results, there is no table.
    ///
    /// # Errors
    /// As [`Client::decrypt`]; [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) if the file is damaged, of another
    /// job, under other keys, or not what it must be, and if a table of other columns lacks one or has another number of
    /// rows; [`ErrorKind::Usage`](crate::ErrorKind::Usage) for other columns that cannot go before the results;
    /// [`Output::check`].
    pub fn to(
        &self,
        output: &Output,
        format: Option<TableFormat>,
        types: &[impl AsRef<str>],
    ) -> Result<DecryptedFile, Error> {
        let (client, session) = (self.client, &*self.client.session);
        let format = format_of(output.path(), format)?;
        output.prepare(content(format), &*session.observer)?;
        // Nothing is decrypted before it is known whose it is.
        let signed = self.signer.map(|key| key.verify(&self.results)).transpose()?;
        let results = Batches::open(session, &self.results, Role::Results)?;
        let checks = Checks {
            path: &self.results,
            signed,
            results: results.of_keys(client.secret.set, &client.secret.name),
            inputs: self.open_inputs()?,
        };
        let schema = output_schema(&session.circuit, types)?;
        let mut totals = Totals::of(&session.circuit);
        if totals.is_some() && self.carried.is_some() {
            return Err(Error::Usage(
                "--carry: the results are totals over all records, in one row; leave out --carry and --from"
                    .to_owned(),
            ));
        }
        let mut carried = Carried::open(self.carried.as_ref())?;
        let (file, bytes) = output.write(output.access_to_records(), |out| {
            let blame = |error| match error {
                error @ (RecordsError::BadCarried { .. } | RecordsError::NoNames) => carried_error(&error),
                error => blame(output.path(), error),
            };
            let table = TableWriter::behind(out, format, schema.clone(), carried.names());
            let mut table = table.map_err(blame)?;
            let running = session.begin(Stage::Decrypting);
            let mut file = self.decrypt(checks, &running, |records, values, checks| {
                if let Some(totals) = &mut totals {
                    return totals.add_batch(records as u64, &values);
                }
                let rows = carried.rows(records, &mut checks.results)?;
                let batch = values::batch(&schema, records, values);
                table.write_behind(&batch, &rows).map_err(blame)
            })?;
            if let Some(totals) = totals.take() {
                file.totals = true;
                note_batches(file.batches, &*session.observer);
                let total = totals.finish();
                total.map_or(Ok(()), |total| table.write(&total)).map_err(blame)?;
            }
            carried.finish(&self.results, file.records)?;
            table.finish().map_err(blame)?;
            Ok(file)
        })?;
        Ok(DecryptedFile { bytes, ..file })
    }

    fn open_inputs(&self) -> Result<Option<(Pairs<'a, D>, Origins)>, Error> {
        let Some((private, public)) = &self.inputs else {
            return Ok(None);
        };
        let (client, session) = (self.client, &*self.client.session);
        let keys = (client.secret.set, &*client.secret.name);
        Ok(Some((
            Pairs::open(session, keys, private, public)?,
            Origins::unknown(session, private, public)?,
        )))
    }

    fn decrypt(
        &self,
        mut checks: Checks<'_, D>,
        running: &Running<'_>,
        mut done: impl FnMut(usize, Vec<PortValues>, &mut Checks<'_, D>) -> Result<(), Error>,
    ) -> Result<DecryptedFile, Error> {
        let session = &*self.client.session;
        let meter = checks.results.meter();
        let mut file = DecryptedFile {
            records: 0,
            batches: 0,
            totals: false,
            log2_noise: f64::NEG_INFINITY,
            bytes: 0,
        };
        while let Some((head, ciphertexts)) = checks.results.next()? {
            session.check_cancelled()?;
            checks.check(&head, file.batches)?;
            let total = meter.batches(file.batches + 1, head.last);
            let steps = Steps::new(running, file.batches, total, 1);
            let batch = ResultBatch {
                records: head.records as usize,
                outputs: to_outputs(&session.plan, ciphertexts, head.clear),
                keys: head.keys,
            };
            let decrypted = self.client.decrypt_batch(&batch);
            let decrypted = decrypted.map_err(|error| error.blaming(&self.results))?;
            done(batch.records, decrypted.values, &mut checks)?;
            steps.step();
            file.records += head.records;
            file.batches += 1;
            file.log2_noise = file.log2_noise.max(decrypted.log2_noise);
        }
        checks.finish()?;
        Ok(file)
    }
}

/// Says that totals of several batches were added up here.
fn note_batches(batches: usize, observer: &dyn Observer) {
    if batches > 1 {
        observer.note(&format!(
            "note: the totals of {batches} batches are added up here, after decryption; whoever has the secret key could read \
             that of each batch"
        ));
    }
}
