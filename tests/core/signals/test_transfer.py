"""Risk models of other pools: what they are trained on, what holding a pool out shows, and what they never look at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.errors import DesignError
from core.pool import Pool
from core.signals import Transfer, default_model, signal, train, transfer, worth
from core.signals.risk import CHOSEN
from core.signals.worth import exact_error
from tests.core.signals.test_risk import records


def named(rows: list[dict[str, Any]], name: str, *fields: str) -> Pool:
    """A pool of other items, without these fields."""
    plain = [{key: value for key, value in row.items() if key not in fields} for row in rows]
    return Pool.from_records([{**row, "id": f"{name}-{row['id']}"} for row in plain], name)


def puzzling(seed: int, reverse: bool = False, n_items: int = 400) -> list[dict[str, Any]]:
    """Hard items are those on which the generations disagree; whether the target gives their favourite says nothing.

    With ``reverse`` hard items are those on which they agree.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for n in range(n_items):
        split = rng.random() < 0.5
        hard = split != reverse
        letters = list("AABBCC") if split else list("AAAAAB")
        loss = float(rng.random() < (0.9 if hard else 0.1))
        targets = {f"m{j}": {"answer": "ABCD"[rng.integers(3)], "loss": loss} for j in range(2)}
        rows.append({"id": f"q{n}", "generations": letters, "targets": targets})
    return rows


