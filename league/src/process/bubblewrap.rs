//! The sandbox, by the program `bwrap` (bubblewrap): files, processes and networks that a program may not reach do not exist
//! for it.

#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::lacks_control_groups;
use super::mounts::{Mounts, PROGRAM, looked_up, named};
use crate::settings::{Entrant, SandboxName, Settings};

/// The path of a file without links, whether or not the file exists.
fn found(path: &Path) -> Result<PathBuf, String> {
    let missing = |e| format!("{}: {e}", path.display());
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    Ok(folder
        .map_err(missing)?
        .join(path.file_name().unwrap_or_default()))
}

/// Why there is no sandbox here; `None` if there is one.
pub fn lacks() -> Option<String> {
    let mounts = Mounts {
        folder: PathBuf::from("/tmp"),
        ..Mounts::default()
    };
    let mut command = Command::new(PROGRAM);
    #[cfg(target_os = "linux")]
    let filter = match super::seccomp::filter() {
        Ok(filter) => filter,
        Err(e) => return Some(format!("system calls cannot be filtered here: {e}")),
    };
    #[cfg(target_os = "linux")]
    command.args(["--seccomp", &filter.as_raw_fd().to_string()]);
    command
        .args(mounts.words(&[]).iter().skip(1))
        .arg("true")
        .stdin(Stdio::null());
    match command.output() {
        _ if cfg!(not(target_os = "linux")) => Some("bubblewrap is a program for Linux".to_owned()),
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Some(format!("{PROGRAM} does not work here: {}", stderr.trim()))
        }
        Err(e) => Some(format!(
            "{PROGRAM} does not start ({e}): install bubblewrap"
        )),
    }
}

/// The mounts of an entrant whose program runs in the folder `directory`, or in an empty folder. Adds warnings to `warnings`.
fn mounts(
    entrant: &Entrant,
    base: &Path,
    private: &[PathBuf],
    warnings: &mut Vec<String>,
) -> Result<Mounts, String> {
    let directory = entrant.directory.as_deref();
    let folder = named(&base.join(directory.unwrap_or(Path::new("."))));
    let mut mounts = Mounts {
        folder: folder.clone(),
        ..Mounts::default()
    };
    if directory.is_some() {
        // A missing folder is reported when the program starts.
        let own = folder.canonicalize().unwrap_or(folder.clone());
        if private.iter().any(|path| path.starts_with(&own)) {
            mounts.reads.push((own, folder.clone()));
        } else {
            mounts.writes = Some(own);
        }
    }
    // A link in its own folder leads the program to the place where the file really is.
    let seen = |path: &Path| {
        let place = named(&folder.join(path));
        match place.canonicalize() {
            Ok(found) if directory.is_some() && place.starts_with(&folder) => {
                Ok((found.clone(), found))
            }
            Ok(found) => Ok((found, place)),
            Err(e) => Err(format!("`reads`, {}: {e}", place.display())),
        }
    };
    for path in &entrant.reads {
        mounts.reads.push(seen(path)?);
    }
    // The files that its command names. If PATH finds several programs, the sandbox may show another one than the first.
    for (number, word) in entrant.start.words().iter().enumerate() {
        let files = if number == 0 && !word.contains('/') {
            looked_up(Path::new(word), &folder, &entrant.environment)
        } else {
            vec![PathBuf::from(word)]
        };
        let files = files.iter().filter_map(|file| seen(file).ok());
        let files: Vec<_> = files.filter(|(found, _)| found.is_file()).collect();
        let shown = files
            .iter()
            .find(|(found, place)| mounts.shows(found, place));
        match (files.first(), shown) {
            (Some((_, first)), Some((_, shown))) if shown != first => warnings.push(format!(
                "sandbox: {word} of {} is {}, because the sandbox does not show {}; add that file to `reads` (--reads of `check`) to use it",
                entrant.name,
                shown.display(),
                first.display()
            )),
            (Some(first), None) => mounts.reads.push(first.clone()),
            _ => {}
        }
    }
    let hidden = |(found, place): &(PathBuf, PathBuf)| {
        let within = private
            .iter()
            .filter_map(|path| path.strip_prefix(found).ok());
        within.map(|path| place.join(path)).collect::<Vec<_>>()
    };
    mounts.hidden = mounts.reads.iter().flat_map(hidden).collect();
    let mut reads = mounts.reads.iter().map(|(found, _)| found);
    match reads.find(|read| private.iter().any(|path| read.starts_with(path))) {
        Some(read) => Err(format!("{} is the league's own", read.display())),
        None => Ok(mounts),
    }
}

