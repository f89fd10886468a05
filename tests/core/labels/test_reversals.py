"""Verdicts that contradict what else is known of the answers, at every door, and how often correct ones seem to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest

import neyman
from core.contests import best
from core.design import Plan
from core.gates import gate
from core.gates.version_pool import graded
from core.gates.version_pool import request as gate_list
from core.judge import judge, judged
from core.labels import read, reversals
from core.labels.targets import target_code
from core.pool import Pool

SIZE, LISTED = 240, 100
TURNED, MOVED, BOTH = "the opposite of what else is known", "fit the answers of other rows", "are both labelled right"


@pytest.mark.parametrize("total", [10, 24, 60])
def test_the_chance_of_a_remark_is_that_of_the_tables_and_at_most_one_in_a_thousand(total: int) -> None:
    order, remarked = np.random.default_rng(0).permutation(total), 0.0
    found = reversals.Signs(np.ones(total, dtype=bool), (np.arange(total) < total // 3)[order], "that others give")
    for both in range(total // 3 + 1):
        for others in range(total - total // 3 + 1):
            if both + others != total // 2:
                continue
            right = np.array([*_first(both, total // 3), *_first(others, total - total // 3)])[order]
            if TURNED in reversals.remark(right, found, "", map(str, range(total)), _rows(range(total))):
                remarked += comb(total // 3, both) * comb(total - total // 3, others) / comb(total, total // 2)
    assert remarked <= 1 / 1000
    # The least chance is reached from lists of some length on.
    assert remarked > 0 or total < 60


def _first(count: int, of: int) -> list[bool]:
    return [place < count for place in range(of)]


def _rows(items: Sequence[object]) -> pd.DataFrame:
    return pd.DataFrame({"item_id": list(map(str, items))})


def records(seed: int = 5) -> list[dict[str, Any]]:
    """Items with a letter that M gives four times of five, and the others less often."""
    rng, rows = np.random.default_rng(seed), list[dict[str, Any]]()
    for place in range(SIZE):
        truth, easy = "ABCD"[place % 4], rng.random()

        def said(least: float, truth: str = truth, easy: float = easy) -> str:
            return truth if rng.random() < least + (1 - least) * easy else "ABCD"[rng.integers(4)]

        given = {"M": said(0.5), "N": said(0.3)}
        row: dict[str, Any] = {
            "id": f"q{place:03}",
            "prompt": f"Question {place}?",
            "choices": list("wxyz"),
            "answer_kind": "choice",
        }
        row |= {"generations": [said(0.2) for _ in range(3)], "truth": truth, "output": given["M"]}
        row |= {"targets": {name: {"answer": text} for name, text in given.items()}}
        rows.append(row | {"verdict": "pass" if (given["M"] == truth) == (place % 9 > 0) else "fail"})
    return rows


RECORDS = records()
RIGHT = {
    (str(row["id"]), name): one["answer"] == row["truth"] for row in RECORDS for name, one in row["targets"].items()
}
POOL = Pool.from_records([{name: cell for name, cell in row.items() if name != "truth"} for row in RECORDS], "letters")
KNOWN = Pool.from_records([{**row, "answer": row["truth"]} for row in RECORDS], "letters")


OF_JUDGE = judge(POOL, "verdict", budget=LISTED, seed=0)


def plan_of(pool: Pool) -> Plan:
    return neyman.Design(LISTED).draw(pool, seed=0)


def by_study(ids: Sequence[str], labels: Sequence[bool], pool: Pool = POOL) -> str:
    words = ["right" if label else "wrong" for label in labels]
    return repr(neyman.labelled(plan_of(pool), pd.DataFrame({"item_id": ids, "label": words}), "M", "right-wrong"))


def by_grades(ids: Sequence[str], labels: Sequence[bool]) -> str:
    grades = pd.DataFrame({"item_id": ids, "label": [4 + label for label in labels]})
    return repr(neyman.labelled(plan_of(POOL), grades, "M", scale=(1, 5)))


def by_judge(ids: Sequence[str], labels: Sequence[bool]) -> str:
    words = ["pass" if label else "fail" for label in labels]
    return repr(judged(OF_JUDGE, pd.DataFrame({"item_id": ids, "label": words})))


DOORS: dict[str, tuple[Callable[..., str], list[str]]] = {
    "study": (by_study, [str(item) for item in plan_of(POOL).ids]),
    "right answers": (lambda ids, labels: by_study(ids, labels, KNOWN), [str(item) for item in plan_of(KNOWN).ids]),
    "grades": (by_grades, [str(item) for item in plan_of(POOL).ids]),
    "judge": (by_judge, [str(item) for item in OF_JUDGE.ids]),
}


@pytest.mark.parametrize("door", DOORS)
def test_labels_that_are_turned_round_or_moved_have_a_word(door: str) -> None:
    said, ids = DOORS[door]
    right = [RIGHT[item, "M"] for item in ids]
    for changed, word in (
        ((ids, right), ""),
        ((sorted(ids), [RIGHT[item, "M"] for item in sorted(ids)]), ""),
        ((ids, [not one for one in right]), TURNED),
        ((ids, [right[-1], *right[:-1]]), MOVED),
        ((ids, [*right[1:], right[0]]), MOVED),
        ((sorted(ids), right), MOVED),
    ):
        text = said(*changed)
        assert [one for one in (TURNED, MOVED) if one in text] == [word] * bool(word), text


def test_digits_are_turned_round_by_what_they_mean() -> None:
    ids = DOORS["study"][1]
    table = pd.DataFrame({"item_id": ids, "label": [int(not RIGHT[item, "M"]) for item in ids]})
    said = repr(neyman.labelled(plan_of(POOL), table, "M", "right-wrong"))
    assert 'words={"1": "wrong", "0": "right"} in Python, --word=1=wrong --word=0=right in the shell' in said
    turned = repr(neyman.labelled(plan_of(POOL), table, "M", "right-wrong", words={"1": "wrong", "0": "right"}))
    assert TURNED not in turned


def test_answers_that_differ_and_are_both_right_have_a_word_at_a_gate() -> None:
    planned = gate(POOL, "N", "M", margin=0.1)
    table = gate_list(planned, POOL)
    names = {target_code(name): name for name in ("N", "M")}
    right = [RIGHT[item, names[code]] for item, code in zip(table["item_id"], table["answers_of"], strict=True)]
    for labels, remarked in ((right, False), ([right[-1], *right[:-1]], True)):
        filled = table[["item_id", "answers_of"]].assign(label=["right" if one else "wrong" for one in labels])
        remarks = graded(planned, POOL, read(filled.to_csv(index=False).encode())).remarks
        assert any(BOTH in one for one in remarks) == remarked


def test_answers_that_differ_and_are_both_right_have_a_word_in_a_contest() -> None:
    contest = best(POOL, kind="right-wrong")
    table = contest.request()
    names = {target_code(name): name for name in ("N", "M")}
    right = [RIGHT[item, names[code]] for item, code in zip(table["item_id"], table["answers_of"], strict=True)]
    for labels, remarked in ((right, False), ([not one for one in right], True)):
        filled = table.assign(label=["right" if one else "wrong" for one in labels])
        assert any(BOTH in one for one in contest.decide(filled).remarks) == remarked
