"""Tables as people write them: marks, totals below the items, right answers with commas."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.readers import FieldMap, Shape, read, read_mapped
from core.readers.json_records import kind_of
from tests.core.readers.guessed import guess, lines, table
from tests.core.readers.test_bundle import zipped

RIGHT = [n % 3 > 0 for n in range(30)]
ROWS = [{"id": n, "question": f"What is {n}?", "output": f"It is {n}.", "correct": int(RIGHT[n])} for n in range(30)]
LOSSES = [1 - int(right) for right in RIGHT]


def losses(content: bytes, model: str = "m") -> list[float]:
    return read_mapped(content, guess(content), "m").losses(model).tolist()


def marked(name: str, mark: object) -> list[dict[str, Any]]:
    return [
        {"id": n, "question": f"What is {n}?", "output": f"It is {n}.", name: mark if RIGHT[n] else None}
        for n in range(30)
    ]


@pytest.mark.parametrize("write", [table, lines])
@pytest.mark.parametrize(
    ("name", "mark", "meaning"), [("correct", 1, "right"), ("correct", "yes", "right"), ("error", 1, "wrong")]
)
def test_marks_beside_empty_cells_leave_right_or_wrong_open(write: Any, name: str, mark: object, meaning: str) -> None:
    content = write(marked(name, mark))
    shape = Shape.of(content, "m")
    assert shape.guess.targets == {"m": {"text": "output"}}
    ((doubt, candidate),) = [(one, candidate) for one in shape.doubts for candidate in one.candidates]
    assert doubt.field == meaning and doubt.is_optional and (candidate.path, candidate.rows) == (name, sum(RIGHT))


def test_marks_are_no_doubt_if_the_outputs_are_missing_too_or_the_cell_says_that_it_is_open() -> None:
    open_cells = [{**row, "correct": row["correct"] or "n/a"} for row in marked("correct", 1)]
    silent = [{**row, "output": row["output"] if RIGHT[n] else None} for n, row in enumerate(marked("correct", 1))]
    for rows in (open_cells, silent):
        assert guess(lines(rows)).targets["m"]["right"] == "correct"


def test_marks_of_models_side_by_side_are_no_scores() -> None:
    rows = [
        {"id": n, "gpt-4 output": "a", "gpt-4 correct": 1 if n % 3 else "", "llama output": "b", "llama correct": 1}
        for n in range(30)
    ]
    assert guess(table(rows)).targets["llama"] == {"text": "llama output", "right": "llama correct"}
    shape = Shape.of(table([{**row, "llama correct": "" if row["id"] % 2 else 1} for row in rows]))
    assert shape.guess.targets == {"gpt-4": {"text": "gpt-4 output"}, "llama": {"text": "llama output"}}
    assert [one.path for doubt in shape.doubts for one in doubt.candidates] == ["gpt-4 correct", "llama correct"]


def test_a_leaderboard_of_marks_is_refused_and_one_of_known_gaps_read() -> None:
    def board(gap: str) -> bytes:
        return table([{"id": n, "gpt-4": 1 if n % 3 else gap, "claude-3": 1 if n % 2 else gap} for n in range(30)])

    with pytest.raises(PoolError, match="every score is 1, and 25 cells are empty"):
        read(board(""), "board.csv")
    assert set(read(board("n/a"), "board.csv").targets) == {"gpt-4", "claude-3"}


@pytest.mark.parametrize("empty", [1, 5])
def test_a_leaderboard_of_perfect_models_with_few_gaps_is_read(empty: int) -> None:
    rows = [{"id": n, "gpt-4": "" if n < empty else 1, "claude-3": 1} for n in range(30)]
    pool = read(table(rows), "board.csv")
    assert sum(pool.losses("gpt-4") == 0) == 30 - empty
    with pytest.raises(PoolError, match="cells are empty"):
        read(table([{**row, "gpt-4": "" if row["id"] < 6 else 1} for row in rows]), "board.csv")


def test_perfect_models_side_by_side_that_lack_an_output_are_scored() -> None:
    rows = [
        {
            "id": n,
            "gpt-4 output": "a" if n != 3 else "",
            "gpt-4 correct": 1 if n != 3 else "",
            "llama output": "b" if n != 7 else "",
            "llama correct": 1 if n != 7 else "",
        }
        for n in range(30)
    ]
    shape = Shape.of(table(rows))
    assert not shape.doubts and all("right" in paths for paths in shape.guess.targets.values())


@pytest.mark.parametrize(
    "total",
    [
        {"id": "Total", "correct": 20 / 30},
        {"id": "Summe:", "correct": 20},
        {"correct": 20 / 30},
        {"question": "Average score", "correct": "66.7%"},
        {"correct": 20},
        {"correct": 66.7},
        {"id": "Total", "correct": 1},
        {"id": "Correct answers:", "correct": 20},
        {"id": "All of them", "correct": 66.7},
        {"id": 30, "correct": 20},
        {"id": "n = 30", "correct": "67%"},
    ],
)
@pytest.mark.parametrize("write", [table, lines])
def test_totals_below_the_items_are_left_out(write: Any, total: dict[str, Any]) -> None:
    content = write([*ROWS, total])
    pool = read_mapped(content, guess(content), "m")
    assert pool.n_items == 30 and pool.losses("m").tolist() == LOSSES
    assert pool.account is not None and pool.account.lines[1].startswith("Left out: 1 row of totals at the end")


@pytest.mark.parametrize(
    "totals",
    [
        [{"id": "Total", "correct": 3}, {"id": "Accuracy", "correct": "75%"}],
        [{"id": "Right", "correct": 3}, {"id": "Share", "correct": 0.75}],
        [{"id": "Total", "correct": 3}, {"id": 4, "correct": 3}, {"correct": "75%"}],
    ],
)
@pytest.mark.parametrize("heading", [False, True])
def test_several_totals_below_a_few_items_are_left_out(totals: list[dict[str, Any]], heading: bool) -> None:
    rows = [{**ROWS[n], "id": n, "correct": int(n < 3)} for n in range(4)]
    headings = [{"id": "History"}, {"id": "Maths"}] if heading else [{}, {}]
    columns = {name: None for name in rows[0]}
    rows = [one for one in (headings[0], *rows[:2], headings[1], *rows[2:], *totals) if one]
    content = table([{**columns, **row} for row in rows])
    pool = read_mapped(content, guess(content), "m")
    known = [loss for loss in pool.losses("m").tolist() if loss == loss]
    assert known == [0, 0, 0, 1] and "rows of totals at the end" in str(pool.account)


def test_items_that_look_like_totals_are_items() -> None:
    words = [{**row, "id": name} for row, name in zip(ROWS, ["mean", "sum", "Total"], strict=False)]
    assert read_mapped(table(words), guess(table(words)), "m").n_items == 3
    between = [*ROWS[:9], {"id": "sum", "correct": 1}, *ROWS[10:]]
    assert read_mapped(table(between), guess(table(between)), "m").n_items == 30
    ending = [*ROWS[:-1], {"id": 29, "correct": 0}]
    assert read_mapped(table(ending), guess(table(ending)), "m").n_items == 30


@pytest.mark.parametrize("size", [2, 4, 6, 30])
def test_rows_under_the_name_of_their_group_are_items(size: int) -> None:
    rows = [{"subject": None if n else "Maths", "nr": n, "correct": n % 2} for n in range(size)]
    assert read_mapped(table(rows), FieldMap({"id": "nr"}, {"m": {"right": "correct"}})).n_items == size


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ([{"output": f"It is {n}.", "correct": n % 2} for n in range(30)], [{"correct": 0}, {"correct": 0}]),
        ([{"output": "a", "expected": "a", "correct": 1} for _ in range(12)], [{"correct": 0}]),
        ([{"output": "a", "expected": "a", "correct": 1} for _ in range(12)], [{"correct": 1}]),
        (
            [{"prompt": f"{n}?", "output": f"It is {n}.", "correct": n % 2} for n in range(12)],
            [{"output": 7, "correct": 0}],
        ),
        ([{"output": f"It is {n}.", "correct": n % 2} for n in range(12)], [{"correct": 0.75}]),
        (ROWS, [{"id": 30, "question": "Total", "correct": 0}]),
        (ROWS, [{"output": "Average", "correct": 0}]),
        ([{"output": "a"}, *[{"output": "b", "accuracy": n % 2} for n in range(9)]], [{"accuracy": 0}]),
        (ROWS, [{"id": "Total", "output": "It is 30.", "correct": 0}]),
        (ROWS, [{"id": "one more", "correct": 1}]),
        (ROWS, [{"id": 30, "correct": 0}, {"id": 31, "correct": 1}]),
    ],
    ids=[
        "verdicts",
        "wrong",
        "right",
        "output",
        "another number",
        "question",
        "said",
        "late",
        "called so",
        "named",
        "numbered",
    ],
)
@pytest.mark.parametrize("write", [table, lines])
def test_items_that_lack_a_text_are_no_totals(
    write: Any, rows: list[dict[str, Any]], last: list[dict[str, Any]]
) -> None:
    name = next(reversed(last[0]))
    pool = read_mapped(write([*rows, *last]), FieldMap({}, {"m": {"right": name}}), "m")
    assert pool.n_items == sum(name in row for row in [*rows, *last])


def test_a_header_that_comes_again_is_no_item() -> None:
    header, *rows = table(ROWS).splitlines(keepends=True)
    content = b"".join([header, *rows[:15], header, *rows[15:]])
    pool = read_mapped(content, guess(content), "m")
    assert pool.n_items == 30 and pool.losses("m").tolist() == LOSSES
    assert pool.account is not None and "repeat the header (row 17)" in pool.account.lines[1]


def test_a_file_that_is_twice_in_a_zip_is_one_model() -> None:
    other = table([{**row, "output": "no", "correct": 0} for row in ROWS])
    content = zipped({"a/big.csv": table(ROWS), "b/big.csv": table(ROWS), "small.csv": other})
    pool = read_mapped(content, guess(content), "m")
    assert pool.n_generations == 1 and list(pool.targets) == ["a/big"] and pool.losses("a/big").tolist() == LOSSES
    assert any("b/big.csv" in note for note in pool.notes)


def test_what_is_left_out_of_each_file_of_a_zip_is_accounted_for() -> None:
    def part(first: int) -> bytes:
        header, *rows = table([*ROWS[first : first + 10], {"id": "Total", "correct": 0.5}]).splitlines(keepends=True)
        return b"".join([header, *rows[:5], header, *rows[5:]])

    content = zipped({f"{first}.csv": part(first) for first in (0, 10, 20)})
    account = read_mapped(content, FieldMap({"id": "id", "prompt": "question"}), "m").account
    assert account is not None and (account.seen, account.items) == (36, 30)
    assert [(one.count, one.rows) for one in account.left_out] == [(3, (7, 20, 33)), (3, (13, 26, 39))]


def test_the_same_share_in_every_row_is_no_score_of_items() -> None:
    rows = [{**row, "correct": 0.65} for row in ROWS]
    assert guess(lines(rows)).targets == {"m": {"text": "output"}}
    rows[3]["correct"] = 0.5
    assert guess(lines(rows)).targets["m"]["right"] == "correct"


def test_log_probabilities_of_options_are_no_samples_and_metrics_no_models() -> None:
    rows = [
        {
            "question": f"{n}?",
            "gold": "a",
            "predictions": [-1.5, -2.0],
            "pred_answer": "a",
            "answer_exact_match": "yes it is",
        }
        for n in range(30)
    ]
    fields = guess(lines(rows))
    assert "generations" not in fields.fields and fields.targets == {"m": {"text": "pred_answer"}}


@pytest.mark.parametrize("name", ["generations", "predictions"])
def test_samples_that_are_negative_numbers_are_samples(name: str) -> None:
    content = lines([{"question": f"{n}?", "answer": "-1.5", name: [-1.5, -2.5, -0.5]} for n in range(12)])
    assert read_mapped(content, guess(content), "m").answers() == [["-1.5", "-2.5", "-0.5"]] * 12


def test_lists_that_may_be_log_probabilities_are_asked_for_if_nothing_else_is_an_output() -> None:
    shape = Shape.of(lines([{"question": f"{n}?", "gold": "a", "predictions": [-1.5, -2.5]} for n in range(12)]))
    assert "generations" not in shape.guess.fields and [one.field for one in shape.doubts] == ["generations"]


def test_records_under_numbers_stand_beside_other_facts() -> None:
    details = {"type": "GEN", **{str(n): {**row, "id": f"q{n}"} for n, row in enumerate(ROWS)}}
    assert losses(json.dumps({"accuracy": 66.7, "details": details}).encode()) == LOSSES


@pytest.mark.parametrize("blank", [{}, None, "timeout"])
@pytest.mark.parametrize("indent", [None, 1])
def test_records_under_numbers_that_hold_nothing_are_accounted_for(blank: object, indent: int | None) -> None:
    records = {str(n): blank if n == 3 else {**row, "id": f"q{n}"} for n, row in enumerate(ROWS)}
    content = json.dumps(records, indent=indent).encode()
    account = read_mapped(content, guess(content), "m").account
    assert account is not None and (account.seen, account.items) == (30, 29)
    assert [(one.reason, one.rows) for one in account.left_out] == [("records without fields", (4,))]


def test_two_verdicts_that_are_called_alike_are_in_doubt() -> None:
    rows = [
        {"id": n, "question": f"{n}?", "output": "x", "correct_before": n % 2, "correct_after": 1} for n in range(30)
    ]
    shape = Shape.of(lines(rows), "m")
    assert "right" not in shape.guess.targets["m"]
    assert [one.path for doubt in shape.doubts for one in doubt.candidates] == ["correct_before", "correct_after"]
    same = [{**row, "correct_after": row["correct_before"]} for row in rows]
    assert guess(lines(same)).targets["m"]["right"] == "correct_before"


def test_an_object_of_lists_is_a_table() -> None:
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    assert losses(json.dumps(columns).encode()) == LOSSES


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


WAYS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "object of lists": lambda rows: json.dumps(columns_of(rows)).encode(),
    "object of objects": lambda rows: json.dumps(
        {name: {str(n): value for n, value in enumerate(column)} for name, column in columns_of(rows).items()}
    ).encode(),
    "bars": lambda rows: table(rows, "|"),
    "bars in cells": lambda rows: table([{**row, "question": f"{row['question']} | now"} for row in rows], ","),
    "bars in a name": lambda rows: table([{**row, "one of a|b|c|d|e|f": "a"} for row in rows], ","),
}


@pytest.mark.parametrize("way", WAYS)
def test_tables_with_ids_are_read_as_they_stand(way: str) -> None:
    rows = [
        {"id": f"q{n}", "question": f"What is {n}?", "gold": f"{7 * n}", "output": f"{7 * n + n % 2}"}
        for n in range(20)
    ]
    pool = read(WAYS[way](rows), "m")
    assert list(pool.ids) == [f"q{n}" for n in range(20)] and pool.losses("m").tolist() == [0, 1] * 10


def test_a_table_of_markdown_is_refused() -> None:
    rows = ["| id | gold | output |", "|---|---|---|", *(f"| q{n} | {n} | {n} |" for n in range(20))]
    with pytest.raises(PoolError, match=r"no column “id”.*neyman pool map FILE"):
        read("\n".join(rows).encode())


@pytest.mark.parametrize(
    "answer",
    [
        "12,5",
        "0,125",
        "-0,125",
        "1.234,5",
        "3, 5",
        "7 8",
        "1 234",
        "12/05/2024",
        "1.5.2",
        r"\frac{\pi}{2}",
        r"So \boxed{x^2+1}.",
        "#### 1, 2",
    ],
)
def test_a_right_answer_with_several_numbers_is_no_number(answer: str) -> None:
    assert kind_of(answer, None) == "text"


@pytest.mark.parametrize(
    "answer",
    [
        "-5",
        "1,234.50",
        "1,00,000",
        "$ 3.50",
        "5 apples",
        "10 1/2",
        r"-\frac{3}{5}",
        r"2\frac12 = \boxed{2.5}",
        "1, 2\n#### 42",
    ],
)
def test_one_number_with_signs_and_a_word_is_a_number(answer: str) -> None:
    assert kind_of(answer, None) == "number"


# Pairs of a right answer and an output, and whether it is right.
SAYS = [
    [("0,5", "0,5", True), ("0,125", "0,125", True), ("0,125", "125", False)],
    [("12,5", "12,5", True), ("1,234", "1,234", True), ("1,234", "1234", True), ("1,234", "1.234", False)],
    [("3,4", "3,4", True), ("1,234", "1,234", True), ("2,500", "2,500", True), ("12,000", "12,000", True)],
    [("(3,4)", "(3,4)", True), ("(3,4)", "(3.4)", False)],
    [("1,2", "1,2", True), ("1,2", "1,20", False), ("A,B", "A,B", True), ("1,2", "1.2", False)],
    [
        ("2.5", "2,5", True),
        ("5", "2,5", False),
        ("1200", "1,200", True),
        ("3400", "$3,400", True),
        ("15000", "15,000", True),
    ],
]


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize("several", [False, True])
def test_no_comma_is_taken_for_a_decimal_point(says: list[tuple[str, str, bool]], several: bool) -> None:
    rows = [
        {"id": f"q{n}", "question": f"{chr(97 + n)}?", "expected": right, "output": output}
        | ({"model": "m"} if several else {})
        for n, (right, output, _) in enumerate(says)
    ]
    assert losses(table(rows, ";")) == [1 - int(is_right) for _, _, is_right in says]


ANSWERS = st.one_of(
    st.integers(-(10**7), 10**7).flatmap(lambda n: st.sampled_from([f"{n}", f"{n:,}", f"{n:,}".replace(",", ".")])),
    st.tuples(
        st.sampled_from(["0", "3", "12", "1.234", "1,234"]),
        st.sampled_from(",."),
        st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    )
    .map("".join)
    .flatmap(lambda number: st.sampled_from([number, f"{number} kg", f"${number}", f"-{number}"])),
    st.lists(st.integers(0, 20).map(str), min_size=2, max_size=3).flatmap(
        lambda some: st.sampled_from([",".join(some), ", ".join(some), f"({','.join(some)})", f"[{', '.join(some)}]"])
    ),
    st.sets(st.sampled_from("ABCD"), min_size=1).map(lambda some: ",".join(sorted(some))),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ANSWERS, min_size=1, max_size=8), st.booleans())
def test_an_output_that_is_its_right_answer_is_right(answers: list[str], several: bool) -> None:
    rows = [{"id": f"q{n}", "question": f"{n}?", "gold": one, "said": one, "by": "m"} for n, one in enumerate(answers)]
    fields = {"id": "id", "prompt": "question", "answer": "gold"}
    by_model = FieldMap({**fields, "generations": "said"}, model="by")
    mapping = by_model if several else FieldMap(fields, {"m": {"text": "said"}})
    assert not read_mapped(lines(rows), mapping).losses("m").any()


@pytest.mark.parametrize("said", ["Das sind {},5 Euro.", "{}.5"])
def test_right_or_wrong_stays_open_if_outputs_write_no_right_answer_with_its_comma(said: str) -> None:
    rows = [{"id": n, "question": f"{n}?", "expected": f"{n},5", "output": said.format(n)} for n in range(30)]
    assert losses(table(rows)) == pytest.approx([float("nan")] * 30, nan_ok=True)


def test_commas_that_group_digits_stay() -> None:
    rows = [
        {"id": n, "question": f"{n}?", "expected": 1000 + n, "output": f"It is {1000 + n if right else 7:,}, roughly."}
        for n, right in enumerate(RIGHT)
    ]
    assert losses(table(rows)) == LOSSES


def test_rows_that_come_again_in_a_file_without_ids_are_counted_as_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"question": f"What is {n}?", "right answer": str(n), "model-v1": str(n % 3)} for n in range(30)]
    # The same question with another answer is another item; so are rows without a question.
    content = table([*rows, *rows[:4], rows[5] | {"model-v1": "none"}])
    read = read_mapped(content, guess(content), "mine")
    assert read.account is not None
    assert (read.account.seen, read.account.items, read.account.repeated) == (35, 31, 4) == (35, read.n_items, 4)
    assert any("4 rows repeat earlier ones" in note and "row 32" in note for note in read.notes)
    kept = replace(guess(content), keeps_repeated=True)
    assert FieldMap.of_json(kept.as_json()) == kept.within(kept.paths()) == kept
    every = read_mapped(content, kept, "mine")
    assert every.n_items == 35 and not any("repeat" in note for note in every.notes)
    (tmp_path / "mine.csv").write_bytes(content)
    for option, size in (((), 31), (("--keep-repeated-rows",), 35)):
        assert main(["pool", "map", str(tmp_path / "mine.csv"), *option]) == 0
        assert f"{size} items" in capsys.readouterr().out
    bare = table([{"right answer": "A", "model-v1": "AB"[n % 2]} for n in range(30)])
    assert read_mapped(bare, guess(bare), "bare").n_items == 30


def items(row: str) -> list[str]:
    """Return the lines of twelve items."""
    return [row.format(n=n, a=n % 2, b=int(n % 3 == 0)) for n in range(12)]


def mapped(text: list[str], folder: Path) -> Pool:
    """Map a table of these lines, and read the pool."""
    file, out = folder / "table.csv", folder / "pool.jsonl"
    file.write_text("\n".join([*text, ""]), encoding="utf-8")
    assert main(["pool", "map", str(file), "--out", str(out)]) == 0
    return read(out)


TOTALS = [
    ("No,Question,GPT-4,Claude", "{n},Q{n}?,{a},{b}", ",Mean,0.5,0.3333"),
    ("ID,Question,GPT-4,Claude", "{n},Q{n}?,{a},{b}", ",Average,0.5,0.33"),
    ("item,gpt-4,llama", "q{n},{a},{b}", "All,0.5,0.3333"),
    ("item,gpt-4,llama", "q{n},{a},{b}", "Score,50%,33%"),
    ("id,gpt-4,llama", "q{n},{a},{b}", "Ergebnis,6,4"),
    ("Question,Response,Correct", "Q{n}?,long answer {n},{a}", "Ergebnis,,0.5"),
    ("Question,Response,Correct", "Q{n}?,long answer {n},{a}", "Resultat,,6"),
    ("Question,Response,Correct", "Q{n}?,long answer {n},{a}", "All,,0.55"),
]


@pytest.mark.parametrize(("header", "row", "totals"), TOTALS)
def test_totals_below_a_table_are_no_item(
    header: str, row: str, totals: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = mapped([header, *items(row), totals], tmp_path)
    assert pool.n_items == 12 and "Left out: 1 row of totals" in capsys.readouterr().out
    assert all(set(pool.losses(model)) == {0, 1} for model in pool.targets) and pool.targets


@pytest.mark.parametrize(
    ("header", "row", "last"),
    [
        ("item,gpt-4,llama", "q{n},{a},{b}", "All,1,0"),
        ("Question,Response,Correct", "Q{n}?,long answer {n},{a}", "All,,1"),
        ("No,Question,GPT-4,Claude", "{n},Q{n}?,{a},{b}", ",Which is all?,1,0"),
        ("No,Question,GPT-4,Claude", "{n},Q{n}?,{a},{b}", "12,All,1,0"),
    ],
)
def test_items_with_names_like_totals_stay_items(header: str, row: str, last: str, tmp_path: Path) -> None:
    assert mapped([header, *items(row), last], tmp_path).n_items == 13