/// Puts the programs of entrants into the sandbox, but for those of the project and where the file says otherwise. The files
/// and folders `private` are the league's own. Gives a line for each promise that is not kept here.
///
/// # Errors
/// A sandbox that is asked for and is not to be had, and folders in which an entrant could make itself a way out.
pub fn confine(settings: &mut Settings, private: &[&Path]) -> Result<Vec<String>, String> {
    let is_theirs = |entrant: &&mut Entrant| !entrant.start.words().is_empty();
    let base = settings.run.folder.clone();
    let tokens = settings.entrants.iter();
    let tokens = tokens.filter_map(|one| Some(base.join(one.access.token_file.as_ref()?)));
    let private: Vec<PathBuf> = private.iter().map(PathBuf::from).chain(tokens).collect();
    let mut warnings = Vec::new();
    let theirs: Vec<&mut Entrant> = settings.entrants.iter_mut().filter(is_theirs).collect();
    let limits: Vec<_> = theirs
        .iter()
        .filter_map(|one| lacks_control_groups(&one.limits))
        .collect();
    warnings.extend(limits.into_iter().next());
    // A program that plays from elsewhere is reached by means that the sandbox does not have.
    let is_confined = |one: &&mut Entrant| match one.sandbox {
        Some(name) => name == SandboxName::Bubblewrap,
        None => !one.remote,
    };
    let mut theirs: Vec<&mut Entrant> = theirs.into_iter().filter(is_confined).collect();
    if theirs.is_empty() {
        return Ok(warnings);
    }
    if let Some(reason) = lacks() {
        if theirs.iter().any(|one| one.sandbox.is_some()) {
            return Err(format!(
                "{reason}: `sandbox = \"bubblewrap\"` is not to be had here"
            ));
        }
        let names: Vec<&str> = theirs.iter().map(|one| &one.name[..]).collect();
        warnings.push(format!(
            "warning: the programs of {} run unprotected and may do all that you may: there is no sandbox, for {reason}. \
             `sandbox = \"none\"` says that you trust them",
            names.join(", ")
        ));
        return Ok(warnings);
    }
    let private = private.iter().map(|path| found(path));
    let private: Vec<PathBuf> = private.collect::<Result<_, _>>()?;
    for entrant in &mut theirs {
        let mounts = mounts(entrant, &base, &private, &mut warnings);
        let mounts = mounts.map_err(|fault| format!("{}: {fault}", entrant.name))?;
        if mounts.writes.is_none() && entrant.directory.is_some() {
            warnings.push(format!(
                "sandbox: {} writes nothing in its `directory`, for the league's own files are there",
                entrant.name
            ));
        }
        entrant.mounts = Some(mounts);
    }
    let all: Vec<(&str, &Mounts)> = theirs
        .iter()
        .filter_map(|one| Some((&one.name[..], one.mounts.as_ref()?)))
        .collect();
    for (number, (writer, mounts)) in all.iter().enumerate() {
        let Some(own) = &mounts.writes else { continue };
        for (name, mounts) in &all {
            let nested = mounts.writes.iter().filter(|other| *other != own);
            let mut sources = nested.chain(mounts.reads.iter().map(|(found, _)| found));
            if let Some(path) = sources.find(|path| path.starts_with(own)) {
                return Err(format!(
                    "{name}: {} lies within the `directory` of {writer}, which could make it a link to anything: name a path \
                     outside of what entrants may write",
                    path.display()
                ));
            }
        }
        let mut before = all[..number].iter();
        if let Some((other, _)) = before.find(|(_, mounts)| mounts.writes.as_ref() == Some(own)) {
            warnings.push(format!(
                "sandbox: {writer} and {other} may change each other's files"
            ));
        }
    }
    if rustix::process::geteuid().is_root() {
        warnings.push(
            "sandbox: taikyoku runs as root: the programs may read what only root may read in /etc and the other folders of the \
             system, and `processes` does not limit them without a control group. Run it as another user"
                .to_owned(),
        );
    }
    Ok(warnings)
}
