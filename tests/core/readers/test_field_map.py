"""Files of any other shape."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import PoolError
from core.readers import read
from core.readers.__main__ import main
from core.readers.field_map import FieldMap, at, guess, read_mapped

ROWS = [
    {
        "uuid": f"u{number}",
        "data": {"question": f"What is {number}?", "category": "sums"},
        "expected": str(number),
        "runs": [{"text": "1"}, {"text": "2"}],
        "response": "1",
        "is_correct": number == 1,
        "judge": 0.5,
    }
    for number in (1, 2, 3)
]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


CONTENTS = {
    "lines": "\n".join(map(json.dumps, ROWS)).encode(),
    "array": json.dumps(ROWS).encode(),
    "object": json.dumps({"meta": {"n": 3}, "results": {"rows": ROWS}}, indent=1).encode(),
    "object on one line": json.dumps({"results": {"rows": ROWS}}).encode(),
    "Parquet": parquet(ROWS),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_fields_are_guessed_and_read(content: bytes) -> None:
    fields, rows = guess(content, "big")
    assert (
        fields.fields
        == {
            "id": "uuid",
            "prompt": "data.question",
            "answer": "expected",
            "group": "data.category",
        }
        and rows == ROWS
    )
    assert fields.targets == {"big": {"text": "response", "right": "is_correct"}}
    more = FieldMap({**fields.fields, "generations": "runs[].text"}, fields.targets, ("judge",))
    pool = read_mapped(content, more, "big")
    assert pool.items.index.tolist() == ["u1", "u2", "u3"] and pool.items["judge"].tolist() == [0.5] * 3
    assert pool.items["prompt"].tolist()[0] == "What is 1?" and pool.answers() == [["1", "2"]] * 3
    assert pool.losses("big").tolist() == [0, 1, 1]


def test_tables_and_numbered_columns_are_read() -> None:
    content = b"key;question;output_1;output_2;passed\na;Why?;x;y;yes\nb;How?;x;;no\n"
    fields, _ = guess(content, "t")
    assert fields.fields == {"id": "key", "prompt": "question", "generations": "output_1,output_2"}
    pool = read_mapped(content, fields, "t")
    assert pool.answers() == [["x", "y"], ["x"]] and pool.losses("t").tolist() == [0, 1]


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("c[1]", 3), ("c[9]", None), ("d[].e", [4, None]), ("x.y", "dotted"), ("a.b.c", None), ("c.a", None)],
)
def test_paths(path: str, value: Any) -> None:
    assert at({"a": {"b": 1}, "c": [2, 3], "d": [{"e": 4}, {}], "x.y": "dotted"}, path) == value


def test_paths_that_lead_nowhere_and_ids_that_repeat_are_refused() -> None:
    with pytest.raises(PoolError, match=r"no row has “data\.answer”"):
        read_mapped(CONTENTS["lines"], FieldMap({"id": "uuid", "answer": "data.answer"}))
    with pytest.raises(PoolError) as caught:
        read_mapped(CONTENTS["lines"], FieldMap({"id": "data.category"}))
    assert [problem.row for problem in caught.value.problems] == [2, 3]
    with pytest.raises(PoolError, match="there is no field"):
        FieldMap({"prmpt": "x"})


def test_the_command_writes_a_pool_and_says_what_it_took_for_what(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "log.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(CONTENTS["lines"])
    assert (
        main(["map", str(file), "--generations", "runs[].text", "--target", "big:right=is_correct", "--out", str(out)])
        == 0
    )
    printed = capsys.readouterr().out
    assert "data.question" in printed and "3 items" in printed
    assert read(out).losses("big").tolist() == [0, 1, 1]
    assert main(["map", str(file), "--target", "big"]) == 2
    assert "MODEL:FIELD=PATH" in capsys.readouterr().err
    log = tmp_path / "target.csv"
    log.write_text("id,one,two\nu1,1,0\nu2,1,1\n")
    joint = tmp_path / "joint.jsonl"
    assert main(["join", str(out), str(log), "--surrogate", "pool", "--target", "one", "--out", str(joint)]) == 0
    assert read(joint).losses("one").tolist()[:2] == [0, 0]
