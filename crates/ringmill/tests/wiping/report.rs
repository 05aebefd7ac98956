use std::collections::BTreeMap;

use ringmill_device::Device;

use crate::failing::Failing;
use crate::freed::Alone;
use crate::patterns::Patterns;

/// Runs the phases of a scheme and collects what they free unwiped.
pub struct Report {
    alone: Alone,
    /// Phases by what was found after them.
    found: BTreeMap<String, Vec<String>>,
    /// The name of a phase and what it freed.
    kept: (String, Vec<u8>),
}

impl Report {
    pub fn new() -> Self {
        Self {
            alone: crate::freed::alone(),
            found: BTreeMap::new(),
            kept: Default::default(),
        }
    }

    /// Looks for patterns in what a phase frees.
    pub fn phase<T>(&mut self, name: &str, patterns: &Patterns, run: impl FnOnce() -> T) -> T {
        let (result, memory) = self.alone.freed(run);
        let found = patterns.found(memory);
        self.add(name, found);
        result
    }

    /// Runs a phase whose secrets are known only when it is over: [`Report::look`] looks for them.
    pub fn later(&mut self, name: &str, run: impl FnOnce()) {
        let ((), memory) = self.alone.freed(run);
        self.kept = (name.to_owned(), memory.to_vec());
    }

    /// Looks for patterns in what the last such phase freed.
    pub fn look(&mut self, patterns: &Patterns) {
        let (name, memory) = std::mem::take(&mut self.kept);
        self.add(&name, patterns.found(&memory));
    }

    fn add(&mut self, name: &str, found: Vec<&str>) {
        for secret in found {
            self.found
                .entry(secret.to_owned())
                .or_default()
                .push(name.to_owned());
        }
    }

    /// The same for a phase on a device, and for every operation of the device that may fail on the way.
    pub fn on_device<T, E: std::fmt::Debug>(
        &mut self,
        name: &str,
        patterns: &Patterns,
        device: &Failing,
        run: impl Fn() -> Result<T, E>,
    ) -> T {
        let mut attempt = |name: &str, operations| {
            self.phase(name, patterns, || {
                device.fail_after(operations);
                let result = run();
                device.fail_after(usize::MAX);
                device.release();
                result
            })
        };
        let result = attempt(name, usize::MAX).unwrap();
        // Beyond these the operations come again, for other elements of keys.
        for operations in 0..30 {
            if attempt(&format!("{name}, operation {operations} failing"), operations).is_ok() {
                assert!(operations > 0, "{name}: no operation failed");
                break;
            }
        }
        result
    }

    /// Fails if anything was found.
    pub fn finish(self) {
        let lines = self
            .found
            .iter()
            .map(|(secret, phases)| format!("  {secret}: {} times, first by {}", phases.len(), phases[0]));
        let lines: Vec<String> = lines.collect();
        assert!(
            lines.is_empty(),
            "freed without being overwritten:\n{}",
            lines.join("\n")
        );
    }
}
