//! `dist`: builds the programs, and packs what users unpack or install.

use std::env;
use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX, OS};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::archive::{Archive, USER, gzip, sha256};
use crate::image::{DATA, Layer, config, ground, image};
use crate::{DistOptions, Failure, manual, output, read};

/// Packages with no programs for users.
const INTERNAL: [&str; 3] = ["end-to-end", "taikyoku-python", "xtask"];

/// What a release has besides the default features: `PACKAGE/FEATURE`.
const FEATURES: &[&str] = &[
    "taikyoku/tls",
    "taikyoku-bots/onnxruntime",
    "taikyoku-bots/tls",
    "taikyoku-web/tls",
];

/// What is packed as it is, as git names it: documentation, whose links go on to lead somewhere, and examples with leagues.
const DOCUMENTS: [&str; 9] = [
    "*.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "CITATION.cff",
    "docs/pictures",
    "docs/schema",
    "models/blokus/*.png",
    "python/examples",
    "examples",
];

/// The networks, which programs look for below `share/taikyoku` of the folder in which their own folder lies.
const NETWORKS: [&str; 2] = ["models/*.onnx", ":!:models/fixtures"];

/// Makes the archive, the wheel, the sources and the image.
pub(crate) fn run(options: &DistOptions) -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let metadata =
        output(cargo(&root).args(["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let target = PathBuf::from(
        metadata["target_directory"]
            .as_str()
            .ok_or("cargo names no folder for targets")?,
    );
    let profile = &options.profile;
    let runtime = (!options.without_onnxruntime).then(|| fetched(&root));
    let runtime = runtime.transpose()?;
    let programs = build(&root, &target, &metadata, profile)?;
    // The profile for development has the names of files for backtraces.
    if profile != "dev" {
        programs
            .iter()
            .try_for_each(|path| keeps_no_folder(&root, path))?;
    }
    let archive = archive(&root, &programs, runtime.as_deref())?;

    let out = options.out.clone().unwrap_or_else(|| target.join("dist"));
    fs::create_dir_all(&out)?;
    let mut sums = String::new();
    let mut add = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        writeln!(sums, "{}  {name}", sha256(bytes))?;
        program::write_out(format_args!("{}\n", path.display()));
        Ok::<_, Failure>(path)
    };
    let version = env!("CARGO_PKG_VERSION");
    let (time, created) = time_of_commit(&root)?;
    let name = format!("taikyoku-{version}-{ARCH}-{OS}");
    let layer = Layer::new(archive.tar(Some(&name), time)?)?;
    let path = add(&format!("{name}.tar.gz"), &layer.packed)?;

    let wheel = wheel(&root, &path, glibc(&programs)?, profile != "dev")?;
    let file = wheel.file_name().unwrap_or_default().to_string_lossy();
    add(&file, &read(&wheel)?)?;

    let sources = format!("taikyoku-{version}-source");
    let packed = output(
        Command::new("git")
            .args(["archive", "--format=tar", "HEAD"])
            .arg(format!("--prefix={sources}/"))
            .current_dir(&root),
    )?;
    add(&format!("{sources}.tar.gz"), &gzip(&packed)?)?;

    if OS == "linux" {
        let mut ground = ground(programs.iter().chain(&runtime))?;
        add_examples(&root, &mut ground)?;
        let architecture = match ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let config = config(&format!("{name}/bin"), &created, architecture, version);
        let ground = Layer::new(ground.tar(None, time)?)?;
        let image = image(&[ground, layer], config)?;
        add(&format!("{name}-oci.tar"), &image.tar(None, time)?)?;
    }
    fs::write(out.join("SHA256SUMS"), sums)?;
    Ok(())
}

/// Builds all programs that users start, and gives their paths.
fn build(
    root: &Path,
    target: &Path,
    metadata: &Value,
    profile: &str,
) -> Result<Vec<PathBuf>, Failure> {
    let mut build = cargo(root);
    build.args(["build", "--locked", "--workspace", "--bins", "--profile"]);
    build.arg(profile).args(["--features", &FEATURES.join(",")]);
    hide_folders(&mut build);
    for package in INTERNAL {
        build.args(["--exclude", package]);
    }
    if !build.status()?.success() {
        return Err("the programs cannot be built".into());
    }
    // The profile `dev` has a folder of another name.
    let folder = target.join(if profile == "dev" { "debug" } else { profile });
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages
        .filter(|package| !INTERNAL.iter().any(|name| package["name"] == *name))
        .flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let names = targets
        .filter(|target| target["kind"] == serde_json::json!(["bin"]))
        .filter_map(|target| target["name"].as_str());
    Ok(names
        .map(|name| folder.join(format!("{name}{EXE_SUFFIX}")))
        .collect())
}

fn archive(root: &Path, programs: &[PathBuf], runtime: Option<&Path>) -> Result<Archive, Failure> {
    let mut archive = Archive::default();
    let mut descriptions = Vec::new();
    for path in programs {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        archive.add_program(format!("bin/{name}"), read(path)?);
        descriptions.push(manual::ask(path)?);
    }
    for program in manual::joined(descriptions) {
        manual::add(&program, &mut archive)?;
    }
    for name in tracked(root, &DOCUMENTS)? {
        archive.add(&name, read(&root.join(&name))?);
    }
    for name in tracked(root, &NETWORKS)? {
        archive.add(format!("share/taikyoku/{name}"), read(&root.join(&name))?);
    }
    archive.add("LICENSE-DEPENDENCIES", licences(root)?);
    if let Some(path) = runtime {
        add_onnxruntime(path, &mut archive)?;
    }
    Ok(archive)
}

