"""What a run tells: lines of JSON in `log.jsonl`, and of text on stdout."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any


class Journal:
    """Appends records to `log.jsonl`: each has `time` (seconds since 1970), `kind` and `step`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "log.jsonl"

    def write(self, kind: str, step: int, **values: Any) -> None:
        """Appends a record, and prints it."""
        values = {k: round(v, 5) if isinstance(v, float) else v for k, v in values.items()}
        record = {"time": round(time.time(), 3), "kind": kind, "step": step, **values}
        with open(self.path, "a") as file:
            file.write(json.dumps(record) + "\n")
        text = " ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in values.items())
        print(f"{time.strftime('%H:%M:%S')} step {step} {kind}: {text}", flush=True)


def read(folder: Path) -> list[dict[str, Any]]:
    """The records of a run, each step's last; a line cut off by a crash is passed over."""
    records: dict[tuple[str, int], dict[str, Any]] = {}
    for line in (folder / "log.jsonl").read_text().splitlines():
        try:
            record = json.loads(line)
            records[record["kind"], record["step"]] = record
        except (ValueError, KeyError, TypeError):
            continue
    return sorted(records.values(), key=lambda record: record["step"])
