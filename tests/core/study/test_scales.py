"""Grades on a scale: the mean and its limits in grades, the share of good ones, and what is off the scale."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.commands import main
from core.commands.grading import LIST
from core.errors import LabelError
from core.estimation import stratified
from core.labels import KINDS
from core.labels.formats.label_studio import to_config
from core.pool import Pool
from core.study.outcomes import in_unit
from core.words.scale import GradeScale


def pool_of(n_items: int, groups: int = 1) -> Pool:
    """Items with answers of one model, of which nothing is known but a surrogate's answers."""
    rng = np.random.default_rng(n_items)
    return Pool.from_records(
        {
            "id": f"q{n}",
            "prompt": f"Write about {n}.",
            "group": f"g{n % groups}",
            "generations": rng.choice(["A", "B", "C"], 5).tolist(),
            "targets": {"m": {"text": f"About {n}: …"}},
        }
        for n in range(n_items)
    )


def graded(ids: Sequence[object], grades: Sequence[object]) -> pd.DataFrame:
    return pd.DataFrame({"item_id": ids, "label": [str(grade) for grade in grades]})


def test_results_are_the_same_as_of_scores_on_the_scale_of_the_grades() -> None:
    rng, pool = np.random.default_rng(0), pool_of(150, groups=2)
    plan = neyman.Design(40).draw(pool, seed=1)
    grades = rng.integers(1, 6, 40)
    study = neyman.labelled(plan, graded(plan.ids, grades), "m", scale=(1, 5))
    scores = neyman.labelled(plan, graded(plan.ids, (grades - 1) / 4), "m", kind="score")
    own, share = study.estimate(), scores.estimate()
    for name in ("value", "low", "high"):
        assert getattr(own, name) == pytest.approx(1 + 4 * getattr(share, name), abs=1e-12)
    assert own.standard_error == pytest.approx(4 * share.standard_error, abs=1e-12)
    groups, shares = study.by(), scores.by()
    assert groups["high"].to_numpy() == pytest.approx(1 + 4 * shares["high"].to_numpy())
    good = neyman.labelled(plan, graded(plan.ids, np.where(grades >= 4, "right", "wrong")), "m").estimate()
    at_least_four = study.outcomes.good
    assert at_least_four is not None and at_least_four.measure == "share graded 4 or better"
    assert (at_least_four.value, at_least_four.low, at_least_four.high) == (good.value, good.low, good.high)
    assert repr(study).startswith(
        f"Mean score {own.value:.2f} ({own.low:.2f} to {own.high:.2f}), 40 labels (grades 1 to 5)"
    )


def test_the_mean_grade_is_unbiased_over_all_samples() -> None:
    """All lists of two strata: eight items, three labels of five and two of three."""
    grades = np.array([5, 4, 4, 2, 1, 3, 5, 1])
    parts = (range(5), range(5, 8))
    draws = itertools.product(*(itertools.combinations(part, m) for part, m in zip(parts, (3, 2), strict=True)))
    scale, strata = GradeScale(1, 5), np.repeat([0, 1], (3, 2))
    values = [
        in_unit(stratified(scale.share(grades[[*first, *second]]), strata, [5, 3]), scale).value
        for first, second in draws
    ]
    assert np.mean(values) == pytest.approx(grades.mean(), abs=1e-12)


def test_a_census_of_grades_is_exact() -> None:
    pool, grades = pool_of(12), [1, 5, 3, 2, 4, 4, 5, 1, 2, 3, 3, 5]
    plan = neyman.Design(12, allocation="uniform").draw(pool, seed=0)
    by_id = {f"q{n}": grade for n, grade in enumerate(grades)}
    one = neyman.labelled(plan, graded(plan.ids, [by_id[str(i)] for i in plan.ids]), "m", scale=(1, 5)).estimate()
    assert (one.value, one.low, one.high) == pytest.approx([np.mean(grades)] * 3)


