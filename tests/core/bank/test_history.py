"""Versions over time: order, what each rests on, and differences that hold together."""

from __future__ import annotations

import math
from itertools import product
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.bank import (
    Bank,
    best_first,
    best_title,
    differences,
    differences_title,
    elsewhere,
    history,
    informative,
    limits_of,
    oldest_first,
    predecessors,
)
from core.estimation.contrasts import paired_shares
from core.pool import Pool


def versions(rates: dict[str, float | None], n: int = 400) -> Pool:
    """A pool whose versions get item i right where its difficulty is below their rate; None: nothing is graded."""
    hard = (np.random.default_rng(1).permutation(n) + 0.5) / n
    records = []
    for place, level in enumerate(hard.tolist()):
        targets = {}
        for name, rate in rates.items():
            right = level < (0.9 if rate is None else rate)
            targets[name] = {"answer": "right" if right else "wrong"} | (
                {} if rate is None else {"loss": float(not right)}
            )
        records.append({"id": f"i{place}", "prompt": f"q{place}", "targets": targets})
    return Pool.from_records(records)


def test_versions_stand_by_date_and_by_the_numbers_in_their_names() -> None:
    pool = versions({"v10": 0.8, "v9": 0.7, "v1": 0.6})
    table = history(Bank.of(pool), pool)
    assert table["version"].tolist() == ["v1", "v9", "v10"]
    assert table["value"].tolist() == pytest.approx([0.6, 0.7, 0.8])
    assert (table["low"] == table["high"]).all() and set(table["basis"]) == {"every verdict is known"}


def test_the_day_of_grading_turns_no_versions_round() -> None:
    pool = versions({"v2": 0.8, "v1": 0.6})
    days = {"v1": "2026-03-01", "v2": "2026-01-01"}
    graded = Bank.of(pool)
    bank = Bank(graded.rows.assign(date=graded.rows["model"].map(days)))
    table = history(bank, pool)
    assert table["version"].tolist() == ["v1", "v2"] == [*oldest_first(bank, pool.targets)]
    assert table["date"].tolist() == [*days.values()] and differences(bank, pool)["value"].tolist() == [
        pytest.approx(0.2)
    ]


def test_the_version_before_the_newest_is_what_it_is_compared_with() -> None:
    pool = versions({"v10": None, "v2": 0.6, "v9": None, "v1": 0.5})
    order = oldest_first(Bank.of(pool), pool.targets)
    assert order == ("v1", "v2", "v9", "v10") and oldest_first(Bank.of(), ["v10", "v9"]) == ("v9", "v10")
    assert predecessors(order, "v10") == ("v9", "v2", "v1") and predecessors(order, "v2") == ("v1", "v9", "v10")
    # What was graded first is no older version if the names say otherwise; of other models the date tells.
    january, march = (
        Bank.of(versions(dict.fromkeys(names, 0.5)), date=date)
        for names, date in ((["v2", "zeta"], "2026-01-01"), (["v1", "alpha"], "2026-03-01"))
    )
    bank = march | january
    assert oldest_first(bank, ["v2", "v3", "v1"]) == ("v1", "v2", "v3")
    assert oldest_first(bank, ["beta", "alpha", "zeta"]) == ("zeta", "alpha", "beta")


def test_a_version_with_carried_verdicts_alone_has_limits_that_hold_whatever_the_rest_is() -> None:
    pool = versions({"v1": 0.6, "v2": None})
    row = history(Bank.of(pool), pool).set_index("version").loc["v2"]
    # Both are right on 60 % and wrong on 10 %; what v2 alone gets right has an answer that nobody graded.
    assert (row["low"], row["high"], row["carried"]) == (pytest.approx(0.6), pytest.approx(0.9), 280)


def test_a_labelled_version_has_the_interval_of_its_list(tmp_path: object) -> None:
    pool = versions({"v1": 0.6, "v2": None})
    bank = Bank.of(pool)
    plan = neyman.recommend(pool, 60, "v2", bank=bank).draw(pool, seed=3)
    asked = neyman.request(plan, "right-wrong", target="v2")
    filled = asked.assign(label=asked["target_answer"])
    path = tmp_path / "filled.csv"  # type: ignore[operator]
    filled.to_csv(path, index=False)
    study = neyman.labelled(plan, path, target="v2")
    row = history(bank | Bank.of(study), pool).set_index("version").loc["v2"]
    estimate = study.estimate()
    assert (row["value"], row["low"], row["high"]) == (estimate.value, estimate.low, estimate.high)
    assert (row["labels"], row["carried"], row["audited"]) == (60, 280, 30)
    assert row["basis"] == "labels"


