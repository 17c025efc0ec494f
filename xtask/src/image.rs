//! The image for containers: a layout of OCI in a tar, with the list that `docker load` reads beside its index.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::archive::{Archive, USER, gzip, sha256};
use crate::{Failure, output, read};

/// The folder of the image in which users work; it belongs to them.
pub(crate) const DATA: &str = "data";
/// What clients of TLS trust, where it is installed.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// What programs need besides themselves: the shared libraries that they load on this machine with their licences, the user,
/// and places to write.
pub(crate) fn ground<'a>(programs: impl Iterator<Item = &'a PathBuf>) -> Result<Archive, Failure> {
    let mut ground = Archive::default();
    for path in libraries(programs)? {
        ground.add_program(&path[1..], read(Path::new(&path))?);
        // The packages of Debian have their files in /usr/lib or in /lib.
        let owner = output(Command::new("dpkg").args(["-S", &format!("*{path}")]))?;
        let owner = String::from_utf8(owner)?;
        let package = owner.split(':').next().unwrap_or_default();
        let licence = format!("usr/share/doc/{package}/copyright");
        let text = read(&Path::new("/").join(&licence))?;
        ground.add(licence, text);
    }
    if let Ok(bytes) = fs::read(CERTIFICATES) {
        ground.add(&CERTIFICATES[1..], bytes);
    }
    let user = format!("taikyoku:x:{USER}:{USER}::/{DATA}:/usr/sbin/nologin\n");
    ground.add("etc/passwd", user.into_bytes());
    ground.add("etc/nsswitch.conf", b"hosts: files dns\n".to_vec());
    ground.put(format!("{DATA}/"), Vec::new(), 0o755, USER);
    ground.put("tmp/".into(), Vec::new(), 0o1777, 0);
    Ok(ground)
}

/// The paths of the libraries that programs load, with the loader, as `ldd` names them.
fn libraries<'a>(programs: impl Iterator<Item = &'a PathBuf>) -> Result<BTreeSet<String>, Failure> {
    let listed = output(Command::new("ldd").args(programs))?;
    let listed = String::from_utf8(listed)?;
    // Lines without a tab name the programs.
    let lines = listed.lines().filter(|line| line.starts_with('\t'));
    if let Some(line) = lines.clone().find(|line| line.ends_with("not found")) {
        return Err(format!(
            "a library of the programs is not installed: {}",
            line.trim()
        )
        .into());
    }
    let words = lines.flat_map(str::split_whitespace);
    let paths = words.filter(|word| word.starts_with('/'));
    Ok(paths.map(str::to_owned).collect())
}

/// What runs in the image when nothing else is said.
pub(crate) fn config(bin: &str, created: &str, architecture: &str, version: &str) -> Value {
    let mut labels = json!({
        "org.opencontainers.image.title": "Taikyoku",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": env!("CARGO_PKG_LICENSE"),
    });
    let address = env!("CARGO_PKG_REPOSITORY");
    if !address.is_empty() {
        labels["org.opencontainers.image.source"] = address.into();
    }
    // UECda, both players of GAT, the native protocol, and the page.
    let ports = [42485, 10000, 10001, 4444, 8080];
    let ports = ports.map(|port| (format!("{port}/tcp"), json!({})));
    json!({
        "architecture": architecture,
        "os": "linux",
        "created": created,
        "config": {
            "User": format!("{USER}:{USER}"),
            "Env": [format!("PATH=/{bin}"), format!("HOME=/{DATA}")],
            "WorkingDir": format!("/{DATA}"),
            "Entrypoint": ["taikyoku"],
            "Cmd": ["--help"],
            "ExposedPorts": ports.into_iter().collect::<serde_json::Map<_, _>>(),
            "Labels": labels,
        },
    })
}

/// A layer as it is, and packed by gzip.
pub(crate) struct Layer {
    pub(crate) tar: Vec<u8>,
    pub(crate) packed: Vec<u8>,
}

impl Layer {
    pub(crate) fn new(tar: Vec<u8>) -> io::Result<Self> {
        let packed = gzip(&tar)?;
        Ok(Self { tar, packed })
    }
}

