"""``python -m core.surrogate``: generate without the app, on this machine or any other."""

from __future__ import annotations

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
