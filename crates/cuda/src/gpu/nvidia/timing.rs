//! Measures the running time of kernels by the GPU's own clock.

use std::collections::BTreeMap;
use std::mem;

use super::context::Context;
use super::driver::Handle;
use crate::gpu::{GpuError, KernelTime};

/// The number of timed launches after which the host waits for them and takes their events back.
const RUNNING: usize = 8192;

/// A launch between two events.
struct Running {
    entry: String,
    start: Handle,
    end: Handle,
}

/// The times of launches, added up for each kernel.
#[derive(Default)]
pub(super) struct Timings {
    running: Vec<Running>,
    spare: Vec<Handle>,
    totals: BTreeMap<String, (u64, f64)>,
}

impl Timings {
    /// Runs launches on a stream between two events.
    ///
    /// # Errors
    /// Those of `launch`; [`GpuError`].
    pub fn timed(
        &mut self,
        context: &Context,
        stream: Handle,
        entry: &str,
        launch: impl FnOnce() -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let (start, end) = (self.event(context)?, self.event(context)?);
        let record = |event| {
            // SAFETY: an event and a stream of this context.
            context.call("cuEventRecord", |f| unsafe { (f.event_record)(event, stream) })
        };
        if let Err(error) = record(start).and_then(|()| launch()).and_then(|()| record(end)) {
            self.spare.extend([start, end]);
            return Err(error);
        }
        let entry = entry.to_owned();
        self.running.push(Running { entry, start, end });
        match self.running.len() {
            RUNNING.. => self.settle(context),
            _ => Ok(()),
        }
    }

    /// Waits for running launches and adds up their times.
    fn settle(&mut self, context: &Context) -> Result<(), GpuError> {
        for Running { entry, start, end } in mem::take(&mut self.running) {
            // SAFETY: an event of this context, recorded.
            context.call("cuEventSynchronize", |f| unsafe { (f.event_finish)(end) })?;
            let mut milliseconds = 0.0;
            // SAFETY: a place for the time; both events were recorded and are over.
            context.call("cuEventElapsedTime", |f| unsafe {
                (f.event_time)(&mut milliseconds, start, end)
            })?;
            self.spare.extend([start, end]);
            let total = self.totals.entry(entry).or_default();
            total.0 += 1;
            total.1 += f64::from(milliseconds) / 1e3;
        }
        Ok(())
    }

    /// The times so far, longest first.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn profile(&mut self, context: &Context) -> Result<Vec<KernelTime>, GpuError> {
        self.settle(context)?;
        let mut times: Vec<_> = self.totals.iter().map(kernel_time).collect();
        times.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        Ok(times)
    }

    /// Returns an unused event.
    fn event(&mut self, context: &Context) -> Result<Handle, GpuError> {
        match self.spare.pop() {
            Some(event) => Ok(event),
            None => create_event(context, 0),
        }
    }

    /// Returns all events, which the caller destroys.
    pub fn into_events(self) -> impl Iterator<Item = Handle> {
        let running = self
            .running
            .into_iter()
            .flat_map(|running| [running.start, running.end]);
        running.chain(self.spare)
    }
}

fn kernel_time((entry, (launches, seconds)): (&String, &(u64, f64))) -> KernelTime {
    KernelTime {
        entry: entry.clone(),
        launches: *launches,
        seconds: *seconds,
    }
}

/// Creates an event with flags of `cuda.h`.
pub(super) fn create_event(context: &Context, flags: u32) -> Result<Handle, GpuError> {
    let mut event = Handle::NONE;
    // SAFETY: a place for the event.
    context.call("cuEventCreate", |f| unsafe {
        (f.event_create)(&mut event, flags)
    })?;
    Ok(event)
}
