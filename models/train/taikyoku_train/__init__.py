"""Training of Taikyoku's networks: self-play, learning, export, evaluation.

`python -m taikyoku_train --help` lists the commands. What the networks take and give is defined in Rust, in the crate
`models`; `layouts.py` repeats the shapes, and the tests compare both sides byte for byte.
"""

import os
import time

__version__ = "0.1.0"

# Threads that wait for each other must not spin: other programs want the processor. To be set before PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

#: When the program began, before the seconds that importing PyTorch takes.
STARTED = time.monotonic()