@pytest.fixture(scope="module")
def pools() -> list[Pool]:
    return [named(records(300, 3, seed=seed), f"pool {seed}") for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def target_pool() -> Pool:
    return named(records(300, 3, seed=7), "own")


def test_the_model_is_trained_on_all_other_pools_and_says_which(pools: list[Pool], target_pool: Pool) -> None:
    transferred = transfer(pools, target_pool, "m0")
    expected = train(pools, "m0")
    assert transferred.model == expected and transferred.model.features == CHOSEN
    assert transferred.model.pools == ("pool 1", "pool 2", "pool 3") and transferred.model.models == 6
    how = signal(target_pool, "risk", target="m0", risk=transferred.model).how
    assert all(f"“{name}”" in how for name in transferred.model.pools)
    assert "of 5 pools" in signal(target_pool, "risk", target="m0", risk=train([*pools, *pools[:2]])).how


def test_each_pool_is_held_out_in_turn(pools: list[Pool], target_pool: Pool) -> None:
    transferred = transfer(pools[:2], target_pool, "m0")
    for place, held_out in enumerate(pools[:2]):
        models, errors = (train([pools[1 - place]], "m0"), default_model()), []
        for name, other in (("m1", "m2"), ("m2", "m1")):
            along = [signal(held_out, "risk", target=name, past=[other], risk=model).values for model in models]
            errors.append([exact_error(values, held_out.losses(name)) for values in along])
        np.testing.assert_allclose([transferred.errors[place], transferred.otherwise[place]], np.mean(errors, axis=0))


def test_it_transfers_where_other_pools_say_so_and_only_there() -> None:
    target_pool = named(puzzling(9), "own")
    alike = transfer([named(puzzling(seed), f"{seed}") for seed in (1, 2, 3)], target_pool, "m0", ())
    assert alike.transfers and alike.instead == "agreement" and alike.why.endswith("it transfers.")
    mixed = transfer([named(puzzling(seed, seed == 2), f"{seed}") for seed in (1, 2, 3)], target_pool, "m0", ())
    assert not mixed.transfers and "no evidence" in mixed.why and max(mixed.errors) > max(alike.errors)
    preview = alike.worth(target_pool, "m0", ())
    assert (preview.error, preview.low, preview.high) == (np.mean(alike.errors), min(alike.errors), max(alike.errors))
    assert preview.why == alike.why


def test_on_a_pool_with_past_models_its_worth_is_theirs(pools: list[Pool], target_pool: Pool) -> None:
    transferred = transfer(pools, target_pool, "m0")
    assert transferred.worth(target_pool, "m0") == worth(target_pool, "risk", target="m0", risk=transferred.model)


def test_one_pool_shows_nothing(pools: list[Pool], target_pool: Pool) -> None:
    transferred = transfer(pools[:1], target_pool, "m0", ())
    assert not transferred.transfers and transferred.errors == () and "two or more" in transferred.why
    assert transferred.worth(target_pool, "m0", ()).models == 0


@pytest.mark.parametrize(
    ("target", "past", "instead"),
    [
        ("m0", None, "comes with"),
        ("m0", (), "agreement"),
        (None, (), "semantic entropy"),
        ("m0", ("m1",), "comes with"),
    ],
)
def test_the_model_knows_what_the_pool_knows(
    pools: list[Pool], target_pool: Pool, target: str | None, past: tuple[str, ...] | None, instead: str
) -> None:
    transferred = transfer(pools, target_pool, target, past)
    assert instead in transferred.instead
    assert signal(target_pool, "risk", target=target, past=past, risk=transferred.model).values.shape == (300,)


def test_past_results_alone_are_learned_from_too(pools: list[Pool]) -> None:
    bare = named(records(300, 3, seed=7), "bare", "generations")
    transferred = transfer(pools, bare, "m0")
    assert transferred.model.features == ("past risk",) and transferred.instead == "past results"
    np.testing.assert_allclose(transferred.errors, transferred.otherwise)


def test_the_losses_of_the_target_are_looked_at_nowhere(target_pool: Pool) -> None:
    def scrambled(seed: int, key: int) -> list[dict[str, Any]]:
        rng, rows = np.random.default_rng(key), records(200, 3, seed=seed)
        for row in rows:
            row["targets"]["m0"]["loss"] = float(rng.random() < 0.5)
        return rows

    first, second = (
        transfer([named(scrambled(seed, key), f"{seed}") for seed in (1, 2)], named(scrambled(7, key), "own"), "m0")
        for key in (0, 1)
    )
    assert first == second


def test_the_same_items_never_teach(pools: list[Pool], target_pool: Pool) -> None:
    again = named([{**row, "extra": 1} for row in records(300, 3, seed=7)], "own")
    twice = named([{**row, "extra": 1} for row in records(300, 3, seed=1)], "pool 1")
    assert again.items_digest == target_pool.items_digest and again.digest != target_pool.digest
    assert transfer([again, *pools, twice], target_pool, "m0") == transfer(pools, target_pool, "m0")
    with pytest.raises(DesignError, match="other pools"):
        transfer([again], target_pool, "m0")


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: [{key: value for key, value in row.items() if key != "generations"} for row in rows],
        lambda rows: [{**row, "targets": {}} for row in rows],
        lambda rows: [{**row, "targets": {m: {**o, "loss": 0.0} for m, o in row["targets"].items()}} for row in rows],
        lambda rows: [{**row, "targets": {m: {**o, "loss": 7.0} for m, o in row["targets"].items()}} for row in rows],
    ],
    ids=["no generations", "no targets", "no wrong answers", "scores"],
)
def test_pools_that_know_too_little_are_left_out(target_pool: Pool, pools: list[Pool], change: Any) -> None:
    poor = named(change(records(200, 3, seed=5)), "poor")
    assert transfer([poor, *pools], target_pool, "m0", ()).model.pools == ("pool 1", "pool 2", "pool 3")
    with pytest.raises(DesignError, match="other pools"):
        transfer([poor], target_pool, "m0", ())


def test_nothing_known_and_scores_are_refused(pools: list[Pool]) -> None:
    bare = named(records(50, 1), "bare", "generations", "targets")
    with pytest.raises(DesignError, match="other pools"):
        transfer(pools, bare)
    scores = [{**row, "targets": {m: {"loss": 3.0} for m in row["targets"]}} for row in records(50, 3)]
    with pytest.raises(DesignError, match="other pools"):
        transfer(pools, named(scores, "scores"), "m0")


def test_evidence_is_weighed_on_average_and_at_its_worst() -> None:
    def made(*errors: float) -> Transfer:
        return Transfer(default_model(), errors, (0.8,) * len(errors), "agreement")

    assert made(0.79, 0.8).transfers and made(0.7, 0.815).transfers
    assert not made(0.797, 0.8).transfers and not made(0.6, 0.83).transfers
    assert "lost 3.0 points" in made(0.6, 0.83).why
