"""The ways back for a home whose database is lost; stop Neyman first.

`python -m core.archive copies FOLDER` lists the copies of the database, the best one first. `restore FOLDER` puts it in
the place of the database, or the copy that is named behind the folder. `afresh FOLDER` begins anew. Nothing is removed:
what is replaced moves to `set-aside` in the folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import NeymanError
from . import copies, recovery


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m core.archive", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("copies", "list the copies of the database"),
        ("restore", "put a copy in the place of the database"),
        ("afresh", "set everything aside and begin anew"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("folder", type=Path, help="NEYMAN_HOME")
        if name == "restore":
            command.add_argument("copy", type=Path, nargs="?", help="the copy; by default the newest good one")
    options = parser.parse_args(arguments)
    folder = options.folder.expanduser()
    try:
        if options.command == "copies":
            print("\n".join(f"{copy.path}: {copy.title}" for copy in copies.good(folder)))
        elif options.command == "restore":
            print(f"The database is now that of “{recovery.restore(folder, options.copy)}”.")
        else:
            place = recovery.start_afresh(folder)
            print("There was nothing to set aside." if place is None else f"What was there is now in “{place}”.")
    except NeymanError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
