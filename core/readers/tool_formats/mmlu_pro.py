"""MMLU-Pro's published results: one zip per model, each with one JSON array of the model's outputs.

``pred``, the official parser's answer, is taken as it is (null: no answer), so the classes and losses are the official
ones; an output without an answer counts as wrong; the official script guesses.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ...answers import parse
from ...answers.published_rules import parse_mmlu_pro
from ...errors import PoolError, Problem
from ...files.archives import only_json
from ...files.open import MAX_ARRAY, Source, stem
from ...files.sniff import ARRAY, ZIP, Beginning
from ...pool.columns import TEXT, TEXTS
from ...pool.problems import Problems
from ...pool.records import native
from ..joining import MODEL
from ..json_records import load_array
from ..model_outputs import ModelOutputs, ResultsFormat, each_alone

_TEXT_KEYS = ("generated_text", "model_outputs", "model_output", "cot")
_NEEDED = ("question_id", "question", "options", "answer", "pred")


def recognises(beginning: Beginning) -> bool:
    """Whether this is one model's zip, or the array of results in it."""
    keys = beginning.inner if beginning.container == ZIP else beginning.keys
    return beginning.container in (ZIP, ARRAY) and keys.issuperset(_NEEDED)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read one model's results; the source's name has the model's in it."""
    content = only_json(source) if beginning.container == ZIP else source.content(MAX_ARRAY)
    model = model_name(source.name)
    table = _compact(load_array(content), model, problems)
    problems.stop()
    problems.tally.take_all(table.num_rows)
    return ModelOutputs(table, tuple(problems.notes))


FORMAT = ResultsFormat.declared("mmlu_pro", recognises, outputs)


def model_name(file: str) -> str:
    """Take the model's name from a file's name: “model_outputs_gemma-7b_5shots.zip” → “gemma-7b”."""
    return stem(Path(file).name).removeprefix("model_outputs_").removesuffix("_5shots")


def _compact(array: list[Any], model: str, problems: Problems) -> pa.Table:
    """Read one model's file as columns, and add its problems to ``problems``."""
    if not array or not isinstance(array[0], dict) or not array[0].keys() >= set(_NEEDED):
        keys = ", ".join(list(array[0])[:12]) if array and isinstance(array[0], dict) else "none"
        message = f"these are not MMLU-Pro results: they need the keys {', '.join(_NEEDED)}; the keys are: {keys}."
        raise PoolError([Problem(message, remedy="Use the zip as TIGER-AI-Lab published it.")])
    rows = range(1, len(array) + 1)
    for row, record in enumerate(array, start=1):
        if not isinstance(record, dict):
            problems.add("the element is not an object.", row, remedy="Use the zip as published.")
    problems.stop()
    text_key = next((key for key in _TEXT_KEYS if key in array[0]), _TEXT_KEYS[0])
    names = {"id": "question_id", "prompt": "question", "answer": "answer", "group": "category"}
    columns = {
        name: native(name, [record.get(key) for record in array], TEXT, rows, problems, key)
        for name, key in {**names, "src": "src", "pred": "pred", "text": text_key}.items()
    }
    columns[MODEL] = pa.array([model] * len(array), TEXT)
    columns["answer_kind"] = pa.array(["mmlu-pro"] * len(array), TEXT)
    columns["generations"] = each_alone(columns.pop("text").fill_null(""))
    columns["generation_answers"] = each_alone(columns.pop("pred"))
    columns["choices"] = native("choices", [r.get("options") for r in array], TEXTS, rows, problems, "options")
    earlier: set[str | None] = {None}
    for row, name in enumerate(columns["id"].to_pylist(), start=1):
        if name in earlier:
            message = "the question_id is missing, or appears twice."
            problems.add(message, row, "question_id", "Use the zip as published.")
        earlier.add(name)
    return pa.table(columns)


# Agreement of the official MMLU-Pro parser with the published answers, and of our own beside it. The published files
# were written by several versions of the official script: the first stage of its rules alone, or all three
# (`core.answers.published_rules`). The version of a file is the one that agrees with most of its answers. If no rule
# hits, some files have no answer; one has the letter G for all, the script's random choice among ten letters with the
# seed 12345.

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
        source = Source.of(file)
        table = FORMAT.read(source, Beginning.of(source), Problems()).table
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
