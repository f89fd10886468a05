"""CSV files."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import read
from tests.core.wording import Saying

HEADER = "id,prompt,answer,group,generation_1,generation_2,m:answer,m:loss,m:text,note\n"
ROWS = 'a,"Why, ""you""?\nSay",A,g,A,,B,0.5,It is B,x\nb,,,,B,C,,,,\n'


def problems_of(text: str) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(PoolError) as caught:
        read(text.encode())
    return [(problem.row, problem.field, problem.message) for problem in caught.value.problems]


def test_columns_go_where_json_lines_has_them() -> None:
    expected = Pool.from_records(
        [
            {
                "id": "a",
                "prompt": 'Why, "you"?\nSay',
                "answer": "A",
                "group": "g",
                "generations": ["A", ""],
                "targets": {"m": {"answer": "B", "loss": 0.5, "text": "It is B"}},
                "note": "x",
            },
            {"id": "b", "generations": ["B", "C"]},
        ]
    )
    pool = read((HEADER + ROWS).encode())
    assert pool.table.to_pylist() == expected.table.select(pool.table.column_names).to_pylist()
    assert pool.digest == expected.digest


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends_are_found(mark: str, end: str) -> None:
    awkward = ["a,b", "c;d", "e\tf", 'say "hi"', "two\nlines", "🙂", "=1+1", "+x", "-x", "@x", "007"]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator=end)
    writer.writerow(["id", "generation_1", "answer"])
    writer.writerows([name, name, "A"] for name in awkward)
    pool = read(text.getvalue().encode())
    assert pool.items.index.tolist() == awkward
    assert pool.generations == [[name] for name in awkward]


def test_decimal_commas_are_read_where_the_delimiter_is_a_semicolon() -> None:
    pool = read(b"id;m:loss;generation_1;logprob_1\na;0,5;A;-1,25\nb;;B;-2\n")
    np.testing.assert_array_equal(pool.losses("m"), [0.5, np.nan])
    np.testing.assert_array_equal(pool.logprobs, [[-1.25], [-2]])


def test_an_empty_generation_is_no_answer_and_other_empty_cells_are_unknown() -> None:
    pool = read(b"id,generation_1,generation_2,generation_answer_1,generation_answer_2,answer\na,x,,X,,\n")
    assert pool.generations == [["x", ""]]
    assert pool.answers() == [["X", None]]
    assert pool.answers("as-is") == [["x", None]]
    assert "answer" not in pool.items


def test_choices_are_a_json_list_or_lettered_columns() -> None:
    listed = read(b'id,choices\na,"[""x"", ""y""]"\n')
    lettered = read(b"id,choice_B,choice_A,choice_C\na,y,x,\n")
    assert listed.items.loc["a", "choices"] == lettered.items.loc["a", "choices"] == ["x", "y"]


def test_ten_generations_stand_in_the_order_of_their_numbers() -> None:
    numbers = [10, *range(1, 10)]
    header = ",".join(["id", *(f"generation_{number}" for number in numbers)])
    pool = read(f"{header}\na,{','.join(map(str, numbers))}\n".encode())
    assert pool.generations == [[str(number) for number in range(1, 11)]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,answer\na,A\n", [(None, None, Saying("“id”", "“name”, “answer”"))]),
        ("plain words\n", [(None, None, Saying("“id”", "“plain words”"))]),
        ("id,x,x\na,1,2\n", [(None, None, Saying("two columns", "“x”"))]),
        ("id,x\n", [(None, None, Saying("no item"))]),
        (
            "id,x\na\nb,1,2\nc,1\n",
            [(2, None, Saying("1 cell", "2")), (3, None, Saying("3 cell", "2"))],
        ),
        ("id,x\na,1\n\na,2\n", [(4, "id", Saying("“a”", "row 2"))]),
        ('id,x\n"a\nb",1\n"a\nb",2\n', [(3, "id", Saying("“a b”", "row 2"))]),
        ('id,x\na,"1\nb,2\n', [(2, None, Saying("quote is opened", "never closed"))]),
        (
            "id,m:loss\na,wrong\nb,nan\n",
            [(2, "targets.m.loss", Saying("“wrong”", "a number")), (3, "targets.m.loss", Saying("loss", "nan"))],
        ),
        (
            "id,generation_1,generation_3\na,x,y\n",
            [(None, "generation", Saying("generation_…", "1 to 2"))],
        ),
        ("id,targets,m:loss\na,,1\n", [(None, None, Saying("targets", "several"))]),
        ("id,choices,choice_A\na,,x\n", [(None, None, Saying("choices", "several"))]),
    ],
)
def test_what_is_wrong_is_told_with_the_row_of_the_spreadsheet(
    text: str, expected: list[tuple[int | None, str | None, Saying]]
) -> None:
    assert problems_of(text) == expected


def test_a_wrong_byte_is_told_with_its_row() -> None:
    with pytest.raises(PoolError, match=r"row 3: byte 15 .*UTF-8"):
        read("id,x\na,éé\nb,".encode() + b"\xff\n")