def test_differences_hold_together_and_never_exceed_the_share_of_unequal_answers() -> None:
    pool = versions({"v1": 0.6, "v2": None, "v3": 0.62})
    table = differences(Bank.of(pool), pool).set_index(["earlier", "later"])
    exact = table.loc[("v1", "v3")]
    assert (exact["low"], exact["high"]) == pytest.approx((0.02, 0.02)) and exact["certain"]
    assert exact["other_low"] > 0 and np.isnan(table.loc[("v1", "v2"), "other_low"])
    open_one = table.loc[("v1", "v2")]
    assert (open_one["high"] <= 0.3 + 1e-9 and not open_one["certain"]) or open_one["low"] > 0


def test_a_difference_of_one_task_is_exact_here_and_not_certain_for_other_questions() -> None:
    """Ten of ten differences were certain, among them one task of 600."""
    pool = versions({"v1": 0.7, "v2": 421 / 600, "v3": 0.9}, n=600)
    table = differences(Bank.of(pool), pool)
    one = table.iloc[0]
    # Won 1, lost 0, of 602 items with half an item in each cell; three pairs at once.
    middle, z = 1 / 602, NormalDist().inv_cdf(1 - 0.05 / 6)
    half = z * math.sqrt((2 / 602 - middle**2) / 602)
    assert (one["value"], one["low"], one["high"]) == pytest.approx((1 / 600,) * 3)
    assert (one["other_low"], one["other_high"]) == pytest.approx((middle - half, middle + half))
    assert table["certain"].tolist() == [False, True, True]
    assert differences_title(table) == "For other questions like these, 2 of 3 differences in accuracy are certain"
    said = elsewhere(table).replace("\u00a0", " ")
    assert (
        "All differences are exact on these items" in said and "2 of 3 are certain (their 95 % limits exclude 0" in said
    )
    first = table.head(1)
    assert differences_title(first).replace("\u00a0", " ") == "v2 is 0.2 points better than v1 on these items"
    assert "the difference lies between −0.4 and +0.7 points" in elsewhere(first).replace("\u00a0", " ")


def test_all_differences_say_whether_a_version_stands_between() -> None:
    pool = versions({"v1": 0.6, "v2": 0.7, "v3": 0.8})
    table = differences(Bank.of(pool), pool)
    assert table.loc[table["neighbours"], ["earlier", "later"]].to_numpy().tolist() == [["v1", "v2"], ["v2", "v3"]]


def test_saved_labels_are_those_of_a_uniform_list_with_the_same_interval(tmp_path: object) -> None:
    pool = versions({"v1": 0.6, "v2": None})
    bank = Bank.of(pool)
    plan = neyman.recommend(pool, 60, "v2", bank=bank, follows=True).draw(pool, seed=3)
    asked = neyman.request(plan, "right-wrong", target="v2")
    path = tmp_path / "filled.csv"  # type: ignore[operator]
    asked.assign(label=asked["target_answer"]).to_csv(path, index=False)
    study = neyman.labelled(plan, path, target="v2")
    row = history(bank | Bank.of(study), pool).set_index("version").loc["v2"]
    half = (row["high"] - row["low"]) / 2
    needed = 1.959964**2 * row["value"] * (1 - row["value"]) / half**2
    assert row["saved"] == round(needed / (1 + needed / 400)) - row["labels"] > 0
    assert history(bank, pool)["saved"].tolist() == [0, 0], "no list, nothing saved"


def test_it_says_which_limits_hold_alone_and_which_together() -> None:
    def said(rates: dict[str, float | None]) -> str:
        pool = versions(rates, n=40)
        bank = Bank.of(pool)
        return limits_of(history(bank, pool), differences(bank, pool)).replace("\u00a0", " ")

    exact = "Every verdict is known, so that each version’s accuracy is exact on these items."
    assert said({"v1": 0.6}) == exact
    alone = "The limits of the difference for other questions hold with 95 % confidence."
    assert said({"v1": 0.6, "v2": 0.7}) == f"{exact} {alone}"
    twelve = said({f"v{n}": n / 20 for n in range(12)})
    assert "all 66 differences for other questions hold at once" in twelve and "Bonferroni" in twelve
    labelled = said({"v1": 0.6, "v2": None})
    assert "by itself" in labelled and "The limits of the difference hold with" in labelled
    assert "confidence sequence" in labelled and "confidence sequence" not in said({"v1": 0.6, "v2": 0.7})


