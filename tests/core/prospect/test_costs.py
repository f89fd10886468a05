"""Money and time."""

from __future__ import annotations

import pytest

from core.errors import DesignError
from core.prospect.question import Costs, duration


def test_labels_cost_money_and_time() -> None:
    prices = Costs(label=10, minutes=1.5, target_run=2, tokens=500, million_tokens=4)
    assert prices.money(150) == 1800 and prices.hours(150) == 3.75
    assert prices.surrogate_pass(3000) == pytest.approx(6.0)
    assert prices.labels(1800, 3000) == 150 and prices.labels(1811, 3000) == 150
    assert prices.labels(1800, 100) == 100
    assert prices.labels(1800, 3000, fixed=prices.surrogate_pass(3000)) == 149


def test_money_that_pays_for_nothing_is_refused() -> None:
    with pytest.raises(DesignError):
        Costs(label=10).labels(5, 100)
    with pytest.raises(DesignError):
        Costs().labels(5, 100)


@pytest.mark.parametrize("name", ["label", "minutes", "target_run", "tokens", "million_tokens"])
@pytest.mark.parametrize("number", [-1.0, float("nan"), float("inf")])
def test_prices_out_of_range_are_refused(name: str, number: float) -> None:
    with pytest.raises(DesignError):
        Costs(**{name: number})


@pytest.mark.parametrize(
    ("money", "currency", "words"),
    [(1800, "€", "1,800 €"), (1800, "$", "$1,800"), (12.5, "€", "12.50 €"), (-3, "CHF", "−3 CHF"), (0, "€", "0 €")],
)
def test_amounts_are_written(money: float, currency: str, words: str) -> None:
    assert Costs(currency=currency).amount(money).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (0, "0 minutes"),
        (0.5, "30 minutes"),
        (1 / 60, "1 minute"),
        (1, "1 hour"),
        (2.5, "2.5 hours"),
        (3, "3 hours"),
        (41.6, "42 hours"),
    ],
)
def test_times_are_written(hours: float, words: str) -> None:
    assert duration(hours).replace("\u00a0", " ") == words


def test_spending_is_told_where_prices_are_set() -> None:
    assert Costs(label=12, minutes=1.2).spent(150).replace("\u00a0", " ") == "1,800 €, 3 hours"
    assert Costs(minutes=1).spent(30).replace("\u00a0", " ") == "30 minutes"
    assert Costs().spent(150) == ""
