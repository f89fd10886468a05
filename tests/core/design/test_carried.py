"""Verdicts that designs carry over: checked and converted once for all budgets, and carried where that pays."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.bank import Bank
from core.design import Design, Scheme, carried_verdicts, carrying, recommend
from core.design.carried_widths import carried_widths
from core.design.known_verdicts import Carried
from core.errors import DesignError
from core.estimation.carried import Audit
from core.lab.against.methods import carried_rounds
from core.pool import Pool
from core.readers import read
from tests.core.wording import Saying

POOLS = Path(__file__).parents[2] / "pools"
RISK = (0.123456, 0.5, 1.0)


def test_a_risk_is_checked_and_converted_once_for_all_designs() -> None:
    first = Design(1, Scheme(signal="risk"), risk=RISK)
    others = [replace(first, budget=2), replace(first, seed=3)]
    assert first.risk == (0.1235, 0.5, 1.0) and hash(first.risk) == hash((0.1235, 0.5, 1.0))
    assert all(one.risk is first.risk for one in others)
    values = np.asarray(first.risk)
    assert values is np.asarray(others[0].risk) and not values.flags.writeable
    assert np.array(first.risk).flags.writeable
    assert np.asarray(first.risk, dtype=np.float32).tolist() == pytest.approx(first.risk, abs=1e-7)


def test_a_risk_that_is_none_is_refused() -> None:
    with pytest.raises(DesignError, match="between 0 and 1"):
        Design(1, Scheme(signal="risk"), risk=(0.5, 1.5))


def test_verdicts_are_taken_from_the_bank_once_for_every_budget() -> None:
    letters = "ABCD"
    pool = Pool.from_records(
        {
            "id": f"q{place}",
            "targets": {
                "new": {"answer": letters[place % 4]},
                "old": {"answer": letters[place % 4 if place % 5 else 0], "loss": float(place % 4 == 1)},
            },
        }
        for place in range(200)
    )
    bank = Bank.of(pool)
    carried = carried_verdicts(bank.lookup(pool, "new"), bank.log(pool))
    for budget, there in ((20, False), (40, True), (60, True)):
        plain = recommend(pool, budget, "new")
        design = carrying(plain, pool, "new", carried)
        assert design == recommend(pool, budget, "new", bank=bank) and (design.carried is carried) == there
    assert not carried.values.flags.writeable and carried.values is carried.values


def past_verdicts(name: str, target: str, past: str) -> tuple[Pool, Carried]:
    """A pool, and the verdicts of one of its models on equal answers."""
    pool = read(POOLS / f"{name}.jsonl.gz")
    bank = Bank.of(pool)
    known = bank.without((bank.rows["model"] != past).to_numpy()).lookup(pool, target)
    return pool, carried_verdicts(known, None)


@pytest.mark.parametrize(
    ("name", "target", "past", "there"),
    [
        ("gsm8k-committee10", "gpt-4o-mini-2024-07-18", "Meta-Llama-3.1-70B-Instruct", False),
        ("blink-vlm-committee10", "GPT4o", "GPT4Turbo", True),
    ],
)
def test_audited_verdicts_are_carried_where_their_interval_is_narrower(
    name: str, target: str, past: str, there: bool
) -> None:
    """By the planned variance they were carried over on both, with intervals a fifth wider than without on GSM8K."""
    pool, carried = past_verdicts(name, target, past)
    plain = recommend(pool, 100, target, [past])
    design, widths = carrying(plain, pool, target, carried), carried_widths(plain, carried)
    assert (design.carried is not None) == there == (widths.carried < widths.fresh)
    first = "audited verdicts carried over" if there else "a list without the bank"
    half = 100 * min(widths.carried, widths.fresh)
    assert design.why == Saying(f"Expected: ±{half:.1f} points by {first}", "If every carried verdict is right")
    # Without an audit nothing holds the interval of the open items alone, unless earlier lists had some.
    assert widths.alone == math.inf and widths.if_right < widths.carried
    logged = carried_widths(plain, replace(carried, log=Audit(200, up=1)))
    assert logged.carried < widths.carried and widths.if_right < logged.alone < widths.fresh
    truth, rng = pool.losses(target), np.random.default_rng(0)
    table = carried_rounds(replace(plain, carried=carried).draw(pool, seed=0), truth, 300, rng)
    fresh = carried_rounds(plain.draw(pool, seed=0), truth, 300, rng)
    mean, mean_fresh = (float((rounds["high"] - rounds["low"]).mean()) / 2 for rounds in (table, fresh))
    assert widths.fresh == pytest.approx(mean_fresh, rel=0.12)
    # Half a wrong verdict more than audits find here makes it cautious.
    assert 0.95 * mean <= widths.carried <= 1.4 * mean
