//! Divides jobs into pieces, and tracks the pieces that are out. Without input and output: a driver of a thousand simulated
//! machines runs the same code.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Most jobs of a piece, and most jobs that are known at the same time.
const MOST_JOBS: usize = 10_000;
const MOST_KNOWN: usize = 100_000;

/// Most bytes of what comes back with a piece, estimated from the largest job so far. As text in JSON they fit in a line.
const MOST_BYTES: usize = 16 << 20;

/// Losses after which a job becomes a piece of its own, and losses after which it is given up.
const ALONE: u32 = 2;
const LOSSES: u32 = 5;

/// How often a job fails before it counts as failed, where one machine alone says so. Of two machines once is enough.
const TRIES: u32 = 3;

/// Most pieces that are out at the same time, whatever the carrier says.
const MOST_SLOTS: usize = 100_000;

/// Weight of a new piece in the running mean of the time of a job.
const WEIGHT: f64 = 0.2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Waiting,
    Out,
    /// It has failed on a machine, and waits until another one is free.
    Doubted,
}

/// The outcome for a job whose piece was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It goes out again, or is unknown.
    Retry,
    /// It is marked so that it does not go out again.
    Finished,
    /// It was lost too often.
    GivenUp,
}

#[derive(Debug)]
struct Entry<J> {
    job: J,
    losses: u32,
    /// The machine on which it has failed.
    failed_on: Option<String>,
    /// How many of its failures count: those where the machine is the only one, or has done another job since.
    tries: u32,
    place: Place,
    /// Whether it must not go out again.
    is_last: bool,
}

/// Jobs that are not over, and pieces of them.
#[derive(Debug)]
pub struct Queue<J> {
    length: Duration,
    slots: usize,
    jobs: HashMap<u64, Entry<J>>,
    /// Jobs in no piece, the next one first; some may be over.
    waiting: VecDeque<u64>,
    /// Number of waiting jobs that are not over.
    idle: usize,
    /// Jobs that have failed on one machine; some may be over.
    doubted: Vec<u64>,
    /// The jobs of the pieces that are out.
    out: HashMap<u64, Vec<u64>>,
    next_job: u64,
    next_piece: u64,
    /// Mean time of a job, once one is known.
    mean_ms: Option<f64>,
    /// Most bytes of a job so far.
    largest: usize,
}

impl<J> Queue<J> {
    /// No jobs; pieces of them will take about `length`.
    pub fn new(length: Duration) -> Queue<J> {
        Queue {
            length,
            slots: 0,
            jobs: HashMap::new(),
            waiting: VecDeque::new(),
            idle: 0,
            doubted: Vec::new(),
            out: HashMap::new(),
            next_job: 0,
            next_piece: 0,
            mean_ms: None,
            largest: 1,
        }
    }

    /// Sets the number of pieces that may be out; pieces above it still come back.
    pub fn set_slots(&mut self, slots: usize) {
        self.slots = slots.min(MOST_SLOTS);
    }

    /// Number of jobs that the driver should supply: twice those of the pieces that may be out.
    pub fn wanted(&self) -> usize {
        let two = self.slots.saturating_mul(2);
        two.saturating_mul(self.usual())
            .clamp(1, MOST_KNOWN.max(two))
    }

    /// Number of jobs in a piece of the target length.
    fn usual(&self) -> usize {
        let length = self.length.as_millis() as f64;
        let fit = self.mean_ms.map_or(1.0, |mean| length / mean.max(1.0));
        let most = MOST_JOBS.min(MOST_BYTES / self.largest);
        (fit as usize).clamp(1, most.max(1))
    }

    /// Adds a job, whose number it returns.
    pub fn add(&mut self, job: J) -> u64 {
        let number = self.next_job;
        self.next_job += 1;
        let entry = Entry {
            job,
            losses: 0,
            failed_on: None,
            tries: 0,
            place: Place::Waiting,
            is_last: false,
        };
        self.jobs.insert(number, entry);
        self.waiting.push_back(number);
        self.idle += 1;
        number
    }

    /// A job that is not over.
    pub fn job(&self, number: u64) -> Option<&J> {
        Some(&self.jobs.get(&number)?.job)
    }

    /// Marks a job so that it does not go out again after a loss; returns whether its piece is out.
    pub fn finish(&mut self, number: u64) -> bool {
        self.jobs.get_mut(&number).is_some_and(|entry| {
            entry.is_last = true;
            entry.place == Place::Out
        })
    }

    /// Removes a job that is over: later results of it do not count.
    pub fn remove(&mut self, number: u64) {
        if let Some(entry) = self.jobs.remove(&number) {
            self.idle -= usize::from(entry.place == Place::Waiting);
        }
    }

