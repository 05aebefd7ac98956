use std::cell::OnceCell;

use rayon::{ThreadPool, ThreadPoolBuilder};

thread_local! {
    static POOL: OnceCell<ThreadPool> = const { OnceCell::new() };
}

/// Makes the current thread the only one of its rayon pool: its memory is then all memory, and no other thread has to
/// be woken for work that takes microseconds.
pub fn alone() {
    POOL.with(|pool| {
        pool.get_or_init(|| {
            let pool = ThreadPoolBuilder::new()
                .num_threads(1)
                .use_current_thread()
                .build();
            pool.expect("a thread of no other pool")
        });
    });
}
