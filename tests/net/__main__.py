"""Record what the code does now: python -m tests.net [name …]."""

from __future__ import annotations

import logging
import os
import sys
import tempfile

from tests.net.every import RECORDINGS
from tests.net.recording import path_of, write


def main(names: list[str]) -> int:
    """Write the recordings of these names, or all of them."""
    if wrong := set(names) - RECORDINGS.keys():
        print(f"There is no recording {', '.join(sorted(wrong))}. There are: {', '.join(RECORDINGS)}.")
        return 2
    # Streamlit warns of pages that run without a server.
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NEYMAN_HOME"] = f"{folder}/home"
        for name in names or RECORDINGS:
            write(name, RECORDINGS[name]())
            print(path_of(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