/// Joins layers to an image of the name `taikyoku:latest`.
pub(crate) fn image(layers: &[Layer], mut config: Value) -> Result<Archive, Failure> {
    let mut image = Archive::default();
    let sums = layers
        .iter()
        .map(|layer| format!("sha256:{}", sha256(&layer.tar)));
    config["rootfs"] = json!({"type": "layers", "diff_ids": sums.collect::<Vec<_>>()});
    let layers: Vec<_> = layers
        .iter()
        .map(|layer| blob(&mut image, "layer.v1.tar+gzip", layer.packed.clone()))
        .collect();
    let config = blob(&mut image, "config.v1+json", serde_json::to_vec(&config)?);
    let file = |blob: &Value| {
        let digest = blob["digest"].as_str().unwrap_or_default();
        format!("blobs/{}", digest.replace(':', "/"))
    };
    let list = json!([{
        "Config": file(&config),
        "RepoTags": ["taikyoku:latest"],
        "Layers": layers.iter().map(file).collect::<Vec<_>>(),
    }]);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": layers,
    });
    let manifest = serde_json::to_vec(&manifest)?;
    let mut manifest = blob(&mut image, "manifest.v1+json", manifest);
    manifest["annotations"] = json!({
        "org.opencontainers.image.ref.name": "latest",
        "io.containerd.image.name": "docker.io/library/taikyoku:latest",
    });
    let index = json!({"schemaVersion": 2, "manifests": [manifest]});
    image.add("index.json", serde_json::to_vec(&index)?);
    image.add("manifest.json", serde_json::to_vec(&list)?);
    image.add("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec());
    Ok(image)
}

/// Adds bytes under the name of their digest, and describes them.
fn blob(image: &mut Archive, kind: &str, bytes: Vec<u8>) -> Value {
    let (digest, size) = (sha256(&bytes), bytes.len());
    image.add(format!("blobs/sha256/{digest}"), bytes);
    json!({
        "mediaType": format!("application/vnd.oci.image.{kind}"),
        "digest": format!("sha256:{digest}"),
        "size": size,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Read as _;

    use super::*;

    fn unpacked(tar: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let mut archive = tar::Archive::new(tar);
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (entry.path().unwrap().display().to_string(), bytes)
        });
        entries.collect()
    }

    fn json(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn an_image_names_every_blob_by_its_digest() {
        let layers = [b"one", b"two"].map(|tar| Layer::new(tar.to_vec()).unwrap());
        let config = config("it/bin", "2020-01-01T00:00:00Z", "amd64", "1.0");
        let make = || {
            image(&layers, config.clone())
                .unwrap()
                .tar(None, 7)
                .unwrap()
        };
        let files = unpacked(&make());
        assert_eq!(unpacked(&make()), files);
        for (name, bytes) in &files {
            if let Some(digits) = name.strip_prefix("blobs/sha256/") {
                assert_eq!(digits, sha256(bytes));
            }
        }
        let blob = |described: &Value| {
            let digest = described["digest"].as_str().unwrap();
            let bytes = &files[&format!("blobs/{}", digest.replace(':', "/"))];
            assert_eq!(described["size"], bytes.len());
            bytes
        };
        let manifest = json(blob(&json(&files["index.json"])["manifests"][0]));
        let config = json(blob(&manifest["config"]));
        assert_eq!(config["config"]["Entrypoint"], json!(["taikyoku"]));
        let described = manifest["layers"].as_array().unwrap();
        assert_eq!(described.len(), layers.len());
        let listed = &json(&files["manifest.json"])[0];
        for (place, layer) in layers.iter().enumerate() {
            let packed = blob(&described[place]);
            assert_eq!(packed, &layer.packed);
            assert_eq!(&files[listed["Layers"][place].as_str().unwrap()], packed);
            let sum = format!("sha256:{}", sha256(&layer.tar));
            assert_eq!(config["rootfs"]["diff_ids"][place], sum);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_needs_the_loader_and_the_c_library() {
        let paths = libraries([std::env::current_exe().unwrap()].iter()).unwrap();
        for part in ["/ld-", "/libc."] {
            assert!(paths.iter().any(|path| path.contains(part)), "{paths:?}");
        }
    }
}
