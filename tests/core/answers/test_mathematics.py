"""Mathematical equality: a small stand-in for math-verify, and the package itself if it is installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.answers import classes
from core.errors import DesignError

# Fractions between dollar signs; the order of the arguments matters, as in the package.
STAND_IN = """
from fractions import Fraction
def parse(text):
    try:
        return [Fraction(text.strip("$"))] if text.startswith("$") else []
    except ValueError:
        return []
def verify(gold, target):
    return gold == target and gold[0] >= 0
"""
REAL = classes.has_math_verify()


@pytest.fixture(params=["stand-in", "installed"] if REAL else ["stand-in"])
def equal(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], bool]:
    if request.param == "stand-in":
        stand_in(tmp_path, monkeypatch)
    return classes.mathematical_equality()


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "math_verify.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "math_verify", raising=False)
    importlib.invalidate_caches()


@pytest.fixture(autouse=True)
def fresh_modules() -> Iterator[None]:
    yield
    sys.modules.pop("math_verify", None)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [("1/2", "0.5", True), ("$3$", "3.0", True), ("3", "4", False), ("Paris", "Pairs", False), ("7", "seven", False)],
)
def test_answers_are_compared_as_numbers(
    equal: Callable[[str, str], bool], first: str, second: str, same: bool
) -> None:
    assert equal(first, second) is equal(second, first) is same


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "find_spec", lambda name: None)
    with pytest.raises(DesignError, match="math-verify"):
        classes.mathematical_equality()
