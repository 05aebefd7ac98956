use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{Layout, print};

/// The measurements so far: rows are printed as soon as they are known, failures are noted and do not keep
/// the rest from being measured.
#[derive(Debug)]
pub struct Log {
    /// Whether the result is an object that is printed at the end, and rows are not.
    json: bool,
    /// The title of the table that the last row was in.
    table: Option<&'static str>,
    failures: Vec<(String, CliError)>,
}

impl Log {
    /// Nothing measured yet.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            table: None,
            failures: Vec::new(),
        }
    }

    /// Prints text for people.
    pub fn text(&mut self, text: &str) {
        if !self.json
            && let Err(error) = print(text)
        {
            self.fail("printing", error);
        }
    }

    /// Prints a row of a table, below its title and the names of its columns if the last row was in another one.
    pub fn row(&mut self, table: &'static str, layout: &Layout, cells: &[String]) {
        if self.table.replace(table) != Some(table) {
            self.text(&format!("\n{table}\n{}", layout.header()));
        }
        self.text(&layout.row(cells));
    }

    /// Measures under a spinner; a failure is noted and gives nothing.
    pub fn attempt<T>(&mut self, name: &str, job: impl FnOnce() -> Result<T, CliError>) -> Option<T> {
        let spinner = Progress::spinner(name);
        let result = job();
        drop(spinner);
        result.map_err(|error| self.fail(name, error)).ok()
    }

    /// Notes that something could not be measured, and why.
    pub fn fail(&mut self, name: &str, error: CliError) {
        eprintln!("not measured: {name}: {error}");
        self.failures.push((name.to_owned(), error));
    }

    /// The failed measurements, and why they failed.
    pub fn failures(&self) -> Vec<String> {
        let failures = self.failures.iter();
        failures.map(|(name, error)| format!("{name}: {error}")).collect()
    }

    /// Fails if anything did.
    pub fn finish(self) -> Result<(), CliError> {
        let count = self.failures.len();
        match self.failures.into_iter().next() {
            None => Ok(()),
            Some((name, source)) => Err(CliError::NotMeasured {
                count,
                name,
                source: Box::new(source),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_kept_and_told() {
        let mut log = Log::new(true);
        assert_eq!(log.attempt("first", || Ok(3)), Some(3));
        let wrong = || CliError::wrong_result("wrong bits".to_owned());
        assert_eq!(log.attempt("second", || Err::<(), _>(wrong())), None);
        assert_eq!(log.attempt("third", || Ok(4)), Some(4));
        log.fail("fourth", CliError::usage("no".to_owned()));
        assert_eq!(log.failures(), ["second: wrong bits", "fourth: no"]);
        let error = log.finish().unwrap_err();
        assert_eq!(error.exit_code(), wrong().exit_code());
        assert!(
            error
                .to_string()
                .contains("2 measurements failed; the first: second: wrong bits"),
            "{error}"
        );
        assert!(Log::new(false).finish().is_ok());
    }
}
