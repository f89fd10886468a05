"""Put vLLM into a separate environment: ``python -P installer.py FOLDER DONE REQUIREMENT …``.

Run again after it was ended, it goes on with what is there: pip keeps what it has downloaded. The file DONE holds the
requirements once all is in place, and only then. It is a separate process, so that a page may be closed meanwhile;
what it and pip print is its log.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main(folder: Path, done: Path, requirements: list[str]) -> int:
    """Make the environment and install into it; return the exit status."""
    done.unlink(missing_ok=True)
    python = folder / "bin" / "python"
    steps = [
        # The environment that runs this may be one itself; its own pip is not needed.
        *([] if python.exists() else [[sys.executable, "-P", "-m", "venv", "--clear", str(folder)]]),
        [str(python), "-P", "-m", "pip", "install", "--progress-bar=off", *requirements],
        [str(python), "-P", "-c", "import importlib.util as util, sys; sys.exit(util.find_spec('vllm') is None)"],
    ]
    for step in steps:
        status = subprocess.run(step, stdin=subprocess.DEVNULL, check=False).returncode
        if status:
            return min(abs(status), 255)
    written = done.with_suffix(".part")
    written.write_text(" ".join(requirements), encoding="utf-8")
    os.replace(written, done)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
