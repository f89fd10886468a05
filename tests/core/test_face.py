"""The face of the package: what `import core as neyman` hands on, and that it loads nothing before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import core as neyman
from tests.conftest import ROOT

FACE = {"Design", "Estimate", "Interval", "Plan", "Pool", "Scheme", "Study"}
FACE |= {"labelled", "read", "report", "request", "rounds"}


def test_the_face_hands_on_what_it_names() -> None:
    assert set(neyman.__all__) == FACE | {"__version__"} == set(dir(neyman))
    assert all(callable(getattr(neyman, name)) for name in FACE)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        neyman.nothing_of_this_name  # noqa: B018


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = "import sys, core; print(sorted(m for m in sys.modules if m.split('.')[0] in ('core', 'numpy', 'pandas')))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['core']"
