"""The bank of verdicts: what it knows of a target, what it vetoes, and what it keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.bank import Bank
from core.bank.verdict_rows import gradings
from core.errors import BankError
from core.pool import Pool
from core.readers import read
from tests.conftest import ROOT

POOLS = ROOT / "tests" / "pools"


def pool(name: str = "exam", **answers: dict[str, tuple[str | None, float | None]]) -> Pool:
    """A pool of items that are called by their question; answers and losses of targets by item."""
    items = sorted({item for said in answers.values() for item in said})
    records = []
    for item in items:
        targets = {}
        for target, said in answers.items():
            answer, loss = said.get(item, (None, None))
            targets[target] = {key: value for key, value in (("answer", answer), ("loss", loss)) if value is not None}
        records.append(
            {"id": f"{name}-{item}", "prompt": item, "targets": {n: one for n, one in targets.items() if one}}
        )
    return Pool.from_records(records, name)


def test_an_equal_answer_is_known_and_another_is_not() -> None:
    earlier = pool(old={"a": ("4", 0.0), "b": ("5", 1.0), "c": ("6", 0.0)})
    later = pool("later", new={"a": ("4", None), "b": ("5", None), "c": ("7", None)})
    known = Bank.of(earlier).known(later, "new")
    assert known.to_dict("list") == {
        "item_id": ["later-a", "later-b"],
        "loss": [0.0, 1.0],
        "source": ["exam", "exam"],
    }


def test_verdicts_that_disagree_veto() -> None:
    earlier = pool(one={"a": ("4", 0.0), "b": ("5", 1.0)}, two={"a": ("4", 1.0), "b": ("5", 1.0)})
    found = Bank.of(earlier).lookup(pool(new={"a": ("4", None), "b": ("5", None)}), "new")
    assert found.vetoed.tolist() == [True, False]
    assert found.known.tolist() == [False, True]
    assert found.conflicts == 0.5


def test_no_answer_equals_no_other() -> None:
    earlier = Pool.from_records(
        [{"id": "1", "prompt": "a", "answer_kind": "number", "targets": {"old": {"text": "I cannot say", "loss": 1.0}}}]
    )
    later = Pool.from_records(
        [{"id": "1", "prompt": "a", "answer_kind": "number", "targets": {"new": {"text": "no idea"}}}]
    )
    assert Bank.of(earlier).lookup(later, "new").n_known == 0


def test_a_verdict_on_the_target_itself_is_not_carried() -> None:
    both = pool(old={"a": ("4", 0.0)}, new={"a": ("5", 1.0)})
    assert Bank.of(both).lookup(both, "new").n_known == 0


def test_another_question_or_right_answer_is_another_row() -> None:
    """The same id stands for another question in the later pool, and the same question for another right answer."""
    earlier = Pool.from_records([{"id": "1", "prompt": "2 + 2", "answer": "4", "targets": {"old": {"answer": "4"}}}])
    other = Pool.from_records([{"id": "1", "prompt": "2 + 3", "answer": "4", "targets": {"new": {"answer": "4"}}}])
    keyed = Pool.from_records([{"id": "1", "prompt": "2 + 2", "answer": "5", "targets": {"new": {"answer": "4"}}}])
    bank = Bank.of(earlier)
    assert bank.lookup(other, "new").n_known == bank.lookup(keyed, "new").n_known == 0


def test_another_rubric_is_another_grading() -> None:
    earlier, later = pool(old={"a": ("4", 0.0)}), pool(new={"a": ("4", None)})
    strict = Bank.of(earlier, rubric="Only whole sentences count.")
    assert strict.lookup(later, "new").n_known == 0
    assert strict.lookup(later, "new", rubric="Only whole sentences count.").n_known == 1


def test_equal_outputs_are_equal_answers_under_another_rule() -> None:
    text = "The result is 4."
    earlier = Pool.from_records([{"id": "1", "prompt": "a", "targets": {"old": {"text": text, "loss": 0.0}}}])
    later = Pool.from_records([{"id": "1", "prompt": "a", "answer_kind": "number", "targets": {"new": {"text": text}}}])
    assert Bank.of(earlier).lookup(later, "new").n_known == 1


@pytest.mark.parametrize(
    ("name", "target"), [("gsm8k-committee10", "gemini-1.5-flash"), ("blink-vlm-committee10", "GPT4o")]
)
def test_carried_verdicts_of_machine_graded_pools_are_right(name: str, target: str) -> None:
    """Of all past models, after vetoes: no error on GSM8K and BLINK."""
    whole = read(POOLS / f"{name}.jsonl.gz")
    known = Bank.of(whole).lookup(whole, target)
    assert known.share > 0.5
    np.testing.assert_array_equal(known.loss[known.known], whole.losses(target)[known.known])


def test_a_later_verdict_replaces_an_earlier_one_and_corrections_hold() -> None:
    wrong, right = pool(old={"a": ("4", 1.0)}), pool(old={"a": ("4", 0.0)})
    bank = Bank.of(wrong) | Bank.of(right)
    assert len(bank) == 1 and bank.rows["loss"].tolist() == [0.0]
    corrected = bank.corrected(bank.rows["model"] == "old", 1.0, "2026-11-25")
    assert corrected.rows["loss"].tolist() == [1.0] and corrected.rows["date"].tolist() == ["2026-11-25"]
    assert len(corrected.without(corrected.rows["model"] == "old")) == 0


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    bank = Bank.of(pool(old={"a": ("4", 0.0), "b": (" =5\n", 0.5)}))
    bank.write(tmp_path / f"bank{ending}")
    assert Bank.read(tmp_path / f"bank{ending}").rows.equals(bank.rows)


def test_a_file_that_is_no_bank_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BankError, match="holds no bank of verdicts"):
        Bank.read(tmp_path / "x.csv")


def test_losses_outside_the_unit_interval_are_refused_with_the_first_row() -> None:
    rows = Bank.of(pool(old={"a": ("4", 0.0), "b": ("5", 1.0)})).rows
    with pytest.raises(BankError, match=r"1 verdict outside 0 to 1 \(row 2: 3\)"):
        Bank(rows.assign(loss=[0.0, 3.0]))


_ANSWERS = st.sampled_from(["4", "5", None])


@given(
    st.lists(
        st.tuples(_ANSWERS, st.sampled_from([0.0, 1.0]), _ANSWERS, st.sampled_from([0.0, 1.0]), _ANSWERS),
        min_size=1,
        max_size=8,
    )
)
def test_the_rule_of_what_is_known(rows: list[tuple[str | None, float, str | None, float, str | None]]) -> None:
    """Against the rule as it is written, item by item."""
    names = [f"q{number}" for number in range(len(rows))]
    both = pool(
        one={name: (row[0], row[1]) for name, row in zip(names, rows, strict=True)},
        two={name: (row[2], row[3]) for name, row in zip(names, rows, strict=True)},
        new={name: (row[4], None) for name, row in zip(names, rows, strict=True)},
    )
    if "new" not in both.targets:
        return
    found = Bank.of(both).lookup(both, "new")
    for place, (first, loss, second, other, said) in enumerate(rows):
        verdicts = {
            verdict for answer, verdict in ((first, loss), (second, other)) if answer is not None and answer == said
        }
        assert found.known[place] == (len(verdicts) == 1)
        assert found.vetoed[place] == (len(verdicts) == 2)
        assert not found.known[place] or {found.loss[place]} == verdicts


def test_gradings_differ_by_key_and_rubric() -> None:
    plain, keyed = gradings([None, "4"])
    assert plain != keyed != gradings(["4"], "strict")[0]
    assert gradings([None], kind="score")[0] != plain


def numbered(key: str = "", **targets: dict[str, object]) -> Pool:
    """A file of twenty rows without questions; the right answers of its rows in turn, if it has any."""
    return Pool.from_records(
        [
            {"id": str(place), "targets": targets} | ({"answer": key[place % len(key)]} if key else {})
            for place in range(20)
        ]
    )


@pytest.mark.parametrize("key", ["", "ABCD"])
def test_what_is_added_to_a_file_without_questions_orphans_no_verdict(key: str) -> None:
    graded = {"answer": "A", "loss": 0.0}
    bank = Bank.of(numbered(key, v1=graded))
    for later in (numbered(key, v1=graded, v2={"answer": "A"}), numbered(key, v2={"answer": "A"})):
        known = bank.lookup(later, "v2")
        assert known.n_known == 20
        assert known.sentence.endswith("so rows of the same number count as the same item.")


def test_rows_of_a_file_with_other_right_answers_are_other_items() -> None:
    bank = Bank.of(numbered("ABCD", v1={"answer": "A", "loss": 0.0}))
    # Every fourth right answer is the same by chance.
    assert bank.lookup(numbered("ACDB", v2={"answer": "A"}), "v2").n_known == 0
    # One right answer in five was corrected.
    assert bank.lookup(numbered("ABCDABCDABCDABCDDDDD", v2={"answer": "A"}), "v2").n_known == 17
