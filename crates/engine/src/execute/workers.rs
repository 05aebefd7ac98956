use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// f(0) ... f(count - 1) on the threads of the current rayon pool, at most as many in progress at a
/// time as there are threads; the results in order, or the first error, after which no more begin.
///
/// A parallel iterator would not bound what is in progress: a thread that waits for a part of one
/// operation would begin another, and its memory would be needed as well. Here a fixed number of
/// workers each finish one before they begin the next; while they wait they help with parts of others.
pub(crate) fn for_each<T: Send, E: Send>(
    count: usize,
    f: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let results = Mutex::new(Vec::with_capacity(count));
    let error = Mutex::new(None);
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            // Locks are held for a moment only: nothing else runs on this thread meanwhile.
            match f(index) {
                Ok(result) => lock(&results).push((index, result)),
                Err(e) => {
                    failed.store(true, Ordering::Relaxed);
                    lock(&error).get_or_insert(e);
                }
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(count) {
            scope.spawn(|_| work());
        }
    });
    if let Some(error) = error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_few_are_in_progress() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| {
            let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let squares = for_each(100, |i| {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Something to wait for, so that threads look for other work.
                let (a, b) = rayon::join(|| i, std::thread::yield_now);
                let () = b;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, ()>(a * a)
            });
            assert_eq!(squares.unwrap(), (0..100).map(|i| i * i).collect::<Vec<_>>());
            assert!(most.into_inner() <= 3);
        });
    }

    #[test]
    fn an_error_stops_the_rest() {
        let begun = AtomicUsize::new(0);
        let result = for_each(10_000, |i| {
            begun.fetch_add(1, Ordering::SeqCst);
            if i == 5 { Err("five") } else { Ok(()) }
        });
        assert_eq!(result, Err("five"));
        assert!(begun.into_inner() < 10_000);
        assert_eq!(for_each(0, |_| Ok::<(), ()>(())), Ok(vec![]));
    }
}
