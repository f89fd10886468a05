"""A judge that grades: corrected mean, bias and calibration by all lists and by simulation; what is refused."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.commands import main
from core.design import Plan, manifest
from core.errors import DesignError, LabelError
from core.estimation import stratified
from core.judge import JudgeGrades, grades, read_with_judge
from core.pool import Pool
from core.words.scale import GradeScale
from tests.core.schema import checked

SHAPES = {
    "even": (0.2, 0.2, 0.2, 0.2, 0.2),
    "mostly good": (0.02, 0.03, 0.1, 0.25, 0.6),
    "at both ends": (0.45, 0.05, 0.0, 0.05, 0.45),
    "in the middle": (0.02, 0.18, 0.6, 0.18, 0.02),
}
# Steps that a judge is off, each as likely.
JUDGES = {"good": (0, 0, 0, 0, -1, 1), "lenient": (0, 1, 1, 2), "noisy": (-3, -2, -1, 0, 1, 2, 3)}


def graded_pool(judge: Any, **more: Any) -> Pool:
    """Items with an output and a judge's grade."""
    columns = {name: list(values) for name, values in more.items()}
    return Pool.from_records(
        {"id": f"i{n}", "input": f"q {n}", "output": f"a {n}", "judge score": one}
        | {name: values[n] for name, values in columns.items()}
        for n, one in enumerate(judge)
    )


def drawn_grades(shape: str, judge: str, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """People's grades and the judge's, (N,) each."""
    rng = np.random.default_rng(seed)
    people = rng.choice([1, 2, 3, 4, 5], size, p=SHAPES[shape])
    return people, np.clip(people + rng.choice(JUDGES[judge], size), 1, 5)


def by_id(values: Any) -> dict[str, float]:
    return {f"i{n}": float(value) for n, value in enumerate(values)}


def test_over_all_lists_the_mean_and_the_bias_are_unbiased_and_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grades, "LABELS_OF_A_STRATUM", 2)
    people, judge = np.array([1, 3, 2, 4, 4, 3, 5, 5]), np.array([2, 2, 2, 2, 4, 4, 4, 4])
    plan = neyman.judge(graded_pool(judge), "judge score", 4, seed=0, scale=(1, 5))
    assert plan.verdicts == ["2", "4"] and plan.allocation.tolist() == [2, 2]
    values, held = [], 0
    draws = list(itertools.product(itertools.combinations(range(4), 2), itertools.combinations(range(4, 8), 2)))
    for first, second in draws:
        places = np.array([*first, *second])
        one = neyman.judge.graded(replace(plan, positions=places, ids=plan.pool_ids[places]), by_id(people))
        values.append((one.corrected.value, one.bias.value))
        held += one.corrected.low <= people.mean() <= one.corrected.high
    assert np.mean(values, axis=0) == pytest.approx([people.mean(), judge.mean() - people.mean()], abs=1e-12)
    assert held / len(draws) >= 0.94


def held_in(shape: str, judge: str, rounds: int) -> int:
    """Count lists of 60 of 300 items whose limits hold the truth."""
    people, own = drawn_grades(shape, judge, 300, 5)
    pool, held = graded_pool(own), 0
    for seed in range(rounds):
        plan = neyman.judge(pool, "judge score", 60, seed=seed, scale=(1, 5))
        # The corrected mean, as the test of equality says.
        one = stratified((people[plan.positions] - 1) / 4, plan.stratum[plan.positions], plan.strata.sizes)
        held += one.low - 1e-9 <= (people.mean() - 1) / 4 <= one.high + 1e-9
    return held


def test_limits_hold_the_truth() -> None:
    cells = list(zip(SHAPES, [*JUDGES, "lenient"], strict=True))
    rounds = 40 * len(cells)
    assert sum(held_in(*cell, 40) for cell in cells) / rounds >= 0.94 - 2 * (0.94 * 0.06 / rounds) ** 0.5


