"""The race on Explore: what its histograms count, and what stands above them."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from core.design import recommend
from core.simulation import exact_mse, uniform_mse
from tests.pages.conftest import bare, components
from tests.pages.pools import odd, pool
from tests.pages.reference import known_losses
from tests.pages.test_recommended import EXPLORE, NEWEST, past_rows


@pytest.fixture(scope="module")
def rich():
    return pool(past_rows(300), "4 models")


def race(app):
    """What the figure is given."""
    (component,) = components(app, "neyman_race")
    return json.loads(component.json)


def estimates(given, place):
    """The middle of the bar of each estimate."""
    bins = np.array(given["methods"][place]["bins"])
    assert bins.min() >= 0 and bins.max() < given["count"]
    return given["start"] + (bins + 0.5) * given["wide"]


@pytest.mark.parametrize("design", ["recommended", "paper"])
def test_the_histograms_are_as_wide_as_the_exact_errors(open_page, rich, design):
    given = race(open_page(EXPLORE, rich, detail="race", design=design, budget=40))
    losses = known_losses(rich, "m0")
    plan = recommend(rich, 40, "m0").draw(rich, seed=0)
    exact = [uniform_mse(losses, 40), exact_mse(losses, plan.stratum, plan.allocation)]
    for place, error in enumerate(exact if design == "recommended" else exact[:1]):
        values = estimates(given, place)
        spread = 100 * math.sqrt(error)
        assert values.size == 1000 and values.std() == pytest.approx(spread, rel=0.1)
        assert values.mean() == pytest.approx(given["axis"]["truth"], abs=4 * spread / math.sqrt(1000))
    # Of Uniform's: a bar for each number of right answers, and all estimates in the middle of theirs.
    right = estimates(given, 0) / 100 * 40
    np.testing.assert_allclose(right, right.round(), atol=1e-6)


def test_the_sentence_counts_what_the_shaded_band_holds(open_page, rich):
    app = open_page(EXPLORE, rich, detail="race", **NEWEST, budget=40)
    given = race(app)
    low, high = given["near"]
    shares = [np.mean([flag == "1" for flag in method["inside"]]) for method in given["methods"]]
    for place, method in enumerate(given["methods"]):
        values = estimates(given, place)
        clear = np.abs(np.abs(values - given["axis"]["truth"]) - (high - low) / 2) > given["wide"]
        near = np.array([flag == "1" for flag in method["inside"]])
        assert (near == ((low < values) & (values < high)))[clear].all()
    (said,) = (line for line in bare(app.markdown).split("\n") if "near the truth" in line)
    numbers = [int(n) for n in re.findall(r"(\d+)\u00a0%", said)]
    assert numbers == [round(100 * shares[1]), round(100 * shares[0])] and numbers[0] > numbers[1]
    assert "1,000 rounds of 40 labels" in bare(app.caption)


def test_nothing_is_simulated_while_the_tab_is_closed(open_page, rich):
    assert not components(open_page(EXPLORE, rich, **NEWEST), "neyman_race")


@pytest.mark.parametrize("kind", ["no targets", "constant losses", "one item", "only ids"])
def test_where_nothing_varies_or_is_known_there_is_no_race(open_page, kind):
    assert not components(open_page(EXPLORE, odd(kind), detail="race", **NEWEST), "neyman_race")


def test_scores_race_in_their_own_unit(open_page):
    given = race(open_page(EXPLORE, odd("real-valued losses"), detail="race", **NEWEST, budget=20))
    assert "points" not in given["within"] and "mean loss" in given["axis"]["named"]