def test_joint_limits_are_never_narrower_than_the_versions_own() -> None:
    names = {f"v{number}": None if number == 3 else 0.5 + number / 100 for number in range(50)}
    pool = versions(names, n=40)  # type: ignore[arg-type]
    table = differences(Bank.of(pool), pool)
    assert len(set(table["earlier"]) | set(table["later"])) == 40, "as many as limits are kept for"


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        (0.0, "v2 is 6.8 points better than v1 on these items"),
        (0.01, "v2 is certainly better than v1, by about 6.8 points"),
        (0.1, "No difference in accuracy is certain"),
    ],
)
def test_a_single_difference_is_said_and_not_counted_if_it_is_certain(reach: float, said: str) -> None:
    row = {
        "earlier": "v1",
        "later": "v2",
        "value": 0.068,
        "other_low": np.nan,
        "low": 0.068 - reach,
        "high": 0.068 + reach,
    }
    assert differences_title(pd.DataFrame([row | {"certain": row["low"] > 0}])) == said


def test_the_best_model_is_named_with_its_lead_if_it_is_certainly_the_best() -> None:
    pool = versions({"alpha": 0.6, "beta": 0.8, "gamma": 0.75})
    bank = Bank.of(pool)
    table, pairs = best_first(history(bank, pool)), differences(bank, pool)
    assert table["version"].tolist() == ["beta", "gamma", "alpha"]
    assert best_title(table, pairs).replace("\u00a0", " ") == "beta is best on these items, 5.0 points ahead of gamma"
    # Neither dates nor lists: what is empty, 0 or says the value again is left out.
    assert informative(table) == ["version", "value", "basis"]
    assert informative(pairs) == ["earlier", "later", "value", "other_low", "other_high", "certain", "neighbours"]
    # An open model may be better than the best of the others.
    pool = versions({"alpha": 0.6, "beta": 0.8, "gamma": None})
    bank = Bank.of(pool)
    table, pairs = best_first(history(bank, pool)), differences(bank, pool)
    said = "No model is certainly the best: beta leads alpha by 20.0 points"
    assert best_title(table, pairs).replace("\u00a0", " ") == said
    assert {"low", "high", "carried"} <= set(informative(table)) and best_title(table.head(1), pairs) == ""


def test_the_best_of_many_models_is_known_if_every_verdict_is() -> None:
    """Differences of forty models alone have joint limits: of 44, none was certainly the best."""
    pool = versions(
        {f"{name}{other}": 0.3 + 0.01 * place for place, (name, other) in enumerate(product("abcd", "efghijklmno"))}
    )
    table, pairs = best_first(history(Bank.of(pool), pool)), differences(Bank.of(pool), pool)
    assert len(table) == 44 and len(pairs) == 780
    assert best_title(table, pairs).replace("\u00a0", " ") == "do is best on these items, 1.0 points ahead of dn"


def test_models_that_are_equally_accurate_lead_by_nothing_and_their_values_stay() -> None:
    """One led the other by 0.0 points, and a difference or an accuracy of 0 throughout left the tables."""
    pool = versions({"alpha": 0.6, "beta": 0.8, "gamma": 0.8})
    table, pairs = best_first(history(Bank.of(pool), pool)), differences(Bank.of(pool), pool)
    assert best_title(table, pairs) == "No model is best: beta and gamma are equally accurate"
    pool = versions({"alpha": 0.0, "beta": 0.0})
    table, pairs = history(Bank.of(pool), pool), differences(Bank.of(pool), pool)
    assert informative(table) == ["version", "value", "basis"]
    assert informative(pairs) == ["earlier", "later", "value", "other_low", "other_high", "certain", "neighbours"]


@pytest.mark.parametrize(
    ("won", "lost", "n", "certain"), [(3, 0, 3, False), (1, 0, 1, False), (6, 0, 10, True), (30, 10, 100, True)]
)
def test_few_items_are_certain_only_by_the_exact_sign_test(won: int, lost: int, n: int, certain: bool) -> None:
    limits = paired_shares(won, lost, n)
    assert (limits.low > 0) == certain and -1 <= limits.low <= limits.high <= 1
    assert certain == (2 * 0.5 ** (won + lost) * sum(math.comb(won + lost, k) for k in range(lost + 1)) <= 0.05)
