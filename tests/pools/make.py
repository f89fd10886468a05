"""Make the files of this folder from the published ones: ids, groups, answers that were read, verdicts; no texts.

    python -m tests.pools.make FOLDER

FOLDER has ``exams-gpt35-k10.jsonl``, ``gsm8k-committee10.jsonl``, ``blink-vlm-committee10.jsonl``, and in ``mmlu-pro/``
the zips of results as MMLU-Pro's authors publish them. README.md names the sources.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.answers import parse

HERE = Path(__file__).parent
POOLS = ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10")
# A longer answer is a sentence or a calculation.
_LONGEST = 12
# The script's stages, each with the shortest output in which it finds the letter.
STAGES = (
    (r"answer is \(?([A-J])\)?", "The answer is ({})."),
    (r".*[aA]nswer:\s*([A-J])", "Answer: {}"),
    (r"(?s)\b([A-J])\b(?!.*\b[A-J]\b)", "{}"),
)


def bare(record: dict[str, Any]) -> dict[str, Any]:
    """A record of a pool without its prompt; in place of each sentence the number in it, told apart by a letter."""
    answers = [*record["generations"], *(one["answer"] for one in record["targets"].values())]
    sentences = list(dict.fromkeys(text for text in answers if text is not None and len(text) > _LONGEST))
    facts = {
        text: f"{parse(text, 'number') or 'no number'} in words {chr(ord('a') + place)}"
        for place, text in enumerate(sentences)
    }
    targets = {
        name: {**one, "answer": facts.get(one["answer"], one["answer"])} for name, one in record["targets"].items()
    }
    kept = {key: value for key, value in record.items() if key != "prompt"}
    return {**kept, "generations": [facts.get(text, text) for text in record["generations"]], "targets": targets}


def found(text: str) -> str:
    """The shortest output from which MMLU-Pro's script reads the same letter at the same stage; "" if it finds none."""
    for pattern, form in STAGES:
        if match := re.search(pattern, text):
            return form.format(match[1])
    return ""


def published(folder: Path) -> pa.Table:
    """A row for each question; of each model's file the right letter, number of options, letter and output."""
    columns: dict[str, list[Any]] = {}
    for path in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            records = json.loads(archive.read(archive.namelist()[0]))
        records.sort(key=lambda record: record["question_id"])
        model = path.name.removeprefix("model_outputs_").removesuffix("_5shots.zip")
        columns["question_id"] = [record["question_id"] for record in records]
        columns["category"] = [record["category"] for record in records]
        columns[f"{model}:answer"] = [record["answer"] for record in records]
        columns[f"{model}:options"] = [len(record["options"]) for record in records]
        columns[f"{model}:pred"] = [record["pred"] for record in records]
        outputs = (record.get("model_outputs", record.get("generated_text")) for record in records)
        columns[f"{model}:output"] = [found(output) for output in outputs]
    return pa.table(columns)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name in POOLS:
        lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
        text = "".join(json.dumps(bare(json.loads(line)), separators=(",", ":")) + "\n" for line in lines)
        (HERE / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    pq.write_table(published(folder / "mmlu-pro"), HERE / "mmlu-pro.parquet", compression="zstd", compression_level=19)
    for path in sorted(HERE.glob("*.gz")) + sorted(HERE.glob("*.parquet")):
        print(f"{path.name}: {path.stat().st_size:,} bytes")
