"""Agreement with the answers of other models whose outcomes nobody knows, as a risk."""

from __future__ import annotations

import numpy as np
import pytest

from core.bank import Bank
from core.design import recommend
from core.pool import Pool
from core.readers import read
from core.signals.past import agreeing_models, past_answers_risk
from core.simulation import exact_mse, uniform_mse
from tests.conftest import ROOT


def three(generations: bool) -> Pool:
    """Of two other models both, one and none give the target's answer; of two generations both, one and none."""
    rows = [("A", "A", "A", ["A", "A"]), ("A", "A", "B", ["A", "B"]), ("A", "B", None, ["B", "B"])]
    return Pool.from_records(
        {"id": str(n), "targets": {"t": {"answer": t}, "m": {"answer": m}, "o": {"answer": o}}}
        | ({"generations": g} if generations else {})
        for n, (t, m, o, g) in enumerate(rows * 20)
        if o is not None or n < 3
    )


def test_the_risk_is_what_is_left_of_the_share_that_agrees() -> None:
    pool = three(generations=False)
    assert agreeing_models(pool, "t") == ("m", "o")
    risk = past_answers_risk(pool, "t")
    # (2 + ½)/3, (1 + ½)/3; on the third item one of two answered, another answer: ½/2.
    assert risk[:3] == pytest.approx([1 - 2.5 / 3, 1 - 1.5 / 3, 1 - 0.5 / 2])


def test_generations_count_as_much_as_the_models_together() -> None:
    risk = past_answers_risk(three(generations=True), "t")
    assert risk[:2] == pytest.approx([1 - 2.5 / 3, 1 - 1.5 / 3])
    assert risk[2] == pytest.approx(1 - (0.5 / 2 + 0.5 / 3) / 2)


def test_without_other_answers_there_is_none() -> None:
    alone = Pool.from_records([{"id": "1", "targets": {"t": {"answer": "A"}, "m": {"loss": 1.0}}}])
    assert agreeing_models(alone, "t") == () and agreeing_models(alone, "m") == ()


def _without_outcomes(pool: Pool) -> Pool:
    """The answers alone: no target's outcome is known, and no right answer."""
    answers = {name: pool.target_answers(name) for name in pool.targets}
    return Pool.from_records(
        {
            "id": item,
            "generations": [text for text in row if text is not None],
            "targets": {name: {"answer": said[place]} for name, said in answers.items() if said[place] is not None},
        }
        for place, (item, row) in enumerate(zip(pool.ids, pool.answers(), strict=True))
    )


@pytest.mark.parametrize("budget", [50, 200])
def test_on_real_answers_an_empty_bank_saves_labels_by_the_answers_alone(budget: int) -> None:
    pool = read(ROOT / "tests" / "pools" / "gsm8k-committee10.jsonl.gz")
    blind, target = _without_outcomes(pool), "gemini-1.5-flash"
    truth = pool.losses(target)

    def error(bank: Bank | None) -> float:
        plan = recommend(blind, budget, target, bank=bank).draw(blind, seed=0)
        return exact_mse(truth, plan.stratum, plan.allocation) / uniform_mse(truth, budget)

    by_generations, by_both = error(None), error(Bank.of())
    assert by_both < 0.9 * by_generations
    why = recommend(blind, budget, target, bank=Bank.of()).why
    assert "3 other models and of a cheap model" in why


def test_known_outcomes_of_past_models_are_better_and_stay() -> None:
    pool = read(ROOT / "tests" / "pools" / "gsm8k-committee10.jsonl.gz")
    target = "gemini-1.5-flash"
    assert np.array_equal(recommend(pool, 50, target, bank=Bank.of()).risk, recommend(pool, 50, target).risk)  # type: ignore[arg-type]
