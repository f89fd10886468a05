"""The command `neyman`; of a checkout, `python -m neyman` in its folder."""

from __future__ import annotations

import sys
from importlib import import_module

from . import package


def main() -> int:
    """Run the words of this process; return the exit status."""
    return int(import_module(f"{package().__name__}.commands").main())


if __name__ == "__main__":
    sys.exit(main())
