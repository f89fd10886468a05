"""The recordings are those of the code: names, options, pages, readings and limits."""

from __future__ import annotations

import pytest

from tests.net.every import RECORDINGS
from tests.net.recording import FOLDER, difference


@pytest.mark.parametrize("name", RECORDINGS)
def test_nothing_has_changed_that_is_not_recorded(name: str) -> None:
    changed = difference(name, RECORDINGS[name]())
    assert not changed, changed


def test_every_recording_is_compared() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(RECORDINGS)


def test_a_change_is_shown_with_the_command_that_records_it() -> None:
    lines = ["neyman gate --margin: default 3.0", *RECORDINGS["options"]()[1:]]
    shown = difference("options", lines)
    assert "+neyman gate --margin: default 3.0" in shown and "python -m tests.net options" in shown
