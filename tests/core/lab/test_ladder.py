"""Every rung's error is the closed form of its plan; rungs without information are left out with a reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.design import Design, Scheme, recommend
from core.errors import DesignError
from core.lab import captions, ladder
from core.pool import Pool
from core.prospect.leave_one_out import known_items
from core.simulation import exact_mse, rounds, uniform_mse

BUDGETS = [20, 60]


def records(n_items: int = 180, seed: int = 3) -> list[dict[str, object]]:
    """Items with answers of two targets whose failures go with the item's ease."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for number in range(n_items):
        ease = rng.beta(1.2, 0.9)
        letters = ["ABCD"[c] for c in np.where(rng.random(6) < ease, 0, rng.integers(0, 4, 6)).tolist()]
        answers = {name: "A" if rng.random() < 0.4 + 0.6 * ease else "B" for name in ("new", "old")}
        rows.append(
            {
                "id": f"q{number}",
                "answer": "A",
                "generations": letters,
                "targets": {name: {"answer": answer} for name, answer in answers.items()},
            }
        )
    return rows


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.from_records(records(), "rungs")


@pytest.fixture(scope="module")
def table(pool: Pool) -> pd.DataFrame:
    return ladder.ladder(pool, "new", BUDGETS)


def test_the_rungs_are_in_order_at_every_budget(table: pd.DataFrame) -> None:
    for _, rows in table.groupby("budget"):
        assert rows["rung"].tolist() == list(ladder.RUNGS)
    assert table["exact"].all() and (table["error"] == 0).all()


def test_each_error_is_the_closed_form_of_the_rungs_own_plan(pool: Pool, table: pd.DataFrame) -> None:
    losses = pool.losses("new")
    designs = {
        "proxy-neyman": Design(60),
        "recommended-surrogate": recommend(pool, 60, None, ()),
        "recommended-answers": recommend(pool, 60, "new", ()),
        "recommended-past": recommend(pool, 60, "new"),
    }
    at = table[table["budget"] == 60].set_index("rung")
    for rung, design in designs.items():
        plan = design.draw(pool, seed=9)
        assert at.at[rung, "mse"] == pytest.approx(exact_mse(losses, plan.stratum, plan.allocation), rel=1e-12)
        assert at.at[rung, "relative_mse"] == pytest.approx(at.at[rung, "mse"] / uniform_mse(losses, 60), rel=1e-12)
    assert at.at["uniform", "relative_mse"] == pytest.approx(1)
    assert all(at.at[rung, "why"] == design.why for rung, design in designs.items() if rung.startswith("rec"))


def test_nothing_beats_the_best_allocation_of_the_last_strata(pool: Pool, table: pd.DataFrame) -> None:
    losses = pool.losses("new")
    plan = recommend(pool, 20, "new").draw(pool, seed=0)
    at = table[table["budget"] == 20].set_index("rung")["mse"]
    assert at[ladder.BEST] == ladder.best_error(plan, losses) <= at["recommended-past"]
    rng = np.random.default_rng(0)
    for _ in range(50):
        other = np.ones_like(plan.allocation)
        for h in rng.permutation(np.repeat(np.arange(other.size), 3)):
            if other.sum() < 20 and other[h] < plan.strata.sizes[h]:
                other[h] += 1
        assert at[ladder.BEST] <= exact_mse(losses, plan.stratum, other) * (1 + 1e-12)


def test_savings_are_those_at_equal_error(pool: Pool, table: pd.DataFrame) -> None:
    losses = pool.losses("new")
    for row in table[table["rung"] != "uniform"].itertuples():
        needs = next(m for m in range(1, 181) if uniform_mse(losses, m) <= row.mse * (1 + 1e-9))
        assert row.uniform_needs == needs and row.saved == pytest.approx(1 - row.budget / needs)


