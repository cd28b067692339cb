//! Work over many files on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::limits::CODE_THREADS_MAX;
use crate::tool::{CallContext, ToolError};
use crate::tools::code::extract::Worker;

/// How many files a thread must have to be worth starting.
const FILES_PER_THREAD_MIN: usize = 16;
/// How many files lie between two words of progress.
const PROGRESS_STEP: usize = 100;

/// What all threads of one job share.
struct Job<'a, T> {
    cx: &'a CallContext,
    doing: &'a str,
    items: &'a [T],
    next: AtomicUsize,
    stop: AtomicBool,
}

/// Does `work` for every item and gives the results in the order of the items.
///
/// # Errors
/// The first error ends the work on all threads; the call's end is such an error. A panic of
/// `work` goes on in the caller.
pub fn each<T, R>(
    cx: &CallContext,
    doing: &str,
    items: &[T],
    work: impl Fn(&mut Worker, &T) -> Result<R, ToolError> + Sync,
) -> Result<Vec<R>, ToolError>
where
    T: Sync,
    R: Send,
{
    let job = Job { cx, doing, items, next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(CODE_THREADS_MAX).min(items.len() / FILES_PER_THREAD_MIN);
    let parts = if threads <= 1 {
        vec![job.run(&work)]
    } else {
        thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(|| job.run(&work))).collect();
            let join = |handle: thread::ScopedJoinHandle<'_, _>| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            handles.into_iter().map(join).collect()
        })
    };
    let mut results: Vec<_> =
        parts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    results.sort_unstable_by_key(|&(at, _)| at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

impl<T> Job<'_, T> {
    fn run<R>(
        &self,
        work: &impl Fn(&mut Worker, &T) -> Result<R, ToolError>,
    ) -> Result<Vec<(usize, R)>, ToolError> {
        let mut worker = Worker::new();
        let mut results = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(at) else { break };
            let done = self.cx.check().and_then(|()| work(&mut worker, item));
            results.push((at, done.inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?));
            if (at + 1).is_multiple_of(PROGRESS_STEP) {
                self.cx.progress(format!("{} {} of {} files", self.doing, at + 1, self.items.len()));
            }
        }
        Ok(results)
    }
}
