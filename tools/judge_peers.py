"""The corrected pass rate of the bundled judges by other packages and by Neyman: coverage and width over many lists.

The packages stand in an environment of their own, Neyman in the usual one:

    python -m venv peers && peers/bin/pip install truescore==0.7.4 judgy==0.1.0 ppi-python==0.2.3 pandas pyarrow
    peers/bin/python tools/judge_peers.py --labels 100 --lists 400
    python -m tools.judge_peers --neyman --labels 100 --lists 400

With --grades the lists are of made grades from 1 to 5 (four shapes, three judges, 300 items) instead, the same for all:

    python -m venv peers && peers/bin/pip install ppi-python==0.2.3 cje-eval==0.9.3
    peers/bin/python tools/judge_peers.py --grades --labels 60 --lists 100
    python -m tools.judge_peers --grades --neyman --labels 60 --lists 100

Others get items drawn uniformly, the same ones for each. A line for each judge and package: the share of lists whose
95 % limits hold what people say of all items, with its standard error, the mean width and the first list's limits.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

DATA = Path(__file__).resolve().parent.parent / "data"
JUDGES = (("evouna", "string match"), ("llmbar", "GPT-4"), ("llmbar", "PaLM2"))
# judgy’s own 20,000 would take hours.
BOOTSTRAPS = 200
Limits = tuple[float, float]
# Shares of the grades 1 to 5 that people give, and steps that a judge is off, each as likely.
SHAPES = {
    "even": (0.2, 0.2, 0.2, 0.2, 0.2),
    "mostly good": (0.02, 0.03, 0.1, 0.25, 0.6),
    "at both ends": (0.45, 0.05, 0.0, 0.05, 0.45),
    "in the middle": (0.02, 0.18, 0.6, 0.18, 0.02),
}
STEPS = {"good": (0, 0, 0, 0, -1, 1), "lenient": (0, 1, 1, 2), "noisy": (-3, -2, -1, 0, 1, 2, 3)}


def peers() -> dict[str, Callable[[Any, Any, Any], Limits]]:
    """Packages by name: from verdicts on all items, people's on some, and which these are, to limits."""
    from judgy import estimate_success_rate
    from ppi_py import ppi_mean_ci
    from truescore import ppi_estimate, rogan_gladen_estimate

    def ppi(judge: Any, people: Any, chosen: Any) -> Limits:
        rest = np.delete(judge, chosen).astype(float)
        low, high = ppi_mean_ci(people.astype(float), judge[chosen].astype(float), rest, alpha=0.05)
        return float(np.squeeze(low)), float(np.squeeze(high))

    def judgy(judge: Any, people: Any, chosen: Any) -> Limits:
        rest = np.delete(judge, chosen)
        return estimate_success_rate(people, judge[chosen], rest, bootstrap_iterations=BOOTSTRAPS)[1:]

    def truescore(estimate: Callable[..., Any]) -> Callable[[Any, Any, Any], Limits]:
        def limits(judge: Any, people: Any, chosen: Any) -> Limits:
            found = estimate(judge, people, chosen)
            return float(found.low), float(found.high)

        return limits

    return {
        "ppi_py": ppi,
        "truescore, PPI++": truescore(ppi_estimate),
        "truescore, Rogan–Gladen": truescore(rogan_gladen_estimate),
        "judgy": judgy,
    }


def of_peers(name: str, judge: str, labels: int, lists: int) -> Iterator[tuple[str, list[Limits]]]:
    """Limits of every list by each package; none if it refuses the labels."""
    table = pd.read_parquet(DATA / f"{name}.parquet")
    said, people = (_passes(table[column]) for column in (judge, "people"))
    for package, limits in peers().items():
        np.random.seed(0)  # noqa: NPY002 what judgy draws from
        found = list[Limits]()
        for seed in range(lists):
            chosen = np.random.default_rng(seed).choice(said.size, labels, replace=False)
            try:
                found.append(limits(said, people[chosen], chosen))
            except (ValueError, RuntimeError):
                found.append((np.nan, np.nan))
        yield package, found


