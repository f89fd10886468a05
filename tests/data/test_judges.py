"""The bundled verdicts of judges: facts only, and what the README says of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import core as neyman
from core.judge import everything, verdicts
from core.judge.measures import MEASURES
from core.readers import read
from tests.sampled import sampled

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.mark.parametrize(
    ("name", "judge", "items", "pass_rate", "tpr", "tnr"),
    [
        ("evouna", "string match", 3_020, 0.788, 0.780, 0.991),
        ("llmbar", "GPT-4", 419, 0.492, 0.850, 0.808),
        ("llmbar", "PaLM2", 419, 0.492, 0.714, 0.662),
    ],
)
def test_facts_only_and_as_good_as_it_says(
    name: str, judge: str, items: int, pass_rate: float, tpr: float, tnr: float
) -> None:
    path = DATA / f"{name}.parquet"
    pool = read(path)
    assert path.stat().st_size < 20_000 and pool.n_items == items and not pool.targets
    assert "prompt" not in pool.item_columns
    pair = everything(verdicts(pool, judge), verdicts(pool, "people"))
    found = [pair.value(MEASURES[measure]) for measure in ("pass_rate", "tpr", "tnr")]
    assert found == pytest.approx([pass_rate, tpr, tnr], abs=0.0006)


@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("evouna", "string match"),
        pytest.param("llmbar", "GPT-4", marks=pytest.mark.trial),
        ("llmbar", "PaLM2"),
    ],
)
@pytest.mark.parametrize(("lists", "most"), sampled([(12, 3), (40, 6)], lambda lists, most: lists == 12))
def test_lists_of_100_hold_the_truth(name: str, judge: str, lists: int, most: int) -> None:
    """Of so many lists, at most as many miss as 95 % limits may: the chance of more is below 1 %."""
    pool = read(DATA / f"{name}.parquet")
    people = verdicts(pool, "people")
    labels = dict(zip(pool.items.index, (~people.fails).tolist(), strict=True))
    truth, missed = everything(verdicts(pool, judge), people), Counter[str]()
    for seed in range(lists):
        result = neyman.judged(neyman.judge(pool, judge, 100, seed=seed), labels)
        for measure in ("pass_rate", "tpr", "tnr"):
            one = result.estimate(measure)
            missed[measure] += not one.low <= truth.value(MEASURES[measure]) <= one.high
    assert max(missed.values(), default=0) <= most