    /// The next piece and its jobs, if one is to go out. Towards the end pieces are smaller, so that all slots end at about the
    /// same time. Jobs that are not to go out now, as `is_wanted` says, are removed.
    pub fn next(&mut self, mut is_wanted: impl FnMut(u64, &J) -> bool) -> Option<(u64, Vec<u64>)> {
        if self.out.len() >= self.slots {
            return None;
        }
        if self.idle == 0 && self.out.is_empty() {
            // There is no other machine now.
            self.release(None);
        }
        let most = self.usual().min(self.idle.div_ceil(self.slots));
        let mut jobs = Vec::new();
        while jobs.len() < most
            && let Some(number) = self.waiting.pop_front()
        {
            let Some(entry) = self.jobs.get_mut(&number) else {
                continue;
            };
            if !is_wanted(number, &entry.job) {
                self.remove(number);
                continue;
            }
            let is_alone = entry.losses >= ALONE;
            if is_alone && !jobs.is_empty() {
                self.waiting.push_front(number);
                break;
            }
            entry.place = Place::Out;
            self.idle -= 1;
            jobs.push(number);
            if is_alone {
                break;
            }
        }
        if jobs.is_empty() {
            return None;
        }
        let piece = self.next_piece;
        self.next_piece += 1;
        self.out.insert(piece, jobs.clone());
        Some((piece, jobs))
    }

    /// Takes back a piece with its jobs; `None` if it is not out: it was lost, or came back before.
    pub fn take_back(&mut self, piece: u64) -> Option<Vec<u64>> {
        self.out.remove(&piece)
    }

    /// Records the bytes of what came back of a job.
    pub fn note_size(&mut self, bytes: usize) {
        self.largest = self.largest.max(bytes);
    }

    /// Records that a machine has done so many jobs of a piece in this time. A machine on which everything fails is quick:
    /// its time says nothing.
    pub fn note_done(&mut self, machine: &str, jobs: usize, ms: u64) {
        if jobs > 0 {
            self.release(Some(machine));
            let each = ms as f64 / jobs as f64;
            let mean = self
                .mean_ms
                .map_or(each, |mean| mean + WEIGHT * (each - mean));
            self.mean_ms = Some(mean);
        }
    }

    /// Takes back a job that has failed on this machine; returns whether another one is to try it.
    pub fn retry(&mut self, number: u64, machine: &str) -> bool {
        let Some(entry) = self.jobs.get_mut(&number) else {
            return false;
        };
        let is_other = entry.failed_on.as_ref().is_some_and(|one| one != machine);
        if entry.is_last || entry.tries + 1 >= TRIES || is_other {
            return false;
        }
        entry.failed_on = Some(machine.to_owned());
        entry.place = Place::Doubted;
        self.doubted.push(number);
        true
    }

    /// Lets doubted jobs go out again, after all others; this machine has done something, or there is only one.
    fn release(&mut self, machine: Option<&str>) {
        for number in std::mem::take(&mut self.doubted) {
            if let Some(entry) = self.jobs.get_mut(&number) {
                let is_sound = machine.is_none_or(|name| entry.failed_on.as_deref() == Some(name));
                entry.tries += u32::from(is_sound);
                entry.place = Place::Waiting;
                self.idle += 1;
                self.waiting.push_back(number);
            }
        }
    }

