"""The preview of a signal against the exact error of its design, and what is assumed if nothing is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.errors import DesignError, PoolError
from core.pool import Pool
from core.signals import SIGNALS, auroc, expected_error, past_results, signal, train, worth
from core.simulation import exact_mse, uniform_mse
from tests.core.signals.test_risk import records, without


@pytest.mark.parametrize(("quality", "accuracy"), [(0.65, 0.5), (0.75, 0.9), (0.85, 0.75)])
def test_the_expected_error_is_that_of_a_binormal_pool(quality: float, accuracy: float) -> None:
    rng = np.random.default_rng(0)
    n = 400_000
    losses = (rng.random(n) > accuracy).astype(float)
    shift = {0.65: 0.54493, 0.75: 0.95387, 0.85: 1.46574}[quality]
    values = rng.normal(size=n) + shift * losses
    assert auroc(values, losses) == pytest.approx(quality, abs=0.004)
    strata = np.empty(n, dtype=int)
    strata[np.argsort(values)] = np.arange(n) // (n // 20)
    error = exact_mse(losses, strata, [50] * 20) / uniform_mse(losses, 1000)
    assert expected_error(quality, accuracy) == pytest.approx(error, abs=0.004)


def test_expected_errors_at_the_ends() -> None:
    assert expected_error(0.5) == pytest.approx(1, abs=1e-6)
    assert expected_error(0.9, n_strata=1) == pytest.approx(1, abs=1e-9)
    assert expected_error(0.9, 1.0) == expected_error(0.9, 0.0) == 1
    errors = [expected_error(a) for a in (0.55, 0.7, 0.9, 0.99)]
    assert errors == sorted(errors, reverse=True) and errors[-1] > 0


@pytest.mark.parametrize("wrong", [(0.4, 0.5, 20), (1.0, 0.5, 20), (0.7, 1.1, 20), (0.7, 0.5, 0)])
def test_impossible_parameters_are_refused(wrong: tuple[float, float, int]) -> None:
    with pytest.raises(DesignError):
        expected_error(*wrong)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return records(400, 4, seed=3)


@pytest.fixture(scope="module")
def pool(rows: list[dict[str, Any]]) -> Pool:
    return Pool.from_records(rows)


def test_a_preview_is_exact_on_the_past_models(pool: Pool) -> None:
    preview = worth(pool, "past-results", target="m0")
    errors = []
    for name, others in (("m1", ("m2", "m3")), ("m2", ("m1", "m3")), ("m3", ("m1", "m2"))):
        values = past_results(np.column_stack([pool.losses(other) for other in others]))
        strata = np.empty(400, dtype=int)
        strata[np.argsort(values, kind="stable")] = np.arange(400) // 20
        errors.append(exact_mse(pool.losses(name), strata, [3] * 20) / uniform_mse(pool.losses(name), 60))
    assert preview.models == 3
    np.testing.assert_allclose([preview.error, preview.low, preview.high], [np.mean(errors), min(errors), max(errors)])


@pytest.mark.parametrize("name", ["semantic-entropy", "agreement", "past-results", "risk", "group"])
def test_a_preview_never_looks_at_the_target_s_losses(pool: Pool, rows: list[dict[str, Any]], name: str) -> None:
    assert worth(pool, name, target="m0") == worth(without(rows, "m0", "loss"), name, target="m0")


def test_without_outcomes_an_assumption_is_named(pool: Pool) -> None:
    assumed = {name: worth(pool, name, target="m0", past=()) for name in ("semantic-entropy", "agreement")}
    for preview, quality in zip(assumed.values(), (0.65, 0.75), strict=True):
        assert preview.models == 0 and str(quality) in preview.why and preview.low < preview.error < preview.high
        assert preview.error == expected_error(quality)
    # One past model cannot be predicted from others.
    preview = worth(pool, "past-results", target="m0", past=["m1"], accuracy=0.9)
    assert preview.models == 0 and preview.error == expected_error(0.85, 0.9)


def test_better_signals_are_worth_more(pool: Pool) -> None:
    errors = {name: worth(pool, name, target="m0").error for name in ("semantic-entropy", "past-results", "risk")}
    assert errors["risk"] < errors["past-results"] < errors["semantic-entropy"] < 1


def test_predicted_risks_are_worth_what_they_say_and_are_tried_on_no_other_model(pool: Pool) -> None:
    """Risks spread evenly over 0 … 1 have an AUROC of 5/6 if they are right, and strata along them leave 2/3."""
    preview = worth(pool, "risk", target="m0", risk=np.linspace(0, 1, 400))
    assert preview.models == 0 and "0.83" in preview.why and "50" in preview.why
    assert preview.error == pytest.approx(2 / 3, abs=0.02) and preview.low < preview.error < preview.high
    flat = worth(pool, "risk", target="m0", risk=np.full(400, 0.3))
    assert flat.error == pytest.approx(1, abs=1e-6)
    for certain in (np.zeros(400), np.ones(400), np.repeat([0.0, 1.0], 200)):
        assert 0 <= worth(pool, "risk", target="m0", risk=certain).error <= 1
    assert worth(pool, "risk", target="m0", risk=np.full(400, 0.3), accuracy=0.9).error == pytest.approx(1, abs=1e-6)


def test_a_risk_model_is_tried_on_the_past_models(pool: Pool) -> None:
    elsewhere = train([Pool.from_records(records(300, 4, seed=9))])
    preview = worth(pool, "risk", target="m0", risk=elsewhere)
    assert preview.models == 3 and preview.error < worth(pool, "semantic-entropy", target="m0").error


@pytest.mark.parametrize("past", [None, ()], ids=["known outcomes", "no outcomes"])
@pytest.mark.parametrize("name", [name for name in SIGNALS if name != "column"])
def test_every_signal_has_a_preview_and_says_how_it_is_made(
    pool: Pool, rows: list[dict[str, Any]], name: str, past: tuple[str, ...] | None
) -> None:
    given = np.linspace(0, 1, 400) if name == "risk" and past == () else None
    past = ("m1",) if name == "past-results" and past == () else past
    likely = Pool.from_records(
        {**row, **{key: [-1.0 - n % 3 for n in range(6)] for key in ("logprobs", "token_logprobs")}} for row in rows
    )
    preview = worth(likely, name, target="m0", past=past, risk=given)
    assert 0 < preview.low <= preview.error <= preview.high < 1.1 and preview.why
    assert preview.how == signal(likely, name, target="m0", past=past, risk=given).how


def test_a_signal_that_cannot_be_made_has_no_worth(pool: Pool) -> None:
    with pytest.raises(PoolError, match="no column"):
        worth(pool, "column", column="x")
