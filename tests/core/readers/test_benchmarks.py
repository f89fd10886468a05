"""Benchmarks as their authors publish them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.commands import main
from core.errors import PoolError
from core.files.open import Source
from core.readers import Shape, read, read_or_shape, read_results
from core.readers.benchmarks import BENCHMARKS, BenchmarkChoices, read_benchmark, subject
from core.readers.paths import list_in

PRO, REDUX, GPQA, MMBENCH = BENCHMARKS
PIXEL = "iVBORw0KGgo" + "A" * 80
QUESTIONS = [
    {
        "question_id": 70 + number,
        "question": f"Why {number}?",
        "options": [f"o{place}" for place in range(8)] + ["N/A", "N/A"],
        "answer": "C",
        "answer_index": 2,
        "cot_content": "",
        "category": "law",
        "src": "ori_mmlu",
    }
    for number in range(3)
]
REDUX_ROWS = [
    {"answer": 0, "error_type": "ok"},
    {"answer": 1, "error_type": "wrong_groundtruth", "correct_answer": "D"},
    {"answer": 1, "error_type": "wrong_groundtruth"},
    {"answer": 2, "error_type": "no_correct_answer", "correct_answer": "6"},
    {"answer": 3, "error_type": "expert"},
]
GPQA_ROWS = [
    {
        "Record ID": f"rec{number}",
        "Question": f"Which {number}?\n",
        "Correct Answer": "right\n",
        "Incorrect Answer 1": "one",
        "Incorrect Answer 2": "two",
        "Incorrect Answer 3": "three",
        "Subdomain": "Optics",
        "High-level domain": "Physics",
        "Explanation": "Long, long.",
    }
    for number in range(30)
]


def table(rows: Sequence[dict[str, Any]], delimiter: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def columns(rows: Sequence[dict[str, Any]]) -> pa.Table:
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(columns(rows), sink)
    return sink.getvalue()


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def redux(rows: Sequence[dict[str, Any]] = REDUX_ROWS) -> list[dict[str, Any]]:
    options = ["w", "x", "y", "z"]
    return [{"question": f"What {place}?", "choices": options, **row} for place, row in enumerate(rows)]


def circular(number: int, options: Sequence[str], answer: int) -> list[dict[str, Any]]:
    """A question of MMBench with every rotation of its options; copies name the row that has the image."""
    rows = []
    for turn in range(len(options)):
        turned = [*options[turn:], *options[:turn]]
        row: dict[str, Any] = {"index": number + 1_000_000 * turn, "question": f"What {number}?", "hint": ""}
        row |= {letter: option for letter, option in zip("ABCD", turned, strict=False)}
        row |= {"answer": "ABCD"[turned.index(options[answer])], "category": "ocr", "l2-category": "fine"}
        rows.append({**row, "image": PIXEL if turn == 0 else str(number), "split": "dev"})
    return rows


def mmbench() -> list[dict[str, Any]]:
    rows = [circular(3, ["cat", "dog", "cow", "hen"], 1), circular(5, ["red", "blue"], 0)]
    return [row for question in rows for row in question]


@pytest.mark.parametrize(
    "content",
    [
        parquet(QUESTIONS),
        json.dumps(QUESTIONS).encode(),
        table([{**q, "options": json.dumps(q["options"])} for q in QUESTIONS]),
    ],
    ids=["Parquet", "JSON", "CSV"],
)
def test_mmlu_pro_is_recognised_in_every_format(content: bytes) -> None:
    pool = read(content)
    assert (pool.name, pool.n_items, pool.n_generations) == ("MMLU-Pro", 3, 0)
    assert pool.origin is not None and pool.origin.fields["group"] == "category"
    item = pool.items.loc["70"]
    assert (item["answer"], item["answer_kind"], item["group"], len(item["choices"])) == ("C", "mmlu-pro", "law", 8)


@pytest.mark.parametrize(
    ("errors", "answers"),
    [("correct", {"0": "A", "1": "D"}), ("drop", {"0": "A"}), ("keep", dict(zip("01234", "ABBCD", strict=True)))],
)
def test_errors_of_mmlu_redux_are_a_choice(errors: Any, answers: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "mmlu_anatomy.csv"
    path.write_bytes(table([{**row, "choices": str(row["choices"])} for row in redux()]))
    pool = read_benchmark(REDUX, [path], BenchmarkChoices(errors=errors))
    assert dict(pool.items["answer"]) == {f"anatomy-{place}": answer for place, answer in answers.items()}
    assert set(pool.items["group"]) == {"anatomy"} and set(pool.items["answer_kind"]) == {"mmlu-redux"}
    assert any(f"--errors {errors}" in note and f"anatomy: {len(answers)} of 5" in note for note in pool.notes)


@pytest.mark.parametrize(
    ("correct", "answer"),
    [("B", "B"), ("b", None), ("y", "C"), ("3", "D"), ("4", None), ("B,C", None), ("none of them", None), ("", None)],
)
def test_a_corrected_answer_is_a_letter_a_text_or_a_place(correct: str, answer: str | None) -> None:
    wrong = {"answer": 0, "error_type": " Wrong  Groundtruth", "correct_answer": correct}
    rows = redux([{"answer": 0, "error_type": "OK "}, wrong])
    assert read(parquet(rows)).items["answer"].tolist() == ["A", *([answer] if answer else [])]


def test_a_place_that_is_also_another_option_is_not_guessed() -> None:
    row = {"question": "?", "answer": 0, "error_type": "wrong_groundtruth", "correct_answer": "3"}
    rows = [{**row, "choices": ["3", "5"], "answer": 1, "error_type": "ok"}, {**row, "choices": ["3", "5", "8", "4"]}]
    assert read(parquet(rows)).n_items == 1


def test_subjects_are_files_of_one_benchmark(tmp_path: Path) -> None:
    contents = {
        name: table([{**row, "choices": str(row["choices"])} for row in redux()], ";") for name in ("law", "art")
    }
    uploaded = read_results({f"mmlu_{name}.csv": content for name, content in contents.items()})
    assert (uploaded.models, uploaded.items) == (("MMLU-Redux",), (4,))
    split = uploaded.default_split()
    assert uploaded.pool(split.committee, split.targets).items.index.tolist() == ["law-0", "law-1", "art-0", "art-1"]
    folder = tmp_path / "virology"
    folder.mkdir()
    saved, whole = folder / "data-00000-of-00001.arrow", columns(redux())
    with pa.OSFile(str(saved), "wb") as file, pa.ipc.new_stream(file, whole.schema) as out:
        out.write_table(whole)
    assert read_benchmark(REDUX, [saved]).items.index.tolist() == ["virology-0", "virology-1"]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("mmlu_anatomy.csv", "anatomy"),
        ("law/test.csv", "law"),
        ("law/test/0000.parquet", "law"),
        ("law/data-00000-of-00001.arrow", "law"),
    ],
)
def test_the_subject_is_in_the_name(path: str, named: str, tmp_path: Path) -> None:
    assert subject(Source.of(written(tmp_path / path))) == named
    # What the app reads has the name of the upload, and a path of its own.
    assert subject(Source.of(written(tmp_path / "law" / "upload"), "test")) == "test"


def test_a_part_of_a_benchmark_is_called_as_its_file() -> None:
    assert read(table(GPQA_ROWS), "gpqa_diamond.csv").name == "gpqa_diamond"
    assert read(parquet(QUESTIONS), "test-00000-of-00001.parquet").name == "MMLU-Pro"
    assert read(parquet(redux()), "anatomy.parquet").name == "MMLU-Redux"


def test_options_of_gpqa_are_shuffled_by_seed_and_item() -> None:
    pool = read(table(GPQA_ROWS))
    assert set(pool.items["answer"]) == set("ABCD")
    for item in pool.items.itertuples():
        names = ["right", "one", "two", "three"]
        assert [names[int(place)] for place in str(item.options_order)] == list(item.choices)
        assert item.choices["ABCD".index(str(item.answer))] == "right"
    backwards = read_benchmark(GPQA, [Source("gpqa", None, table(GPQA_ROWS[::-1]))])
    assert backwards.items.sort_index().equals(pool.items.sort_index())
    other = read_benchmark(GPQA, [Source("gpqa", None, table(GPQA_ROWS))], BenchmarkChoices(seed=1))
    assert (other.items["options_order"] != pool.items["options_order"]).mean() > 0.8
    assert pool.items.loc["rec0", ["prompt", "group", "domain", "answer_kind"]].tolist() == [
        "Which 0?",
        "Optics",
        "Physics",
        "gpqa",
    ]


def test_a_question_of_mmbench_with_its_copies_is_one_item() -> None:
    pool = read(table(mmbench(), "\t"))
    assert pool.items.index.tolist() == ["3", "5"] and pool.items["answer"].tolist() == ["B", "A"]
    assert pool.items.loc["3", "rotations"] == "3:ABCD 1000003:BCDA 2000003:CDAB 3000003:DABC"
    assert [list(image) for image in pool.items["image"]] == [[PIXEL]] * 2
    assert any("6 rows" in note and "4 circular copies" in note for note in pool.notes)
    rows = read_benchmark(MMBENCH, [Source("x", None, table(mmbench(), "\t"))], BenchmarkChoices(circular="rows"))
    assert rows.n_items == 6 and [list(image) for image in rows.items["image"]] == [[PIXEL]] * 6
    plain = read(table([row for row in mmbench() if row["index"] < 1_000_000], "\t"))
    assert "rotations" not in plain.items and plain.items.index.tolist() == ["3", "5"]


def test_rotations_must_have_the_same_options() -> None:
    rows = mmbench()
    rows[1]["A"] = "fox"
    with pytest.raises(PoolError, match=r"row 3.*in another order"):
        read(table(rows, "\t"))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (parquet([{**QUESTIONS[0], "answer": "K"}]), "not one of their letters"),
        (parquet([{**redux()[0], "error_type": None}]), "error type is missing"),
        (table([{**GPQA_ROWS[0], "Incorrect Answer 2": ""}]), "four answers is missing"),
        (table([{**mmbench()[0], "index": "x"}], "\t"), "not a whole number"),
        (table([{**mmbench()[0], "B": ""}], "\t"), "without a gap"),
        (table([{**mmbench()[0], "answer": "E"}], "\t"), "not one of the options"),
    ],
)
def test_rows_that_are_not_as_published_are_named(broken: bytes, message: str) -> None:
    with pytest.raises(PoolError, match=message) as caught:
        read(broken)
    assert caught.value.problems[0].row in (1, 2)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("['a', \"it's\"]", ["a", "it's"]),
        ('["a" , "b"]', ["a", "b"]),
        ("['a' 'b']", "['a' 'b']"),
        ("[f(1)]", "[f(1)]"),
        ("[1", "[1"),
        ("plain", "plain"),
    ],
)
def test_lists_in_cells_are_read_as_json_or_python(cell: str, value: object) -> None:
    assert list_in(cell) == value


def test_the_command_writes_the_pool_and_names_a_foreign_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "MMBench_DEV_EN.tsv", tmp_path / "pool.parquet"
    file.write_bytes(table(mmbench(), "\t"))
    assert main(["pool", "benchmark", "mmbench", str(file), "--circular", "rows", "--out", str(out)]) == 0
    assert read(out).n_items == 6 and "--circular rows" in capsys.readouterr().out
    assert main(["pool", "benchmark", "gpqa", str(file)]) == 2
    assert "it lacks Correct Answer" in capsys.readouterr().err


def predictions(letters: dict[int, str], **other: Any) -> dict[str, Any]:
    """Results of a model on rows of MMBench, as a pool."""
    truth = {row["index"]: row["answer"] for row in mmbench()}
    rows = [
        {"id": str(index), "answer": truth.get(index, "A"), "targets": {"big": {"text": f"The answer is {letter}"}}}
        for index, letter in letters.items()
    ]
    return {"rows.jsonl": "\n".join(json.dumps({**row, "answer_kind": "mmbench", **other}) for row in rows).encode()}


RIGHT = {3: "B", 1000003: "A", 2000003: "D", 3000003: "C", 5: "A", 1000005: "B"}


@pytest.mark.parametrize(
    ("letters", "losses"),
    [
        (RIGHT, [0.0, 0.0]),
        ({**RIGHT, 2000003: "A"}, [1.0, 0.0]),
        ({**RIGHT, 1000005: "neither"}, [0.0, 1.0]),
        ({index: letter for index, letter in RIGHT.items() if index != 1000003}, [None, 0.0]),
        ({3: "A", 1000005: "B", 5: "A"}, [1.0, 0.0]),
        ({**RIGHT, 1000009: "A"}, [0.0, 0.0]),
    ],
)
def test_a_model_is_right_where_it_is_right_in_every_rotation(
    letters: dict[int, str], losses: list[float | None]
) -> None:
    files = {"MMBench_DEV_EN.tsv": table(mmbench(), "\t"), **predictions(letters)}
    results = read_results(files)
    split = results.default_split()
    assert split.targets == ("big",) and not split.committee
    pool = results.pool([], ["big"])
    assert pool.items.index.tolist() == ["3", "5"]
    assert [None if loss != loss else loss for loss in pool.losses("big").tolist()] == losses
    answers = pool.targets["big"].answers
    lacking = losses[0] is None
    assert any("lacks 1 of 2" in note for note in results.notes) == lacking
    said = [note for note in pool.notes if note.startswith("big ")]
    assert said == (["big has an answer or a verdict on 1 of 2 items."] if lacking else [])
    assert answers is not None and (answers[0] == "B") == (losses[0] == 0)


def test_samples_of_every_rotation_are_compared_by_their_options() -> None:
    rows = [{"id": str(index), "generations": [letter, letter, "A"]} for index, letter in RIGHT.items()]
    samples = "\n".join(json.dumps({**row, "answer_kind": "mmbench"}) for row in rows).encode()
    results = read_results({"MMBench.tsv": table(mmbench(), "\t"), "small.jsonl": samples})
    pool = results.pool(["small"], [])
    # Always A is another option in each rotation.
    assert pool.answers() == [list("BBABBBBBCBBD"), list("AAAAAB")]


def test_results_by_question_are_taken_as_they_are() -> None:
    results = read_results({"MMBench.tsv": table(mmbench(), "\t"), **predictions({3: "B", 5: "B"})})
    assert results.pool([], ["big"]).losses("big").tolist() == [0.0, 1.0]


def test_predictions_of_vlmevalkit_are_joined_to_the_questions() -> None:
    rows = [{**row, "prediction": RIGHT[row["index"]] if row["index"] != 1000005 else "A"} for row in mmbench()]
    said = [{name: value for name, value in row.items() if name != "image"} for row in rows]
    files = {"MMBench_DEV_EN.tsv": table(mmbench(), "\t"), "big_MMBench_DEV_EN.tsv": table(said, "\t")}
    results = read_results(files)
    pool = results.pool([], [name for name in results.models if name != "MMBench_DEV_EN"])
    assert [pool.losses(name).tolist() for name in pool.targets] == [[0.0, 1.0]]


COLOURED = [{**row, "Correct Answer": f"blue {number}"} for number, row in enumerate(GPQA_ROWS)]


@pytest.mark.parametrize("rows", [QUESTIONS, COLOURED], ids=["MMLU-Pro", "GPQA"])
def test_a_benchmark_with_a_column_of_a_model_is_read_with_it(rows: Sequence[dict[str, Any]]) -> None:
    content = "\n".join(json.dumps({**row, "gpt-4o": "A", "llama-3-8b": "B"}) for row in rows).encode()
    shape = read_or_shape(content, "m.jsonl")
    assert isinstance(shape, Shape) and "answer" in shape.guess.fields
    assert set(shape.guess.targets) == {"gpt-4o", "llama-3-8b"}


@pytest.mark.parametrize("rows", [QUESTIONS, COLOURED], ids=["MMLU-Pro", "GPQA"])
@pytest.mark.parametrize("name", ["zorblax", "our best one"])
def test_a_column_that_no_benchmark_has_is_named(rows: Sequence[dict[str, Any]], name: str) -> None:
    content = "\n".join(json.dumps({**row, name: "A", "idx": 1}) for row in rows).encode()
    assert any(f"no such column: “{name}”. If a model answers there" in note for note in read(content).notes)
    assert not any("no such column" in note for note in read("\n".join(map(json.dumps, rows)).encode()).notes)
