"""VLMEvalKit: predictions ``{model}_{dataset}`` and judged ones, ``{model}_{dataset}_{judge}_result`` with ``hit``.

As XLSX, TSV, CSV or JSON. The rows of MMBench's circular evaluation are read as they are; together with the dataset's
TSV, ``core.readers.option_orders`` joins them to the questions. A judged file has one row a question already, with the
hit of all its rotations. If there is no hit, answers are read by the toolkit's rules.

Source: open-compass/VLMEvalKit (November 2026), ``smp/file.py``, ``dataset/image_mcq.py`` and
``dataset/utils/multiple_choice.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import ARRAY, TABLE, WORKBOOK, Beginning
from ...pool.problems import Problems
from ..file_rows import rows_of
from ..joining import MODEL, TASK, scored
from ..json_records import filled, text_of, truth
from ..model_outputs import Record, ResultsFormat
from ..verdicts import ScoreScale, number, says_nothing

_PREDICTIONS = frozenset({"index", "question", "prediction"})
_ROTATED, _MOST = 1_000_000, 100_000_000
_KNOWN = re.compile(
    r"_(?=(?:MMBench|CCBench|MMStar|MMMU|MMVet|MMT|MME|MathV|AI2D|SEED|ScienceQA|HallusionBench|OCRBench|RealWorldQA|POPE"
    r"|BLINK|ChartQA|DocVQA|InfoVQA|TextVQA|LLaVABench|GMAI|HRBench|Video|COCO|TableVQA|LEGO|WeMath)"
    r"[A-Za-z0-9]*(?:[_.-]|$))",
    re.IGNORECASE,
)

_JUDGED = re.compile(r"_(?P<judge>[^_]+)_result$")
_REMEDY = "Use the file as VLMEvalKit wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether its names are those of predictions; of a workbook the place of a question and its prediction do."""
    if beginning.container == WORKBOOK:
        return beginning.keys >= _PREDICTIONS - {"question"}
    return beginning.container in (ARRAY, TABLE) and beginning.keys >= _PREDICTIONS


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one model's predictions on one dataset."""
    return _records(list(rows_of(source, problems)), source.name, problems)


FORMAT = ResultsFormat.declared("vlmevalkit", recognises, outputs)


def model_and_task(file: str) -> tuple[str, str | None]:
    """Take model and dataset from a file's name: “GPT4o_MMBench_DEV_EN_openai_result.xlsx” → “GPT4o”, “MMBench_DEV_EN”.

    If no dataset is known that the name could end with, all of it is the model's.
    """
    name = stem(path_of(file).name)
    name = _JUDGED.sub("", name)
    match = _KNOWN.search(name)
    return (name[: match.start()], name[match.end() :]) if match and match.start() else (name, None)


def _records(rows: Sequence[tuple[int, Mapping[str, Any]]], file: str, problems: Problems) -> Iterator[Record]:
    model, task = model_and_task(file)
    copies = 0
    hits = [None if says_nothing(line.get("hit")) else line["hit"] for _, line in rows]
    shares = ScoreScale("hit", number).shares(hits, problems)
    for (row, line), hit, share in zip(rows, hits, shares, strict=True):
        name = _text(line.get("index"))
        if not name:
            problems.add("the row has no index.", row, "index", _REMEDY)
            continue
        copies += name.isascii() and name.isdecimal() and _ROTATED <= int(name[:16]) < _MOST
        texts = [_text(line["prediction"])] if "prediction" in line else []
        record = {MODEL: model, TASK: task, "id": name, **_item(line), "generations": texts}
        yield row, filled(record | scored(share, hit is not None)), sum(map(len, texts))
    if copies:
        remedy = "Open the file together with MMBench’s TSV for one item a question, right if all its rotations are."
        problems.note(f"Rows of circular copies, each an item: {copies:,}. {remedy}")


def _item(line: Mapping[str, Any]) -> dict[str, Any]:
    choices = _choices(line)
    question, hint = _text(line.get("question")), _text(line.get("hint"))
    return {
        **truth(text_of(_text(line.get("answer"))), choices),
        "prompt": f"Hint: {hint}\nQuestion: {question}" if hint else question,
        "group": text_of(_text(line.get("category"))),
        **({"answer_kind": "mmbench"} if choices else {}),
    }


def _choices(line: Mapping[str, Any]) -> list[str] | None:
    choices = []
    for letter in ascii_uppercase:
        if line.get(letter) in (None, ""):
            break
        choices.append(_text(line[letter]))
    return choices if len(choices) > 1 else None


def _text(value: Any) -> str:
    """Write a cell as text; a workbook's numbers are floats."""
    return text_of(int(value) if isinstance(value, float) and value.is_integer() else value) or ""