@pytest.mark.trial
@pytest.mark.parametrize(("shape", "judge"), list(itertools.product(SHAPES, JUDGES)))
def test_limits_hold_the_truth_of_every_shape_and_judge(shape: str, judge: str) -> None:
    rounds = 400
    assert held_in(shape, judge, rounds) / rounds >= 0.94 - 2 * (0.94 * 0.06 / rounds) ** 0.5


def result_of(scale: GradeScale, size: int = 300, **more: Any) -> tuple[Plan, JudgeGrades]:
    """A lenient judge's list with all labels, its grades and people's laid on a scale."""
    people, own = drawn_grades("even", "lenient", size, 3)
    laid = [scale.grade((values - 1) / 4) for values in (people, own)]
    plan = neyman.judge(graded_pool(laid[1]), "judge score", 90, seed=2, scale=scale)
    return plan, neyman.judge.graded(plan, by_id(laid[0]), **more)


@pytest.mark.parametrize("scale", [GradeScale(0, 100), GradeScale(-1, 1), GradeScale(0, 1)])
def test_results_follow_the_scale(scale: GradeScale) -> None:
    """The same list and numbers, whichever scale the same grades are laid on."""
    (plan, one), (other, usual) = result_of(scale), result_of(GradeScale(1, 5))
    assert plan.ids.tolist() == other.ids.tolist()
    step = scale.span / 4
    for name in ("value", "low", "high"):
        assert getattr(one.bias, name) == pytest.approx(step * getattr(usual.bias, name), abs=1e-9)
        laid = scale.grade((getattr(usual.corrected, name) - 1) / 4)
        assert getattr(one.corrected, name) == pytest.approx(laid, abs=1e-9)
    laid = scale.grade((usual.calibration[["judge", "value", "low", "high"]].to_numpy() - 1) / 4)
    assert one.calibration[["judge", "value", "low", "high"]].to_numpy() == pytest.approx(laid, abs=1e-9)
    assert one.verdict(0.2 * step) == usual.verdict(0.2)


def test_the_corrected_mean_is_the_study_s_of_strata_by_the_judge_s_grade() -> None:
    plan, one = result_of(GradeScale(1, 5))
    people, own = drawn_grades("even", "lenient", 300, 3)
    places = plan.positions
    classes = plan.stratum
    assert [set(own[classes == number].tolist()) for number in range(plan.strata.n_strata)] == [{1, 2}, {3}, {4}, {5}]
    usual = stratified((people[places] - 1) / 4, classes[places], plan.strata.sizes)
    assert one.corrected.value == pytest.approx(1 + 4 * usual.value) and one.corrected.low == 1 + 4 * usual.low
    means = pd.Series(people[places]).groupby(classes[places]).mean()
    assert one.corrected.value == pytest.approx((plan.strata.sizes / 300 * means).sum())
    table = one.calibration
    assert table["value"].to_numpy() == pytest.approx(means.to_numpy()) and table["labels"].min() >= 8
    assert table["grades"].tolist() == ["1 to 2", "3", "4", "5"]
    assert table["judge"].to_numpy() == pytest.approx(pd.Series(own).groupby(classes).mean().to_numpy())
    assert one.good is not None and one.judge_good == np.mean(own >= 4)
    good = stratified((people[places] >= 4).astype(float), classes[places], plan.strata.sizes)
    assert (one.good.value, one.good.low, one.good.high) == (good.value, good.low, good.high)
    assert one.verdict(2) == "trusted" and one.verdict(0.1) == "not trusted"
    assert one.verdict(one.bias.value) == "undecided"


@pytest.mark.parametrize("budget", [4, 20, 100, 173, 300])
def test_each_class_has_eight_labels_or_is_the_only_one(budget: int) -> None:
    own = np.random.default_rng(1).uniform(0, 10, 300).round(1)
    plan = neyman.judge(graded_pool(own), "judge score", budget, seed=0, scale=(0, 10))
    assert plan.strata.n_strata == 1 or plan.allocation.min() >= 8
    ends = [(own[of].min(), own[of].max()) for of in (plan.stratum == one for one in range(len(plan.verdicts)))]
    assert ends == sorted(ends) and all(high < low for (_, high), (low, _) in itertools.pairwise(ends))


