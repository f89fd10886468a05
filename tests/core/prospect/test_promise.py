"""What labels promise, cost and save, and whether it helps."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from core.estimation.intervals import DEFAULT
from core.prospect.forecast import from_labels, middle_risks
from core.prospect.past_savings import savings
from core.prospect.prior import belief
from core.prospect.question import Costs
from core.prospect.sampling_frame import assumed_frame, layout
from core.readers import read
from tests.conftest import ROOT
from tests.pools import path_of

PRICES = Costs(label=12, minutes=1.2, tokens=1000, million_tokens=1)


def test_a_half_width_lies_within_its_range_and_below_the_worst() -> None:
    promise = from_labels(assumed_frame(3000), belief(0.8, "past results"), 150, PRICES)
    assert promise.low < promise.half_width < promise.high < promise.worst


@pytest.mark.parametrize("auroc", [0.5, 0.6, 0.75, 0.95])
@pytest.mark.parametrize(("size", "labels"), [(300, 100), (300, 20), (3000, 150), (None, 400)])
def test_with_fewer_labels_uniform_has_a_larger_error_and_a_wider_interval(
    auroc: float, size: int | None, labels: int
) -> None:
    items, believed = assumed_frame(size), belief(0.8, auroc)
    promise = from_labels(items, believed, labels)
    needed, risks = promise.uniform_labels, middle_risks(items, believed)
    error = layout(items, "recommended", labels).mse(risks)

    def as_precise(many: int) -> bool:
        uniform = layout(items, "uniform", many)
        narrow = uniform.half_width(risks, DEFAULT) <= promise.half_width * (1 + 1e-9)
        return narrow or uniform.mse(risks) <= error * (1 + 1e-9)

    assert needed is not None and as_precise(needed) and not as_precise(needed - 1)
    # Labels and half-widths beside each other never say the opposite.
    assert not (promise.fewer and promise.half_width > promise.uniform)
    assert from_labels(items, believed, labels, method="uniform").uniform_labels == labels


def test_money_counts_labels_and_the_surrogate() -> None:
    promise = from_labels(assumed_frame(3000), belief(0.8, "past results"), 100, PRICES)
    assert promise.payment.surrogate_pass == pytest.approx(3.0)
    assert promise.payment.money == pytest.approx(1203.0)
    assert promise.payment.break_even == pytest.approx(12 * (promise.uniform_labels - 100))
    assert promise.payment.more_money == pytest.approx(promise.payment.break_even - 3)
    assert promise.saved == pytest.approx(1 - 100 / promise.uniform_labels)
    assert promise.saved_low < promise.saved < promise.saved_high
    frame = promise.summary_frame()
    assert len(frame) == 1 and {"labels", "half_width", "money", "hours", "saved"} <= set(frame.columns)
    assert frame["hours"][0] == pytest.approx(2)


def test_the_verdict_says_when_it_does_not_pay() -> None:
    items = assumed_frame(3000)
    weak = from_labels(items, belief(0.8, (0.5, 0.56)), 100, PRICES)
    good = from_labels(items, belief(0.8, "past results"), 100, PRICES)
    dear = from_labels(items, belief(0.8, "past results"), 100, Costs(label=12, tokens=10**6, million_tokens=1))
    assert "hardly help" in weak.verdict
    alike = from_labels(items, belief(0.8, (0.5, 0.5)), 100).verdict
    assert alike.startswith("No saving is to be expected. Draw"), "a range of one number is none"
    worse = replace(weak, payment=replace(weak.payment, uniform_labels=90), saved_low=-0.11, saved_high=-0.11)
    assert worse.verdict.startswith("No saving is to be expected. Draw uniformly")
    assert "may cost up to" in good.verdict and "does not pay" not in good.verdict
    assert dear.verdict.endswith("it does not pay.")
    assert "€" not in from_labels(items, belief(0.8, "past results"), 100).verdict


def test_sentences_have_the_numbers() -> None:
    sentence = from_labels(assumed_frame(3000), belief(0.8, "past results"), 150, PRICES).sentence
    assert sentence.startswith("150 labels: about ±") and "it would take" in sentence and "3\u00a0hours" in sentence
    assert "€" not in from_labels(assumed_frame(3000), belief(0.8), 150).sentence
    whole = from_labels(assumed_frame(20), belief(0.8), 20, PRICES).sentence
    assert "exactly" in whole and "±" not in whole and "240" in whole


def test_very_many_items_have_no_surrogate_pass() -> None:
    promise = from_labels(assumed_frame(), belief(0.8), 100, PRICES)
    assert promise.payment.n_items is None and promise.payment.surrogate_pass == 0


def test_savings_on_the_demo_are_exact() -> None:
    demo = read(ROOT / "data" / "demo.jsonl.gz")
    reductions = savings(demo)
    assert [one.target for one in reductions] == ["tiny-target (1.2M)"]
    assert 0 < reductions[0].saved < 1 and reductions[0].labels == 100
    (surrogate,) = savings(demo, signal="semantic-entropy")
    assert surrogate.saved < reductions[0].saved
    assert savings(demo, signal="agreement") == reductions and savings(demo, signal="column") == []
    # The floor of a predicted risk is chosen by past models, whether it is asked for or recommended.
    pool = read(path_of("blink-vlm-committee10"))
    assert savings(pool, signal="risk") == savings(pool) != []
    assert reductions[0].accuracy == pytest.approx(0.7777, abs=1e-3) and not math.isnan(reductions[0].auroc)


@pytest.mark.parametrize("measured", [False, True])
def test_a_range_that_rests_on_assumptions_alone_is_called_so(measured: bool) -> None:
    promise = from_labels(assumed_frame(3000), belief(0.8, "past results"), 150, measured=measured)
    assert ("(range " in promise.verdict) == measured and ("(assumed range " in promise.verdict) != measured
