"""Make the demos of judges from tables of bare verdicts: facts only, no question and no output.

    PYTHONPATH=. python data/judges.py FOLDER

The folder has ``evouna-nq.csv`` and ``llmbar.csv`` with the columns id, model, judge, human and risk: for each item and
model what the judge says, what people say, and how doubtful the judge's verdict is by other signals.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
EVOUNA, LLMBAR = HERE / "evouna.parquet", HERE / "llmbar.parquet"
# Whose answers EVOUNA's are; which judges LLMBar's are, by the names in the table.
ANSWERS_OF = "gpt4"
JUDGES = {"gpt-4": "GPT-4", "palm2": "PaLM2"}


def evouna(table: pd.DataFrame) -> pa.Table:
    """Answers of one model, with what a string match and what people say of each."""
    rows = table[table["model"] == ANSWERS_OF].sort_values("id")
    facts = {"id": rows["id"], "string match": rows["judge"], "people": rows["human"], "risk": rows["risk"]}
    return pa.table({name: pa.array(column.tolist()) for name, column in facts.items()})


def llmbar(table: pd.DataFrame) -> pa.Table:
    """Pairs of outputs, with what two models and what people say: pass if the first output is the better one."""
    by_model = {
        name: table[table["model"] == model].sort_values("id").set_index("id") for model, name in JUDGES.items()
    }
    first = next(iter(by_model.values()))
    facts = {"id": first.index, **{name: rows["judge"] for name, rows in by_model.items()}, "people": first["human"]}
    facts |= {f"{name} risk": rows["risk"] for name, rows in by_model.items()}
    return pa.table({name: pa.array(column.tolist()) for name, column in facts.items()})


def write(table: pa.Table, path: Path) -> None:
    """Write the table, small: Zstandard, with a dictionary of the few values of each column."""
    pq.write_table(table, path, compression="zstd", compression_level=19, use_dictionary=True)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for make, source, path in ((evouna, "evouna-nq.csv", EVOUNA), (llmbar, "llmbar.csv", LLMBAR)):
        write(make(pd.read_csv(folder / source, dtype={"id": str})), path)
        print(f"{path}: {path.stat().st_size:,} bytes")
