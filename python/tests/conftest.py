"""What holds for all tests of the package."""

import os
import tempfile

# The user's data may hold the table of Dobutsu shogi, with which the engines there answer as no other machine does.
os.environ["XDG_DATA_HOME"] = tempfile.gettempdir() + "/taikyoku-no-data"
