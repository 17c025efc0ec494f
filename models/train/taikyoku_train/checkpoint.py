"""Checkpoints: the whole state of a training, in files of at most 16 MiB."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import torch

from .files import write_atomically

#: Bytes of a file, at most.
PART = 16 * 1024 * 1024
#: Checkpoints that are kept.
KEPT = 3


def save(folder: Path, state: dict[str, Any], kept: int = KEPT) -> Path:
    """Writes a checkpoint; the path of its manifest, which is written last. Old ones are removed."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    data = buffer.getbuffer()
    name = f"step-{state['learner']['step']:09}"
    parts = [data[i : i + PART] for i in range(0, len(data), PART)]
    # A checkpoint of the same step may be there already: what the manifest names must be whole at any moment.
    digest = hashlib.sha256(data).hexdigest()
    names = [f"{name}.{digest[:8]}.{i:03}" for i in range(len(parts))]
    for part_name, part in zip(names, parts):
        write_atomically(folder / part_name, bytes(part))
    manifest = folder / f"{name}.json"
    content = {"step": state["learner"]["step"], "parts": names, "bytes": len(data), "sha256": digest}
    write_atomically(manifest, json.dumps(content, indent=1).encode())
    _tidy(folder, kept)
    return manifest


def load(manifest: Path) -> dict[str, Any]:
    """Reads a checkpoint; `ValueError` that names what is missing or broken."""
    try:
        content = json.loads(manifest.read_text())
        data = b"".join((manifest.parent / name).read_bytes() for name in content["parts"])
        whole = hashlib.sha256(data).hexdigest() == content["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{manifest}: not a checkpoint: {error}") from None
    if not whole:
        raise ValueError(f"{manifest}: the checkpoint's parts are broken; take an older one")
    return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)


def newest(folder: Path) -> dict[str, Any] | None:
    """The newest whole checkpoint of a folder."""
    for manifest in sorted(folder.glob("step-*.json"), reverse=True):
        try:
            return load(manifest)
        except ValueError:
            continue
    return None


def find(path: Path) -> dict[str, Any]:
    """A checkpoint by the path of its manifest, of a folder of checkpoints, or of a run; `ValueError`: none there."""
    if path.is_file():
        return load(path)
    for folder in (path / "checkpoints", path):
        if (state := newest(folder)) is not None:
            return state
    raise ValueError(f"{path}: no checkpoint there")


def _tidy(folder: Path, kept: int) -> None:
    manifests = sorted(folder.glob("step-*.json"))
    for manifest in manifests[:-kept]:
        manifest.unlink()
    named: set[str] = set()
    for manifest in manifests[-kept:]:
        try:
            named.update(json.loads(manifest.read_text())["parts"])
        except (OSError, ValueError, KeyError):
            continue
    for part in folder.glob("step-*.[0-9][0-9][0-9]"):
        if part.name not in named:
            part.unlink()
