"""What a shell makes of a command that is pasted into it."""

from __future__ import annotations

import subprocess


def words_of(line: str) -> list[str]:
    """The arguments that bash hands over; the line itself shows every character that it has."""
    assert line.isprintable()
    run = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True)
    return run.stdout.decode().split("\0")[:-1]
