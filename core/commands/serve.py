"""`neyman serve`: start the script of the app in place of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

_SCRIPT = Path(__file__).parents[2] / "serve.py"


def serve(*words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Start the app; this process becomes it.

    Parameters
    ----------
    *words : str
        Options of `serve.py`, `--help` among them.
    """
    os.execv(sys.executable, [sys.executable, str(_SCRIPT), *words])
