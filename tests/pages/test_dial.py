"""The dial: one value, which stays inside its ends, and comes back if it is refused."""

from __future__ import annotations

import json
import math

import pytest

from pages.parts.app import address
from pages.parts.widgets.numbers import NAME, Dial
from tests.pages.conftest import BARE, components, turn

WHOLE = Dial(parameter="strata", label="Strata", stops=range(2, 11), step=1)
FRACTION = Dial(parameter="offset", label="Offset", stops=[0.0, 0.5, 1.0], step=0.5)


@pytest.mark.parametrize(
    ("dial", "values"),
    [
        (WHOLE, [2]),
        (WHOLE, [10]),
        (WHOLE, [3.0]),
        (WHOLE, [4, 4]),
        (WHOLE, [4, 9]),
        (FRACTION, [1]),
        (FRACTION, [0.77]),
    ],
)
def test_what_lies_between_its_ends_is_taken(dial, values):
    taken = dial.read({"values": values, "number": 1}, len(values))
    assert taken == tuple(values) and {type(value) for value in taken} == {type(dial.stops[0])}


@pytest.mark.parametrize(
    "values",
    [[1], [11], [2.5], ["3"], [None], [True], [math.nan], [math.inf], [], [3, 4], 3, "3", None, [[3]], {"0": 3}],
)
def test_nothing_else_is(values):
    assert WHOLE.read({"values": values, "number": 1}, 1) is None


@pytest.mark.parametrize("sent", [None, [], "values", {}, {"value": [3]}])
def test_what_is_no_message_is_refused(sent):
    assert WHOLE.read(sent, 1) is None


def test_ends_the_wrong_way_round_are_refused():
    assert WHOLE.read({"values": [5, 4]}, 2) is None


def given(app):
    """What the one dial of page Plan for a new pool is given."""
    (component,) = components(app, NAME)
    return json.loads(component.json)


def test_a_refused_value_comes_back_as_heard(open_page):
    app = open_page("pages/plan.py", BARE, v=str(address.VERSION), **{"plan-for": "none"})
    before = given(app)
    after = given(turn(app, "believed", 90, 10))
    assert after == before | {"heard": before["heard"] + 1} and "believed" not in app.query_params
