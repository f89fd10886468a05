"""Processes are told apart by more than their number."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

from core.surrogate.job.process import is_alive, process_of, this_process


def test_an_ended_child_that_was_not_waited_for_counts_as_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    process = process_of(child.pid)
    assert process is not None and is_alive(process)
    child.kill()
    deadline = time.monotonic() + 10
    while is_alive(process) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(process)
    child.wait()


def test_a_number_given_out_again_is_another_process() -> None:
    here = this_process()
    assert is_alive(here)
    assert not is_alive(replace(here, started="1"))
    assert not is_alive(replace(here, host=here.host + "-before-the-reboot"))
    assert is_alive(replace(here, host="elsewhere/1")) is None
