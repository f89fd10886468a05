"""Past results: weights by hand, missing outcomes, which models count as past."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DesignError, PoolError
from core.pool import Pool
from core.signals import past_results
from core.signals.past import past_losses, past_models, past_risk

NAN = np.nan
losses_of_models = st.tuples(st.integers(1, 12), st.integers(1, 25), st.integers(0, 2**32 - 1)).map(
    lambda size: np.random.default_rng(size[2]).choice([0.0, 1.0, NAN], (size[0], size[1]), p=[0.4, 0.4, 0.2])
)


def test_models_like_each_other_count_alike() -> None:
    risk = past_results([[0, 1, 1], [NAN, 0, 0], [1, NAN, 0], [NAN, NAN, NAN], [1, 1, 1]])
    assert risk[1] == 0 and risk[4] == 1 and risk[3] == pytest.approx(risk[[0, 1, 2, 4]].mean())
    np.testing.assert_allclose(past_results([[0, 1], [1, 0], [1, 1]]), [0.5, 0.5, 1])


@pytest.mark.parametrize("accuracy", [0.75, None])
def test_weights_fall_with_the_distance_from_the_belief_or_the_best(accuracy: float | None) -> None:
    losses = np.array([[0, 1.0], [0, 0], [0, 1], [1, 1]])  # mean losses 1/4, the believed one, and 3/4
    near, far = 1.0, np.exp(-0.5)
    expected = 0.9 * (losses @ [near, far]) / (near + far) + 0.1 * losses.mean(axis=1)
    np.testing.assert_allclose(past_results(losses, accuracy), expected)


def test_the_predicted_probability_is_drawn_towards_the_mean() -> None:
    losses = np.array([[0.0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0], [NAN, NAN, NAN, 1]])
    means, risk = past_results(losses[:4], 0.6), past_risk(losses[:4], 0.6)
    assert 0 < risk[3] < means[0] and np.array_equal(np.argsort(risk), np.argsort(means))
    one = past_risk([[0.0], [1.0], [NAN]])
    np.testing.assert_allclose(one, [1 / 3, 2 / 3, 1 / 2])
    assert past_risk(losses)[4] < past_results(losses)[4] == 1


def test_models_far_from_the_belief_only_order_what_the_near_ones_do_not_tell_apart() -> None:
    rng = np.random.default_rng(3)
    near, far = rng.random((2000, 20)) < 0.1, rng.random((2000, 60)) < 0.8
    risk = past_results(np.hstack([near, far]).astype(float), accuracy=0.9)
    agreed = ~near.any(axis=1)
    assert agreed.sum() > 100
    share = far.mean(axis=1)[agreed]
    np.testing.assert_array_equal(np.argsort(risk[agreed], kind="stable"), np.argsort(share, kind="stable"))
    assert risk[agreed].max() < risk[near.sum(axis=1) >= 3].min()


@given(losses_of_models, st.sampled_from([None, 0.0, 0.4, 1.0]), st.randoms(use_true_random=False))
def test_items_and_models_may_come_in_any_order(losses: np.ndarray, accuracy: float | None, random: object) -> None:
    if np.isnan(losses).all():
        with pytest.raises(DesignError, match="known loss"):
            past_results(losses, accuracy)
        return
    risk = past_results(losses, accuracy)
    items, models = list(range(losses.shape[0])), list(range(losses.shape[1]))
    random.shuffle(items), random.shuffle(models)  # type: ignore[attr-defined]
    np.testing.assert_allclose(past_results(losses[items][:, models], accuracy), risk[items], atol=1e-12)
    assert np.all((risk >= -1e-12) & (risk <= 1 + 1e-12))
    unknown = np.hstack([losses, np.full((len(losses), 1), NAN)])
    np.testing.assert_allclose(past_results(unknown, accuracy), risk, atol=1e-12)


@pytest.mark.parametrize("accuracy", [None, 0.9, 0.3])
def test_models_that_agree_everywhere_predict_their_loss(accuracy: float | None) -> None:
    losses = np.repeat([[0.0], [1.0], [0.0]], 4, axis=1)
    np.testing.assert_allclose(past_results(losses, accuracy), losses[:, 0])


@pytest.mark.parametrize("accuracy", [-0.1, 1.1, NAN])
def test_a_belief_is_a_share(accuracy: float) -> None:
    with pytest.raises(DesignError, match="between 0 and 1"):
        past_results([[0.0], [1.0]], accuracy)


def test_losses_are_a_table() -> None:
    with pytest.raises(ValueError, match="losses"):
        past_results([0.0, 1.0])


def pool() -> Pool:
    return Pool.from_records(
        {
            "id": str(n),
            "targets": {
                "new": {"answer": "A"},
                "known": {"loss": n % 2},
                "nearly": {"loss": n % 3 / 2} if n else {"answer": "A"},
                "half": {"loss": 1} if n % 2 else {},
                "none": {"text": "A"},
            },
        }
        for n in range(20)
    )


def test_past_models_are_those_with_known_outcomes() -> None:
    assert past_models(pool(), "new") == ("known", "nearly")
    assert past_models(pool(), "known") == ("nearly",)
    assert past_models(pool()) == ("known", "nearly")
    assert past_models(pool(), "new", ["half", "known", "half"]) == ("half", "known")
    assert past_models(pool(), "new", ()) == ()
    assert past_losses(pool(), "new").shape == (20, 2)


@pytest.mark.parametrize(
    ("past", "error", "words"),
    [
        (["new"], DesignError, "is the target"),
        (["none"], DesignError, "No outcome of “none”"),
        (["x"], PoolError, "no target “x”"),
        ((), DesignError, "no past results"),
    ],
)
def test_past_models_that_cannot_be_used_are_named(past: list[str], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        past_losses(pool(), "new", past)
