"""A sample of what ``make fuzz`` tries, and every input that once broke a reader."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.fuzz import __main__ as fuzz
from tests.fuzz import inputs
from tests.fuzz.inputs import Inputs, stored_inputs
from tests.fuzz.subjects import SUBJECTS, survives

_SAMPLE = 40


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_reader_gives_a_valid_result_or_refuses(subject: str) -> None:
    inputs = Inputs(7, [subject])
    for number in range(_SAMPLE):
        survives(*inputs[number])


@pytest.mark.filterwarnings("ignore")
def test_what_once_broke_a_reader_does_so_no_more() -> None:
    for one in stored_inputs():
        survives(*one)


def test_the_same_seed_makes_the_same_inputs() -> None:
    first, again = ([Inputs(3, ["pools", "labels"])[number] for number in range(20)] for _ in range(2))
    assert first == again and len(set(first)) > 10


# Says what it tries as the real one does, and comes to a bad end at some inputs.
CHILD = """
import os, pathlib, signal, sys, time
current, *numbers = sys.argv[1:]
ends = {3: lambda: os.kill(os.getpid(), signal.SIGKILL), 6: lambda: time.sleep(600)}
for number in range(*map(int, numbers)):
    pathlib.Path(current).write_text(str(number))
    print(f"at {number} json", flush=True)
    ends.get(number, int)()
print("end 7")
"""


def test_an_input_that_ends_or_hangs_its_process_is_kept_and_the_others_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inputs, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(fuzz, "HANGS", 2.0)
    current, tally = tmp_path / "current", fuzz.Tally()
    command = [sys.executable, "-c", CHILD, str(current)]
    fuzz.supervise(lambda *numbers: [*command, *map(str, numbers)], current, 10, 600.0, tally)
    assert (tally.counts["json"], tally.broken, tally.memory) == (10, 2, 7)
    assert {one.content for one in stored_inputs()} == {b"3", b"6"}
    assert capsys.readouterr().out.count(f"({-signal.SIGKILL})") == 2


def test_a_process_that_cannot_begin_is_no_endless_loop(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit(5)"]
    with pytest.raises(RuntimeError, match="exit status 5"):
        fuzz.supervise(lambda *_: command, tmp_path, 9, 600.0, fuzz.Tally())


@pytest.mark.trial
def test_real_processes_try_every_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "--count=60", "--only=json", "--only=replies"])
    assert fuzz.main() == 0
