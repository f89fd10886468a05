"""Scenarios, Neyman's own rows, the table of all methods, and the process of the peers."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.commands import main
from core.design import recommend
from core.errors import DesignError
from core.figures import lab as figures
from core.lab.against import (
    RIVALS,
    SCENARIOS,
    against,
    against_table,
    against_tables,
    comparable,
    contests,
    losing,
    measures,
    methods,
)
from core.lab.against.simulated_lists import Lists
from core.lab.ladder import design_error
from core.pool import Pool
from core.words import per_cent
from tests.core.lab.against.conftest import ROUNDS, far, versions_of


def test_scenarios_choose_their_models(versions: Pool) -> None:
    chosen = {one.scenario.name: (one.target, set(one.past)) for one in contests(versions)}
    assert chosen["similar"] == ("second", {"best", "middle", "weak", "weakest"})
    assert chosen["few"] == ("second", {"middle", "weak"})
    assert chosen["middle"] == ("middle", {"best", "second", "weak", "weakest"})
    own = versions.losses("best").mean()
    assert chosen["stronger"][0] == "best"
    assert chosen["stronger"][1] == {n for n in versions.targets if versions.losses(n).mean() >= own + 0.05}


def test_every_scenario_can_be_about_the_chosen_target(versions: Pool) -> None:
    chosen = contests(versions, "middle")
    assert {one.target for one in chosen} == {"middle"} and [one.scenario.name for one in chosen] == [
        "similar",
        "stronger",
        "few",
    ]
    assert all("middle" not in one.past for one in chosen) and contests(versions, "nobody") == []


@pytest.mark.parametrize("run", [methods.uniform, methods.paper, methods.from_past, methods.from_answers])
def test_designs_have_their_exact_errors(contest, run) -> None:
    lists = run(contest, 60, ROUNDS, 0)
    assert lists.exact is not None and far((lists.value - contest.mean) ** 2, lists.exact) < 4
    if run is methods.from_past:
        plan = recommend(contest.pool, 60, contest.target, contest.past).draw(contest.pool, seed=0)
        assert lists.exact == design_error(plan, contest.pool, contest.losses)[0]


@pytest.mark.parametrize("run", [methods.se_lure, methods.risk_lure, methods.audited, methods.carried])
def test_lists_are_unbiased(contest, run) -> None:
    budget = 60
    if run is methods.audited:
        # With fewer labels the interval would not be narrower, and no verdict is carried.
        contest, budget = contests(versions_of(1200))[0], 200
    lists = run(contest, budget, ROUNDS, 0)
    # With closed answers, equal answers have equal verdicts: nothing is left to chance if these are all known.
    assert np.ptp(lists.value) < 1e-9 or far(lists.value, contest.mean) < 4
    assert lists.value.mean() == pytest.approx(contest.mean, abs=0.02)


def test_measures_are_those_of_the_lists() -> None:
    lists = Lists(np.array([0.1, 0.3, np.nan]), np.array([0.0, 0.25, np.nan]), np.array([0.2, 0.4, np.nan]))
    found = measures(lists, 0.2, 0.02)
    assert found["relative_mse"] == pytest.approx(0.5) and found["bias"] == pytest.approx(0)
    assert (
        found["coverage"] == 0.5 and found["width"] == pytest.approx(0.175) and found["refused"] == pytest.approx(1 / 3)
    )
    assert np.isnan(measures(Lists.bare(np.full(3, np.nan)), 0.2, 0.02)["relative_mse"])


def test_the_command_writes_the_table_it_prints(versions: Pool, tmp_path: Path, capsys) -> None:
    pool, file = tmp_path / "versions.jsonl", tmp_path / "against.csv"
    versions.write(pool)
    words = [
        "lab",
        "--against",
        "uniform",
        "ppi++",
        "recommended-past",
        str(pool),
        "--budgets",
        "40",
        "--trials",
        "200",
    ]
    assert main([*words, "--csv", str(file), "--peers", str(tmp_path / "none")]) == 0
    printed = capsys.readouterr()
    assert "make env-peers" in printed.err and "PPI++-like" in printed.out and "Where Neyman loses" in printed.out
    frame = pd.read_csv(file, keep_default_na=False)
    assert list(frame["method"]) == ["uniform", "ppi++", "recommended-past"] * len(SCENARIOS)
    assert set(frame["code"].str.split().str[0]) == {"neyman"} and set(frame["rounds"]) == {200}


def test_every_method_runs_or_says_why_not(versions: Pool) -> None:
    frame = against([versions], budgets=[40], rounds=10)
    assert len(frame) == len(SCENARIOS) * len(RIVALS.entries)
    assert (frame["relative_mse"].notna() | (frame["note"] != "")).all()
    drawn = frame[frame["method"].isin(["lure", "ppi++", "faq"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(drawn, against([versions], ["lure", "ppi++", "faq"], [40], 10))
    assert against_tables(frame)[-1].rows.equals(losing(frame))


def test_a_lost_row_is_listed(versions: Pool) -> None:
    frame = against([versions], ["uniform", "aipw", "recommended-past"], [40], 50)
    frame.loc[frame["method"] == "aipw", ["relative_mse", "error"]] = 0.01, 0.0
    frame.loc[frame["method"] == "recommended-past", ["coverage", "width"]] = 0.5, 9.0
    lost = losing(frame[frame["scenario"] == "few"])["what"]
    assert [what.split(":")[0] for what in lost] == ["AIPW, active"] * 2 + ["Neyman"] * 2


@pytest.mark.parametrize(
    ("coverage", "width", "width_error", "is_lost"),
    [(0.95, 0.1, 0.0, True), (0.94, 0.1, 0.0, True), (0.93, 0.1, 0.0, False), (0.95, 0.19, 0.01, False)],
)
def test_a_narrower_interval_that_covers_is_a_lost_row(
    versions: Pool, coverage: float, width: float, width_error: float, is_lost: bool
) -> None:
    frame = against([versions], ["uniform", "aipw", "recommended-past"], [40], 50)
    frame = frame[frame["scenario"] == "few"].assign(relative_mse=1.0, error=0.0, width=0.2, width_error=0.0)
    other = frame["method"] == "aipw"
    frame.loc[other, ["coverage", "width", "width_error"]] = coverage, width, width_error
    frame.loc[~other, "coverage"] = 0.95
    said = f"AIPW, active: interval 0.50 times as wide as Neyman’s, coverage {coverage:.3f}"
    assert list(losing(frame)["what"]) == [said] * is_lost


def test_unknown_methods_and_pools_of_one_model_are_refused(versions: Pool) -> None:
    with pytest.raises(DesignError, match="method"):
        against([versions], ["nonsense"])
    with pytest.raises(DesignError, match="needs two models"):
        against([alone(versions)], budgets=[40])
    with pytest.raises(DesignError, match="At least 2"):
        against([versions], rounds=1)
    with pytest.raises(DesignError, match="Two pools are called “versions”"):
        against([versions, versions], budgets=[40])
    with pytest.raises(DesignError, match="seed"):
        against([versions], budgets=[40], seed=-1)


def test_a_target_that_is_always_right_is_left_out_and_so_are_models_with_gaps() -> None:
    rates = {"perfect": 99, "good": 7, "fair": 5, "weak": 3}
    records = [
        {"id": str(item), "targets": {name: {"loss": float((item + 1) % every == 0)} for name, every in rates.items()}}
        for item in range(90)
    ]
    for record in records[1:]:
        record["targets"]["gaps"] = {"loss": float(int(record["id"]) % 4 == 0)}
    found = contests(Pool.from_records(records, "perfect"))
    assert {one.scenario.name: (one.target, one.past) for one in found} == {
        "similar": ("good", ("perfect", "fair", "weak")),
        "few": ("good", ("fair", "weak")),
        "middle": ("fair", ("perfect", "good", "weak")),
    }


def alone(pool: Pool) -> Pool:
    records = [{"id": name, "targets": {"one": {"loss": float(row % 2)}}} for row, name in enumerate(pool.ids)]
    return Pool.from_records(records, "one model")


STUB = """
import numpy as np

