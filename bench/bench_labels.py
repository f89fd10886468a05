"""Times of 100,000 labels that come back: read, settled and kept; and of one label beside those that are kept."""

from __future__ import annotations

import io
import json
import tempfile

import numpy as np
import pandas as pd

from bench import Row, median
from core.archive import Archive
from core.labels import read, settle

_SIZE = 100_000
_NOON = "2026-01-01T00:00:00+00:00"


def rows() -> list[Row]:
    """(what, median seconds, limit in seconds) of each measurement."""
    ids = [f"q{number}" for number in range(_SIZE)]
    labels = np.random.default_rng(0).choice(["right", "wrong"], _SIZE).tolist()
    records = [{"item_id": i, "plan_id": "p", "label": v, "annotator": "Ann"} for i, v in zip(ids, labels, strict=True)]
    frame = pd.DataFrame(records)
    files = {
        "CSV": frame.to_csv(index=False).encode(),
        "JSON Lines": "".join(json.dumps(record) + "\n" for record in records).encode(),
        "XLSX": _workbook(frame),
        "Label Studio JSON": json.dumps([_task(n, record) for n, record in enumerate(records)]).encode(),
    }
    imports = [(f"import 100,000 labels, {name}", _import(ids, content), 3.0) for name, content in files.items()]
    return imports + [(f"keep one label beside {size:,}", _one(frame.head(size)), 0.02) for size in (1_000, _SIZE)]


def _import(ids: list[str], content: bytes) -> float:
    """Median time to read, settle and keep a file in an archive that is new."""
    archives: list[Archive] = []
    with tempfile.TemporaryDirectory() as folder:

        def work() -> None:
            settled = settle(read(content).rows, ids, "p", "right-wrong")
            archives[-1].labels.save("p", settled.rows, _NOON)

        return median(work, before=lambda: archives.append(Archive(f"{folder}/{len(archives)}")))


def _one(rows: pd.DataFrame) -> float:
    """Median time to keep one more label of an item, whatever else is kept."""
    with tempfile.TemporaryDirectory() as folder:
        archive, names = Archive(folder), iter(range(100))
        archive.labels.save("p", rows, _NOON)

        def work() -> None:
            label = pd.DataFrame([{"item_id": "q7", "label": "right", "annotator": f"Person {next(names)}"}])
            archive.labels.save("p", label, _NOON, "here", also=["q"])

        return median(work, runs=11)


def _workbook(frame: pd.DataFrame) -> bytes:
    """A filled list as spreadsheets save it, texts in one table."""
    stream = io.BytesIO()
    frame.to_excel(stream, index=False)
    return stream.getvalue()


def _task(number: int, record: dict[str, str]) -> dict[str, object]:
    value = {"choices": [record["label"]]}
    result = [{"from_name": "neyman_label", "to_name": "shown_text", "type": "choices", "value": value}]
    data = {"item_id": record["item_id"], "plan_id": "p", "text": "What is it? " * 10}
    annotation = {"id": number, "was_cancelled": False, "completed_by": 1, "lead_time": 3.2, "result": result}
    return {"id": number, "data": data, "annotations": [annotation], "predictions": []}
