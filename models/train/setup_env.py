#!/usr/bin/env python3
"""Makes the Python environment of the training, in `target` of the clone, and prints the path of its interpreter.

    PY=$(python3 models/train/setup_env.py)        # PyPI alone, no GPU: 0.7 GB of downloads
    python3 models/train/setup_env.py --index-url https://download.pytorch.org/whl/cpu   # no GPU: PyTorch's own wheels
    python3 models/train/setup_env.py --cuda       # with an NVIDIA GPU: 2.8 GB of downloads

`uv` (from PyPI, if it is not on the path, with the hashes in `uv.txt`) installs what `uv.lock` names and checks every
hash. In this folder `uv lock` writes the lock anew, and `echo uv==VERSION | uv pip compile --generate-hashes
--no-annotate --no-header -` prints the other file. Only the PyTorch of `--index-url` has no hash here, since each index
has wheels of its own.

PyPI's wheel of PyTorch for Linux on x86-64 wants CUDA's libraries even where there is no GPU, and PyPI has no other:
they are 2.2 of 2.8 GB to download. Without `--cuda` and `--index-url` they are left out, and empty libraries of the
missing names take their place: every function answers "no device". They are compiled by the C compiler (`cc`, with
`readelf`), or `$CC`. The environment then has 1.5 GB and is made in 72 s. PyTorch's own index has wheels without CUDA,
but not every machine reaches it.

A second run finds the stamp of the first and ends at once.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "uv.lock"
#: The installer, with its hashes.
UV = HERE / "uv.txt"
STAMP = "taikyoku-train.stamp"

#: Libraries that are NVIDIA's, by name.
NVIDIA = re.compile(r"lib(cu|nv|nccl)")
#: Packages that only an NVIDIA GPU needs.
GPU_PACKAGES = re.compile(r"(nvidia-|cuda-|triton$)")
#: Functions that are NVIDIA's, for the undefined names that carry no version.
FUNCTION = re.compile(
    r"(__cuda|cuda|cublas|cudnn|cufft|cuFile|cupti|curand|cusolver|cusparse|nccl|nvrtc|nvshmem|cu)[A-Z_]"
)
#: cudaErrorNoDevice and CUDA_ERROR_NO_DEVICE.
NO_DEVICE = 100


def default_env(name: str = "train") -> Path:
    """The folder of an environment of this clone."""
    return Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target")) / "environments" / name


def note(text: str) -> None:
    """Tells what happens, on stderr: stdout is for the path of the interpreter."""
    print(f"setup_env: {text}", file=sys.stderr, flush=True)


def has(env: Path, stamp: str, mark: str) -> bool:
    """Whether an environment is complete, as its stamp says, which is written last; if not, makes an empty one."""
    if (env / stamp).exists() and (env / stamp).read_text() == mark:
        return True
    note(f"making {env}")
    # Of what was begun nothing stays.
    venv.create(env, with_pip=True, clear=(env / "pyvenv.cfg").exists())
    return False


def readelf(*arguments: str | Path) -> str:
    """What `readelf` prints."""
    done = subprocess.run(["readelf", *map(str, arguments)], check=True, capture_output=True, text=True)
    return done.stdout


def versions(library: Path) -> dict[str, str]:
    """Which needed library each symbol version belongs to."""
    owners, file = {}, ""
    for line in readelf("-VW", library).splitlines():
        if found := re.search(r"File: (\S+)", line):
            file = found[1]
        elif file and (found := re.search(r"Name: (\S+)\s+Flags:", line)):
            owners[found[1]] = file
    return owners


def wanted(libraries: list[Path]) -> tuple[set[str], dict[str, dict[str, str]]]:
    """The libraries of NVIDIA that are needed, and of each its undefined functions with their versions ("": none)."""
    needed: set[str] = set()
    functions: dict[str, dict[str, str]] = defaultdict(dict)
    loose, defined = set(), set()
    for library in libraries:
        needed.update(n for n in re.findall(r"NEEDED.*\[(.+?)\]", readelf("-dW", library)) if NVIDIA.match(n))
        owners = versions(library)
        for line in readelf("-sW", "--dyn-syms", library).splitlines():
            fields = line.split()
            if len(fields) < 8 or fields[4] not in ("GLOBAL", "WEAK"):
                continue
            name, _, version = fields[7].partition("@")
            if fields[6] != "UND":
                defined.add(name)
            elif NVIDIA.match(owners.get(version, "")):
                functions[owners[version]][name] = version
            elif not version and FUNCTION.match(name):
                loose.add(name)
    home = min(needed, default="")
    for name in loose - defined:
        functions[home].setdefault(name, "")
    return needed, functions


def compile_stub(path: Path, functions: dict[str, str]) -> None:
    """Compiles a library whose functions all answer "no device"."""
    by_version: dict[str, list[str]] = defaultdict(list)
    for name, version in functions.items():
        by_version[version].append(name)
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder, "stub.c"), Path(folder, "stub.map")
        lines = []
        for name in sorted(functions):
            text = re.search(r"(String|ErrorName)$", name)
            lines.append(
                f'const char *{name}(void) {{ return "no device"; }}'
                if text
                else f"long {name}(void) {{ return {NO_DEVICE}; }}"
            )
        source.write_text("\n".join(lines) + "\n")
        script.write_text(
            "".join(
                f"{version} {{ global: {' '.join(f'{name};' for name in names)} }};\n"
                for version, names in by_version.items()
                if version
            )
        )
        command = [
            os.environ.get("CC", "cc"),
            "-shared",
            "-fPIC",
            "-w",
            "-fno-builtin",
            "-O0",
            f"-Wl,-soname,{path.name}",
            str(source),
            "-o",
            str(path),
        ]
        if any(by_version) and script.stat().st_size:
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)


def make_stubs(site: Path) -> int:
    """Puts stubs for NVIDIA's libraries that are not there beside PyTorch's own; how many."""
    folder = site / "torch" / "lib"
    for tool in ("readelf", os.environ.get("CC", "cc")):
        if not shutil.which(tool.split()[0]):
            sys.exit(f"setup_env: {tool} is missing: install gcc and binutils, or take --index-url (see --help)")
    libraries = [path for path in sorted(folder.glob("lib*.so*")) if NVIDIA.match(path.name) is None]
    needed, functions = wanted(libraries)
    real = {path.name for path in site.glob("nvidia/*/lib/*.so*")}
    missing = sorted(needed - real)
    for name in missing:
        compile_stub(folder / name, functions.get(name, {}))
    return len(missing)


def sync(env: Path, python: Path, left_out: list[str], project: Path = HERE) -> list[str]:
    """Installs the lock of a project but `left_out` into the environment; gives the command of uv."""
    uv = shutil.which("uv")
    if uv is None:
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "--require-hashes", "-r", str(UV)], check=True, stdout=sys.stderr)
        uv = str(python.parent / "uv")
    flags = [flag for name in left_out for flag in ("--no-install-package", name)]
    command = [
        uv,
        "sync",
        "--quiet",
        "--project",
        str(project),
        "--frozen",
        "--inexact",
        "--no-install-project",
        "--extra",
        "test",
    ]
    # Copies, as the stubs must not reach uv's cache through a link.
    variables = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(env), "UV_LINK_MODE": "copy"}
    subprocess.run([*command, *flags], check=True, stdout=sys.stderr, env=variables)
    return [uv, "pip", "install", "--quiet", "--python", str(python)]


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", type=Path, default=default_env(), metavar="DIR", help="where (default: %(default)s)")
    parser.add_argument("--index-url", metavar="URL", help="where PyTorch comes from, instead of PyPI")
    parser.add_argument("--cuda", action="store_true", help="PyPI's PyTorch with all of CUDA's libraries")
    options = parser.parse_args()

    env: Path = options.env.expanduser().resolve()
    python = env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    kind = options.index_url or ("cuda" if options.cuda else "stubs")
    content = LOCK.read_bytes() + UV.read_bytes() + Path(__file__).read_bytes() + kind.encode()
    mark = hashlib.sha256(content).hexdigest()
    if not has(env, STAMP, mark):
        note("installing uv.lock")
        packages = {p["name"]: p["version"] for p in tomllib.loads(LOCK.read_text())["package"] if "version" in p}
        stubs = kind == "stubs" and sys.platform == "linux" and platform.machine() == "x86_64"
        left_out = [name for name in packages if GPU_PACKAGES.match(name)] if kind != "cuda" else []
        install = sync(env, python, [*left_out, "torch"] if options.index_url else left_out)
        if options.index_url:
            torch = f"torch=={packages['torch']}"
            note(f"installing {torch}")
            subprocess.run([*install, "--index-url", options.index_url, torch], check=True, stdout=sys.stderr)
        if stubs:
            query = "import sysconfig; print(sysconfig.get_path('platlib'))"
            site = subprocess.run([python, "-c", query], check=True, capture_output=True, text=True).stdout.strip()
            note(f"{make_stubs(Path(site))} stubs take the place of CUDA's libraries")
        check = "import torch; (torch.ones(2, 2) @ torch.ones(2, 2)).sum().item(); print(torch.__version__)"
        done = subprocess.run([python, "-c", check], check=True, capture_output=True, text=True)
        note(f"PyTorch {done.stdout.strip()} works")
        (env / STAMP).write_text(mark)
    print(python)


if __name__ == "__main__":
    main()
