"""Zips of any files, and workbooks of any sheets."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from core import labels
from core.commands import main
from core.errors import PoolError
from core.files.open import Source
from core.readers import FieldMap, Shape, read, read_mapped, read_or_shape, read_results
from core.readers.archive_files import FILE, Bundle
from tests import bombs
from tests.core.wording import Saying

FIXTURES = Path(__file__).parent / "fixtures"
LM_EVAL = (FIXTURES / "lm_eval_repeats10_two_filters.jsonl").read_bytes()


def zipped(files: dict[str, bytes | str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows))


def answers(model: str, *, n_items: int = 6) -> str:
    rows = [{"qid": n, "question": f"{n}?", "reply": f"{model} {n}", "passed": n % 2} for n in range(n_items)]
    return lines(rows)


def book(**sheets: list[list[Any]]) -> bytes:
    stream, workbook = io.BytesIO(), openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    workbook.save(stream)
    return stream.getvalue()


ROWS = [
    ["Nr", "Question", "Answer", "Correct answer", "ok?"],
    [1, "Why?", "x", "x", True],
    [2, "How?", 2.5, "y", False],
]


def test_any_workbook_reaches_the_mapper_with_its_fullest_sheet() -> None:
    content = book(Notes=[["by me"]], Answers=ROWS, Empty=[])
    shape = read_or_shape(content, "book")
    assert isinstance(shape, Shape)
    assert shape.guess.fields == {"id": "Nr", "prompt": "Question", "answer": "Correct answer"}
    assert shape.guess.targets == {"book": {"text": "Answer", "right": "ok?"}}
    pool = read_mapped(content, shape.guess, "book")
    assert pool.items.index.tolist() == ["1", "2"] and pool.targets["book"].texts == ["x", "2.5"]
    assert pool.losses("book").tolist() == [0, 1] and Saying("“Answers”", "without “Notes”") in pool.notes


def test_a_title_above_the_header_and_empty_rows_are_no_items() -> None:
    content = book(S=[["Results of May"], [], *ROWS, [], [None, None, None, None, None]])
    shape = Shape.of(content, "book")
    pool = read_mapped(content, shape.guess, "book")
    assert pool.items["prompt"].tolist() == ["Why?", "How?"]
    broken = book(S=[["Results of May"], [], *ROWS, [3, "Who?", "x", "x", "perhaps"]])
    with pytest.raises(PoolError, match=r"row 6, ok\?: “perhaps” is neither"):
        read_mapped(broken, shape.guess, "book")


def test_a_workbook_may_be_a_native_pool_or_a_leaderboard() -> None:
    pool = read(
        book(S=[["id", "prompt", "generation_1", "generation_2"], ["a", "Why?", "x", 2], ["b", "How?", "z", ""]])
    )
    assert pool.generations == [["x", "2"], ["z", ""]]
    board = read(book(S=[["item", "gpt-4", "claude"], ["a", 1, 0], ["b", 0, 1]]))
    assert board.losses("gpt-4").tolist() == [0, 1]
    with pytest.raises(PoolError, match="workbook is empty"):
        read(book(S=[]))


def test_a_zip_of_one_table_is_that_table_and_names_the_rest() -> None:
    content = zipped({"out/README.md": "# Hi", "out/run.jsonl": answers("a"), "out/plot.png": b"\x89PNG"})
    shape = read_or_shape(content, "run")
    assert isinstance(shape, Shape) and shape.guess == Shape.of(answers("a").encode(), "run").guess
    pool = read_mapped(content, shape.guess, "run")
    assert pool.n_items == 6 and pool.account is not None
    assert set(pool.account.skipped) == {"out/README.md", "out/plot.png"}


_SAID = [str(2 * n) if n % 20 < 13 else "1" for n in range(40)]


def _asked(name: str = "gold", **more: str) -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "question": f"What is {n} + {n}?", name: str(2 * n), **more} for n in range(40)]


def _answered(name: str = "output", key: str = "id", **more: str) -> list[dict[str, Any]]:
    return [{key: f"q{n}", name: said, **more} for n, said in enumerate(_SAID)]


# Files of a zip, choices that the file leaves to the user, and the accuracies of the targets.
_TWO_FILES: dict[str, tuple[dict[str, list[dict[str, Any]]], dict[str, str], list[float]]] = {
    "other fields": ({"questions": _asked(), "answers": _answered()}, {}, [0.65]),
    "the order of files": ({"answers": _asked(), "questions": _answered()}, {}, [0.65]),
    "most fields in common": (
        {
            "questions": _asked(topic="sums"),
            "answers": [
                {name: one for name, one in {**asked, **said}.items() if name != "gold"}
                for asked, said in zip(_asked(topic="sums"), _answered(), strict=True)
            ],
        },
        {},
        [0.65],
    ),
    "another name of the id": ({"questions": _asked(), "answers": _answered(key="question_id")}, {}, [0.65]),
    "one name for both": (
        {"questions": _asked("answer"), "answers": _answered("answer")},
        {"answer": "answer"},
        [0.65],
    ),
    "two models": (
        {"questions": _asked(), "answers": [*_answered(model="a"), *_answered(model="b")]},
        {},
        [0.65],
    ),
    "some answers": ({"questions": _asked(), "answers": _answered()[:30]}, {}, [23 / 30]),
    "other items": (
        {"questions": _asked(), "answers": [{**one, "id": f"x{one['id']}"} for one in _answered()]},
        {},
        [],
    ),
}


@pytest.mark.parametrize(("files", "chosen", "right"), _TWO_FILES.values(), ids=_TWO_FILES)
def test_questions_and_answers_in_two_files_are_joined_by_id(
    files: dict[str, list[dict[str, Any]]], chosen: dict[str, str], right: list[float]
) -> None:
    content = zipped({f"{name}.jsonl": lines(rows) for name, rows in files.items()})
    shape = read_or_shape(content, "mine")
    assert isinstance(shape, Shape)
    guess = shape.guess if not chosen else replace(shape.guess, fields={**shape.guess.fields, **chosen})
    if chosen:
        guess = replace(guess, targets={"m": {"text": "answers.answer"}})
    pool = read_mapped(content, guess, "mine")
    assert pool.n_items == 40 and pool.items.index.tolist() == [f"q{n}" for n in range(40)]
    losses = [pool.losses(name) for name in pool.targets]
    assert [1 - float(np.nanmean(one)) for one in losses] == pytest.approx(right)
    said = " ".join(pool.notes)
    assert ("says more of the same items" in said) == bool(right)
    assert pool.account is not None and (pool.account.skipped == ("answers.jsonl",)) == (not right)


def test_zips_within_zips_are_opened() -> None:
    content = zipped({"a/inner.zip": zipped({"b/c.zip": zipped({"run.csv": "qid,question\n1,Why?\n2,How?\n"})})})
    shape = read_or_shape(content)
    assert isinstance(shape, Shape) and shape.guess.fields == {"id": "qid", "prompt": "question"}
    (file,) = Bundle.of(Source.of(content)).files
    assert file.source.name == "a/inner.zip/b/c.zip/run.csv"


def test_files_of_one_shape_are_one_table_and_name_their_rows() -> None:
    splits = {
        "d/dev.csv": "qid,question\n1,Why?\n",
        "d/test.csv": "qid,question\n2,How?\n3,Who?\n",
        "d/meta.csv": "a,b\n1,2\n",
    }
    pool = read_mapped(zipped(splits), FieldMap({"id": "qid", "prompt": "question", "group": FILE}))
    assert pool.items["group"].tolist() == ["dev", "test", "test"]
    assert pool.account is not None and pool.account.skipped == ("d/meta.csv",)


def test_a_file_for_each_item_is_a_row_each() -> None:
    items = {f"i/{n}.json": json.dumps({"question": f"{n}?", "gold": "x", "steps": [{"t": 1}] * 3}) for n in range(12)}
    shape = read_or_shape(zipped(items), "m")
    assert isinstance(shape, Shape)
    assert shape.guess.fields == {"id": FILE, "prompt": "question", "answer": "gold"}
    pool = read_mapped(zipped(items), shape.guess, "m")
    assert pool.items.index.tolist() == [str(n) for n in range(12)]


def test_a_file_for_each_model_names_the_models() -> None:
    content = zipped({"runs/gpt.jsonl": answers("gpt"), "runs/claude.jsonl": answers("claude")})
    shape = read_or_shape(content, "runs")
    assert isinstance(shape, Shape) and shape.guess.model == FILE
    pool = read_mapped(content, shape.guess, "runs")
    assert pool.n_items == 6 and {*pool.targets} <= {"gpt", "claude"}


def test_the_folder_of_a_tool_is_read_as_the_tool_wrote_it() -> None:
    samples, folder = "samples_toy_2026-01-31T10-00-00.000.jsonl", "out/org__m"
    content = zipped(
        {
            f"{folder}/{samples}": LM_EVAL,
            f"{folder}/results_2026.json": '{"results": {"toy": {"acc": 1}}}',
            "out/log.txt": "",
        }
    )
    pool, alone = read(content, "run"), read(LM_EVAL, samples)
    assert pool.name == "run" and pool.generations == alone.generations
    assert pool.origin == alone.origin and pool.account is not None
    assert set(pool.account.skipped) == {f"{folder}/results_2026.json", "out/log.txt"}
    # Predictions and their reviews complete each other, as they do when they are chosen together.
    names = {"evalscope_predictions.jsonl": "predictions/m/toy.jsonl", "evalscope_reviews.jsonl": "reviews/m/toy.jsonl"}
    files = {path: (FIXTURES / "tools" / name).read_bytes() for name, path in names.items()}
    results = read_results(files)
    assert read(zipped(files)).digest == results.usual_pool().digest


def test_a_native_pool_in_a_zip_stays_whole_and_logs_stand_beside_other_files() -> None:
    native = lines([{"id": n, "generations": ["a", "b"], "logprobs": [-1, -2]} for n in (1, 2)]).encode()
    pool = read(zipped({"p/pool.jsonl": native, "p/x.txt": ""}), "p")
    assert pool.digest == read(native).digest and pool.logprobs is not None
    board = b"id,gpt,claude\n1,1,0\n2,1,1\n"
    results = read_results(
        {"a.zip": zipped({"pool.jsonl": native, "deep/board.csv": board}), "b.csv": b"id,x,y\n1,0,0\n2,1,1\n"}
    )
    assert {"gpt", "claude", "x", "y"} <= {*results.models}


def test_totals_in_a_zip_are_skipped_and_alone_refused() -> None:
    totals = json.dumps({"accuracy": 0.9, "total_count": 40, "avg": 0.5} | {f"acc_{n}": 0.1 for n in range(400)})
    pool = read_mapped(zipped({"run.jsonl": answers("a"), "t.json": totals}), FieldMap({"id": "qid"}))
    assert pool.n_items == 6 and pool.account is not None and pool.account.skipped == ("t.json",)
    with pytest.raises(PoolError, match="a list of metrics: it has totals"):
        read_or_shape(zipped({"t.json": totals}))


def test_files_of_an_item_each_that_have_numbers_alone_are_no_totals() -> None:
    files = {
        f"{n}/result.json": json.dumps({"case": f"c{n}", "passes": n % 2, "seconds": 2.5 * n}) for n in range(1, 6)
    }
    pool = read_mapped(zipped(files), FieldMap({"id": "case"}, {"m": {"right": "passes"}}))
    assert pool.n_items == 5 and pool.losses("m").tolist() == [0, 1, 0, 1, 0]
    assert pool.account is not None and pool.account.skipped == ()


def test_a_log_in_a_zip_with_faults_is_told_with_its_name() -> None:
    broken = LM_EVAL.splitlines()[0] + b"\nnot json\n"
    with pytest.raises(PoolError, match=r"b\.jsonl, row 2: this is not JSON"):
        read(zipped({"a.jsonl": LM_EVAL, "b.jsonl": broken}))


def test_the_command_maps_zips_and_workbooks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.zip"
    file.write_bytes(zipped({"run.jsonl": answers("a"), "x.md": ""}))
    assert main(["pool", "map", str(file)]) == 0
    assert "Skipped: x.md." in capsys.readouterr().out
    file.write_bytes(zipped({"x.md": "", "y.yaml": "a: 1"}))
    assert main(["pool", "map", str(file)]) == 2
    assert capsys.readouterr().err == Saying("no file", "“x.md”, “y.yaml”")
    (tmp_path / "book.xlsx").write_bytes(book(S=ROWS))
    assert main(["pool", "map", str(tmp_path / "book.xlsx")]) == 0
    assert isinstance(read_or_shape(tmp_path / "book.xlsx"), Shape)


def test_merged_cells_show_what_they_are_merged_with(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["A title over all columns", None, None, None, None])
    for row in (["Topic", "Question", "Model", "Answer", "ok?"], ["law", "Why?", "a", "x", "yes"]):
        sheet.append(row)
    for row in ([None, None, "b", "y", "no"], [None, "How?", "a", "z", "no"], [None, None, "b", "z", "yes"]):
        sheet.append(row)
    for area in ("A1:E1", "A3:A6", "B3:B4", "B5:B6"):
        sheet.merge_cells(area)
    book.create_sheet("More").append(["Topic", "Question"])
    book.save(tmp_path / "m.xlsx")
    content = (tmp_path / "m.xlsx").read_bytes()
    pool = read_mapped(content, Shape.of(content, "m").guess, "m")
    assert pool.items["prompt"].tolist() == ["Why?", "How?"] and pool.items["group"].tolist() == ["law", "law"]
    assert pool.losses("a").tolist() == [0, 1] and pool.generations == [["y"], ["z"]]
    assert Saying("Merged cells", "“Topic” and “Question”") in pool.notes
    assert pool.account is not None and pool.account.lines[1] == "Skipped: sheet “More”."


@pytest.mark.parametrize("count", [1_000, pytest.param(1_000_000, marks=pytest.mark.trial)])
def test_shared_texts_that_no_cell_shows_are_no_items(count: int) -> None:
    """A million of them were 86 seconds, and two such files held all readers."""
    content = bombs.different_texts(count)
    assert [cells[0] for _, cells in Source.of(content).sheet.rows] == ["text 0"]
    assert labels.read(content).rows["item_id"].tolist() == ["text 0"]
