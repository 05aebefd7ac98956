use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ringmill::{
    Encrypted, Error, ErrorKind, InputPacking, JobFile, Observer, Optimise, Output, Planning, Policy,
    Progress, PublicInputs, ResumableOutput, Seed, Stage, Table, circuits,
};

use crate::and_table;

/// Notes what it sees, and stops a job once an evaluation has begun its second batch, if it is to.
#[derive(Default)]
struct Watcher {
    events: Mutex<Vec<Event>>,
    notes: Mutex<Vec<String>>,
    stop: AtomicBool,
    stopped: AtomicBool,
}

#[derive(Debug, Clone, PartialEq)]
enum Event {
    Begin(Stage),
    Progress(Stage, Progress),
    End(Stage),
}

impl Observer for Watcher {
    fn begin(&self, stage: &Stage) {
        self.events.lock().unwrap().push(Event::Begin(stage.clone()));
    }

    fn progress(&self, stage: &Stage, progress: Progress) {
        if *stage == Stage::Evaluating && progress.done == 1 && self.stop.load(Ordering::Relaxed) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        let mut events = self.events.lock().unwrap();
        events.push(Event::Progress(stage.clone(), progress));
    }

    fn end(&self, stage: &Stage) {
        self.events.lock().unwrap().push(Event::End(stage.clone()));
    }

    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_owned());
    }

    fn cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Watcher {
    /// Sees that stages neither overlap nor stay open, and that no progress is out of its stage; which there were.
    fn stages(&self) -> Vec<Stage> {
        let (mut open, mut stages) = (None, Vec::new());
        for event in self.events.lock().unwrap().drain(..) {
            match event {
                Event::Begin(stage) => {
                    assert_eq!(open, None, "{stage}");
                    open = Some(stage.clone());
                    stages.push(stage);
                }
                Event::Progress(stage, progress) => {
                    assert_eq!(open, Some(stage));
                    assert!((0.0..=1.0).contains(&progress.fraction), "{progress:?}");
                }
                Event::End(stage) => assert_eq!(open.take(), Some(stage)),
            }
        }
        assert_eq!(open, None);
        stages
    }
}

/// Each call is watched, and stopped, by the observer of the party that makes it.
#[test]
fn parties_have_observers_of_their_own() {
    let watchers: [Arc<Watcher>; 3] = Default::default();
    let [planner, stopped, other] = &watchers;
    let planning = Planning::new().optimise(Optimise::Off).observer(planner.clone());
    let job = planning.plan(&circuits::by_name("and8").unwrap()).unwrap();
    job.prepare().unwrap();
    assert_eq!(planner.stages().last(), Some(&Stage::Tables));
    let client = job.with_observer(other.clone()).client(&Seed::random().unwrap());
    let client = client.unwrap();
    assert_eq!(other.stages(), [Stage::Keys]);
    let keys = client.with_observer(stopped.clone()).evaluation_keys().unwrap();
    assert_eq!(stopped.stages(), [Stage::Keys]);
    let server = job.server(keys).unwrap();
    let (table, expected) = and_table(3);
    let encrypt = || {
        client
            .encryptor()
            .with_observer(planner.clone())
            .encrypt(&Table::csv(table.clone()))
    };
    let inputs = [encrypt().unwrap(), encrypt().unwrap()];
    assert_eq!(planner.stages(), [Stage::Encrypting, Stage::Encrypting]);

    stopped.stopped.store(true, Ordering::Relaxed);
    let [one, two] = inputs;
    let (one, two) = rayon::join(
        || server.with_observer(stopped.clone()).evaluate(one),
        || server.with_observer(other.clone()).evaluate(two),
    );
    assert_eq!(one.err().unwrap().kind(), ErrorKind::Cancelled);
    let decrypted = client.decrypt(&two.unwrap()).unwrap();
    assert_eq!(decrypted.to_csv().unwrap(), expected);
    assert_eq!(other.stages(), [Stage::Evaluating, Stage::Decrypting]);
    assert_eq!(planner.stages(), []);
}

