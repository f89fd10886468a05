"""Files of any other shape."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.pool.columns import COLUMNS, TARGET_FIELDS, TARGETS
from core.readers import read, read_or_shape, read_outputs, read_results
from core.readers.field_map import FieldMap
from core.readers.mapped import read_mapped
from core.readers.model_outputs import OF_RESULTS
from core.readers.model_results import joined
from core.readers.paths import at
from core.readers.shape import Shape
from core.signals.column_values import column_values
from tests.core.readers.exports import ANSWERS, EXPORTS, FORMS

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
    shape = Shape.of(content, "big.jsonl")
    assert shape.guess == FieldMap(
        {
            "id": "uuid",
            "prompt": "data.question",
            "answer": "expected",
            "group": "data.category",
            "generations": "runs[].text",
        },
        {"big": {"text": "response", "right": "is_correct"}},
        judges=("judge",),
    )
    assert [place.path for place in shape.places][:3] == ["uuid", "data.question", "data.category"]
    assert FieldMap.of_json(json.loads(json.dumps(shape.guess.as_json()))) == shape.guess
    pool = read_mapped(content, shape.guess, "big")
    assert pool.items.index.tolist() == ["u1", "u2", "u3"] and column_values(pool, "judge").tolist() == [0.5] * 3
    assert pool.items["prompt"].tolist()[0] == "What is 1?" and pool.answers() == [["1", "2"]] * 3
    assert pool.losses("big").tolist() == [0, 1, 1]
    assert pool.origin is not None and pool.origin.fields["big · right"] == "is_correct"
    preview = read_mapped(content, shape.guess, "big", most=2)
    assert preview.items.index.tolist() == ["u1", "u2"]


def test_tables_and_numbered_columns_are_read() -> None:
    content = b"key;question;output_1;output_2;passed\na;Why?;x;y;yes\nb;How?;x;;no\n"
    fields = Shape.of(content, "t").guess
    assert fields.fields == {"id": "key", "prompt": "question", "generations": ("output_1", "output_2")}
    pool = read_mapped(content, fields, "t")
    assert pool.answers() == [["x", "y"], ["x"]] and pool.losses("t").tolist() == [0, 1]


@pytest.mark.parametrize(("place", "tool"), list(enumerate(FORMS)), ids=FORMS)
def test_exports_of_other_tools_are_guessed(place: int, tool: str) -> None:
    content, expected = EXPORTS[place], FORMS[tool][1]
    shape = read_or_shape(content, "export")
    assert isinstance(shape, Shape)
    (target,) = shape.guess.targets.values() or ({},)
    known = {**shape.guess.fields, **target, "judge": ", ".join(shape.guess.judges)}
    assert {name: known.get(name) for name in expected} == expected
    pool = read_mapped(content, shape.guess)
    assert pool.n_items == 3
    if "right" in expected:
        assert pool.losses(next(iter(pool.targets))).tolist() == [0, 1, 1]
        # Runs may have a number each, or stand in one row.
        runs = "s[]." in str(expected["right"]) or tool in ("Phoenix, repetitions", "Phoenix, cells")
        assert (pool.notes[:1] == ("3 items × 2 runs. Where one answer is needed, the first run counts.",)) == runs
    if "generations" in expected and expected["generations"] != "responses":
        assert pool.answers() == [list(answers) for answers in ANSWERS]


SAMPLES = {
    "a list": [{"qid": "a", "question": "Why?", "samples": ["x", "y"]}],
    "a list as text": [{"qid": "a", "question": "Why?", "samples": '["x", "y"]'}],
    "a list as Python prints it": [{"qid": "a", "question": "Why?", "samples": "['x', 'y']"}],
    "an object as Python prints it": [{"qid": "a", "row": "{'question': 'Why?', 'samples': ['x', 'y'], 'cost': None}"}],
    "columns": [{"qid": "a", "question": "Why?", "output_1": "x", "output_2": "y"}],
    "rows": [{"qid": "a", "question": "Why?", "output": "x"}, {"qid": "a", "question": "Why?", "output": "y"}],
    "rows without an id": [{"question": "Why?", "output": "x"}, {"question": "Why?", "output": "y"}],
    "objects": [{"qid": "a", "question": "Why?", "runs": [{"text": "x"}, {"text": "y"}]}],
}


@pytest.mark.parametrize("form", SAMPLES)
def test_samples_of_every_form_are_those_of_an_item(form: str) -> None:
    rows = "\n".join(map(json.dumps, SAMPLES[form]))
    other = rows.replace("Why?", "Why?!").replace('"a"', '"b"')
    content = f"{rows}\n{other}".encode()
    pool = read_mapped(content, Shape.of(content).guess)
    assert pool.answers() == [["x", "y"]] * 2 and pool.items["prompt"].tolist() == ["Why?", "Why?!"]


def test_rows_of_one_item_have_one_prompt_and_the_mean_of_their_judge() -> None:
    rows = [{"q": "a", "p": "Why?", "o": "x", "j": j, "ok": ok} for j, ok in (("0.5", None), ("1", "correct"))]
    fields = FieldMap({"id": "q", "prompt": "p", "generations": "o"}, {"m": {"right": "ok"}}, judges=("j",))
    pool = read_mapped(json.dumps(rows).encode(), fields)
    assert column_values(pool, "j").tolist() == [0.75] and pool.losses("m").tolist() == [0]
    assert "2 rows, 1 item" in pool.notes[0]
    with pytest.raises(PoolError) as caught:
        read_mapped(json.dumps([*rows, {**rows[0], "p": "How?"}, {**rows[0], "j": "a lot", "ok": 7}]).encode(), fields)
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(3, "prompt"), (4, "ok"), (4, "j")]


def test_rows_that_score_an_item_again_are_named() -> None:
    fields = FieldMap({"id": "q", "generations": "out"}, {"m": {"loss": "score"}})

    def notes(scores: tuple[int, ...]) -> str:
        rows = [{"q": f"q{place // 2}", "out": "A", "score": score} for place, score in enumerate(scores)]
        return " ".join(read_mapped("\n".join(map(json.dumps, rows)).encode(), fields, "rows.jsonl").notes)

    assert "a score other" not in notes((1, 1, 0, 0))
    assert "1 row gives a target a score other" in notes((1, 1, 0, 1)) and "row 4" in notes((1, 1, 0, 1))


def test_rows_of_several_models_are_results_of_each() -> None:
    rows = [
        {"id": float(number), "question": f"{number}?", "model": model, "output": f"{model}{number}", "correct": right}
        for model, right in (("a", 1), ("b", 0))
        for number in (1, 2)
    ]
    guess = Shape.of(json.dumps(rows).encode(), "log").guess
    assert guess.model == "model" and FieldMap.of_json(guess.as_json()) == guess
    pool = read_mapped(json.dumps(rows).encode(), guess)
    assert pool.items.index.tolist() == ["1", "2"]
    assert pool.losses("a").tolist() == [0, 0] and pool.targets["a"].texts == ["a1", "a2"]
    assert pool.generations == [["b1"], ["b2"]] and any("Targets: a" in note for note in pool.notes)
    maps = {Shape.of(json.dumps(rows).encode(), "log").digest: guess}
    outputs = joined([read_outputs(json.dumps(rows).encode(), "log.json", maps)])
    assert outputs.models == ("a", "b") and outputs.accuracy == (1, 0)
    judged = [{**row, "judge": place / 4} for place, row in enumerate(rows)]
    some = FieldMap(guess.fields, guess.targets, judges=("judge",), model="model")
    assert column_values(read_mapped(json.dumps(judged).encode(), some), "judge").tolist() == [0.25, 0.5]
    with pytest.raises(PoolError) as caught:
        read_mapped(json.dumps([*rows, {**rows[0], "question": "?"}, {**rows[0], "model": None}]).encode(), guess)
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(5, "prompt"), (6, None)]


def test_scores_of_faults_are_no_right_answers_and_names_may_end_with_id() -> None:
    rows = [{"frage_id": f"f{n}", "question": f"{n}?", "output": "x", "scores": {"hallucination": n}} for n in (0, 1)]
    guess = Shape.of(json.dumps(rows).encode(), "log").guess
    assert guess.fields["id"] == "frage_id" and guess.targets == {"log": {"text": "output"}}
    assert guess.judges == ("scores.hallucination",)


def test_models_side_by_side_are_targets_and_a_map_fits_files_without_some_fields() -> None:
    content = (
        b"id,question,topic,gpt_output,gpt_correct,claude output,claude correct\na,Why?,x,p,1,q,0\nb,How?,y,p,0,q,0\n"
    )
    guess = Shape.of(content, "table").guess
    assert guess.targets == {
        "gpt": {"text": "gpt_output", "right": "gpt_correct"},
        "claude": {"text": "claude output", "right": "claude correct"},
    }
    assert read_mapped(content, guess).losses("gpt").tolist() == [0, 1]
    assert not Shape.of(b"id,question,model_note,right_side\na,Why?,x,1\nb,How?,y,2\n").guess.targets
    some = guess.within({"id", "question", "gpt_output", "claude output"})
    assert some.fields == {"id": "id", "prompt": "question"} and some.targets["gpt"] == {"text": "gpt_output"}


@pytest.mark.parametrize(
    ("numbers", "output", "answers"),
    [
        ([0, 1], "B", ["A", "B"]),
        ([2, 1], "B", ["B", "A"]),
        ([1, 1], "B", ["1", "1"]),
        ([0, 1], "1", ["0", "1"]),
        ([0, 7], "B", ["0", "7"]),
    ],
)
@pytest.mark.parametrize("model", ["", "who"])
def test_right_answers_that_number_the_options_become_letters(
    numbers: list[int], output: str, answers: list[str], model: str
) -> None:
    rows = [
        {"q": f"q{place}", "options": ["x", "y"], "gold": number, "out": output, "who": "m"}
        for place, number in enumerate(numbers)
    ]
    fields = FieldMap({"id": "q", "choices": "options", "answer": "gold"}, {"m": {"text": "out"}}, model=model)
    pool = read_mapped(json.dumps(rows).encode(), fields)
    assert pool.items["answer"].tolist() == answers
    assert pool.losses("m").tolist() == [float(output != answer) for answer in answers]


RESERVED = sorted({*COLUMNS, TARGETS, *TARGET_FIELDS, *OF_RESULTS})


@pytest.mark.parametrize("several", [pytest.param(False, marks=pytest.mark.trial), True], ids=["one model", "several"])
@pytest.mark.parametrize(
    "names", [RESERVED, *(pytest.param([name], id=name, marks=pytest.mark.trial) for name in RESERVED)]
)
def test_kept_columns_of_any_name_change_nothing_else_of_the_pool(names: list[str], several: bool) -> None:
    models = ["m1", "m2"] if several else ["m1"]
    rows = [
        {"qid": n, "gold": "4", "said": str(n), "who": model}
        | {column: value for name in names for column, value in ((name, n % 2), (f"{name} (of the file)", n))}
        for n in range(3, 6)
        for model in models
    ]
    content = "\n".join(map(json.dumps, rows)).encode()
    alone = FieldMap({"id": "qid", "answer": "gold"}, {"m1": {"text": "said"}}, model="who" if several else "")
    plain = read_mapped(content, alone, "m")
    paths = tuple(column for name in names for column in (name, f"{name} (of the file)"))
    for kept in (replace(alone, columns=paths), replace(alone, judges=paths)):
        pool = read_mapped(content, kept, "m")
        # A column of 0 and 1 beside outputs is named: it may be their grading.
        notes = tuple(note for note in pool.notes if "If that is the grading" not in note)
        assert pool.table.select(plain.table.column_names).equals(plain.table) and notes == plain.notes
        held = {column: pool.items[column].tolist() for column in map(kept.column, paths)}
        assert list(held.values()) == [[1, 0, 1], [3, 4, 5]] * len(names)
        assert set(pool.item_columns) - set(plain.item_columns) == held.keys()


def test_a_column_of_a_pool_that_is_called_as_one_of_results_is_no_task() -> None:
    rows = [{"id": f"i{n}", "prompt": f"{n}?", "task": n % 2, "targets": {"m": {"loss": 0}}} for n in range(4)]
    pool = joined([read_outputs("\n".join(map(json.dumps, rows)).encode(), "pool.jsonl")]).pool((), ("m",))
    assert pool.ids.tolist() == ["i0", "i1", "i2", "i3"] and pool.items["item_task"].tolist() == [0, 1, 0, 1]


def test_a_column_of_a_pool_may_be_called_as_one_of_results() -> None:
    rows = [{"id": f"q{n}", "generations": ["A", "B"], "model": "x", "loss": 2, "trace_id": "t"} for n in (1, 2)]
    pool = read_results({"small.jsonl": "\n".join(map(json.dumps, rows)).encode()}).pool(["small"], [])
    assert pool.generations == [["A", "B"], ["A", "B"]] and pool.items["item_model"].tolist() == ["x", "x"]


def test_a_file_of_more_columns_with_one_name_is_refused_and_a_line_of_the_delimiter_is_none() -> None:
    with pytest.raises(PoolError) as caught:
        Shape.of(b"id,question,output,output\na,Why?,x,y\n")
    assert [problem.field for problem in caught.value.problems] == ["output"]
    pool = read_mapped(b"sep=;\nnr;frage\n1;Was?\n", FieldMap({"prompt": "frage"}))
    assert pool.items["prompt"].tolist() == ["Was?"] and any("numbers of their rows" in note for note in pool.notes)


def test_the_shape_is_that_of_paths_and_kinds() -> None:
    def digest(*rows: dict[str, Any]) -> str:
        return Shape.of("\n".join(map(json.dumps, rows)).encode()).digest

    one = digest({"a": 1, "b": {"c": "x"}}, {"a": 2.5, "b": {"c": "y"}})
    assert digest({"b": {"c": "z"}, "a": 7}) == one
    assert digest({"a": "1", "b": {"c": "x"}}) != one != digest({"a": 1, "b": {"d": "x"}})


def test_a_kept_map_names_the_target_of_each_file_and_reads_it_beside_others() -> None:
    shape = Shape.of(CONTENTS["lines"], "big.jsonl")
    map = shape.guess.unnamed(shape.model)
    assert list(map.targets) == [""] and list(map.named("other").targets) == ["other"]
    assert list(shape.guess.unnamed("else").targets) == ["big"]
    outputs = read_outputs(CONTENTS["lines"], "other.jsonl", {shape.digest: map})
    results = joined([outputs])
    assert results.models == ("other (samples)", "other") and results.samples == (2, 1)
    with pytest.raises(PoolError, match=r"other\.jsonl: .*format"):
        read_outputs(CONTENTS["lines"], "other.jsonl")


def test_a_table_without_a_header_is_refused() -> None:
    with pytest.raises(PoolError):
        read_or_shape(b'\n\n"')


def test_a_file_with_ids_whose_look_fails_has_all_its_problems_named():
    with pytest.raises(PoolError) as caught:
        read_or_shape(b'{"id": "a", "prompt": "x"}\n{"id": "a", "prompt": "y"}\nnot json\n')
    assert [problem.row for problem in caught.value.problems] == [2, 3]


def test_a_file_is_a_pool_or_a_shape() -> None:
    native = json.dumps({"id": "a", "prompt": "Why?", "generations": ["x"]}).encode()
    assert isinstance(read_or_shape(native), Pool)
    assert isinstance(read_or_shape(b"id,prompt\na,Why?\n"), Pool)
    assert isinstance(read_or_shape(b"id,prompt,answer,answer_kind\na,How many?,1,number\n"), Pool)
    assert isinstance(read_or_shape(b"id,prompt,response\na,Why?,x\n"), Shape)
    assert isinstance(read_or_shape(CONTENTS["lines"]), Shape)
    with pytest.raises(PoolError, match="no rows"):
        read_or_shape(b"name,age\n")


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
        main(
            [
                "pool",
                "map",
                str(file),
                "--generations",
                "runs[].text",
                "--target",
                "big:right=is_correct",
                "--out",
                str(out),
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert "data.question" in printed and "3 items" in printed
    assert read(out).losses("big").tolist() == [0, 1, 1]
    assert main(["pool", "map", str(file), "--target", "big"]) == 2
    assert "MODEL:FIELD=PATH" in capsys.readouterr().err
    assert main(["pool", "map", str(out)]) == 0 and "Neyman pool" in capsys.readouterr().out
    assert main(["pool", "map", str(file), "--out", str(tmp_path / "none" / "pool.parquet")]) == 2
    assert main(["pool", "map", str(file), "--id", "x", "--group", "y"]) == 2
    printed = capsys.readouterr().err
    assert "“x”" in printed and "“y”" in printed
    log = tmp_path / "target.csv"
    log.write_text("id,one,two\nu1,1,0\nu2,1,1\n")
    joint = tmp_path / "joint.jsonl"
    roles = ["--surrogate", "pool", "--target", "one"]
    assert main(["pool", "join", str(out), str(log), *roles, "--out", str(joint)]) == 0
    assert read(joint).losses("one").tolist()[:2] == [0, 0]
