"""Scores that may be too rare to be seen: every door gives the warning of the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.commands import main
from core.design import Plan
from core.pool import Pool
from core.report import report_json
from core.study import Labelling, Study
from core.words import SPACE
from tests.core.study.conftest import CREATED, rows

TOO_RARE = "too rare to be seen"


def scored(archive: Archive, plan: Plan, pool: Pool, low: float, high: float) -> Study:
    scores = np.random.default_rng(1).uniform(low, high, plan.ids.size).round(4)
    labels = Labelling.load(archive, plan, pool, "score", "one")
    labels.save(archive, rows(plan.ids, [str(score) for score in scores]), "csv", CREATED)
    return Study(labels.refreshed(archive))


@pytest.mark.parametrize(("low", "high", "rare"), [(0.9, 0.95, True), (0.02, 0.06, True), (0.0, 1.0, False)])
def test_every_face_of_an_estimate_has_the_warning(
    archive: Archive, plan: Plan, pool: Pool, low: float, high: float, rare: bool
) -> None:
    study = scored(archive, plan, pool, low, high)
    estimate = study.estimate()
    shown = repr(estimate), estimate._repr_html_(), repr(study), study._repr_html_()
    said = (estimate.warning, *shown, report_json(study.result()))
    assert [TOO_RARE in one for one in said] == [rare] * len(said)
    assert json.loads(report_json(study.result()))["estimate"]["warning"] == estimate.warning
    assert estimate.summary_frame()["warning"].iloc[0] == estimate.warning
    # From losses alone it is the same.
    values = study.outcomes.table.set_index("item_id")["value"]
    alone = plan.estimate(1 - values)
    assert (TOO_RARE in alone.warning) == rare and bool(alone.warning) == rare
    least, most = study.outcomes.sample.whatever()
    if rare:
        assert f"{100 * least:.1f} % to {100 * most:.1f} %" in estimate.warning.replace(SPACE, " ")
        assert least < estimate.low and most > estimate.high


def test_right_and_wrong_have_no_warning(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    study.labels.save(archive, rows(plan.ids, ["right"] * 60), "csv", CREATED)
    assert Study(study.labels.refreshed(archive)).estimate().warning == ""


def test_the_command_has_it(pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool.write(file := tmp_path / "pool.jsonl.gz")
    folder = tmp_path / "plan"
    words = ["--target", "one", "--labels", "60", "--out", str(folder)]
    assert main(["study", "list", str(file), *words]) == 0
    listed = pd.read_csv(folder / "list.csv", dtype=str)
    scores = np.random.default_rng(1).uniform(0.9, 0.95, len(listed)).round(4)
    listed.assign(label=scores).to_csv(filled := tmp_path / "filled.csv", index=False)
    capsys.readouterr()
    assert main(["study", "estimate", str(folder), str(filled), "--kind", "score"]) == 0
    assert TOO_RARE in capsys.readouterr().out