def ppi_mean_pointestimate(losses, predicted, rest):
    if losses.mean() > 0.3:
        raise ValueError("too many are wrong")
    return np.array([losses.mean()])

def ppi_mean_ci(losses, predicted, rest, alpha):
    assert losses.size + rest.size == 240
    return np.array([losses.mean() - 0.1]), np.array([losses.mean() + 0.1])
"""


def test_a_package_takes_the_place_of_its_like(versions: Pool, tmp_path: Path, monkeypatch) -> None:
    """A stand-in for the peers' environment: a package that is found, and two that are not."""
    (tmp_path / "ppi_py.py").write_text(STUB)
    about = tmp_path / "ppi_python-9.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ppi-python\nVersion: 9.9\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    frame = against([versions], ["uniform", "ppi++", "stratified-ppi"], [40], 200, python=Path(sys.executable))
    rows = frame[frame["scenario"] == "few"].set_index("method")
    assert rows.loc["ppi++", "code"] == "ppi-python 9.9" and rows.loc["ppi++", "title"] == "PPI++"
    assert 0 < rows.loc["ppi++", "refused"] < 1 and rows.loc["ppi++", "note"] == "too many are wrong"
    assert rows.loc["ppi++", "width"] == pytest.approx(0.2)
    assert rows.loc["stratified-ppi", "title"] == "Stratified PPI++-like"
    with pytest.raises(DesignError, match="make env-peers"):
        against([versions], ["ppi++"], [40], 10, python=tmp_path / "none")


def test_one_table_of_a_pool_says_what_its_frame_holds(versions: Pool) -> None:
    frame = against([versions], ["uniform", "ppi++", "recommended-past"], (40,), 200)
    table = against_table(frame)
    assert len(table.cells) == len(frame) == 3 * len(SCENARIOS)
    assert all(name[0].isupper() for name in table.cells) and not table.cells["Bias, points"].str.contains("-").any()
    # What simulation leaves open is no better tool.
    for error, said in ((0.5, "no other tool has clearly less"), (1e-9, "PPI++-like has less")):
        near = frame.assign(relative_mse=frame["relative_mse"].mask(frame["method"] == "ppi++", 0.01), error=error)
        assert said in against_table(near).headline
    own = frame[(frame["scenario"] == "similar") & (frame["method"] == "recommended-past")]["relative_mse"].item()
    assert f"with past results has {per_cent(own)} " in table.headline
    assert all(what in table.more for what in losing(frame)["what"])
    assert comparable(versions, 40) and not comparable(versions, 100)
    drawn = figures.against(frame, {one.name: one.title for one in SCENARIOS})
    assert [[*trace["x"]] for trace in drawn["data"]] == [
        pytest.approx([100 * value for value in rows["relative_mse"]])
        for _, rows in frame.groupby("scenario", sort=False)
    ]
