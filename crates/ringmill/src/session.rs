use std::sync::{Arc, Mutex, PoisonError};

use ringmill_circuit::{Circuit, Visibility};
use ringmill_device::Device;
use ringmill_engine::Plan;
use ringmill_fv::Context;

use crate::Error;
use crate::circuits::NamedCircuit;
use crate::files::{Digest, Digesting};
use crate::observer::{Progress, Running, Shared, Stage};

/// The part that all parties of a job share: a circuit, its plan, and the plan's parameters on a device.
pub(crate) struct Session<D: Device> {
    /// The circuit that is evaluated: the variant that the plan is for.
    pub circuit: Arc<NamedCircuit>,
    /// Its plan.
    pub plan: Arc<Plan>,
    /// The parameters on a device.
    pub context: Arc<Context<D>>,
    /// Whoever watches.
    pub observer: Shared,
}

impl<D: Device> Session<D> {
    /// The same, watched by another observer.
    pub fn with_observer(&self, observer: Shared) -> Arc<Self> {
        Arc::new(Self {
            circuit: Arc::clone(&self.circuit),
            plan: Arc::clone(&self.plan),
            context: Arc::clone(&self.context),
            observer,
        })
    }

    pub fn circuit(&self) -> &Circuit {
        &self.circuit.circuit
    }

    /// Begins a stage.
    pub fn begin(&self, stage: Stage) -> Running<'_> {
        Running::begin(&*self.observer, stage)
    }

    /// Ends a job that its observer wants to stop.
    pub fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// The digest of the plan as it is in files.
    ///
    /// # Errors
    /// None.
    pub fn plan_digest(&self) -> Result<Digest, Error> {
        plan_digest(&self.plan)
    }

    /// Refuses to encrypt, or to make keys, for a job whose inputs are the results of another.
    pub fn require_fresh(&self, what: &str) -> Result<(), Error> {
        match &self.plan.recipe().former {
            None => Ok(()),
            Some(_) => Err(Error::Usage(format!(
                "{} goes on with the results of another job (plan --after): {what}",
                self.circuit.name
            ))),
        }
    }

    /// Whether the evaluator sees inputs in the clear.
    pub fn has_public(&self) -> bool {
        let mut ports = self.circuit().inputs().iter();
        ports.any(|port| port.visibility == Visibility::Public)
    }
}

/// The digest of a plan as it is in files.
pub(crate) fn plan_digest(plan: &Plan) -> Result<Digest, Error> {
    let mut out = Digesting::new(std::io::sink());
    plan.recipe().write(&mut out, plan.parameters())?;
    Ok(out.digest())
}

/// Steps of a batch, counted from any thread.
pub(crate) struct Steps<'a> {
    running: &'a Running<'a>,
    from: Progress,
    steps: usize,
    done: Mutex<usize>,
}

impl<'a> Steps<'a> {
    /// Begins the batch after `done` others, which has `steps` equal steps.
    pub fn new(running: &'a Running<'a>, done: usize, batches: Option<usize>, steps: usize) -> Self {
        let from = Progress {
            done,
            batches,
            fraction: 0.0,
            resumed: false,
        };
        running.tell(from);
        Self {
            running,
            from,
            steps: steps.max(1),
            done: Mutex::new(0),
        }
    }

    /// Another step is done.
    pub fn step(&self) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        // Told while the lock is held, so that progress never seems to go back.
        self.set(*done as f64 / self.steps as f64);
    }

    /// So much of the batch is done, of 1.
    pub fn set(&self, fraction: f64) {
        self.running.tell(Progress {
            fraction,
            ..self.from
        });
    }
}
