"""Every record of a file is accounted for, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.archive import Archive
from core.commands import main
from core.errors import PoolError
from core.files.open import Source
from core.pool import FileAccount, Pool
from core.pool.account import LOST
from core.readers import FieldMap, Shape, read, read_mapped, read_results
from core.readers.model_outputs import content_digest
from tests.core.readers.toy import ITEMS, SAMPLES
from tests.core.wording import Saying

FIXTURES = Path(__file__).parent / "fixtures"
# A score file of BFCL names failures alone, and is refused without the results.
LOGS = sorted(path for path in FIXTURES.rglob("*") if path.is_file() and not path.name.endswith("_score.json"))
RUNS = len(ITEMS) * SAMPLES
# What the tools' own logs of the toy items hold: records, further samples, repeated records, and what they fill.
TOY = {
    "BFCL_v4_simple_python_result.json": (5, 0, 0, (0, 5, 0)),
    "alpaca_eval.json": (5, 0, 0, (0, 5, 3)),
    "deepeval.json": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "evalplus_eval_results.json": (RUNS, RUNS - len(ITEMS), 0, (0, RUNS, 5)),
    "evalscope_predictions.jsonl": (RUNS, RUNS - len(ITEMS), 0, (0, RUNS, 0)),
    "evalscope_reviews.jsonl": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "humaneval.jsonl_results.jsonl": (RUNS, RUNS - len(ITEMS), 0, (0, RUNS, 5)),
    "inspect_scores.json.gz": (5, 0, 0, (5, 4, 4)),
    "inspect.eval": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "inspect.json.gz": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "lighteval.parquet": (5, 0, 0, (5, RUNS, 5)),
    "lm_eval_toy_options.jsonl": (5, 0, 0, (5, 5, 5)),
    "lm_eval_toy_texts.jsonl": (10, 0, 5, (5, RUNS, 5)),
    "mt_bench_pair.jsonl": (10, 0, 0, (0, 10, 10)),
    "mt_bench_single.jsonl": (RUNS, 10, 0, (0, RUNS, 16)),
    "openai_evals.jsonl": (12, 0, 0, (5, 5, 5)),
    "opencompass.json": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 0)),
    "promptfoo.csv.gz": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "promptfoo.json.gz": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "promptfoo.jsonl.gz": (RUNS, RUNS - len(ITEMS), 0, (5, RUNS, 5)),
    "ragas.csv": (RUNS, RUNS - len(ITEMS), 0, (0, RUNS, 5)),
}


def account_of(pool: Pool) -> FileAccount:
    """The account of a pool, without a record of which nobody knows what became of it."""
    account = pool.account
    assert account is not None and LOST not in [one.reason for one in account.left_out]
    assert account.items == pool.n_items
    return account


def counted(account: FileAccount) -> tuple[int, int, int]:
    """How many right answers, outputs and scores the file filled."""
    numbers = {what: 0 for what in ("right answer", "output", "score")}
    for one in account.filled:
        if one.what:
            numbers[one.what] += one.count
    return (*numbers.values(),)  # type: ignore[return-value]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_every_fixture_is_accounted_for(path: Path) -> None:
    account_of(read(path))


@pytest.mark.parametrize("name", TOY)
def test_logs_of_the_tools_hold_what_was_run(name: str) -> None:
    account = account_of(read(FIXTURES / "tools" / name))
    seen, further, repeated, filled = TOY[name]
    assert (account.seen, account.further, account.repeated, account.n_left_out) == (seen, further, repeated, 0)
    assert counted(account) == filled


def test_a_mapped_file_says_which_path_filled_what() -> None:
    rows = [{"question": "Why?", "gold": "A", "out": "A", "ok": True}, {"question": "How?", "out": "B", "ok": False}]
    fields = FieldMap({"prompt": "question", "answer": "gold"}, {"m": {"text": "out", "right": "ok"}})
    account = account_of(read_mapped(json.dumps(rows).encode(), fields, "m"))
    assert account.lines[-1] == Saying("1 right answer (gold)", "2 outputs (out)", "2 scores (ok)")


def test_rows_of_a_mapped_item_are_further_samples() -> None:
    rows = [{"task": f"q{number // 3}", "out": f"text {number}"} for number in range(12)]
    fields = FieldMap({"id": "task", "generations": "out"})
    account = account_of(read_mapped(json.dumps(rows).encode(), fields, "m"))
    assert (account.seen, account.items, account.further) == (12, 4, 8)


def test_rows_of_several_models_are_further_samples() -> None:
    rows = [{"task": f"q{number // 2}", "who": f"m{number % 2}", "out": f"text {number}"} for number in range(8)]
    fields = FieldMap({"id": "task"}, {"": {"text": "out"}}, model="who")
    account = account_of(read_mapped(json.dumps(rows).encode(), fields, "m"))
    assert (account.seen, account.items, account.further) == (8, 4, 4)


PIECES = [
    {"id": "a", "question": "Why?", "output": "x"},
    {"id": "b", "question": "How?", "output": "y"},
    {"id": "a", "correct": True},
    {"id": "b", "correct": False},
]


@pytest.mark.parametrize("models", [[], ["g"], ["g", "h"]])
def test_rows_that_complete_another_row_are_no_samples(models: list[str]) -> None:
    rows = [row | {"model": model} for row in PIECES for model in models] or PIECES
    content = json.dumps(rows).encode()
    shape = Shape.of(content, "m")
    assert shape.guess.fields["id"] == "id" and "generations" not in shape.guess.fields
    pool = read_mapped(content, shape.guess, "m")
    account = account_of(pool)
    several = max(len(models), 1)
    assert (account.items, account.further, account.completing) == (2, 2 * (several - 1), 2 * several)
    assert counted(account) == (0, 2 * several, 2 * several)
    assert all(pool.losses(target).tolist() == [0, 1] for target in pool.targets)


def test_rows_of_an_id_that_contradict_each_other_are_two_items() -> None:
    rows = [{"id": "a", "out": "x"}, {"id": "a", "out": "y"}, {"id": "b", "out": "x"}, {"id": "b", "out": "x"}]
    fields = FieldMap({"id": "id"}, {"m": {"text": "out"}})
    with pytest.raises(PoolError, match="row 2, id: the id “a” is already used in row 1") as caught:
        read_mapped(json.dumps(rows).encode(), fields, "m")
    assert caught.value.total == 1
    account = account_of(read_mapped(json.dumps(rows[2:]).encode(), fields, "m"))
    assert (account.items, account.repeated) == (1, 1)


def test_messages_of_a_chat_complete_it() -> None:
    chats = [("c1", "user"), ("c1", "assistant"), ("c2", "user"), ("c2", "assistant")]
    rows = [{"conversation_id": chat, "role": role, "content": f"{chat}?"} for chat, role in chats]
    content = json.dumps(rows).encode()
    account = account_of(read_mapped(content, Shape.of(content, "m").guess, "m"))
    assert (account.items, account.further, account.completing) == (2, 0, 2)


def test_a_list_of_questions_completes_the_outputs() -> None:
    path = FIXTURES / "tools" / "humaneval.jsonl_results.jsonl"
    ids = list(read(path).items.index)
    questions = "\n".join(json.dumps({"id": one, "prompt": f"Write {one}."}) for one in [*ids, "more"])
    account = read_results({"a.jsonl": path, "b.jsonl": questions.encode()}).account
    assert account is not None and (account.items, account.completing) == (len(ids) + 1, len(ids))


def test_outputs_that_two_files_say_are_counted_once() -> None:
    kinds, logs = ("predictions", "reviews"), FIXTURES / "tools"
    files = {f"{kind}/toy/x.jsonl": logs / f"evalscope_{kind}.jsonl" for kind in kinds}
    results = read_results(files)
    assert results.account is not None and counted(results.account)[1] == RUNS
    assert (results.account.further, results.account.completing) == (RUNS - len(ITEMS), RUNS)


def test_several_files_have_one_account() -> None:
    names = ("inspect.eval", "promptfoo.json.gz")
    results = read_results({name: FIXTURES / "tools" / name for name in names})
    account = account_of(results.pool(results.models, []))
    assert (account.seen, account.items, account.further) == (2 * RUNS, 5, 2 * RUNS - 5)


@pytest.mark.parametrize(
    ("name", "other"),
    [("lm_eval_toy_texts.jsonl", "copy.jsonl"), ("inspect.eval", "copy.eval"), ("opencompass.json", "copy.json")],
)
def test_one_file_under_two_names_is_one_model(name: str, other: str) -> None:
    path = FIXTURES / "tools" / name
    once = read_results({name: path})
    twice = read_results({name: path, other: path.read_bytes()})
    assert twice.models == once.models
    assert f"“{other}” says the same as “{name}”, so it is read once." in twice.notes
    account = account_of(twice.pool(twice.models, []))
    assert once.account is not None and account.seen == 2 * once.account.seen
    assert account.repeated == once.account.seen + once.account.repeated


@pytest.mark.parametrize("name", ["humaneval.jsonl_results.jsonl", "ragas.csv", "deepeval.json"])
def test_one_file_with_other_blanks_or_another_order_of_lines_is_one_model(name: str) -> None:
    content = (FIXTURES / "tools" / name).read_bytes()
    lines = content.splitlines(keepends=True)
    other = b"".join(reversed(lines)) if name.endswith("jsonl") else content.rstrip() + b"\n\n"
    assert other != content and len(read_results({name: content, f"again-{name}": other}).models) == 1


def test_lines_of_a_document_are_no_records() -> None:
    digests = {
        content_digest(Source.of(text.encode(), "a")) for text in ('{\n"a": 1,\n"b": 2\n}', '{\n"b": 2,\n"a": 1\n}')
    }
    assert len(digests) == 2


def test_one_run_in_two_formats_is_one_model() -> None:
    files = {name: FIXTURES / "tools" / name for name in ("inspect.eval", "inspect.json.gz")}
    results = read_results(files)
    assert results.models == ("mockllm/model",)
    account = account_of(results.pool(results.models, []))
    assert (account.items, account.further, account.repeated) == (5, RUNS - 5, RUNS)


def test_records_that_are_no_file_have_no_account() -> None:
    assert Pool.from_records([{"id": "q1", "generations": ["A"]}]).account is None


def test_a_kept_pool_has_its_account(tmp_path: Path) -> None:
    pool = read(FIXTURES / "tools" / "inspect.eval")
    pools = Archive(tmp_path).pools
    assert pools.load(pools.save(pool, "2026-11-01")).account == pool.account


def test_the_command_prints_the_account(capsys: pytest.CaptureFixture[str]) -> None:
    path = FIXTURES / "tools" / "inspect.eval"
    for command in (["pool", "map"], ["pool", "join"]):
        assert main([*command, str(path)]) == 0
        printed = capsys.readouterr().out
        assert printed == Saying("20 records", "5 items", "15 further", "0 repeated", "0 left out")


def test_a_row_that_is_cut_off_inside_a_text_is_said_to_end_there() -> None:
    with pytest.raises(PoolError, match=r"row 2: .*the row ends inside a text"):
        read(b'{"id": "a", "prompt": "x"}\n{"id": "b", "prompt": "cut\n', "cut.jsonl")
