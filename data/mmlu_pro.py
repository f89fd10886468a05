"""Make the demo of MMLU-Pro from the result files that its authors publish: facts only, no question and no option.

    PYTHONPATH=. python data/mmlu_pro.py FOLDER_OF_ZIPS [data/mmlu-pro.parquet]

For each question: its number and category, each model's parsed letter (none if the official parser found none), and
whether it is right. The letters of the ten least accurate models stand in for a surrogate's generations as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.readers import ModelResults, read_results

FILE = Path(__file__).with_name("mmlu-pro.parquet")
TARGETS = 2


def facts(results: ModelResults) -> pa.Table:
    """Take from the results what is a fact: a row for each question, in the order of their numbers."""
    ranked = results.summary()["model"].tolist()
    pool = results.pool((), ranked)
    letters = {model: list(pool.targets[model].answers or ()) for model in ranked}
    committee = sorted(ranked[TARGETS:])
    outcomes = {
        model: pa.StructArray.from_arrays(
            [pa.array(letters[model]), pa.array(pool.losses(model).astype("int8"))], ["answer", "loss"]
        )
        for model in ranked
    }
    return pa.table(
        {
            "id": pa.array(pool.items.index.tolist()),
            "group": pa.array(pool.items["group"].tolist()),
            # A generation without an answer is an empty text.
            "generations": pa.array(
                [[letter or "" for letter in row] for row in zip(*(letters[model] for model in committee), strict=True)]
            ),
            "targets": pa.StructArray.from_arrays(list(outcomes.values()), list(outcomes)),
        }
    )


def write(table: pa.Table, path: Path) -> None:
    """Write the table, small: Zstandard, with a dictionary of the few values of each column."""
    pq.write_table(table, path, compression="zstd", compression_level=19, use_dictionary=True)


if __name__ == "__main__":
    folder, path = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else FILE
    write(facts(read_results({zipped.name: zipped for zipped in sorted(folder.glob("*.zip"))})), path)
    print(f"{path}: {path.stat().st_size:,} bytes")