# Shapes of grades from 1 to 5, by their shares.
SHAPES = {
    "even": (0.2, 0.2, 0.2, 0.2, 0.2),
    "mostly good": (0.02, 0.03, 0.1, 0.25, 0.6),
    "at both ends": (0.45, 0.05, 0.0, 0.05, 0.45),
    "in the middle": (0.02, 0.18, 0.6, 0.18, 0.02),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_limits_cover_the_mean_grade(shape: str) -> None:
    rng, pool, rounds = np.random.default_rng(3), pool_of(200), 60
    grades = rng.choice([1, 2, 3, 4, 5], 200, p=SHAPES[shape])
    by_id, truth, held = {f"q{n}": grade for n, grade in enumerate(grades)}, grades.mean(), 0
    design = neyman.Design(40)
    for seed in range(rounds):
        plan = design.draw(pool, seed=seed)
        labels = graded(plan.ids, [by_id[str(item)] for item in plan.ids])
        one = neyman.labelled(plan, labels, "m", scale=(1, 5)).estimate()
        held += one.low - 1e-9 <= truth <= one.high + 1e-9
    assert held / rounds >= 0.94 - 2 * (0.94 * 0.06 / rounds) ** 0.5


# A cell of a list graded from 1 to 5, and the grade that it is; None: it is refused.
CELLS = [
    ("4", 4.0),
    ("4.0", 4.0),
    ("3,5", 3.5),
    (" 5 ", 5.0),
    ("4/5", 4.0),
    ("4 / 5", 4.0),
    ("3/4", None),
    ("80%", None),
    ("0", None),
    ("6", None),
    ("-2", None),
    ("good", None),
    ("right", None),
    ("yes", None),
    ("4-5", None),
    ("1e3", None),
]


@pytest.mark.parametrize(("cell", "grade"), CELLS)
def test_a_cell_is_a_grade_or_refused_with_its_row(cell: str, grade: float | None) -> None:
    pool = pool_of(40)
    plan = neyman.Design(20, allocation="uniform").draw(pool, seed=0)
    labels = graded(plan.ids, [cell, *["3"] * 19])
    if grade is None:
        with pytest.raises(LabelError, match=r"\(row 1\)"):
            neyman.labelled(plan, labels, "m", scale="1-5")
        return
    study = neyman.labelled(plan, labels, "m", scale="1-5")
    assert study.estimate().value == pytest.approx((grade + 19 * 3) / 20)


def test_words_of_a_scale_mean_grades_and_no_verdicts() -> None:
    pool = pool_of(40)
    plan = neyman.Design(20, allocation="uniform").draw(pool, seed=0)
    labels = graded(plan.ids, ["good", "unsure", *["3"] * 18])
    study = neyman.labelled(plan, labels, "m", scale=(1, 5), words={"good": "4"})
    assert study.estimate().value == pytest.approx((4 + 18 * 3) / 19) and study.outcomes.n_open == 1
    with pytest.raises(LabelError, match="A word means a grade from 1 to 5 or skip"):
        neyman.labelled(plan, labels, "m", scale=(1, 5), words={"good": "right"})


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("1-5", (1, 5)),
        ("0 to 10", (0, 10)),
        ("-1-1", (-1, 1)),
        ("−1 to 1", (-1, 1)),
        ("0–100", (0, 100)),
        ("1..7", (1, 7)),
    ],
)
def test_scales_are_read_from_their_ends(text: str, ends: tuple[float, float]) -> None:
    scale = GradeScale.of(text)
    assert (scale.low, scale.high) == ends and GradeScale.of(scale.name) == scale
    assert KINDS[f"score:{scale.name}"].scale == scale


@pytest.mark.parametrize("text", ["5-1", "1", "", "a-b", "1-1", "1-5-9", "1-inf"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(LabelError):
        GradeScale.of(text)
    assert f"score:{text}" not in KINDS


def test_the_list_says_its_scale_and_comes_back_with_it(tmp_path: Path) -> None:
    pool = pool_of(60)
    plan = neyman.Design(30).draw(pool, seed=4)
    listed = neyman.request(plan, target="m", scale=(0, 10))
    assert set(listed["kind"]) == {"score:0-10"}
    listed["label"] = [str(n % 11) for n in range(len(listed))]
    listed.to_csv(tmp_path / "list.csv", index=False)
    study = neyman.labelled(plan, tmp_path / "list.csv")
    assert study.kind == "score:0-10" and 0 <= study.estimate().low < study.estimate().high <= 10
    files = neyman.report(study, tmp_path / "report.json"), neyman.report(study, tmp_path / "bundle.zip")
    grades = json.loads(files[0].read_text())["grades"]
    assert (grades["worst"], grades["best"], grades["good_from"]) == (0, 10, 8)
    assert grades["value"] == pytest.approx(study.estimate().value)
    assert neyman.reproduce(files[1], pool).estimate() == study.estimate()
    assert 'min="0" max="10"' in to_config(listed, "score:0-10", "A list")


@pytest.mark.parametrize("said_before", [False, True])
def test_the_command_says_the_mean_and_the_share_of_good_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said_before: bool
) -> None:
    file, folder = tmp_path / "pool.jsonl", tmp_path / "list"
    pool_of(80).write(file)
    scale = ["--scale=1-5"]
    of = ["--target=m", *(scale if said_before else [])]
    assert main(["study", "list", str(file), "--labels=30", "--seed=1", *of, f"--out={folder}"]) == 0
    assert ("with grades from 1 to 5." in capsys.readouterr().out) == said_before
    listed = pd.read_csv(folder / LIST, dtype=str)
    listed["label"] = [str(n % 5 + 1) for n in range(len(listed))]
    listed.to_csv(tmp_path / "back.csv", index=False)
    words = ["study", "estimate", str(folder), str(tmp_path / "back.csv")]
    if not said_before:
        assert main(words) == 2 and "--scale 1-5" in capsys.readouterr().err
        words += scale
    assert main([*words, "--at-least=3"]) == 0
    said = capsys.readouterr().out
    assert "Mean score 3.0" in said and "Share graded 3 or better: " in said and "grades 1 to 5" in said


def test_two_targets_are_compared_in_grades() -> None:
    records = [
        {"id": f"q{n}", "prompt": f"{n}?", "targets": {name: {"text": f"{name} {n}"} for name in ("a", "b")}}
        for n in range(60)
    ]
    pool = Pool.from_records(records)
    plan = neyman.Design(30, allocation="uniform").draw(pool, seed=0)
    rows = [
        {"item_id": item, "label": str(grade), "answers_of": name}
        for n, item in enumerate(plan.ids)
        for name, grade in (("a", n % 5 + 1), ("b", min(n % 5 + 2, 5)))
    ]
    study = neyman.labelled(plan, pd.DataFrame(rows), "a", scale=(1, 5))
    compared = study.compare("b")
    assert compared.gap is not None and compared.unit == GradeScale(1, 5)
    assert compared.summary_frame()["value"].tolist() == pytest.approx([3.0, 3.8])
    assert "−0.800" in repr(compared)