    /// Counts a loss of a job. It goes out again, before all others, or is removed.
    pub fn lose(&mut self, number: u64) -> Loss {
        let Some(entry) = self.jobs.get_mut(&number) else {
            return Loss::Retry;
        };
        entry.losses += 1;
        let loss = match entry.losses {
            _ if entry.is_last => Loss::Finished,
            LOSSES.. => Loss::GivenUp,
            _ => {
                entry.place = Place::Waiting;
                self.idle += 1;
                self.waiting.push_front(number);
                return Loss::Retry;
            }
        };
        self.remove(number);
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn queue(jobs: u64, slots: usize) -> Queue<u64> {
        let mut queue = Queue::new(MINUTE);
        (0..jobs).for_each(|job| _ = queue.add(job));
        queue.set_slots(slots);
        queue
    }

    fn next(queue: &mut Queue<u64>) -> Option<(u64, Vec<u64>)> {
        queue.next(|_, _| true)
    }

    /// Does all jobs of a piece in so many milliseconds each.
    fn do_all(queue: &mut Queue<u64>, piece: u64, each: u64) -> usize {
        let jobs = queue.take_back(piece).expect("a piece that is out");
        for &job in &jobs {
            queue.remove(job);
        }
        queue.note_done("m", jobs.len(), each * jobs.len() as u64);
        jobs.len()
    }

    #[test]
    fn pieces_take_about_a_minute_and_less_at_the_end() {
        let mut queue = queue(400, 0);
        assert_eq!((queue.wanted(), next(&mut queue)), (1, None));
        queue.set_slots(2);
        let (first, jobs) = next(&mut queue).expect("a piece");
        assert_eq!((&jobs[..], queue.wanted()), (&[0][..], 4));
        do_all(&mut queue, first, 600);
        assert_eq!(queue.wanted(), 2 * 2 * 100);
        let sizes: Vec<usize> = std::iter::from_fn(|| {
            let (piece, _) = next(&mut queue)?;
            Some(do_all(&mut queue, piece, 600))
        })
        .collect();
        assert_eq!(sizes.iter().sum::<usize>(), 399);
        assert_eq!((&sizes[..2], sizes.last()), (&[100, 100][..], Some(&1)));
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    }

    #[test]
    fn what_comes_of_a_piece_fits_in_a_line() {
        let mut queue = queue(100_000, 1);
        let (first, _) = next(&mut queue).expect("a piece");
        do_all(&mut queue, first, 1);
        let mut size = |bytes| {
            queue.note_size(bytes);
            let (piece, _) = next(&mut queue).expect("a piece");
            do_all(&mut queue, piece, 1)
        };
        let sizes = [1, 8 << 10, 9 << 20].map(&mut size);
        assert_eq!(sizes, [MOST_JOBS, 2 << 10, 1]);
        queue.set_slots(usize::MAX);
        assert!(queue.wanted() <= 2 * MOST_SLOTS, "the memory is bounded");
    }

    #[test]
    fn a_job_that_is_lost_again_and_again_is_given_up_alone() {
        let mut queue = queue(3, 1);
        queue.mean_ms = Some(1.0);
        let (mut sizes, mut losses) = (Vec::new(), Vec::new());
        // Each piece that contains the first job is lost.
        while let Some((piece, jobs)) = next(&mut queue) {
            sizes.push(jobs.len());
            if jobs[0] == 0 {
                let jobs = queue.take_back(piece).expect("a piece that is out");
                losses.extend(jobs.iter().rev().map(|&job| queue.lose(job)));
                assert_eq!(queue.take_back(piece), None, "it is taken back once");
            } else {
                do_all(&mut queue, piece, 1);
            }
        }
        assert_eq!(sizes, [3, 3, 1, 1, 1, 1, 1]);
        assert_eq!(losses.pop(), Some(Loss::GivenUp));
        assert!(losses.iter().all(|&loss| loss == Loss::Retry));
        assert!(queue.jobs.is_empty() && queue.out.is_empty());
    }

    /// Has a machine fail in all jobs of the next piece; gives those that no other machine is to try.
    fn fail(queue: &mut Queue<u64>, machine: &str) -> Option<(Vec<u64>, Vec<u64>)> {
        let (piece, jobs) = next(queue)?;
        queue.take_back(piece).expect("a piece that is out");
        queue.note_done(machine, 0, 1);
        let failed = jobs.iter().filter(|&&job| !queue.retry(job, machine));
        let failed: Vec<u64> = failed.copied().collect();
        for &job in &failed {
            queue.remove(job);
        }
        Some((jobs, failed))
    }

    #[test]
    fn a_machine_on_which_all_fails_gives_nothing_up_and_makes_no_piece_larger() {
        let mut queue = queue(50, 1);
        // It is quick, and takes every piece; the jobs come back when no other machine works.
        for job in (0..50).chain(0..50) {
            assert_eq!(fail(&mut queue, "sick"), Some((vec![job], Vec::new())));
        }
        // Another one fails in the first job, and does the second.
        assert_eq!(fail(&mut queue, "other"), Some((vec![0], vec![0])));
        let (piece, jobs) = next(&mut queue).expect("a piece");
        assert_eq!(jobs, [1]);
        do_all(&mut queue, piece, 600);
        // A third time is the last one, also on the same machine.
        let (_, failed) = fail(&mut queue, "sick").expect("a piece");
        assert_eq!(failed, (2..50).collect::<Vec<_>>());
        // While another machine works, the sick one gets no job twice.
        queue.set_slots(2);
        (50..60).for_each(|job| _ = queue.add(job));
        let (piece, _) = next(&mut queue).expect("a piece");
        while let Some((_, failed)) = fail(&mut queue, "sick") {
            assert!(failed.is_empty());
        }
        let doubted = queue.doubted.clone();
        assert!(!doubted.is_empty() && !queue.finish(doubted[0]));
        queue.remove(doubted[0]);
        do_all(&mut queue, piece, 600);
        queue.set_slots(usize::MAX);
        let again = std::iter::from_fn(|| Some(next(&mut queue)?.1.len()));
        assert_eq!(again.sum::<usize>(), doubted.len() - 1);
    }

    #[test]
    fn a_machine_that_does_others_is_believed_the_third_time() {
        let mut queue = queue(1, 1);
        for time in 1..=3 {
            let (_, failed) = fail(&mut queue, "m").expect("a piece");
            assert_eq!(failed.len(), usize::from(time == 3));
            queue.add(time);
            let (piece, _) = next(&mut queue).expect("a piece");
            do_all(&mut queue, piece, 1);
        }
        assert_eq!(next(&mut queue), None);
    }

    #[test]
    fn what_is_removed_or_to_finish_goes_out_no_more() {
        let mut queue = queue(3, 2);
        let (piece, _) = next(&mut queue).expect("a piece");
        assert!(queue.finish(0) && !queue.finish(1));
        queue.remove(1);
        assert_eq!(queue.next(|number, _| number != 2), None);
        assert_eq!(queue.take_back(piece), Some(vec![0]));
        assert_eq!(
            (queue.lose(0), queue.lose(2)),
            (Loss::Finished, Loss::Retry)
        );
        assert!(queue.jobs.is_empty() && queue.idle == 0);
    }
}
