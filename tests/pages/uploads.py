"""Files for page Pool, and how they get there."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np

from tests.pages.conftest import run
from tests.pages.pools import pool


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows):
    header = "id,prompt,answer,group,generation_1,generation_2,model:loss"
    lines = [
        f"{row['id']},{row['prompt']},{row['answer']},g,{','.join(row['generations'][:2])},"
        f"{row['targets']['model']['loss']}"
        for row in rows
    ]
    return "\n".join([header, *lines]).encode()


def as_parquet(rows, folder):
    pool(rows).write(folder / "pool.parquet")
    return (folder / "pool.parquet").read_bytes()


def a_zip(content, name="results.json"):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def upload(app, *files):
    (uploader,) = [widget for widget in app.file_uploader if widget.key.startswith("upload")]
    for file in files:
        uploader.upload(*file)
    return run(app)


def contents(app, tab):
    """Open a tab of page Pool."""
    app.query_params["contents"] = tab
    return run(app)


def current(app):
    return [text.value for text in app.sidebar.text]


def results(model, right, n_items=40):
    """One model's MMLU-Pro results: right on the first ``right`` of the questions."""
    rng = np.random.default_rng(right)
    return [
        {
            "question_id": number,
            "question": f"Question {number}?",
            "options": ["w", "x", "y", "z"],
            "answer": "B",
            "answer_index": 1,
            "category": "law" if number % 2 else "math",
            "src": "ori",
            "pred": "B" if number < right else str(rng.choice(list("ACD"))),
            "generated_text": f"{model} says so",
        }
        for number in range(n_items)
    ]


def result_zips(*models):
    return [(f"model_outputs_{name}_5shots.zip", a_zip(json.dumps(results(name, right)))) for name, right in models]


def log_of_another_tool(n_items=12):
    """One row a sample, as some tools write it: two samples of each item."""
    return [
        {
            "example_id": f"e{number}",
            "input": {"question": f"Question {number}?"},
            "reference": "A",
            "output": "A" if (number + sample) % 3 else "B",
            "scores": {"match": bool((number + sample) % 3), "helpfulness": 0.5},
        }
        for number in range(n_items)
        for sample in range(2)
    ]


def role(app, label):
    return next(box for box in (*app.selectbox, *app.multiselect) if box.label == label)
