"""The face of the package: what `import core` hands on, and that it loads nothing before it is used."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys

import pytest

import core as neyman
from tests.conftest import ROOT

FACE = {"Bank", "Design", "Estimate", "Interval", "Plan", "Pool", "Prospect", "Scheme", "Study"}
FACE |= {
    "best",
    "forecast",
    "gate",
    "history",
    "judge",
    "judged",
    "labelled",
    "read",
    "recommend",
    "report",
    "reproduce",
    "request",
    "rounds",
    "runs",
    "stratified",
}


def test_the_face_hands_on_what_it_names() -> None:
    assert set(neyman.__all__) == FACE | {"__version__"} == set(dir(neyman))
    assert all(callable(getattr(neyman, name)) for name in FACE)


def test_the_version_is_the_one_that_the_changelog_begins_with() -> None:
    title = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert title is not None and neyman.__version__ == title[1].replace(" (unreleased)", ".dev0")


# What other code may rely on in each room.
PUBLIC = {
    "answers": {"parse", "meaning_classes"},
    "signals": {
        "semantic_entropy",
        "self_consistency",
        "predictive_entropy",
        "agreement",
        "past_results",
        "Signal",
        "signal",
        "SIGNALS",
        "RiskModel",
        "risk_model",
        "train",
        "auroc",
        "calibration",
        "worth",
    },
    "stratification": {"stratify"},
    "allocation": {"allocate", "equal", "proportional", "power", "proxy_neyman", "neyman"},
    "design": {"Design", "Plan", "Scheme", "recommend"},
    "estimation": {"Estimate", "Interval", "stratified", "uniform"},
    "simulation": {"exact_mse", "uniform_mse", "monte_carlo", "relative_mse_curve", "label_savings", "rounds"},
    "lure": {"estimates"},
    "readers": {"read"},
    "pool": {"Pool"},
    "labels": {"read"},
    "archive": {"Archive"},
    "planning": {"forecast", "Costs", "Gate", "Pairing", "SamplingFrame", "belief"},
    "gates": {"Gate", "gate", "decide"},
    "prospect": {"Prospect", "Promise", "Question"},
    "study": {"Study", "labelled", "reproduce", "request"},
    "judge": {"judge", "judged", "request", "Judgement", "forecast"},
    "report": {"report", "report_html", "report_json"},
}


@pytest.mark.parametrize("room", PUBLIC)
def test_a_room_hands_on_its_public_names(room: str) -> None:
    face = importlib.import_module(f"core.{room}")
    assert all(hasattr(face, name) for name in PUBLIC[room])


@pytest.mark.parametrize("room", sorted(path.parent.name for path in (ROOT / "core").glob("*/__init__.py")))
def test_a_face_names_each_of_its_names_once(room: str) -> None:
    face = importlib.import_module(f"core.{room}")
    names = getattr(face, "__all__", [])
    modules = {path.stem for path in (ROOT / "core" / room).iterdir()}
    assert len(names) == len(set(names)) and all(name in modules or hasattr(face, name) for name in names)
    assert PUBLIC.get(room, set()) <= set(names)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        neyman.nothing_of_this_name  # noqa: B018


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = "import sys, core; print(sorted(m for m in sys.modules if m.split('.')[0] in ('core', 'numpy', 'pandas')))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['core']"


@pytest.mark.parametrize("name", ["judge.Criterion", "report.report"])
def test_a_room_is_there_at_the_first_use_of_its_name(name: str) -> None:
    code = f"import neyman; assert neyman.{name} is neyman.{name}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("name", ["judge.Criterion", "report.report"])
def test_a_room_that_can_be_called_is_one_from_its_first_use_on(name: str) -> None:
    room, _, part = name.partition(".")
    code = f"import core; assert callable(core.{room}) and core.{room}.{part} and core.{room} is core.{room}"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
