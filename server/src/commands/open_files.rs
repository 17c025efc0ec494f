//! The files that this process may open, its connections among them.

/// Lets this process open so many files, or as many as the system allows. Gives how many it may open then.
pub fn allow(needed: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(current) = current else {
        return u64::MAX;
    };
    let raised = maximum.map_or(needed, |most| needed.min(most));
    if raised <= current {
        return current;
    }
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    setrlimit(Resource::Nofile, limit).map_or(current, |()| raised)
}
