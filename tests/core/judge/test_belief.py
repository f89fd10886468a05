"""What a budget buys before any label, by what is believed of the judge."""

from __future__ import annotations

import pytest

from core.errors import DesignError
from core.judge import JudgeBelief, forecast, forecasts, labels_for


def sizes(fails: float, tpr: float = 0.9, tnr: float = 0.8) -> tuple[int, int]:
    """N_F and N_P of 2,000 items."""
    n_fail = round(2_000 * (fails * tnr + (1 - fails) * (1 - tpr)))
    return n_fail, 2_000 - n_fail


@pytest.mark.parametrize(
    ("fails", "needed"),
    [(0.05, (275, 425, 825)), (0.1, (145, 235, 475)), (0.2, (70, 115, 255)), (0.5, (20, 35, 80))],
)
def test_labels_for_a_precision_of_failures_caught(fails: float, needed: tuple[int, ...]) -> None:
    assert tuple(labels_for(*sizes(fails), "tnr", width) for width in (0.2, 0.15, 0.1)) == needed


@pytest.mark.parametrize(("fails", "failures"), [(0.05, 9), (0.1, 16), (0.2, 27), (0.5, 51)])
def test_failures_that_a_list_of_100_holds(fails: float, failures: int) -> None:
    assert round(forecast(*sizes(fails), 100).failures) == failures


def test_the_share_of_failures_follows_from_the_judges_own_rate() -> None:
    assert JudgeBelief(0.9, 0.8).failing(0.17) == pytest.approx(0.1)
    assert JudgeBelief(0.9, 0.8, fails=0.3).failing(0.17) == 0.3
    assert JudgeBelief(0.9, 0.8).failing(0.01) == 0.02


def test_more_labels_are_never_expected_to_say_less() -> None:
    table = forecasts(*sizes(0.1), range(50, 400, 25))
    for name in ("tnr", "tpr", "pass_rate", "kappa"):
        assert (table[name].diff().dropna() <= 0.003).all(), name


def test_a_precision_that_no_budget_gives_is_none() -> None:
    assert labels_for(10, 20, "tnr", 0.001) is None


@pytest.mark.parametrize("given", [{"tpr": 1.2}, {"tnr": -0.1}, {"fails": 0.0}])
def test_beliefs_out_of_range_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(DesignError, match="believed"):
        JudgeBelief(**given)
