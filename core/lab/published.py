"""The paper's published tables, to stand beside a pool's own.

They belong to other pools (MMLU-Redux, N = 3,000, Qwen-3.5 2B → 9B, unless said otherwise) and are simulated with T =
3,000 trials; no generations were released, so they can be compared with, not recomputed (docs/method.md, 4).
"""

from __future__ import annotations

import pandas as pd

from ..allocation.ways import EQUAL, ORACLE_NEYMAN, POWER, PROPORTIONAL, PROXY_NEYMAN
from ..stratification.cuts import ADAPTIVE, EQUAL_WIDTH, K_MEANS, QUANTILE
from . import ablations
from .settings import BUDGETS, Variant, variants

POOL = "MMLU-Redux, 3,000 items, Qwen-3.5 2B → 9B"

# Relative MSE in % for M = 50, 100, 200, 400, 800.
_PROXY = (85.7, 80.7, 82.5, 86.9, 82.5)
_RELATIVE: dict[str, dict[str, tuple[float, ...]]] = {
    "allocation": {
        EQUAL.name: (95.0, 95.1, 86.9, 90.0, 87.4),
        PROPORTIONAL.name: (92.6, 91.9, 86.6, 92.3, 93.4),
        POWER.name: (89.3, 85.4, 84.9, 86.2, 85.6),
        PROXY_NEYMAN.name: _PROXY,
        ORACLE_NEYMAN.name: (84.3, 85.7, 82.0, 81.2, 80.7),
    },
    "stratifier": {
        EQUAL_WIDTH.name: (89.9, 89.3, 84.1, 84.5, 82.7),
        K_MEANS.name: (87.0, 82.0, 84.8, 84.6, 85.6),
        QUANTILE.name: (86.1, 87.7, 81.8, 84.7, 83.3),
        ADAPTIVE.name: _PROXY,
    },
    "strata": {
        "H = 2": (90.3, 91.3, 86.5, 91.7, 82.6),
        "H = 3": (87.6, 86.3, 85.5, 85.4, 84.2),
        "H = 5": _PROXY,
        "H = 8": (89.3, 83.9, 83.4, 86.9, 83.7),
    },
    "offset": {
        "δ = 0.5": (86.0, 82.2, 83.8, 86.3, 81.9),
        "δ = 0.75": _PROXY,
        "δ = 1": (85.8, 80.6, 82.9, 87.1, 83.2),
        "δ = 2": (89.0, 82.3, 85.3, 89.7, 84.6),
        "δ = 5": (89.8, 83.5, 87.1, 90.2, 87.4),
    },
}
# As printed; the mean of the printed cells differs if the cells were rounded before.
_MEANS: dict[str, tuple[float, ...]] = {
    "allocation": (90.9, 91.4, 86.3, 83.7, 82.8),
    "stratifier": (86.1, 84.8, 84.7, 83.7),
    "strata": (88.5, 85.8, 83.7, 85.5),
    "offset": (84.0, 83.7, 83.9, 86.2, 87.6),
}
_SAVINGS = (
    ("MMLU-Redux", 3000, "Qwen-3.5 4B → 9B", 200, 144),
    ("MMLU-Pro", 12032, "Qwen-3.5 2B → 4B", 340, 266),
    ("GPQA-Diamond", 198, "GPT-5.4 Nano → GPT-5.4", 30, 22),
    ("MMBench", 4329, "Qwen-3-VL 2B → 4B", 80, 68),
)


def table(name: str) -> pd.DataFrame:
    """One of `core.lab.settings.TABLES` as published: variant, label, budget, relative_mse (a ratio)."""
    labels = {variant.key: variant.label for variant in columns(name)}
    rows = [
        (key, labels[key], budget, percent / 100)
        for key, percents in _RELATIVE[name].items()
        for budget, percent in zip(BUDGETS, percents, strict=True)
    ]
    return pd.DataFrame(rows, columns=["variant", "label", "budget", "relative_mse"])


def marked(name: str) -> pd.DataFrame:
    """`core.lab.ablations.marked` of a published table, with the means as printed."""
    frame = ablations.marked(table(name))
    means = frame["row"] == ablations.MEAN
    frame.loc[means, "relative_mse"] = [percent / 100 for percent in _MEANS[name]]
    return frame


def columns(name: str) -> tuple[Variant, ...]:
    """The columns of a published table."""
    return tuple(variant for variant in variants(name) if variant.key in _RELATIVE[name])


def savings() -> pd.DataFrame:
    """The published label savings: benchmark, items, models, budget (of Uniform), needs, saved and fraction."""
    frame = pd.DataFrame(_SAVINGS, columns=["benchmark", "items", "models", "budget", "needs"])
    return frame.assign(saved=frame["budget"] - frame["needs"], fraction=1 - frame["needs"] / frame["budget"])
