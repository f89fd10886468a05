"""The paper's comparisons on any pool: every baseline and every ablation, exact where there is a closed form.

`python -m core.lab POOL --target T` prints them all. The face hands on its modules and loads none of them.
"""

__all__ = [
    "ablations",
    "baselines",
    "coverage",
    "published",
    "savings",
    "sentences",
    "settings",
    "shown",
    "signals_compared",
    "strata_map",
]
