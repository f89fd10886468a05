"""What stands in many designs alike, such as those of every budget, is checked and converted once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.bank import Bank
from core.design import Design, Scheme, carried_verdicts, carrying, recommend
from core.errors import DesignError
from core.pool import Pool

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
    for budget in (20, 60):
        plain = recommend(pool, budget, "new")
        design = carrying(plain, pool, "new", carried)
        assert design == recommend(pool, budget, "new", bank=bank) and design.carried is carried
    assert not carried.values.flags.writeable and carried.values is carried.values
