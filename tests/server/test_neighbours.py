"""Whether other people have accounts on a machine."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import serve
from server import owner
from server.owner import has_several_people


class Entry(NamedTuple):
    pw_uid: int
    pw_dir: str
    pw_shell: str


# Number, whether its home exists, and shell.
ROOT, SYSTEM, NOBODY = (0, True, "/bin/bash"), (999, True, "/bin/bash"), (65_534, True, "/bin/bash")
ANN, BEN = (1000, True, "/bin/bash"), (1001, True, "/usr/bin/zsh")
FIRST = (20_000, True, "/bin/sh")


@pytest.mark.parametrize(
    ("accounts", "several"),
    [
        ([], False),
        ([ROOT, SYSTEM, NOBODY], False),
        ([ROOT, ANN, NOBODY], False),
        ([ROOT, ANN, BEN], True),
        ([ANN, FIRST], True),
        ([ANN, (1001, False, "/bin/bash")], False),
        ([ANN, (1001, True, "/usr/sbin/nologin")], False),
        ([ANN, (1001, True, "/bin/false")], False),
        ([ANN, (1001, True, "")], False),
        ([ANN, (1000, True, "/bin/zsh")], False),
        ([ANN, (70_000, True, "/bin/bash")], True),
    ],
)
def test_people_are_accounts_that_log_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accounts: list[tuple[int, bool, str]], several: bool
) -> None:
    monkeypatch.setattr(owner, "_FIRST", 1000)
    listed = []
    for place, (number, exists, shell) in enumerate(accounts):
        home = tmp_path / "homes" / str(place)
        if exists:
            home.mkdir(parents=True)
        listed.append(Entry(number, str(home), shell))
    assert has_several_people(listed, tmp_path / "alone" / "me") is several


def test_accounts_of_a_directory_service_are_known_by_the_homes_that_they_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ann", "ben"):
        (tmp_path / name).mkdir()
    mine = tmp_path.stat().st_uid
    monkeypatch.setattr(owner, "_FIRST", mine)
    assert not has_several_people([], tmp_path / "ann")
    # One is in the list, and this process's account owns the homes.
    assert has_several_people([Entry(mine + 1, str(tmp_path), "/bin/bash")], tmp_path / "ann")


@pytest.mark.parametrize("several", [True, False])
def test_the_start_says_in_one_line_how_to_keep_others_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], several: bool
) -> None:
    monkeypatch.setattr(owner, "has_several_people", lambda: several)
    serve._warn_of_others()
    assert capsys.readouterr().out.strip().splitlines() == ([owner.WARNING] if several else [])
    assert "--token" in owner.WARNING and "make run TOKEN=1" in owner.WARNING
