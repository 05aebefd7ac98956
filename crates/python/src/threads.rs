use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads that compute; none for the library's own, one for each core.
static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// Has everything from now on compute with so many threads; with one for each core again, if nothing is given.
#[pyfunction]
#[pyo3(signature = (count=None))]
pub fn set_threads(count: Option<usize>) -> PyResult<()> {
    let pool = match count {
        None => None,
        Some(0) => return Err(PyValueError::new_err("no threads, where at least one is needed")),
        Some(count) => {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.map_err(|error| PyValueError::new_err(format!("{count} threads: {error}")))?;
            Some(Arc::new(pool))
        }
    };
    *POOL.lock().unwrap_or_else(PoisonError::into_inner) = pool;
    Ok(())
}

/// Does some work on these threads.
pub fn compute<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = POOL.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
