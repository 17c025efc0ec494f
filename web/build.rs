//! Joins the modules of the page into one script and its styles into one sheet. A browser needs few requests, and keeps the
//! files, whose names change with their content.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> io::Result<()> {
    let variable = |name| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let folder = variable("CARGO_MANIFEST_DIR").join("assets");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Files {
        folder: variable("OUT_DIR"),
        table: "&[".to_owned(),
    };
    let (mut page, mut sheet) = (String::new(), String::new());
    for line in fs::read_to_string(folder.join("index.html"))?.lines() {
        let named = |before, after| line.strip_prefix(before)?.strip_suffix(after);
        if let Some(name) = named("<link rel=\"stylesheet\" href=\"/assets/", "\">") {
            sheet += &fs::read_to_string(folder.join(name))?;
        } else if let Some(name) = named("<script type=\"module\" src=\"/assets/", "\"></script>") {
            let mut script = Script::default();
            script.add(&folder.join(name))?;
            let sheet = files.add("page", "css", sheet.as_bytes())?;
            let modules = script.modules();
            let main = format!("{}export {{ {modules} }};\n", script.text);
            script.text.clear();
            let late = script.add(&folder.join("late.js"))?;
            let late = format!("{}export const {{ PAGES }} = {late};\n", script.text);
            // A page never meets the other half of another version.
            let digest = digest(format!("{main}{late}").as_bytes());
            let late = format!("import {{ {modules} }} from './page-{digest}.js';\n{late}");
            files.put(&format!("late-{digest}.js"), false, late.as_bytes())?;
            let main_name = format!("page-{digest}.js");
            files.put(&main_name, false, main.as_bytes())?;
            // Writing to a string does not fail.
            let _ = writeln!(page, "<link rel=\"stylesheet\" href=\"/assets/{sheet}\">");
            let _ = writeln!(
                page,
                "<script type=\"module\" src=\"/assets/{main_name}\"></script>"
            );
        } else {
            page += line;
            page.push('\n');
        }
    }
    files.add("index.html", "", page.as_bytes())?;
    files.add("icon.svg", "", &fs::read(folder.join("icon.svg"))?)?;
    // Texts that a first board does not need.
    for name in ["lessons.js", "imports.json"] {
        files.add(name, "", &fs::read(folder.join("i18n").join(name))?)?;
    }
    fs::write(files.folder.join("assets.rs"), files.table + "]")
}

/// The files that the program carries.
struct Files {
    folder: PathBuf,
    /// The source of a table of them.
    table: String,
}

impl Files {
    /// Adds a file; returns its name, which has the digest of the content in it if an ending is given.
    fn add(&mut self, name: &str, ending: &str, content: &[u8]) -> io::Result<String> {
        let is_fixed = ending.is_empty();
        let name = if is_fixed {
            name.to_owned()
        } else {
            format!("{name}-{}.{ending}", digest(content))
        };
        self.put(&name, is_fixed, content)?;
        Ok(name)
    }

    /// Adds a file under this name, which is that of one content unless it is fixed.
    fn put(&mut self, name: &str, is_fixed: bool, content: &[u8]) -> io::Result<()> {
        let digest = digest(content);
        let path = self.folder.join(&digest);
        fs::write(&path, content)?;
        let path = path.to_str().expect("the workspace has a plain name");
        let _ = writeln!(
            self.table,
            "File {{ name: {name:?}, digest: {digest:?}, is_fixed: {is_fixed}, content: include_bytes!({path:?}) }},"
        );
        Ok(())
    }
}

fn digest(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    format!("{:016x}", hasher.finish())
}

/// Modules of JavaScript in one: each is a function, run once, that returns what the module exports. It knows the forms of
/// `import` and `export` that the page uses.
#[derive(Default)]
struct Script {
    text: String,
    done: Vec<PathBuf>,
    /// Modules whose imports are being added.
    open: Vec<PathBuf>,
}

impl Script {
    /// The names of what the modules export.
    fn modules(&self) -> String {
        let names: Vec<String> = (0..self.done.len())
            .map(|at| format!("module{at}"))
            .collect();
        names.join(", ")
    }

    /// Adds a module after those that it imports; returns the name of what it exports.
    fn add(&mut self, path: &Path) -> io::Result<String> {
        let missing = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        let path = path.canonicalize().map_err(missing)?;
        if let Some(at) = self.done.iter().position(|one| *one == path) {
            return Ok(format!("module{at}"));
        }
        assert!(
            !self.open.contains(&path),
            "modules import each other in a circle: {:?}",
            self.open
        );
        self.open.push(path.clone());
        let (mut body, mut exports) = (String::new(), Vec::new());
        let source = fs::read_to_string(&path)?;
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            let start = line.trim_start();
            let bad = format!("{}: the joiner does not know `{line}`", path.display());
            // A text over several lines would lose its indentation, and could begin like an import.
            assert!(
                line.matches('`').count() % 2 == 0,
                "{}: a text over several lines",
                path.display()
            );
            if start.starts_with("/*") {
                let mut end = start;
                while !end.ends_with("*/") {
                    end = lines.next().expect(&bad);
                }
            } else if start.starts_with("//") {
            } else if let Some(import) = line.strip_prefix("import ") {
                let import = import.strip_suffix("';").expect(&bad);
                let (names, from) = import.split_once(" from '").expect(&bad);
                let module = self.add(&path.with_file_name(from))?;
                let names = if names.starts_with('{') {
                    names.replace(" as ", ": ")
                } else {
                    format!("{{ default: {names} }}")
                };
                let _ = writeln!(body, "const {names} = {module};");
            } else if let Some(export) = line.strip_prefix("export ") {
                if let Some(value) = export.strip_prefix("default ") {
                    let _ = writeln!(body, "const exported = {value}");
                    exports.push("default: exported".to_owned());
                } else {
                    let name = export.trim_start_matches("async ");
                    let name = ["const ", "function ", "class "]
                        .iter()
                        .find_map(|word| name.strip_prefix(word));
                    let name = name.expect(&bad);
                    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
                    exports.push(name[..end.unwrap_or(name.len())].to_owned());
                    body += export;
                    body.push('\n');
                }
            } else {
                body += start;
                body.push('\n');
            }
        }
        self.open.pop();
        let name = format!("module{}", self.done.len());
        self.done.push(path);
        let _ = writeln!(
            self.text,
            "const {name} = (() => {{\n{body}return {{ {} }};\n}})();",
            exports.join(", ")
        );
        Ok(name)
    }
}