/// A job is watched from planning to decryption, stopped in the middle, and gone on with.
#[test]
fn jobs_are_watched_stopped_and_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let watcher = Arc::new(Watcher::default());
    let planning = Planning::new()
        .optimise(Optimise::LeastProducts)
        .observer(watcher.clone());
    let job = planning.plan(&circuits::by_name("and8").unwrap()).unwrap();
    let stages = watcher.stages();
    let planned = [Stage::Optimising, Stage::Planning];
    assert!(stages == planned || stages[0] == Stage::Calibrating("cpu".to_owned()) && stages[1..] == planned);

    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    assert_eq!(watcher.stages(), [Stage::Tables, Stage::Keys, Stage::Keys]);
    let (table, expected) = and_table(job.plan_details().records() * 2 + 1);
    client
        .encrypt_to(&Table::csv(table), &Output::new(path("in.ct")))
        .unwrap();
    assert_eq!(watcher.stages(), [Stage::Encrypting]);

    let output = ResumableOutput::from(Output::new(path("out.ct")));
    let evaluate = |output| server.evaluate_to(path("in.ct"), &PublicInputs::none(), output);
    watcher.stop.store(true, Ordering::Relaxed);
    let error = evaluate(&output).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(
        matches!(&error, Error::Kept { batches: 1, partial, .. } if *partial == path("out.ct.partial")),
        "{error}"
    );
    assert!(!path("out.ct").exists());
    assert_eq!(watcher.stages(), [Stage::Evaluating]);

    watcher.stop.store(false, Ordering::Relaxed);
    watcher.stopped.store(false, Ordering::Relaxed);
    assert!(matches!(evaluate(&output), Err(Error::KeptAlready(_))));
    let resuming = output.clone().resuming(true);
    let evaluated = evaluate(&resuming).unwrap();
    assert_eq!(
        (evaluated.batches, evaluated.taken_over, evaluated.account.batches),
        (3, 1, 2)
    );
    assert!(!path("out.ct.partial").exists());
    // Nothing is left to do, as long as the results are of these inputs.
    let again = evaluate(&resuming).unwrap();
    assert_eq!(
        (again.batches, again.taken_over, again.account.batches),
        (3, 3, 0)
    );
    assert_eq!((again.records, again.bytes), (evaluated.records, evaluated.bytes));
    assert!(matches!(evaluate(&output), Err(Error::Exists(_))));
    client
        .encrypt_to(&Table::csv(and_table(1).0), &Output::new(path("other.ct")))
        .unwrap();
    let other = server.evaluate_to(path("other.ct"), &PublicInputs::none(), &resuming);
    let error = other.unwrap_err().to_string();
    assert!(error.contains("of other inputs"), "{error}");
    watcher.stages();
    let written = client.decrypt_to(
        path("out.ct"),
        &Output::new(path("out.csv")),
        None,
        &[] as &[&str],
    );
    assert_eq!(written.unwrap().batches, 3);
    assert_eq!(watcher.stages(), [Stage::Decrypting]);
    assert_eq!(std::fs::read_to_string(path("out.csv")).unwrap(), expected);
    assert!(watcher.notes.lock().unwrap().is_empty());
}

/// Insecure parameters are said to be, each time that they are opened.
#[test]
fn insecure_parameters_are_noted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.params");
    let circuit = circuits::by_name("and8").unwrap();
    let watcher = Arc::new(Watcher::default());
    let planning = Planning::new().optimise(Optimise::Off).observer(watcher.clone());
    let insecure = planning.clone().preset(Some("hepcloud"));
    match insecure.plan(&circuit) {
        Ok(job) => job.save(&path).unwrap(),
        Err(error) => panic!("{error}"),
    }
    let error = planning.open(&JobFile::open(&path).unwrap()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::BadFile);
    assert!(error.to_string().contains("are INSECURE"), "{error}");
    planning
        .policy(Policy::allow_insecure())
        .open(&JobFile::open(&path).unwrap())
        .unwrap();
    let notes = watcher.notes.lock().unwrap();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes.iter().all(|note| note.contains("INSECURE")), "{notes:?}");
}