def test_a_risk_cuts_classes_further_and_they_stay_classes() -> None:
    own = np.repeat([2, 5], 150)
    plan = neyman.judge(graded_pool(own, risk=np.linspace(0, 1, 300)), "judge score", 90, seed=0, scale=(1, 5))
    assert plan.strata.n_strata == 6 and plan.verdicts == ["2"] * 3 + ["5"] * 3
    one = neyman.judge.graded(plan, by_id(own))
    assert one.calibration["grades"].tolist() == ["2", "5"] and one.calibration["value"].tolist() == [2, 5]
    # Half a list: its classes still have eight labels each.
    half = neyman.judge.graded(plan, {item: by_id(own)[item] for item in plan.ids[:24]})
    assert half.calibration["labels"].min() >= 8


def test_the_list_comes_back_from_files_and_people_s_grades_are_averaged(tmp_path: Path) -> None:
    plan, one = result_of(GradeScale(1, 5))
    people, _ = drawn_grades("even", "lenient", 300, 3)
    listed = neyman.judge.request(plan)
    assert set(listed["kind"]) == {"score:1-5"} and "judge score" not in listed
    listed["label"] = [f"{by_id(people)[item]:g}" for item in listed["item_id"]]
    listed.to_csv(tmp_path / "list.csv", index=False)
    assert neyman.judge.graded(plan, tmp_path / "list.csv").corrected == one.corrected
    twice = pd.concat([listed.assign(annotator=name) for name in "ab"], ignore_index=True)
    first = twice["annotator"] == "a"
    twice.loc[first, "label"] = [f"{min(float(label) + 1, 5):g}" for label in twice.loc[first, "label"]]
    both = neyman.judge.graded(plan, twice)
    mean = (people + np.minimum(people + 1, 5)) / 2
    assert both.corrected == neyman.judge.graded(plan, by_id(mean)).corrected
    again = manifest.reproduce(manifest.read(manifest.write(plan, "pool")), one.study.pool)
    assert again.plan_id == plan.plan_id and again.verdicts == plan.verdicts


# A cell of the judge's column on the scale 1 to 5, and what the refusal says; "" if it is read.
CELLS = [
    ("4", ""),
    ("4/5", ""),
    ("3,5", ""),
    ("6", "“6” (1 item: “i7”)"),
    ("0", "“0” (1 item: “i7”)"),
    ("80%", "“80%” (1 item: “i7”)"),
    ("great", "“great” (1 item: “i7”)"),
    ("", "1 of 40 items has no verdict"),
]


@pytest.mark.parametrize(("cell", "why"), CELLS)
def test_what_is_no_grade_of_the_judge_is_refused_with_its_item(cell: str, why: str) -> None:
    pool = graded_pool([*"12345", "3", "2", cell, *["4"] * 32])
    if not why:
        assert neyman.judge(pool, "judge score", 20, scale="1-5").ids.size == 20
        return
    with pytest.raises(DesignError) as error:
        neyman.judge(pool, "judge score", 20, scale="1-5")
    assert why in str(error.value)


