"""Sentences of findings, held against numbers that come from elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.design import Design, Scheme
from core.simulation import findings
from core.stratification import Moments, profile
from core.stratification.moments import moments

# TEST_VECTORS 3: an accuracy of 0.8193 in five strata, p_h of the allocation vectors.
SIZES = np.array([1400, 400, 400, 400, 400])
RIGHT = np.array([1358, 360, 312, 248, 180])
CONSISTENCY = [1.0, 0.88, 0.74, 0.60, 0.45]


@pytest.fixture
def known() -> Moments:
    losses = np.concatenate([np.arange(n) >= right for n, right in zip(SIZES, RIGHT, strict=True)]).astype(float)
    return moments(losses, np.repeat(np.arange(5), SIZES))


def test_the_gain_has_the_reference_values(known: Moments) -> None:
    gain = findings.gain(known, CONSISTENCY, 70)
    percents = {name: 100 * ratio for name, ratio in gain.relative.items()}
    assert percents["uniform"] == 100
    assert percents["proxy-neyman"] == pytest.approx(66.4030087934, abs=1e-9)
    assert percents["oracle-neyman"] == pytest.approx(63.0245326511, abs=1e-9)
    assert percents["proportional"] == pytest.approx(77.9931466859, abs=1e-9)
    assert percents["equal"] == pytest.approx(65.9872160551, abs=1e-9)
    assert gain.standard_error**2 == pytest.approx(0.00137189075169, abs=1e-14)
    # (1 − m/N) S²/m falls to 0.00137189 at m = 104.2, S² from 0.00206600691236 = (1 − 70/3000) S²/70.
    assert gain.uniform_needed == 105


def numbers(sentence: str | None) -> list[str]:
    """The numbers of a sentence in order, each with its unit."""
    return re.findall(r"\d+(?:\.\d+)?(?:\u00a0%)?", sentence or "")


def test_the_headline_says_what_is_saved(known: Moments) -> None:
    sentence = findings.headline(findings.gain(known, CONSISTENCY, 70))
    # M, Proxy-Neyman's error, the optimum's, the labels that Uniform needs, their share saved.
    assert numbers(sentence) == ["70", "66.4\u00a0%", "63.0\u00a0%", "105", "33\u00a0%"]


def test_the_promise_weighs_labels_against_labels(known: Moments) -> None:
    gain = findings.gain(known, CONSISTENCY, 70)
    assert numbers(findings.promise(gain)) == ["70", "105"]
    assert "accuracy" in findings.promise(gain) and "mean loss" in findings.promise(gain, share=False)
    # At 70 labels: hardly any fewer.
    little = replace(gain, uniform_needed=72)
    assert "saves few" in findings.promise(little) and numbers(findings.promise(little)) == ["70", "72"]


def test_the_saving_is_exact_and_has_the_numbers_of_the_headline(known: Moments) -> None:
    gain = findings.gain(known, CONSISTENCY, 70)
    assert numbers(findings.saving(gain)) == ["33\u00a0%", "70", "105"]
    assert numbers(findings.saving(gain, compared=False)) == ["33\u00a0%"]
    hardly = findings.saving(replace(gain, uniform_needed=72))
    assert "hardly helps" in hardly and numbers(hardly) == ["3\u00a0%", "70", "72"]


def test_a_rule_is_named_where_it_needs_over_three_percent_fewer_labels(known: Moments) -> None:
    gain = findings.gain(known, CONSISTENCY, 70)
    # Power and Equal are better, by 1 % and less.
    assert findings.caveat(gain) is None
    relative = {**gain.relative, "power": 0.60, "equal": 0.62, "oracle-neyman": 0.5}
    sentence = findings.caveat(replace(gain, relative=relative)) or ""
    # The better ones, the best first, and Proxy-Neyman.
    assert numbers(sentence) == ["60.0\u00a0%", "62.0\u00a0%", "66.4\u00a0%"]
    assert sentence.index("Power") < sentence.index("Equal") < sentence.index("Proxy-Neyman")


def test_where_nothing_is_gained_it_says_so() -> None:
    losses = np.tile([0.0, 1.0], 50)
    gain = findings.gain(moments(losses, np.repeat([0, 1], 50)), [1.0, 0.5], 20)
    assert "does not help" in findings.headline(gain) and "does not help" in findings.saving(gain)
    assert "saves no labels" in findings.promise(gain) and numbers(findings.promise(gain)) == []


@pytest.mark.parametrize(
    ("losses", "budget", "said", "promised"),
    [([0.0] * 6, 3, "same loss", "same loss"), ([0, 1.0] * 3, 6, "nothing left", "exactly")],
)
def test_without_anything_to_compare_nothing_is_promised(
    losses: list[float], budget: int, said: str, promised: str
) -> None:
    gain = findings.gain(moments(losses, [0, 0, 0, 1, 1, 1]), [1.0, 0.5], budget)
    assert promised in findings.promise(gain)
    assert said in findings.headline(gain) and said in findings.saving(gain)


def drawn(budget: int, **design: object) -> str:
    classes = [[0, 0], [0, 0], [0, 1], [0, 1]]
    scheme = Scheme(**design)  # type: ignore[arg-type]
    plan = Design(budget, scheme, seed=0).plan("0" * 64, np.array(list("abcd"), dtype=object), profile(classes))
    return findings.request_finding(plan)


def test_the_chances_of_being_drawn() -> None:
    # p = 1 and ½: weights 2·0.75 and 2·1.25, the third label goes to the second stratum.
    # Labels, items, strata, and the probabilities.
    assert numbers(drawn(3)) == ["3", "4", "2", "50.0\u00a0%", "100.0\u00a0%"]
    assert numbers(drawn(2)) == ["2", "4", "2", "50.0\u00a0%"]
    assert numbers(drawn(1, allocation="uniform")) == ["1", "4", "25.0\u00a0%"]
    assert numbers(drawn(4)) == ["4"]
    assert "Its chance" in drawn(1, allocation="uniform") and "They" not in drawn(1, allocation="uniform")


@pytest.mark.parametrize(
    ("labels", "expected"),
    # The number of strata, then stratum and lift of the most favoured and of the least.
    [([0.5, 0.5], ["2"]), ([0.25, 0.75], ["2", "1", "1.50", "0", "0.50"])],
)
def test_the_shares_of_the_strata(labels: list[float], expected: list[str]) -> None:
    table = pd.DataFrame({"share_of_pool": [0.5, 0.5], "share_of_budget": labels})
    assert numbers(findings.strata_finding(table, 2)) == expected


def test_shares_are_of_the_items_that_have_a_signal() -> None:
    assert numbers(findings.signal_finding([0, 0, 1, 1])) == ["0", "50\u00a0%", "1.00"]
    assert numbers(findings.signal_finding([0, 0, 1, 1, np.nan])) == ["0", "50\u00a0%", "1.00"]
    assert "with generations" in findings.signal_finding([0, 0, 1, 1, np.nan])
    assert numbers(findings.signal_finding([0.0, 0.0])) == ["0"]


def test_the_recommended_design_is_compared_with_uniform_and_the_paper_s(known: Moments) -> None:
    uniform = known.pooled().variances[0] * (1 / 70 - 1 / 3000)
    gain = findings.recommended_gain(known, 70, 0.5 * uniform, {"proxy-neyman": 0.66403, "proportional": 0.4})
    assert gain.relative["recommended"] == pytest.approx(0.5)
    # (1 − m/N) S²/m is half of that at M = 70 from m = 136.9 on: 1/m = (1/70 + 1/3000)/2.
    assert gain.uniform_needed == 137
    assert numbers(findings.headline(gain)) == ["70", "50.0\u00a0%", "66.4\u00a0%", "137", "49\u00a0%"]
    assert gain.better_rules == ["proportional"] and "the recommended design" in (findings.caveat(gain) or "")


def test_the_recommended_design_of_a_pool_without_an_error_has_nothing_to_gain() -> None:
    constant = moments(np.zeros(20), np.zeros(20, dtype=np.int64))
    gain = findings.recommended_gain(constant, 5, 0.0, {})
    assert "same loss" in findings.headline(gain) and findings.caveat(gain) is None


def test_fine_strata_are_counted() -> None:
    table = pd.DataFrame({"items": [20, 21, 20], "labels": [2, 2, 2]})
    assert numbers(findings.fine_finding(table, "groups")) == ["3", "20", "21", "2"]
    assert "Uniform" in findings.fine_finding(table.head(1), "groups")
    single = pd.DataFrame({"items": [1, 1], "labels": [1, 1]})
    assert findings.fine_finding(single, "groups").endswith("each has 1 item and 1 label.")


@pytest.mark.parametrize(
    ("method", "said"),
    [("equal", "that of Proxy-Neyman on these strata"), ("recommended", "that of the paper’s design")],
)
def test_a_rule_is_told_beside_the_proxy_on_its_own_strata(method: str, said: str) -> None:
    known = moments([0.0, 1.0] * 50, np.zeros(100, dtype=int))
    gain = findings.recommended_gain(known, 10, 0.01, {"proxy-neyman": 0.5}, method)
    assert f"; {said} is 50.0" in findings.headline(gain)


def test_a_uniform_draw_saves_nothing_and_says_so() -> None:
    known = moments([0.0, 1.0] * 50, np.zeros(100, dtype=int))
    gain = findings.recommended_gain(known, 10, 0.0225, {}, "uniform")
    assert "drawn uniformly" in findings.headline(gain) == findings.saving(gain)
