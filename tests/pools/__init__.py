"""Real models' answers and verdicts as bare facts, which the tests measure; README.md names the sources."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq

from core.pool import Pool
from core.readers import read

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data"


def path_of(name: str) -> Path:
    """The file of a pool: “exams-gpt35-k10”, “gsm8k-committee10” or “blink-vlm-committee10”."""
    return HERE / f"{name.removesuffix('.jsonl')}.jsonl.gz"


@cache
def opened(name: str) -> Pool:
    """A pool of `path_of`, or one of the bundled: “demo” or “mmlu-pro”. It is read once."""
    bundled = {"demo": "demo.jsonl.gz", "mmlu-pro": "mmlu-pro.parquet"}
    return read(DATA / bundled[name] if name in bundled else path_of(name))


def write_results(folder: Path) -> None:
    """Write MMLU-Pro's results into a folder, a zip for each of twelve models, as their authors publish them.

    Questions and options are numbered, and an output is the shortest in which the authors' script finds its letter.
    """
    table = pq.read_table(HERE / "mmlu-pro.parquet")
    models = [name.removesuffix(":pred") for name in table.column_names if name.endswith(":pred")]
    for model in models:
        part = table.select(
            ["question_id", "category", *(f"{model}:{key}" for key in ("answer", "options", "pred", "output"))]
        )
        records = [
            {
                "question_id": number,
                "question": f"Question {number}",
                "options": [f"option {place}" for place in range(1, options + 1)],
                "answer": answer,
                "category": category,
                "pred": pred,
                "generated_text": output,
            }
            for number, category, answer, options, pred, output in zip(
                *(column.to_pylist() for column in part.columns), strict=True
            )
        ]
        with zipfile.ZipFile(
            folder / f"model_outputs_{model}_5shots.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1
        ) as archive:
            archive.writestr(f"{model}.json", json.dumps(records))
