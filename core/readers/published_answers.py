"""Agreement of the official MMLU-Pro parser with the published answers, and of our own beside it.

The published files were written by several versions of the official script: the first stage of its rules alone, or all
three (`core.answers.published_rules`). The version of a file is the one that agrees with most of its answers. If no
rule hits, some files have no answer; one has the letter G for all, the script's random choice among ten letters with
the seed 12345.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import parse
from ..answers.published_rules import parse_mmlu_pro
from .joining import MODEL
from .results import read_outputs

STAGES = (1, 2, 3)
# random.Random(12345).choice("ABCDEFGHIJ")
SEEDED_LETTER = "G"


def mmlu_pro_agreement(files: Iterable[str | Path]) -> pd.DataFrame:
    """Compare the official rules with the published ``pred`` of MMLU-Pro's result files.

    Parameters
    ----------
    files : iterable of str or Path
        The published zips, one a model.

    Returns
    -------
    DataFrame
        A row a file: model, items; stages (of the rules that its version had), agreement (share of the items on which
        they give ``pred``), with_seed (the same, with the seeded letter if no rule hits), differing (items beyond
        that); today (agreement of all three stages without the seeded letter); official_unparsed (share of texts in
        which all three stages find nothing), official_accuracy (those wrong), official_random (those right by chance, 1
        in the number of options); own_unparsed and own_accuracy of kind "choice".

    Raises
    ------
    PoolError
        A file holds no such results.
    """
    rows = []
    for file in map(Path, files):
        table = read_outputs(file, file.name).table
        texts = [samples[0] for samples in table.column("generations").to_pylist()]
        published = np.array([samples[0] for samples in table.column("generation_answers").to_pylist()], dtype=object)
        options = table.column("choices").to_pylist()
        truth = np.array(table.column("answer").to_pylist(), dtype=object)
        by_stages = {count: _letters(parse_mmlu_pro(text, count) for text in texts) for count in STAGES}
        filled = {count: np.where(_missing(one), SEEDED_LETTER, one) for count, one in by_stages.items()}
        exact = {count: (one == published).mean() for count, one in by_stages.items()}
        seeded = {count: (one == published).mean() for count, one in filled.items()}
        version = max(STAGES, key=lambda count: (max(exact[count], seeded[count]), -count))
        official = by_stages[STAGES[-1]]
        choices = _letters(parse(text, "choice", some) for text, some in zip(texts, options, strict=True))
        best = max(exact[version], seeded[version])
        chance = np.array([1 / len(some) for some in options])
        rows.append(
            {
                "model": table.column(MODEL)[0].as_py(),
                "items": len(texts),
                "stages": version,
                "agreement": exact[version],
                "with_seed": best,
                "differing": round((1 - best) * len(texts)),
                "today": exact[STAGES[-1]],
                "official_unparsed": _missing(official).mean(),
                "official_accuracy": (official == truth).mean(),
                "official_random": np.where(_missing(official), chance, official == truth).astype(float).mean(),
                "own_unparsed": _missing(choices).mean(),
                "own_accuracy": (choices == truth).mean(),
            }
        )
    return pd.DataFrame(rows)


def _letters(letters: Iterable[str | None]) -> NDArray[np.object_]:
    return np.array(list(letters), dtype=object)


def _missing(letters: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.array([letter is None for letter in letters], dtype=bool)
