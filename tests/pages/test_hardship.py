"""Saves under hardship: a few of what ``python -m bench.hardship`` does at length."""

from __future__ import annotations

import shutil
import signal
import sys

import pytest

from bench import hardship
from tests.pages import hardships


@pytest.fixture(autouse=True)
def no_copies():
    """All is as the app does it."""


@pytest.fixture(autouse=True)
def forked(monkeypatch, tmp_path):
    """Processes that have imported already what they use."""
    if sys.platform == "linux":
        monkeypatch.setattr(hardship, "_start", hardships.starter(tmp_path))


@pytest.mark.parametrize("words", [("keep", "5000"), ("label", "1")])
def test_how_a_step_ended_is_known(words, tmp_path):
    """By a signal, which says nothing, or by an error."""
    step = hardship._start(words[0], str(tmp_path), *words[1:])
    if words[0] == "keep":
        assert step.stdout.readline() == "begin\n"
        step.send_signal(signal.SIGKILL)
    step.communicate()
    assert step.returncode == (-signal.SIGKILL if words[0] == "keep" else 1)


def test_many_writers_lose_nothing():
    assert "24 kept" in hardship.writers(6, 4)


def test_two_apps_on_one_home_lose_nothing():
    assert "8 kept" in hardship.apps(2, 4)


@pytest.mark.parametrize("step", ["keep", "import"])
def test_a_killed_step_is_kept_as_a_whole_or_not_at_all(step):
    assert "nothing half done" in hardship.kills(step, 1, 5_000)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="mounts of its own need Linux")
def test_a_full_disk_is_said_and_goes_on_when_there_is_room():
    assert "nothing lost" in hardship.full()
