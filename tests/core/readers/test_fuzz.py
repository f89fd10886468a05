"""Whatever the readers are given, they raise a NeymanError or return a valid pool."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NeymanError
from core.pool import Pool
from core.pool.account import LOST
from core.readers import read, read_results

BASE = [
    {
        "id": f"q{number}",
        "prompt": "Which, of “these”?\n",
        "choices": ["a", "b"],
        "answer": "A",
        "group": "g",
        "image": "x.png",
        "answer_kind": "choice",
        "generations": ["A", "B", ""],
        "generation_answers": ["A", None, "B"],
        "logprobs": [-1.5, -2.0, -0.25],
        "targets": {"m": {"text": "A", "answer": "A", "loss": 0.5}, "n": {"loss": 1}},
        "source": number,
        "tags": ["x", {"y": 1}],
    }
    for number in range(3)
]
MMLU = [
    {
        "question_id": number,
        "question": "Why?",
        "options": ["a", "N/A"],
        "answer": "A",
        "category": "law",
        "src": "s",
        "pred": "A",
        "generated_text": "The answer is (A).",
    }
    for number in range(3)
]


def zipped(content: bytes, name: str = "model_outputs_m_5shots.json") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A valid file of every format."""
    lines = "\n".join(json.dumps(record) for record in BASE).encode()
    path = tmp_path_factory.mktemp("originals") / "pool.parquet"
    read(lines).write(path)
    table = "id,prompt,generation_1,generation_2,m:answer,m:loss,answer\n" + 'a,"x, ""y""",A,B,A,0,A\nb,,C,,B,1,A\n'
    return {
        "jsonl": lines,
        "gzip": gzip.compress(lines),
        "array": json.dumps(BASE).encode(),
        "csv": table.encode(),
        "parquet": path.read_bytes(),
        "mmlu-pro": zipped(json.dumps(MMLU).encode()),
    }


def check(content: bytes) -> None:
    """Read ``content``; what comes back must be a valid pool."""
    try:
        pool = read(content)
    except NeymanError as error:
        assert str(error)
        return
    check_pool(pool)


def check_pool(pool: Pool) -> None:
    assert pool.n_items > 0
    ids = pool.items.index
    assert ids.is_unique and not ids.isna().any()
    if pool.generations is not None:
        assert len(pool.generations) == pool.n_items
        classes = pool.classes()
        assert classes.shape == (pool.n_items, pool.n_generations)
        assert [len(texts) for texts in pool.generations] == (classes >= 0).sum(axis=1).tolist()
        assert all(isinstance(text, str) for texts in pool.generations for text in texts)
    for name, target in pool.targets.items():
        losses = pool.losses(name)
        assert losses.shape == (pool.n_items,)
        assert (np.isfinite(losses) | np.isnan(losses)).all()
        assert target.answers is None or len(target.answers) == pool.n_items
    if pool.account is not None:
        # Making an account checks that its parts add up.
        assert pool.account.items == pool.n_items
        assert LOST not in [one.reason for one in pool.account.left_out]
    pool.parse_report()
    again = Pool.from_records([record for record in map(json.loads, lines_of(pool))])
    assert again.digest == pool.digest


def lines_of(pool: Pool) -> list[bytes]:
    from core.pool.writing import lines

    return list(lines(pool.table))


MAGIC = [
    b"",
    b"{",
    b"[",
    b"PAR1",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"id,",
    b"id;x\n",
    b"\x80\x04",
    b"<",
]
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
LETTERS = st.sampled_from(["A", "B", "", "the answer is (C)", "42", "é\u2028"])
OUTCOME = st.fixed_dictionaries(
    {}, optional={"text": LETTERS, "answer": LETTERS, "loss": st.sampled_from([0, 1, 0.25, True, None]), "more": JSON}
)
LIKELY = {
    "prompt": LETTERS,
    "choices": st.lists(LETTERS, max_size=3),
    "answer": LETTERS | st.integers(0, 99),
    "group": LETTERS,
    "image": LETTERS | st.lists(LETTERS, max_size=2),
    "answer_kind": st.sampled_from(["as-is", "text", "number", "choice"]),
    "generations": st.lists(LETTERS | st.none() | st.integers(), max_size=4),
    "targets": st.dictionaries(st.sampled_from(["m", "n", "=1+1"]), OUTCOME, max_size=2),
    "extra": JSON,
    "count": st.integers() | st.floats(),
}
IDS = st.one_of(ANY_TEXT, st.integers(0, 5), st.sampled_from(['a,"b"\n', "=SUM(A1)", "🙂", "007"]))
LIKELY_RECORD = st.fixed_dictionaries({"id": IDS}, optional=LIKELY)
ANY_RECORD = st.dictionaries(
    st.sampled_from(["id", "generation_answers", "logprobs", "token_logprobs", *LIKELY]), JSON, max_size=6
)
FORMATS = ["jsonl", "gzip", "array", "csv", "parquet", "mmlu-pro"]