def of_neyman(name: str, judge: str, labels: int, lists: int) -> Iterator[tuple[str, list[Limits]]]:
    """Limits of every list of Neyman."""
    import core as neyman
    from core.judge import verdicts

    pool = neyman.read(DATA / f"{name}.parquet")
    people = dict(zip(pool.items.index, (~verdicts(pool, "people").fails).tolist(), strict=True))
    rates = (neyman.judged(neyman.judge(pool, judge, labels, seed=seed), people).pass_rate for seed in range(lists))
    yield "Neyman", [(one.low, one.high) for one in rates]


def of_grades(labels: int, lists: int, neyman_s: bool) -> None:
    """Print a line for each shape, judge and package: coverage and mean width, in grades."""
    for shape, shares in SHAPES.items():
        for judge, steps in STEPS.items():
            rng = np.random.default_rng(5)
            people = rng.choice([1, 2, 3, 4, 5], 300, p=shares)
            own = np.clip(people + rng.choice(steps, people.size), 1, 5)
            found = _neyman_s(people, own, labels, lists) if neyman_s else _graded_peers(people, own, labels, lists)
            for package, limits in found.items():
                low, high = np.array(limits).T
                held = float(((low - 1e-9 <= people.mean()) & (people.mean() <= high + 1e-9)).mean())
                print(f"{shape}, {judge}, {package}: held {held:.3f}, width {np.mean(high - low):.3f}", flush=True)


def _neyman_s(people: Any, own: Any, labels: int, lists: int) -> dict[str, list[Limits]]:
    import core as neyman
    from core.estimation import stratified
    from core.pool import Pool

    pool, limits = Pool.from_records({"id": f"i{n}", "output": f"a {n}", "judge": g} for n, g in enumerate(own)), []
    for seed in range(lists):
        plan = neyman.judge(pool, "judge", labels, seed=seed, scale=(1, 5))
        # The corrected mean, without the labels' way through a file.
        chosen = plan.positions
        one = stratified((people[chosen] - 1) / 4, plan.stratum[chosen], plan.strata.sizes)
        limits.append((1 + 4 * one.low, 1 + 4 * one.high))
    return {"Neyman": limits}


def _graded_peers(people: Any, own: Any, labels: int, lists: int) -> dict[str, list[Limits]]:
    from cje import calibrated_mean_ci
    from ppi_py import ppi_mean_ci

    found: dict[str, list[Limits]] = {"ppi_py": [], "cje-eval": []}
    for seed in range(lists):
        chosen = np.random.default_rng(seed).permutation(people.size)[:labels]
        given, judge = people[chosen].astype(float), own.astype(float)
        low, high = ppi_mean_ci(given, judge[chosen], np.delete(judge, chosen), alpha=0.05)
        found["ppi_py"].append((float(np.squeeze(low)), float(np.squeeze(high))))
        # cje-eval takes scores from 0 to 1.
        oracle = np.full(people.size, np.nan)
        oracle[chosen] = (given - 1) / 4
        ends = calibrated_mean_ci((judge - 1) / 4, oracle, ~np.isnan(oracle)).ci
        found["cje-eval"].append((1 + 4 * float(ends[0]), 1 + 4 * float(ends[1])))
    return found


def _passes(column: Any) -> Any:
    return column.map(lambda value: int(value in (1, True, "pass", "1"))).to_numpy()


def main() -> None:
    """Print a line for each judge and package."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--neyman", action="store_true", help="Neyman instead of its peers' packages")
    asked.add_argument("--grades", action="store_true", help="made grades instead of the bundled judges")
    asked.add_argument("--labels", type=int, default=100, help="labels in each list (default 100)")
    asked.add_argument("--lists", type=int, default=400, help="simulated lists (default 400)")
    given = asked.parse_args()
    if given.grades:
        of_grades(given.labels, given.lists, given.neyman)
        return
    for name, judge in JUDGES:
        truth = _passes(pd.read_parquet(DATA / f"{name}.parquet")["people"]).mean()
        for package, found in (of_neyman if given.neyman else of_peers)(name, judge, given.labels, given.lists):
            low, high = np.array(found).T
            held, refused = np.nanmean(np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))), np.isnan(low)
            error = (held * (1 - held) / given.lists) ** 0.5
            print(
                f"{name} {judge}, {package}: held {held:.3f} ± {error:.3f}, width {100 * np.nanmean(high - low):.1f}, "
                f"first {100 * low[0]:.1f}–{100 * high[0]:.1f}, refused {refused.sum()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
