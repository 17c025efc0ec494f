//! `dist`: builds the programs, and packs what users unpack.

use std::env;
use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX, OS};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::archive::{Archive, checksum};
use crate::{DistOptions, Failure, manual};

/// What is packed as it is, as git names it: documentation, whose links go on to lead somewhere, and examples with leagues.
const DOCUMENTS: [&str; 7] = [
    "*.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "CITATION.cff",
    "docs/pictures",
    "docs/schema",
    "examples",
];

/// The networks, which programs look for below `share/taikyoku` of the folder in which their own folder lies.
const NETWORKS: [&str; 2] = ["models/*.onnx", ":!:models/fixtures"];

/// Makes the archive.
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
    let built = cargo(&root)
        .args(["build", "--locked", "--profile", profile])
        .status()?;
    if !built.success() {
        return Err("the programs cannot be built".into());
    }

    let mut archive = Archive::default();
    // The profile `dev` has a folder of another name.
    let folder = target.join(if profile == "dev" { "debug" } else { profile });
    let mut descriptions = Vec::new();
    for name in programs(&metadata) {
        let path = folder.join(format!("{name}{EXE_SUFFIX}"));
        archive.add_program(format!("bin/{name}{EXE_SUFFIX}"), read(&path)?);
        descriptions.push(manual::ask(&path)?);
    }
    for program in manual::joined(descriptions) {
        manual::add(&program, &mut archive)?;
    }
    for name in tracked(&root, &DOCUMENTS)? {
        archive.add(&name, read(&root.join(&name))?);
    }
    for name in tracked(&root, &NETWORKS)? {
        archive.add(format!("share/taikyoku/{name}"), read(&root.join(&name))?);
    }
    archive.add("LICENSE-DEPENDENCIES", licences(&root)?);
    if let Some(folder) = &options.onnxruntime {
        add_onnxruntime(folder, &mut archive)?;
    }

    let out = options.out.clone().unwrap_or_else(|| target.join("dist"));
    fs::create_dir_all(&out)?;
    let name = format!("taikyoku-{}-{ARCH}-{OS}", env!("CARGO_PKG_VERSION"));
    let path = out.join(format!("{name}.tar.gz"));
    let time = output(
        Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(&root),
    )?;
    let time = String::from_utf8(time)?.trim().parse()?;
    archive.pack(&name, time, BufWriter::new(File::create(&path)?))?;
    fs::write(out.join("SHA256SUMS"), checksum(&path)?)?;
    program::write_out(format_args!("{}\n", path.display()));
    Ok(())
}

/// The programs that `cargo build` builds.
fn programs(metadata: &Value) -> Vec<&str> {
    let list =
        |value: &'static str, of: &'_ Value| of[value].as_array().cloned().unwrap_or_default();
    let members = list("workspace_default_members", metadata);
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| members.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .filter(|target| target["kind"] == serde_json::json!(["bin"]))
        .filter_map(|target| target["name"].as_str())
        .collect()
}

/// The library with the texts of its licences, which users may not be without. It lies beside the programs.
fn add_onnxruntime(folder: &Path, archive: &mut Archive) -> Result<(), Failure> {
    let name = format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}");
    archive.add_program(format!("bin/{name}"), read(&folder.join(&name))?);
    for name in ["LICENSE", "ThirdPartyNotices.txt"] {
        archive.add(
            format!("share/doc/onnxruntime/{name}"),
            read(&folder.join(name))?,
        );
    }
    Ok(())
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
        Command::new("python3")
            .arg(root.join(".ci/licences.py"))
            .args(["--target", host]),
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

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// What a command prints; its messages are those of this program.
fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let run = command.stderr(Stdio::inherit()).output();
    let run = run.map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    if run.status.success() {
        Ok(run.stdout)
    } else {
        Err(format!("{}: {}", command.get_program().display(), run.status).into())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()).into())
}