@settings(max_examples=max(75, settings().max_examples))
@given(st.sampled_from(MAGIC), st.binary(max_size=120))
def test_any_bytes(beginning: bytes, rest: bytes) -> None:
    check(beginning + rest)


@settings(max_examples=max(100, settings().max_examples))
@given(
    st.sampled_from(FORMATS),
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from(["flip", "drop", "insert", "cut"]), st.binary(max_size=3)),
        max_size=3,
    ),
)
def test_damaged_files(originals: dict[str, bytes], kind: str, damages: list[tuple[float, str, bytes]]) -> None:
    content = bytearray(originals[kind])
    for where, damage, piece in damages:
        place = int((1 - where) * (len(content) - 1))
        if damage == "flip":
            content[place : place + len(piece)] = piece[: len(content) - place]
        elif damage == "drop":
            del content[place : place + len(piece)]
        elif damage == "insert":
            content[place:place] = piece
        elif len(content) > 9:
            del content[max(place, 8) :]
    check(bytes(content))


@given(
    st.lists(LIKELY_RECORD, min_size=1, max_size=4, unique_by=lambda record: str(record["id"])),
    st.lists(ANY_RECORD, max_size=1) | st.just([]),
    st.booleans(),
)
def test_records(likely: list[dict[str, Any]], strange: list[dict[str, Any]], as_array: bool) -> None:
    records = likely + strange
    text = json.dumps(records) if as_array else "\n".join(map(json.dumps, records))
    check(text.encode())


@given(st.lists(LIKELY_RECORD, min_size=1, max_size=4, unique_by=lambda record: str(record["id"])))
def test_records_given_in_python(records: list[dict[str, Any]]) -> None:
    try:
        pool = Pool.from_records(records)
    except NeymanError:
        return
    check_pool(pool)


@given(
    st.lists(st.sampled_from(list(MMLU[0])), max_size=3),
    st.lists(JSON | st.sampled_from(["A", "B", 1, None]), min_size=3, max_size=3),
    st.integers(1, 3),
)
def test_mmlu_pro_records(keys: list[str], values: list[Any], size: int) -> None:
    records: list[dict[str, Any]] = [dict(record) for record in MMLU[:size]]
    for number, (key, value) in enumerate(zip(keys, values, strict=False)):
        records[number % size][key] = value
    content = zipped(json.dumps(records).encode())
    check(content)
    try:
        results = read_results({"a.zip": content, "b.zip": zipped(json.dumps(MMLU).encode())})
        split = results.default_split()
        check_pool(results.pool(split.committee, split.targets))
    except NeymanError as error:
        assert str(error)


CSV_COLUMNS = [
    "prompt",
    "generation_1",
    "generation_2",
    "m:loss",
    "m:answer",
    "choices",
    "choice_A",
    "logprob_1",
    "x",
    "",
]
CELLS = ANY_TEXT | LETTERS | st.sampled_from(["0.5", "-1", "nan", '["a"]', "[1", ""])


@given(
    st.lists(st.sampled_from(CSV_COLUMNS), unique=True, max_size=6),
    st.lists(st.lists(CELLS, min_size=6, max_size=6), min_size=1, max_size=3),
    st.sampled_from(",;\t"),
    st.integers(0, 20),
)
def test_csv_cells(columns: list[str], rows: list[list[str]], mark: str, missing: int) -> None:
    table = [["id", *columns], *([f"q{number}", *row[: len(columns)]] for number, row in enumerate(rows))]
    quoted = [mark.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row) for row in table]
    text = "\n".join(quoted)
    check(text[: len(text) - missing if missing < 10 else None].encode("utf-8", "replace"))


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"id":' * 100_000, b'{"id": 1' + b"0" * 5_000 + b"}"])
def test_depth_and_length_of_hostile_json(content: bytes) -> None:
    with pytest.raises(NeymanError):
        read(content)