def test_what_does_not_fit_is_refused() -> None:
    plan, one = result_of(GradeScale(1, 5))
    pool = one.study.pool
    with pytest.raises(DesignError, match="without a threshold"):
        neyman.judge(pool, "judge score", 20, threshold=3, scale=(1, 5))
    with pytest.raises(DesignError, match="list of its own"):
        neyman.judge(pool, [neyman.judge.Criterion("judge score")], 20, scale=(1, 5))
    with pytest.raises(DesignError, match=r"neyman\.judge\.graded"):
        neyman.judged(plan, {})
    with pytest.raises(DesignError, match=r"neyman\.judged"):
        neyman.judge.graded(neyman.judge(pool, "judge score", 20, threshold=3), {})
    with pytest.raises(DesignError, match="of 6 or better"):
        result_of(GradeScale(1, 5), at_least=6)
    with pytest.raises(LabelError, match="“9”"):
        neyman.judge.graded(plan, dict.fromkeys(plan.ids, 9))
    with pytest.raises(LabelError, match="grades 5 has a label yet"):
        neyman.judge.graded(plan, {item: 3 for item in plan.ids if plan.stratum[int(item[1:])] < 3})
    with pytest.raises(DesignError, match="above 0"):
        one.verdict(0)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A colleague's table of 300 answers with a lenient judge's grades."""
    people, own = drawn_grades("even", "lenient", 300, 3)
    columns = {"id": list(by_id(people)), "question": "q", "output": "a", "judge score": own}
    pd.DataFrame(columns).to_csv(tmp_path / "outputs.csv", index=False)
    return tmp_path / "outputs.csv"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["judge", *map(str, words)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def fill(path: Path) -> None:
    """Grade a list as people would."""
    people, _ = drawn_grades("even", "lenient", 300, 3)
    frame = pd.read_csv(path, dtype=str)
    frame["label"] = [f"{by_id(people)[item]:g}" for item in frame["item_id"]]
    frame.to_csv(path, index=False)


def test_the_command_writes_a_list_and_says_how_far_the_judge_is_off(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (table, "judge score", "--scale", "1-5", "--budget", 90, "--seed", 2)
    to_fill, summary = tmp_path / "list.csv", tmp_path / "summary.md"
    status, said, _ = run(capsys, *words, "--out", to_fill)
    assert status == 3 and "The judge grades 3.79 on average on 300 items." in said and "grades from 1 to 5" in said
    begun = checked(run(capsys, *words, "--json")[1], "neyman-judge-grades-list/1")
    assert sum(begun["by_grade"].values()) == begun["labels"] == 90
    assert "judge score" not in pd.read_csv(to_fill)
    fill(to_fill)
    status, said, _ = run(capsys, *words, "--labels", to_fill, "--at-least", 3, "--markdown", summary)
    plan = neyman.judge(read_with_judge(table, "judge score"), "judge score", 90, seed=2, scale="1-5")
    one = neyman.judge.graded(plan, to_fill, at_least=3)
    assert status == 0 and said.splitlines()[1:4] == list(one.lines) and "graded 3 or better" in said
    assert summary.read_text().startswith(f"### {one.lines[0]}")
    for most, ended in ((3, 0), (0.1, 1), (one.bias.value, 3)):
        status, said, _ = run(capsys, *words, "--labels", to_fill, "--most-bias", most, "--json")
        facts = checked(said, "neyman-judge-grades/1")
        assert status == ended and facts["verdict"] == one.verdict(most)
        assert facts["corrected"]["low"] == one.corrected.low and len(facts["calibration"]) == len(one.calibration)


def test_the_command_refuses_what_does_not_fit(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, why in (
        (["--scale", "1-5", "--threshold", "4"], "checked alone"),
        (["--scale", "1-5", "--criterion", "output"], "checked alone"),
        (["--threshold", "4", "--at-least", "4"], "say its scale"),
        (["--scale", "1-4"], "“5” ("),
        (["--scale", "5-1"], "A scale goes from the worst grade up"),
    ):
        status, _, said = run(capsys, table, "judge score", *words)
        assert status == 2 and why in said


def test_reports_say_it_and_a_bundle_reproduces_it(tmp_path: Path) -> None:
    plan, one = result_of(GradeScale(1, 5))
    page = neyman.report(one, tmp_path / "judge.html", most_bias=0.1).read_text()
    assert all(line in page for line in one.lines[1:]) and "NOT TRUSTED" in page and "<svg" in page
    checked(neyman.report(one, tmp_path / "judge.json").read_text(), "neyman-judge-grades/1")
    study = neyman.reproduce(neyman.report(one, tmp_path / "judge.zip"), plan.pool)
    again = neyman.judge.graded(study.plan, study)
    assert again.corrected == one.corrected and again.bias == one.bias
    pd.testing.assert_frame_equal(again.calibration, one.calibration)
    assert one.plot().save(tmp_path / "figure.svg").read_text().count("<circle") == len(one.calibration)
    assert "3.79" in repr(one) and "3.79" in one._repr_html_()
