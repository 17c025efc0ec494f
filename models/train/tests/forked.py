"""Runs in processes of their own that have the modules already: importing PyTorch takes most of a short run's time."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from pathlib import Path

#: Processes are forked from one that has imported these and done nothing else; the last two are imported on first use.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["taikyoku_train.run", "torch._dynamo", "onnxruntime.quantization"])


def execute(arguments: list[str], variables: dict[str, str], said: Path) -> None:
    """What `python -m taikyoku_train` does, in the new process."""
    from taikyoku_train import run
    from taikyoku_train.__main__ import main

    # In a process group of its own, as a terminal has it.
    os.setsid()
    os.environ.update(variables)
    with said.open("wb") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
    # Its time begins now, not with the process that it is forked from.
    run.STARTED = time.monotonic()
    sys.exit(main(arguments))


class Forked:
    """`python -m taikyoku_train` with arguments; what it says goes to the file `said`."""

    def __init__(self, arguments: list[str], variables: dict[str, str], said: Path) -> None:
        self.said = said
        self.process = FORKS.Process(target=execute, args=(arguments, variables, said), daemon=True)
        self.process.start()

    @property
    def pid(self) -> int:
        """Its number, which is that of its process group, too."""
        assert self.process.pid is not None
        return self.process.pid

    def ended(self) -> bool:
        """Whether it is over."""
        return self.process.exitcode is not None

    def kill(self) -> None:
        """Ends it by SIGKILL, and waits for that."""
        self.process.kill()
        self.process.join()

    def finish(self, seconds: float) -> str:
        """Waits for its end, which must have the status 0; what it has said."""
        status = self.status(seconds)
        assert status == 0, f"{status}: {self.said.read_text()}"
        return self.said.read_text()

    def status(self, seconds: float) -> int | None:
        """Waits for its end: its status, negative for a signal; none: it goes on."""
        self.process.join(seconds)
        return self.process.exitcode
