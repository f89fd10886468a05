"""Values and limits of 300 random samples: strata, studies of lists, comparisons, waves, carried verdicts and judges.

Each sample depends on its number alone, so that its line stays the same when others change. Where a rule of the limits
changes, the recording's difference has the old and the new limits of each sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

import core
from core.bank import Bank
from core.design import Design, Scheme
from core.errors import NeymanError
from core.pool import Pool
from tests.net.recording import one_line

LETTERS = "ABCD"
LEVELS = (0.8, 0.9, 0.95, 0.95, 0.99)
Line = tuple[str, float, float, float]


def limits() -> list[str]:
    """A line for each number: what it is of, its value, and both limits, to ten digits."""
    kinds: tuple[tuple[str, int, Callable[[np.random.Generator], Iterator[Line]]], ...] = (
        ("strata", 150, _strata),
        ("uniform", 20, _uniform),
        ("study", 70, _study),
        ("waves", 20, _waves),
        ("carried", 15, _carried),
        ("judge", 25, _judge),
    )
    lines = []
    for name, count, lines_of in kinds:
        for number in range(count):
            try:
                for what, *given in lines_of(np.random.default_rng([number, count])):
                    value, low, high = (f"{0.0 if abs(one) < 1e-12 else one:.10g}" for one in given)
                    lines.append(f"{name} {number:03}, {what}: {value}, {low} to {high}")
            except NeymanError as error:
                lines.append(f"{name} {number:03}: refused: {error}")
    return [one_line(line) for line in lines]


def _losses(rng: np.random.Generator, rates: np.ndarray, kind: str) -> np.ndarray:
    """Losses with these means: 0 or 1, in five steps, or of any number."""
    if kind == "steps":
        return rng.binomial(4, rates) / 4
    return (rng.random(rates.size) < rates).astype(float) if kind == "binary" else rng.beta(rates + 0.05, 1.05 - rates)


def _strata(rng: np.random.Generator) -> Iterator[Line]:
    """Labels of one to thirty strata of any sizes, few or many of each, with means of every kind."""
    fine = rng.random() < 0.3
    n_strata = int(rng.integers(10, 31)) if fine else int(rng.integers(1, 9))
    sizes = rng.integers(4, 400, n_strata)
    counts = np.minimum(sizes, 2 if fine else rng.integers(1, 40, n_strata))
    shape = rng.choice(["any", "rare", "none", "one corner", "rising"])
    rates = {
        "any": rng.random(n_strata),
        "rare": np.full(n_strata, 0.03),
        "none": np.zeros(n_strata),
        "one corner": np.where(np.arange(n_strata) == rng.integers(n_strata), 0.6, 0.02),
        "rising": np.linspace(0.02, 0.7, n_strata),
    }[shape]
    kind = str(rng.choice(["binary", "binary", "steps", "score"]))
    strata = np.repeat(np.arange(n_strata), counts)
    losses = _losses(rng, rates[strata], kind)
    level = float(rng.choice(LEVELS))
    for interval in ("wilson", "korn-graubard"):
        one = core.stratified(losses, strata, sizes, level, interval=interval)
        what = f"{interval} {level:g}, {kind}, {shape}, {len(losses)} of {sizes.sum()} in {n_strata}"
        yield what, one.value, one.low, one.high


def _uniform(rng: np.random.Generator) -> Iterator[Line]:
    """One stratum, up to a census."""
    size = int(rng.integers(20, 3000))
    count = int(rng.integers(2, min(size, 300) + 1))
    kind, level = str(rng.choice(["binary", "steps", "score"])), float(rng.choice(LEVELS))
    losses = _losses(rng, np.full(count, rng.choice([0.0, 0.02, 0.2, 0.5, 0.9])), kind)
    one = core.stratified(losses, np.zeros(count, dtype=int), [size], level)
    yield f"{level:g}, {kind}, {count} of {size}", one.value, one.low, one.high


def _pool(rng: np.random.Generator, size: int, **more: object) -> Pool:
    """A pool whose samples agree more often on easy items, with two targets and three groups."""
    records = []
    for number in range(size):
        ease, truth = rng.beta(1.2, 0.9), LETTERS[number % 4]

        def answer(share: float, truth: str = truth) -> str:
            return truth if rng.random() < share else LETTERS[int(rng.integers(0, 4))]

        targets = {"one": {"answer": answer(0.4 + 0.5 * ease)}, "two": {"answer": answer(0.2 + 0.6 * ease)}}
        records.append(
            {
                "id": f"q{number}",
                "prompt": f"{number}?",
                "answer": truth,
                "generations": [answer(ease) for _ in range(5)],
                "group": "abc"[int(rng.integers(0, 3))],
                "targets": targets,
            }
        )
    return Pool.from_records(records, "random")


def _design(rng: np.random.Generator, pool: Pool, budget: int) -> tuple[str, Design]:
    name = str(rng.choice(["recommended", "paper", "uniform", "equal", "k-means", "power", "past"]))
    if name == "recommended":
        return name, core.recommend(pool, budget, "one")
    schemes = {
        "paper": Scheme(),
        "uniform": Scheme(allocation="uniform"),
        "equal": Scheme(allocation="equal", n_strata=4),
        "k-means": Scheme(stratifier="k-means", n_strata=5),
        "power": Scheme(allocation="power", n_strata=6, offset=0.1),
        "past": Scheme("past-results", target="one", past=("two",), n_strata=8),
    }
    return name, Design(budget, schemes[name])


def _labels(rng: np.random.Generator, pool: Pool, ids: list[str], kind: str) -> pd.DataFrame:
    """Labels of one person, and now and then a second one who differs, or an item without a label."""
    losses = dict(zip(map(str, pool.ids), pool.losses("one"), strict=True))
    truth = pool.items["answer"]
    rows, second = [], rng.random() < 0.4
    for item in ids:
        right = "right" if losses[item] == 0 else "wrong"
        given = {"gold": str(truth[item]), "right-wrong": right, "score": f"{rng.integers(0, 5) / 4:g}"}[kind]
        if rng.random() < 0.97:
            rows.append((item, given, "Ann"))
        if second and rng.random() < 0.1:
            other = {"gold": "D", "right-wrong": "wrong", "score": "0.5"}[kind]
            rows.append((item, other, "Ben"))
    return pd.DataFrame(rows, columns=["item_id", "label", "annotator"])


def _study(rng: np.random.Generator) -> Iterator[Line]:
    """A drawn list with its labels: the number, its groups, and the difference of two targets."""
    pool = _pool(rng, int(rng.integers(40, 260)))
    budget = int(rng.integers(14, max(16, pool.n_items // 2)))
    name, design = _design(rng, pool, budget)
    plan = design.draw(pool, seed=int(rng.integers(0, 1000)))
    kind = str(rng.choice(["gold", "right-wrong", "score"]))
    study = core.labelled(plan, _labels(rng, pool, list(map(str, plan.ids)), kind), "one", kind)
    level = float(rng.choice(LEVELS))
    one = study.estimate(level)
    yield f"{name} {level:g}, {kind}, {one.n_labels} of {pool.n_items}", one.value, one.low, one.high
    for row in study.by().to_dict("records"):
        yield f"group {row['group']}", row["value"], row["low"], row["high"]
    if kind == "gold":
        gap = study.compare("two").gap
        if gap is not None:
            yield "difference", gap.value, gap.low, gap.high


def _waves(rng: np.random.Generator) -> Iterator[Line]:
    """A list in two waves, the second drawn from the labels of the first."""
    pool = _pool(rng, int(rng.integers(80, 300)))
    budget, kind = int(rng.integers(30, 70)), str(rng.choice(["right-wrong", "gold"]))
    plan = Design(budget, Scheme(waves=2, n_strata=int(rng.integers(4, 12))), int(rng.integers(0, 1000))).draw(pool)
    first = _labels(rng, pool, list(map(str, plan.ids)), kind)
    second = core.labelled(plan, first, "one", kind).next_wave().plan
    both = pd.concat([first, _labels(rng, pool, list(map(str, second.ids)), kind)])
    one = core.labelled(second, both.drop_duplicates(["item_id", "annotator"]), "one", kind).estimate()
    yield f"{kind}, {one.n_labels} of {pool.n_items}", one.value, one.low, one.high


def _carried(rng: np.random.Generator) -> Iterator[Line]:
    """A list of a new version, some of whose answers were graded before."""
    pool = _pool(rng, int(rng.integers(100, 300)))
    follows = bool(rng.random() < 0.5)
    plan = core.recommend(pool, int(rng.integers(20, 60)), "one", bank=Bank.of(pool), follows=follows)
    drawn = plan.draw(pool, seed=int(rng.integers(0, 1000)))
    one = core.labelled(drawn, _labels(rng, pool, list(map(str, drawn.ids)), "right-wrong"), "one").estimate()
    yield f"{'follows' if follows else 'audited'}, {one.n_labels} of {pool.n_items}", one.value, one.low, one.high


def _judge(rng: np.random.Generator) -> Iterator[Line]:
    """A judge's rates, and how often it agrees with people."""
    size, tpr, tnr = int(rng.integers(60, 400)), rng.uniform(0.6, 1), rng.uniform(0.4, 1)
    good = rng.random(size) < rng.uniform(0.5, 0.95)
    passes = np.where(good, rng.random(size) < tpr, rng.random(size) > tnr)
    records = [
        {"id": f"i{place}", "input": f"{place}?", "output": f"{place}!", "judge": "pass" if one else "fail"}
        for place, one in enumerate(passes)
    ]
    pool = Pool.from_records(records, "judged")
    plan = core.judge(pool, "judge", int(rng.integers(20, size // 2)), seed=int(rng.integers(0, 1000)))
    people = {f"i{place}": bool(one) for place, one in enumerate(good)}
    found = core.judged(plan, {str(item): people[str(item)] for item in plan.ids})
    for name in ("pass_rate", "tpr", "tnr", "agreement", "kappa", "precision_pass", "precision_fail", "bias"):
        one = getattr(found, name)
        yield f"{name}, {found.n_labels} of {size}", one.value, one.low, one.high
