use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringmill_engine::Recipe;
use ringmill_expression::MessageProgram;
use ringmill_format::{FormatError, FrameKind, FrameReader, HEADER_BYTES};
use ringmill_fv::{FvError, Parameters};

use crate::circuits::{NamedCircuit, source};
use crate::files::read;
use crate::messages::{self, MessageJob, MessagePlan};
use crate::platform::Platform;
use crate::{Error, Observer, Policy};

/// What a job file holds: parameters and how a circuit is evaluated with them, and that circuit; or parameters for
/// messages, and perhaps a program over those.
///
/// Files that earlier versions wrote (parameters files) hold no circuit: [`JobFile::with_circuit`] names it.
#[derive(Debug, Clone)]
pub struct JobFile {
    path: PathBuf,
    parameters: Parameters,
    recipe: Option<Recipe>,
    circuit: Option<NamedCircuit>,
    program: Option<Arc<MessageProgram>>,
}

impl JobFile {
    /// Reads a job file; `-` is standard input.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let (parameters, recipe, steps, program) = read(path, |input| {
            let parameters = Parameters::read(&mut *input)?;
            let (mut recipe, mut program) = (None, None);
            match next_frame(input)? {
                None => {}
                Some((FrameKind::MESSAGE_PROGRAM, frame)) => {
                    program = Some(messages::take_program(parameters.hash(), frame)?);
                }
                Some((_, frame)) => recipe = Some(read_recipe(frame, &parameters)?),
            }
            let steps = match &recipe {
                None => None,
                Some(_) => more(input)?
                    .map(|input| source::read(parameters.hash(), input))
                    .transpose()?,
            };
            Ok((parameters, recipe, steps, program.map(Arc::new)))
        })?;
        let circuit = steps.map(|steps| source::build(&steps)).transpose();
        Ok(Self {
            path: path.to_path_buf(),
            parameters,
            recipe,
            circuit: circuit.map_err(|error| Error::data(path, format!("the circuit: {error}")))?,
            program,
        })
    }

    /// The same with this circuit, instead of the one that it holds if it does: plans of other circuits are refused.
    #[must_use]
    pub fn with_circuit(mut self, circuit: NamedCircuit) -> Self {
        self.circuit = Some(circuit);
        self
    }

    /// Whether there is no plan: the parameters are for messages.
    #[must_use]
    pub const fn is_for_messages(&self) -> bool {
        self.recipe.is_none()
    }

    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The program over messages, if it holds one.
    #[must_use]
    pub fn program(&self) -> Option<&MessageProgram> {
        self.program.as_deref()
    }

    /// The circuit that was planned, if it is known.
    #[must_use]
    pub const fn circuit(&self) -> Option<&NamedCircuit> {
        self.circuit.as_ref()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The parameters, if they are for messages and the policy accepts them.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile).
    pub fn message_parameters(&self, policy: &Policy) -> Result<Parameters, Error> {
        if self.recipe.is_some() {
            return Err(Error::data(
                &self.path,
                "these parameters have a plan for a circuit; name it with --circuit, or make parameters for messages \
                 with `ringmill plan --preset NAME`",
            ));
        }
        policy.check_parameters(&self.path, &self.parameters)?;
        Ok(self.parameters.clone())
    }

    /// The job of the messages, on a platform, if the policy accepts it: with the program if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile) for parameters or a program that the policy refuses, and for a
    /// program that the parameters have no slots for; if the device cannot be used.
    pub fn message_job<P: Platform>(
        &self,
        platform: &P,
        policy: &Policy,
        observer: Arc<dyn Observer>,
    ) -> Result<MessageJob<P::Device>, Error> {
        let parameters = self.message_parameters(policy)?;
        let Some(program) = &self.program else {
            return MessageJob::new(platform, parameters, observer);
        };
        let plan = MessagePlan::new(Arc::clone(program), parameters);
        let plan = plan.map_err(|error| Error::in_file(&self.path, error))?;
        policy.check_message_plan(&self.path, &plan)?;
        MessageJob::of_plan(platform, plan, observer)
    }

    /// The parts of a circuit's job, if the policy accepts them.
    pub(crate) fn parts(&self, policy: &Policy) -> Result<(&NamedCircuit, &Parameters, &Recipe), Error> {
        let missing = |what: &str| Error::data(&self.path, what);
        let Some(recipe) = &self.recipe else {
            return Err(missing(&format!("field plan: {NO_PLAN}")));
        };
        let Some(circuit) = &self.circuit else {
            return Err(missing(
                "the file has a plan, but not the circuit that it is for; name it with --circuit",
            ));
        };
        policy.check_parameters(&self.path, &self.parameters)?;
        policy.check_recipe(&self.path, recipe)?;
        Ok((circuit, &self.parameters, recipe))
    }
}

/// What is wrong with a file that ends where the plan should be.
const NO_PLAN: &str = "there is none or it is cut off; make the file anew with `ringmill plan --circuit`";

fn read_recipe(input: impl Read, parameters: &Parameters) -> Result<Recipe, FormatError> {
    Recipe::read(input, parameters).map_err(|error| match error {
        FormatError::Truncated => FormatError::BadValue {
            field: "plan",
            problem: NO_PLAN.to_owned(),
        },
        error => error,
    })
}

/// The kind of the next frame and the frame itself, unless the input is at its end.
fn next_frame<'a>(input: &'a mut (dyn Read + 'a)) -> Result<Option<(FrameKind, impl Read + 'a)>, FvError> {
    let mut header = Vec::with_capacity(HEADER_BYTES as usize);
    (&mut *input)
        .take(HEADER_BYTES)
        .read_to_end(&mut header)
        .map_err(FormatError::from)?;
    if header.is_empty() {
        return Ok(None);
    }
    // A header that is cut off or damaged is for the frame's reader to refuse.
    let kind = FrameReader::new(header.as_slice()).map_or(FrameKind::PLAN, |frame| frame.header().kind);
    Ok(Some((kind, std::io::Cursor::new(header).chain(input))))
}

/// The rest of an input, unless it is at its end.
fn more<'a>(input: &'a mut (dyn Read + 'a)) -> Result<Option<impl Read + 'a>, FvError> {
    let mut first = Vec::with_capacity(1);
    input.take(1).read_to_end(&mut first).map_err(FormatError::from)?;
    if first.is_empty() {
        return Ok(None);
    }
    Ok(Some(std::io::Cursor::new(first).chain(input)))
}
