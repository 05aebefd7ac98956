//! The search for parameters in one dimension.

use rayon::prelude::*;
use ringmill_fv::Parameters;

use crate::error::{PlanError, Rejection};
use crate::fv::candidates::Candidate;
use crate::fv::misfit::Obstacle;
use crate::fv::placed::{Placed, place};
use crate::fv::plan::Plan;
use crate::fv::planner::Planner;
use crate::fv::prepared::Prepared;
use crate::fv::select::Selection;

/// The result of the search in one dimension.
pub(crate) enum Found {
    /// The cheapest plan; the others that fit are among its rejected ones.
    Plan(Box<Plan>),
    /// No plan.
    Nothing {
        /// What is in the way of the candidate that came closest.
        obstacle: Obstacle,
        /// What was tried.
        tried: Vec<Rejection>,
    },
}

/// The search in one dimension.
///
/// In each form one special prime leaves the most for q. With it the fewest large primes are found that fit, by noise
/// alone. Only with so many are plans made: one more takes longer by far more than the looser levels that it allows
/// save. More special primes mean fewer digits, but less noise that the rest may take. Narrow primes have faster transforms
/// on some machines, but there may have to be more of them.
pub(crate) struct Search<'a> {
    planner: &'a Planner,
    prepared: &'a Prepared<'a>,
    n: usize,
}

/// Candidates of one form, the roomiest first.
struct Hopeful {
    candidates: Vec<Candidate>,
    /// Those of the roomiest.
    parameters: Parameters,
}

impl<'a> Search<'a> {
    pub fn new(planner: &'a Planner, prepared: &'a Prepared<'a>, n: usize) -> Self {
        Self { planner, prepared, n }
    }

    /// Searches. What is found does not depend on the order in which threads find it.
    ///
    /// # Errors
    /// [`PlanError::TooMuchMemory`].
    pub fn run(&self) -> Result<Found, PlanError> {
        let mut tally = Tally::default();
        let mut hopeful = Vec::new();
        for form in &self.planner.forms {
            let candidates = Candidate::all(self.planner.security, self.n, *form, self.planner.prime_rule);
            let Some(roomiest) = candidates.first() else {
                continue;
            };
            match self.parameters(roomiest) {
                Ok(parameters) => hopeful.push(Hopeful {
                    candidates,
                    parameters,
                }),
                Err(error) => tally.refuse(self.name(roomiest), &error),
            }
        }
        let Some(first) = hopeful.first() else {
            return tally.finish();
        };
        let placed = match place(
            self.prepared,
            &first.parameters,
            (self.planner.packing, self.planner.is_chained()),
        ) {
            Ok(placed) => placed,
            Err(error) => {
                tally.refuse(first.parameters.name().to_string(), &error);
                return tally.finish();
            }
        };
        let tallies: Vec<Tally> = hopeful
            .par_iter()
            .map(|hopeful| self.in_form(hopeful, &placed))
            .collect();
        tallies.into_iter().for_each(|other| tally.add(other));
        tally.finish()
    }

    /// Parameters, unless the program is too deep for them.
    fn parameters(&self, candidate: &Candidate) -> Result<Parameters, PlanError> {
        let parameters = Parameters::new(&candidate.spec(self.planner.security))?;
        self.planner
            .require_depth(&self.prepared.program, &parameters, candidate.form)?;
        Ok(parameters)
    }

    fn name(&self, candidate: &Candidate) -> String {
        candidate.spec(self.planner.security).name
    }

    /// Plans with the fewest large primes that fit, and each number of special ones.
    fn in_form(&self, hopeful: &Hopeful, placed: &Placed) -> Tally {
        let mut tally = Tally::default();
        let Some((roomiest, others)) = hopeful.candidates.split_first() else {
            return tally;
        };
        let Some(fewest) = self.fewest(*roomiest, placed, &mut tally) else {
            return tally;
        };
        let others = others.iter().filter(|other| other.special <= fewest.large);
        let squeezed = others.filter_map(|other| other.squeezed(fewest.large));
        let candidates: Vec<Candidate> = [fewest].into_iter().chain(squeezed).collect();
        self.plan(&candidates, placed, &mut tally);
        if !self.planner.calibration.has_fast_narrow_primes() {
            return tally;
        }
        // As many narrow primes, or one more.
        for large in [fewest.large, fewest.large + 1] {
            let candidates = hopeful.candidates.iter();
            let candidates = candidates.filter(|candidate| candidate.special <= large);
            let narrow = candidates.filter_map(|candidate| candidate.narrow(large));
            if self.plan(&narrow.collect::<Vec<_>>(), placed, &mut tally) {
                break;
            }
        }
        tally
    }

