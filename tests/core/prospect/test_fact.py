"""What a file says of a target already, before anybody plans a label."""

from __future__ import annotations

from typing import Any

import pytest

from core.pool import Pool
from core.prospect import PoolFact, Prospect
from tests.core.wording import Saying

RIGHT = {"answer": "B", "targets": {"bot": {"answer": "B"}}}
WRONG = {"answer": "B", "targets": {"bot": {"answer": "C"}}}


def fact_of(*rows: dict[str, Any]) -> PoolFact | None:
    pool = Pool.from_records([{"id": str(number), **row} for number, row in enumerate(rows)], "mine")
    return Prospect(pool, "bot", 1).fact


@pytest.mark.parametrize(
    ("rows", "title", "source"),
    [
        ([RIGHT, WRONG, WRONG], "bot is right on 33.3\N{NO-BREAK SPACE}% of all items", "right answers"),
        (
            [{"targets": {"bot": {"loss": loss}}} for loss in (0, 1)],
            "bot is right on 50.0\N{NO-BREAK SPACE}% of all items",
            "verdicts",
        ),
        ([{"targets": {"bot": {"loss": 0.25}}}] * 2, "bot has a mean loss of 0.2500 on all items", "scores"),
    ],
)
def test_an_outcome_that_is_known_everywhere_is_said(rows: list[dict[str, Any]], title: str, source: str) -> None:
    fact = fact_of(*rows)
    assert fact is not None
    assert fact.title == Saying(title)
    assert fact.because == Saying(f"The {source} of {len(rows)} items in “mine” say so: no labels are needed for that.")


def test_an_interval_from_labels_is_held_against_what_the_file_says() -> None:
    fact = fact_of(RIGHT, WRONG, WRONG)
    assert fact is not None
    held, missed = fact.beside(0.2, 0.4, 0.95), fact.beside(0.4, 0.6, 0.95)
    assert held == Saying("By the right answers in the file, the accuracy is 33.3", "The interval contains it.")
    assert missed == Saying("The interval misses it.", "of intervals do") and "5\N{NO-BREAK SPACE}%" in missed
    score = fact_of({"targets": {"bot": {"loss": 0.25}}})
    assert score is not None and score.beside(0.0, 1.0, 0.95) == ""


@pytest.mark.parametrize("open_row", [{"targets": {"bot": {"answer": "B"}}}, {"answer": "B", "targets": {}}])
def test_an_item_whose_outcome_is_open_leaves_something_to_find_out(open_row: dict[str, Any]) -> None:
    assert fact_of(RIGHT, WRONG, open_row) is None


def test_other_targets_of_which_the_same_is_known_are_named() -> None:
    rows: list[dict[str, Any]] = [
        {"answer": "B", "targets": {"bot": {"answer": "B"}, "next": {"answer": one}}} for one in "BC"
    ]
    rows[1]["targets"]["open"] = {"loss": 0.0}
    fact = fact_of(*rows)
    assert fact is not None and fact.others == (("next", 0.5),)
    assert fact.because == Saying("say so", "no labels are needed", "next is right on 50.0")


def test_of_many_targets_those_that_are_not_named_are_counted() -> None:
    names = ("bot", *(f"m{number}" for number in range(7)))
    rows = [{"targets": {name: {"loss": float(row)} for name in names}} for row in range(2)]
    fact = fact_of(*rows)
    assert fact is not None and fact.because == Saying("m3 is right on 50.0", "and how right 3 more models are.")


def test_outcomes_of_some_items_are_said_to_be_of_those() -> None:
    pool = Pool.from_records(
        [{"id": "a", **RIGHT}, {"id": "b", **WRONG}, {"id": "c", "targets": {"bot": {"answer": "B"}}}]
    )
    part = Prospect(pool, "bot", 1).part
    assert part is not None
    assert part.sentence(True) == Saying("bot is right on 50.0", "of the 2 items whose outcome is known, of 3 in all")
    assert "like the known ones" in part.sentence(True) and "like" not in part.sentence(False)
    assert Prospect(pool.part([0, 1]), "bot", 1).part is None


def test_what_is_known_decides_before_labels_do() -> None:
    row: dict[str, Any] = {"answer": "B"}
    rows = [row | {"targets": {"bot": {"answer": one}, "old": {"answer": other}}} for one, other in ("BB", "BC", "BC")]
    rows.append(row | {"targets": {"bot": {"answer": "C"}, "old": {"answer": "C"}}})
    pool = Pool.from_records([{"id": str(number), **one} for number, one in enumerate(rows)], "mine")
    asked = Prospect(pool, "bot", 2)
    pair = asked.known_pair
    assert pair is not None and (pair.agreement, pair.difference) == (0.5, 0.5)
    assert str(pair.finding) == Saying("bot is 50.0 points better than old", "wrong on 50.00", "No labels are needed")
    said = [str(asked.gate_known(asked.gate(bar).rule)) for bar in (0.7, 0.8)]
    assert said == [
        Saying("Ship: bot is right on 75.0", "at least 70.0"),
        Saying("Hold: bot is right on 75.0", "below"),
    ]
    open_pool = Pool.from_records([{"id": "a", "targets": {"bot": {"answer": "B"}, "old": {"answer": "B"}}}])
    assert Prospect(open_pool, "bot", 1).known_pair is None
