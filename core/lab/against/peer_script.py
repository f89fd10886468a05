"""A script for the peers' environment: estimates of their packages from files of losses, predictions and samples.

It runs as a file, without the rest of this project:

    python peer_script.py PACKAGE …        prints the version of each as JSON, null if it is missing
    python peer_script.py FOLDER NAME …    for each file NUMBER.npz and method writes NUMBER.NAME.npz: value, low, high
                                           (NaN if the package refuses), seconds, note
"""

from __future__ import annotations

import importlib.metadata
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

Row = tuple[float, float, float]
_Z = 1.959963984540054


def ppi_python(cell: Mapping[str, Any]) -> Iterator[Callable[[], Row]]:
    """PPI++ of ppi_py on uniform samples."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    losses, predicted = cell["losses"], cell["predicted"]

    def estimate(drawn: Any) -> Row:
        rest = np.delete(predicted, drawn)
        value = ppi_mean_pointestimate(losses[drawn], predicted[drawn], rest)
        low, high = ppi_mean_ci(losses[drawn], predicted[drawn], rest, alpha=0.05)
        return float(value[0]), float(low[0]), float(high[0])

    return (partial(estimate, drawn) for drawn in cell["uniform"])


def glide_strata(cell: Mapping[str, Any]) -> Iterator[Callable[[], Row]]:
    """Stratified PPI++ of GLIDE on stratified samples with proportional allocation."""
    from glide.estimators import StratifiedPPIMeanEstimator

    def estimate(drawn: Any) -> Row:
        true = np.full(cell["losses"].size, np.nan)
        true[drawn] = cell["losses"][drawn]
        result = StratifiedPPIMeanEstimator().estimate(true, cell["predicted"], cell["stratum"])
        limits = result.confidence_interval
        return float(limits.mean), float(limits.lower_bound), float(limits.upper_bound)

    return (partial(estimate, drawn) for drawn in cell["stratified"])


def glide_active(cell: Mapping[str, Any]) -> Iterator[Callable[[], Row]]:
    """GLIDE's active sampler with √(p̂(1 − p̂)) as its uncertainty, and its ASI estimate."""
    from glide.estimators import ASIMeanEstimator
    from glide.samplers import ActiveSampler

    budget, rounds, seed, _ = cell["numbers"].tolist()
    losses, predicted, doubt = cell["losses"], cell["predicted"], cell["doubt"]
    sampler = ActiveSampler()
    # Every list has the same chances, which the sampler finds anew for each, by a search if some exceed 1.
    chances = cache(lambda: ActiveSampler()._compute_probabilities(doubt, budget))
    sampler._compute_probabilities = lambda *_: chances()

    def estimate(number: int) -> Row:
        chance, chosen = sampler.sample(doubt, budget, random_seed=np.random.SeedSequence([seed, number]))
        true = np.where(chosen == 1, losses, np.nan)
        limits = ASIMeanEstimator().estimate(true, predicted, chance).confidence_interval
        return float(limits.mean), float(limits.lower_bound), float(limits.upper_bound)

    return (partial(estimate, number) for number in range(rounds))


def ssepy(cell: Mapping[str, Any]) -> Iterator[Callable[[], Row]]:
    """Strata, Neyman allocation, draw and Horvitz–Thompson estimate of ssepy, with ± 1.96 of its standard errors."""
    from sklearn.cluster import KMeans
    from ssepy import ModelPerformanceEvaluator

    budget, rounds, seed, strata = cell["numbers"].tolist()
    random.seed(seed)
    # The package draws from NumPy's global generator.
    np.random.seed(seed)  # noqa: NPY002
    losses, predicted = cell["losses"][:, None], cell["predicted"][:, None]
    evaluator = ModelPerformanceEvaluator(Yh=predicted, budget=budget)
    evaluator.stratify_data(KMeans(n_clusters=strata, random_state=0, n_init="auto"), X=predicted)

    def estimate() -> Row:
        evaluator.allocate_budget(allocation_type="neyman")
        drawn = evaluator.sample(sampling_method="ssrs")
        value, variance = evaluator.compute_estimate(losses[drawn], estimator="ht")
        reach = _Z * float(variance[0]) ** 0.5
        return float(value[0]), float(value[0]) - reach, float(value[0]) + reach

    return (estimate for _ in range(rounds))


METHODS = {"ppi++": ppi_python, "stratified-ppi": glide_strata, "asi": glide_active, "ssepy": ssepy}


def estimates(method: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    """All estimates of a method on a cell; NaN if its package refuses, with the first reason."""
    start, note, rows = process_time(), "", []
    for estimate in METHODS[method](cell):
        try:
            rows.append(estimate())
        except (ValueError, ArithmeticError) as error:
            rows.append((np.nan, np.nan, np.nan))
            note = note or str(error)
    value, low, high = np.array(rows).T
    return {"value": value, "low": low, "high": high, "seconds": process_time() - start, "note": note}


def version(package: str) -> str | None:
    """Version of a package, None if it is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def main(words: list[str]) -> None:
    """Run as the module's docstring says."""
    if not words or not Path(words[0]).is_dir():
        sys.stdout.write(json.dumps({name: version(name) for name in words}))
        return
    for path in sorted(Path(words[0]).glob("*.npz"), key=lambda path: int(path.stem)):
        with np.load(path) as content:
            cell = dict(content)
        for method in words[1:]:
            np.savez(path.with_name(f"{path.stem}.{method}.npz"), **estimates(method, cell))


if __name__ == "__main__":
    main(sys.argv[1:])
