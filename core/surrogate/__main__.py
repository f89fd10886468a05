"""``python -m core.surrogate``: what the app starts for a job, and the earlier spelling of ``neyman surrogate``."""

from __future__ import annotations

import sys

from ..words.console import guard
from .cli import main

if __name__ == "__main__":
    guard()
    sys.exit(main(sys.argv[1:]))