/// A record that stands for all is taken apart for a server once, however many evaluations there are; progress goes on from
/// there.
#[test]
fn a_record_for_all_is_taken_apart_once() {
    let watcher = Arc::new(Watcher::default());
    let planning = Planning::new()
        .optimise(Optimise::Off)
        .packing(Some(InputPacking::Broadcast))
        .observer(watcher.clone());
    let circuit = circuits::by_name("and8").unwrap().with_public("b").unwrap();
    let job = planning.plan(&circuit).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    let public = || PublicInputs::table(Table::csv("b\n7\n12\n255\n"));
    let encrypted = |record: u8| client.encrypt(&Table::csv(format!("a\n{record}\n"))).unwrap();
    // The times that it was taken apart in an evaluation, and where progress was.
    let evaluate = |inputs: Encrypted<_>, record: u8| {
        watcher.stages();
        let results = server.evaluate_with(inputs, &public()).unwrap();
        let expected: String = [7, 12, 255].map(|b| format!("{}\n", record & b)).concat();
        let decrypted = client.decrypt(&results).unwrap().to_csv().unwrap();
        assert_eq!(decrypted, format!("and\n{expected}"));
        let work = results.account().work.iter();
        let unpacked = work.filter(|work| work.operation == "unpack inputs");
        let fractions: Vec<f64> = watcher
            .events
            .lock()
            .unwrap()
            .iter()
            .filter_map(fraction)
            .collect();
        assert!(fractions.is_sorted(), "{fractions:?}");
        assert!(fractions.last() > Some(&0.999), "{fractions:?}");
        (unpacked.map(|work| work.count).sum::<u64>(), fractions.len())
    };
    let first = encrypted(90);
    let (taken_apart, steps) = evaluate(first.clone(), 90);
    assert_eq!(taken_apart, 1);
    // Each of the wires was one step more.
    assert_eq!(evaluate(first.clone(), 90), (0, steps - 8));
    assert_eq!(evaluate(encrypted(129), 129), (1, steps));
    assert_eq!(evaluate(first, 90), (1, steps));
}

fn fraction(event: &Event) -> Option<f64> {
    match event {
        Event::Progress(Stage::Evaluating, progress) => Some(progress.fraction),
        _ => None,
    }
}

/// A record that stands for all of a public table in memory: the table says how many batches there are, and the last one
/// ends the progress.
#[test]
fn batches_of_a_single_record_are_counted() {
    let watcher = Arc::new(Watcher::default());
    let circuit = circuits::by_name("and8").unwrap().with_public("b").unwrap();
    let planning = Planning::new().optimise(Optimise::Off).observer(watcher.clone());
    let job = planning.plan(&circuit).unwrap();
    let client = job.client(&Seed::random().unwrap()).unwrap();
    let server = job.server(client.evaluation_keys().unwrap()).unwrap();
    for rows in [3, job.plan_details().records() + 1] {
        let inputs = client.encrypt(&Table::csv("a\n13\n")).unwrap();
        watcher.events.lock().unwrap().clear();
        let public = PublicInputs::table(Table::csv(format!("b\n{}", "7\n".repeat(rows))));
        let results = server.evaluate_with(inputs, &public).unwrap();
        let told: Vec<_> = watcher.events.lock().unwrap().drain(..).collect();
        let last = told.iter().rev().find_map(|event| match event {
            Event::Progress(Stage::Evaluating, progress) => Some(*progress),
            _ => None,
        });
        let (last, batches) = (last.unwrap(), rows.div_ceil(job.plan_details().records()));
        assert_eq!(
            (last.done + 1, last.batches),
            (batches, Some(batches)),
            "{last:?}"
        );
        let decrypted = client.decrypt(&results).unwrap().to_csv().unwrap();
        assert_eq!(decrypted, format!("and\n{}", "5\n".repeat(rows)));
    }
}