    /// Plans with each of some candidates. Returns whether any fits.
    fn plan(&self, candidates: &[Candidate], placed: &Placed, tally: &mut Tally) -> bool {
        let planned: Vec<_> = candidates
            .par_iter()
            .map(|candidate| self.selection(candidate, placed, |selection| selection.plan()))
            .collect();
        let before = tally.plans.len();
        for (candidate, planned) in candidates.iter().zip(planned) {
            match planned {
                Ok(plan) => tally.plans.push(plan),
                Err(error) => tally.refuse(self.name(candidate), &error),
            }
        }
        tally.plans.len() > before
    }

    /// The candidate with the fewest large primes that fits, found by halving: more primes take more noise.
    fn fewest(&self, roomiest: Candidate, placed: &Placed, tally: &mut Tally) -> Option<Candidate> {
        let fits = |candidate: &Candidate| self.selection(candidate, placed, |selection| selection.fits());
        if let Err(error) = fits(&roomiest) {
            tally.refuse(self.name(&roomiest), &error);
            return None;
        }
        let (mut fewest, mut too_few, mut refused) = (roomiest, 0, None);
        while let Some(middle) = fewest.with_large((too_few + fewest.large) / 2)
            && middle.large > too_few
        {
            match fits(&middle) {
                Ok(()) => fewest = middle,
                Err(error) => (too_few, refused) = (middle.large, Some((middle, error))),
            }
        }
        if let Some((candidate, error)) = refused {
            tally.refuse(self.name(&candidate), &error);
        }
        Some(fewest)
    }

    /// Does something with a candidate's selection.
    fn selection<T>(
        &self,
        candidate: &Candidate,
        placed: &Placed,
        job: impl FnOnce(Selection<'_>) -> Result<T, PlanError>,
    ) -> Result<T, PlanError> {
        let parameters = self.parameters(candidate)?;
        let (planner, form) = (self.planner, candidate.form);
        job(Selection::new(planner, self.prepared, placed, &parameters, form)?)
    }
}

/// What came of candidates.
#[derive(Default)]
struct Tally {
    plans: Vec<Plan>,
    rejected: Vec<Rejection>,
    /// What was in the way of the candidate that came closest.
    obstacle: Option<Obstacle>,
    /// What plans lack that need more memory than there is.
    memory: Option<Shortage>,
}

/// [`PlanError::TooMuchMemory`].
#[derive(Debug, Clone, Copy)]
struct Shortage {
    needed: u64,
    limit: u64,
    aside: bool,
}

impl Tally {
    fn refuse(&mut self, name: String, error: &PlanError) {
        self.rejected.push(Rejection {
            name,
            reason: error.to_string(),
        });
        self.hinder(Obstacle::of(error));
        if let PlanError::TooMuchMemory { needed, limit, aside } = *error {
            self.lack(Shortage { needed, limit, aside });
        }
    }

    fn hinder(&mut self, obstacle: Obstacle) {
        if self.obstacle.as_ref().map(Obstacle::closeness) < Some(obstacle.closeness()) {
            self.obstacle = Some(obstacle);
        }
    }

    fn lack(&mut self, shortage: Shortage) {
        let least = self
            .memory
            .map_or(shortage.needed, |least| least.needed.min(shortage.needed));
        self.memory = Some(Shortage {
            needed: least,
            ..shortage
        });
    }

    /// Takes in what came of other candidates, which were tried later.
    fn add(&mut self, other: Self) {
        self.plans.extend(other.plans);
        self.rejected.extend(other.rejected);
        if let Some(obstacle) = other.obstacle {
            self.hinder(obstacle);
        }
        if let Some(shortage) = other.memory {
            self.lack(shortage);
        }
    }

    fn finish(self) -> Result<Found, PlanError> {
        let mut plans = self.plans;
        plans.sort_by(|a, b| a.prediction().work.total_cmp(&b.prediction().work));
        let mut plans = plans.into_iter();
        let Some(mut best) = plans.next() else {
            // A larger ring needs more still.
            if let Some(Shortage { needed, limit, aside }) = self.memory {
                return Err(PlanError::TooMuchMemory { needed, limit, aside });
            }
            return Ok(Found::Nothing {
                obstacle: self.obstacle.unwrap_or(Obstacle::Security),
                tried: self.rejected,
            });
        };
        // The runner-up first.
        let others = plans.map(|plan| Rejection {
            name: plan.parameters.name().to_string(),
            reason: format!(
                "fits, but is predicted to take {:.3} s where the choice takes {:.3} s",
                plan.prediction().seconds(),
                best.prediction().seconds()
            ),
        });
        let mut reasons: Vec<Rejection> = others.collect();
        reasons.extend(self.rejected);
        best.rejected = reasons;
        Ok(Found::Plan(Box::new(best)))
    }
}
