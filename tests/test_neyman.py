"""`neyman`, the face that people import: in a checkout it and `core` are one package."""

from __future__ import annotations

import subprocess
import sys

import core
import neyman
from tests.conftest import ROOT


def test_it_hands_on_the_same_objects() -> None:
    assert dir(neyman) == dir(core) and set(core.__all__) <= set(dir(neyman))
    assert callable(core.report)
    assert all(getattr(neyman, name) is getattr(core, name) for name in core.__all__)
    assert neyman.package() is core and not hasattr(neyman, "core") and not hasattr(neyman, "nothing_of_this_name")


def test_there_is_one_copy_of_each_class() -> None:
    code = """
import sys
from neyman import Pool, read
import core.pool
assert Pool is core.pool.Pool and not [name for name in sys.modules if name.startswith("neyman.")]
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_it_loads_nothing_before_it_is_used() -> None:
    code = "import sys, neyman; print(sorted({m.split('.')[0] for m in sys.modules} & {'core', 'numpy', 'pandas'}))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
