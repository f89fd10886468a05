"""What reaches a terminal or a log only shows there."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import unicodedata
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.commands import main
from core.words import console, printable
from tests.conftest import ROOT

# Clears the screen, rings, sets the title (twice, the second in one byte), turns the direction, and half a character.
HOSTILE = "\x1b[2J\x07\x1b]0;owned\x07\x9b2J\u202etxt.exe\u2066\ud83d"
SHOWN = r"\u001b[2J\u0007\u001b]0;owned\u0007\u009b2J\u202etxt.exe\u2066\ud83d"

TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(st.text(st.characters(exclude_categories=[])))
def test_a_printable_text_has_nothing_that_commands_and_keeps_the_rest(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert printable(shown) == shown
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in shown if char not in "\n\t")
    assert all(unicodedata.bidirectional(char) not in TURNING for char in shown)
    plain = "".join(char for char in text if char.isprintable() or char in "\n\t")
    assert printable(plain) == plain


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_keeps_its_meaning(value: object) -> None:
    assert json.loads(printable(json.dumps(value, ensure_ascii=False))) == value


def test_what_is_emitted_said_and_counted_only_shows(capsys: pytest.CaptureFixture[str]) -> None:
    console.emit(HOSTILE)
    console.say(HOSTILE)
    console.count(HOSTILE, over=True)
    assert capsys.readouterr() == (f"{SHOWN}\n", f"{SHOWN}\n\r{SHOWN}\n")


def test_a_traceback_and_a_log_only_show() -> None:
    code = f"""
import logging, threading, warnings
from core.words import console
console.guard()
def fail():
    raise OSError({HOSTILE!r})
thread = threading.Thread(target=fail)
thread.start()
thread.join()
warnings.warn("It warned " + {HOSTILE!r})
logging.basicConfig(format="%(message)s")
logging.warning("It said %s", {HOSTILE!r})
try:
    raise ValueError({HOSTILE!r})
except ValueError:
    logging.exception("Why")
raise KeyError({HOSTILE!r}) from OSError({HOSTILE!r})
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    text = run.stderr.decode()
    assert run.returncode == 1 and printable(text) == text
    assert f"It said {SHOWN}" in text and f"It warned {SHOWN}" in text
    assert f"ValueError: {SHOWN}" in text and text.count(f"OSError: {SHOWN}") == 2 and "KeyError" in text


def test_a_message_that_does_not_fit_its_arguments_fails_where_it_always_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    before = logging.getLogRecordFactory()
    try:
        console.guard()
        logging.getLogger("nobody").makeRecord("nobody", logging.INFO, "", 0, "%d", ("x",), None)
    finally:
        logging.setLogRecordFactory(before)


def test_the_names_in_a_file_command_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "prompt": "p", "generations": ["1"], "targets": {HOSTILE: {"text": 7}}}))
    main(["pool", "map", str(path)])
    shown = capsys.readouterr()
    assert printable(shown.out + shown.err) == shown.out + shown.err