def test_the_losses_of_the_target_choose_no_design_below_the_last_rung(pool: Pool) -> None:
    rng = np.random.default_rng(1)
    rows = records()
    swapped = rng.permutation(len(rows))
    for row, other in zip(rows, swapped.tolist(), strict=True):
        row["targets"]["new"]["loss"] = float(other % 2)  # type: ignore[index]
    other_pool = Pool.from_records(rows, "scrambled")
    for rung in ladder.RUNGS[:-1]:
        one, two = (ladder.rung_design(rung, p, 20, "new").draw(p, seed=5) for p in (pool, other_pool))
        assert one.ids.tolist() == two.ids.tolist()


def test_items_without_an_outcome_are_left_out(pool: Pool) -> None:
    rows = records()
    for number, row in enumerate(rows):
        if number % 3 == 0:
            del row["targets"]["new"]  # type: ignore[attr-defined]
    part = Pool.from_records([row for n, row in enumerate(rows) if n % 3], "part")
    pd.testing.assert_frame_equal(
        ladder.ladder(Pool.from_records(rows, "partial"), "new", BUDGETS), ladder.ladder(part, "new", BUDGETS)
    )
    with pytest.raises(DesignError, match="No outcome"):
        known_items(Pool.from_records([{"id": "a", "targets": {"m": {"answer": "A"}}}], "none"), "m")


@pytest.mark.parametrize(
    ("drop", "missing"),
    [
        ("answers", {"recommended-answers"}),
        ("others", {"recommended-past"}),
        ("generations", {"proxy-neyman", "recommended-surrogate", "recommended-answers"}),
    ],
)
def test_rungs_without_information_are_left_out_with_a_reason(drop: str, missing: set[str]) -> None:
    rows = records(90)
    for row in rows:
        targets = row["targets"]
        assert isinstance(targets, dict)
        if drop == "answers":
            targets["new"] = {"loss": float(targets["new"]["answer"] != "A")}
        elif drop == "others":
            del targets["old"]
        else:
            del row["generations"]
    less = Pool.from_records(rows, "less")
    reasons = ladder.left_out(less, "new")
    assert set(reasons) == missing and all(reasons.values())
    table = ladder.ladder(less, "new", BUDGETS)
    assert set(table["rung"]) == set(ladder.RUNGS) - missing
    assert all(phrase not in captions.ladder(table, 20) for phrase in ("nan", "–"))


def test_a_pool_that_knows_nothing_has_only_uniform() -> None:
    bare = Pool.from_records([{"id": f"q{n}", "targets": {"m": {"loss": n % 2}}} for n in range(40)], "bare")
    assert ladder.ladder(bare, "m", [10])["rung"].tolist() == ["uniform"]
    assert ladder.BEST in ladder.left_out(bare, "m")


def test_only_a_simulated_rung_is_not_exact(pool: Pool) -> None:
    table = ladder.ladder(pool, "new", [20], Scheme(waves=2), trials=20)
    assert (table["exact"] == (table["rung"] != "proxy-neyman")).all()
    assert (table["error"] > 0).tolist() == (~table["exact"]).tolist()


def test_a_design_without_a_closed_form_is_simulated_with_its_error(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = pool.losses("new")
    plan = Design(20, Scheme(waves=2)).draw(pool, seed=0)
    values = rounds(plan.design, pool, losses, 100, 1)["value"]
    mse, error = ladder.design_error(plan, pool, losses, 100, 1)
    assert mse == pytest.approx(((values - losses.mean()) ** 2).mean())
    assert error == pytest.approx(((values - losses.mean()) ** 2).std() / 100**0.5)


def test_the_finding_names_every_rung_and_constant_losses_nothing(table: pd.DataFrame) -> None:
    said = captions.ladder(table, 60)
    for value in table[(table["budget"] == 60) & (table["rung"] != "uniform")]["relative_mse"]:
        assert f"{100 * value:.1f}\u00a0%" in said
    assert captions.ladder(table.assign(relative_mse=np.nan), 60) == captions.CONSTANT
