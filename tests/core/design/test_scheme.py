"""Schemes: every choice of a design but its budget and seed, refused if impossible."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from core.allocation import METHODS, RULES
from core.design import ALLOCATIONS, PAPER, Scheme
from core.errors import DesignError
from tests.core.design.test_design import made_up

OTHER = Scheme(stratifier="quantile", n_strata=3, offset=0.3, parser="number")


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"n_strata": 0}, "number of strata"),
        ({"n_strata": 2.5}, "number of strata"),
        ({"n_strata": True}, "number of strata"),
        ({"offset": -0.5}, "offset δ"),
        ({"offset": math.nan}, "offset δ"),
        ({"offset": math.inf}, "offset δ"),
        ({"offset": "1"}, "offset δ"),
        ({"offset": True}, "offset δ"),
        ({"offset": 10**400}, "offset δ"),
        ({"stratifier": "median"}, "stratifier"),
        ({"stratifier": ["adaptive"]}, "stratifier"),
        ({"allocation": "best"}, "allocation"),
        ({"signal": "length"}, "signal"),
        ({"parser": 5}, "answer kind"),
        ({"parser": "foo"}, "answer kind “foo”"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(DesignError, match=field):
        Scheme(**parameters)


def test_arguments_by_position_are_the_public_ones_in_their_order() -> None:
    by_name = Scheme(
        signal="past-results",
        stratifier="equal-mass",
        n_strata=4,
        allocation="equal",
        offset=0.3,
        target="m",
        past=("a", "b"),
        accuracy=0.8,
        floor=0.5,
        waves=2,
    )
    assert Scheme("past-results", "equal-mass", 4, "equal", 0.3, "m", ("a", "b"), 0.8, 0.5, 2) == by_name


@pytest.mark.parametrize("one", [1, 1.0, np.float64(1), np.float32(1), np.int64(1)])
def test_equal_schemes_are_equal_however_their_numbers_are_written(one: Any) -> None:
    assert Scheme(offset=one, n_strata=np.int32(5)) == Scheme(offset=1.0)
    assert str(Scheme(offset=-0.0).offset) == "0.0"


def test_a_scheme_shows_what_differs_from_the_papers() -> None:
    assert repr(PAPER) == "Scheme()"
    assert repr(Scheme(n_strata=3, parser="number")) == "Scheme(n_strata=3, parser='number')"
    assert eval(repr(OTHER)) == OTHER


@pytest.mark.parametrize("method", METHODS)
def test_only_what_a_method_depends_on_is_relevant(method: str) -> None:
    relevant = OTHER.relevant(method)
    assert relevant.allocation == method and relevant.parser == "number"
    assert relevant.relevant() == relevant
    assert (relevant.offset == OTHER.offset) == ("offset" in RULES[method].choices)
    assert (
        (relevant.n_strata == OTHER.n_strata) == (relevant.stratifier == OTHER.stratifier) == (not RULES[method].whole)
    )


def test_what_is_not_relevant_changes_no_allocation() -> None:
    pool = made_up()
    for method in ALLOCATIONS:
        scheme = dataclasses.replace(OTHER, allocation=method)
        both = [one.weights(one.stratify(pool)) for one in (scheme, scheme.relevant())]
        np.testing.assert_array_equal(*both)


def test_two_waves_depend_on_neither_stratifier_nor_allocation() -> None:
    plain = Scheme(waves=2, n_strata=7, floor=0.8)
    for choice in ({"stratifier": "quantile"}, {"allocation": "equal"}, {"offset": 2.0}, {"column": "length"}):
        assert dataclasses.replace(plain, **choice).relevant() == plain.relevant() == plain
    for choice in ({"n_strata": 8}, {"floor": 1.0}, {"waves": 1}, {"signal": "group"}, {"allocation": "uniform"}):
        assert dataclasses.replace(plain, **choice).relevant() != plain.relevant()
    assert plain.relevant("uniform") == Scheme(allocation="uniform")
    assert dataclasses.replace(plain, allocation="uniform").relevant("equal") == plain
    assert plain.relevant("oracle-neyman").allocation == "oracle-neyman", "nobody can draw it"


def test_the_oracles_weights_need_losses() -> None:
    scheme = Scheme(allocation="oracle-neyman")
    with pytest.raises(DesignError, match="losses"):
        scheme.weights(scheme.stratify(made_up()))