/// The library of ONNX Runtime, which is fetched unless it is there.
fn fetched(root: &Path) -> Result<PathBuf, Failure> {
    output(&mut python(root, "models/fetch-onnxruntime"))?;
    Ok(root.join(format!(".ort/{DLL_PREFIX}onnxruntime{DLL_SUFFIX}")))
}

/// The library with the texts of its licences, which users may not be without. It lies beside the programs.
fn add_onnxruntime(path: &Path, archive: &mut Archive) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    archive.add_program(format!("bin/{name}"), read(path)?);
    for name in ["LICENSE", "ThirdPartyNotices.txt"] {
        archive.add(
            format!("share/doc/onnxruntime/{name}"),
            read(&path.with_file_name(name))?,
        );
    }
    Ok(())
}

/// Puts the examples into the folder of the user, with leagues that write beside them.
fn add_examples(root: &Path, ground: &mut Archive) -> Result<(), Failure> {
    for name in tracked(root, &["examples"])? {
        for folder in Path::new(&name).ancestors().skip(1) {
            if !folder.as_os_str().is_empty() {
                let folder = format!("{DATA}/{}/", folder.display());
                ground.put(folder, Vec::new(), 0o755, USER);
            }
        }
        let bytes = read(&root.join(&name))?;
        ground.put(format!("{DATA}/{name}"), bytes, 0o644, USER);
    }
    Ok(())
}

/// The minor version of the glibc 2 that the programs need, as the names of symbols in them say.
fn glibc(programs: &[PathBuf]) -> Result<u32, Failure> {
    let mut newest = 0;
    for path in programs {
        newest = newest.max(newest_glibc(&read(path)?));
    }
    Ok(newest)
}

fn newest_glibc(program: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let found = program.windows(NAME.len() + 2).filter_map(|window| {
        let digits = window.strip_prefix(NAME)?;
        str::from_utf8(digits)
            .ok()?
            .trim_end_matches('\0')
            .parse()
            .ok()
    });
    found.max().unwrap_or(0)
}

/// Builds the wheel with what the archive has, and gives its file. Its tag is a policy that the builder of wheels knows.
fn wheel(root: &Path, archive: &Path, glibc: u32, is_optimised: bool) -> Result<PathBuf, Failure> {
    let policies = [17, 24, 26, 27, 28, 31, 34];
    let minor = policies.into_iter().find(|&minor| minor >= glibc);
    let tag = match OS {
        "linux" => format!("manylinux_2_{}", minor.unwrap_or(glibc)),
        _ => "pypi".into(),
    };
    let mut build = python(root, "python/environment.py");
    build.arg("--dist").arg(archive);
    build.args(["--compatibility", &tag]);
    build.args(is_optimised.then_some("--release"));
    hide_folders(&mut build);
    Ok(String::from_utf8(output(&mut build)?)?.trim_end().into())
}

/// The time of the commit that is checked out, in seconds since 1970, and as a date.
fn time_of_commit(root: &Path) -> Result<(u64, String), Failure> {
    let time = output(
        Command::new("git")
            .args(["log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"])
            .arg("--format=%ct %cd")
            .env("TZ", "UTC")
            .current_dir(root),
    )?;
    let time = String::from_utf8(time)?;
    let (seconds, date) = time.trim().split_once(' ').ok_or("git tells no time")?;
    Ok((seconds.parse()?, date.to_owned()))
}

/// What the programs are made of besides the project's own code.
fn licences(root: &Path) -> Result<Vec<u8>, Failure> {
    let rustc = output(Command::new("rustc").arg("-vV").current_dir(root))?;
    let rustc = String::from_utf8(rustc)?;
    let host = rustc
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc names no host")?;
    output(
        python(root, ".ci/licences.py")
            .args(["--target", host])
            .args(["--features", &FEATURES.join(",")]),
    )
}

fn tracked(root: &Path, paths: &[&str]) -> Result<Vec<String>, Failure> {
    let listed = output(
        Command::new("git")
            .args(["ls-files", "-z", "--"])
            .args(paths)
            .current_dir(root),
    )?;
    let listed = String::from_utf8(listed)?;
    Ok(listed
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

fn python(root: &Path, script: &str) -> Command {
    let mut python = Command::new("python3");
    python.arg(root.join(script));
    python
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Crates of registries know the folder that they are in, and write it into programs: with another name for it, the programs of
/// all machines are the same.
fn hide_folders(build: &mut Command) {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let Some(home) = home else {
        return;
    };
    let mut flags = env::var_os("RUSTFLAGS").unwrap_or_default();
    flags.push(" --remap-path-prefix=");
    flags.push(home);
    flags.push("=/cargo");
    build.env("RUSTFLAGS", flags);
}

/// # Errors
/// When a program has the name of the folder of its source in it: its bytes differ where that folder is another.
fn keeps_no_folder(root: &Path, program: &Path) -> Result<(), Failure> {
    let folder = root.as_os_str().as_encoded_bytes();
    if read(program)?
        .windows(folder.len())
        .any(|part| part == folder)
    {
        let (program, root) = (program.display(), root.display());
        return Err(format!("{program} has the name of this folder in it, {root}").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_that_of_the_highest_symbol() {
        let program = b"..GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE";
        assert_eq!(newest_glibc(program), 34);
        assert_eq!(newest_glibc(b"GLIBC_2.9\0"), 9);
        assert_eq!(newest_glibc(b"static"), 0);
    }

    #[test]
    fn a_program_that_names_its_folder_is_refused() {
        let program = env::current_exe().unwrap();
        let folder = program.parent().unwrap();
        let copy = folder.join("named.bin");
        fs::write(&copy, folder.as_os_str().as_encoded_bytes()).unwrap();
        assert!(keeps_no_folder(folder, &copy).is_err());
        assert!(keeps_no_folder(&folder.join("other"), &copy).is_ok());
        fs::remove_file(&copy).unwrap();
    }
}
