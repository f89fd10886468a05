"""What became of the records of a file: the parts add up, alone and over several files."""

from __future__ import annotations

import json

import pytest

from core.pool import FileAccount, Filled, LeftOut, ToolTotal
from core.pool.account import LOST
from core.pool.problems import RecordTally
from tests.core.wording import Saying

OTHERS = LeftOut("requests with perturbations", 2, (3, 4))
ACCOUNT = FileAccount(20, 5, 12, 1, (OTHERS,), (Filled("answer", "target", 5, "right answer"),))


def test_records_that_complete_others_are_counted_apart() -> None:
    tally = RecordTally()
    list(tally.records(range(5)))
    for row in (1, 2, 3):
        tally.take(row)
    tally.complete(3)
    tally.complete(4)
    tally.repeat(5)
    account = tally.account(1)
    assert account is not None and account.lines[0] == Saying(
        "5 records", "1 item", "2 further", "1 completing", "1 repeated", "0 left out"
    )
    assert account.frame["count"].sum() == 5
    assert FileAccount.of_json(json.loads(json.dumps(account.as_json()))) == account
    both = FileAccount.together([account, account], 1)
    assert both is not None and (both.further, both.completing) == (5, 2)
    assert both.with_completing(9).completing == 7
    assert account.repeating().repeated == 5
    # What an earlier version stored had no such count.
    earlier = {name: value for name, value in ACCOUNT.as_json().items() if name != "completing"}
    assert FileAccount.of_json(earlier) == ACCOUNT


@pytest.mark.parametrize("parts", [(20, 5, 12, 2), (20, 5, 12, 0), (3, 4, -3, 0), (1, 0, 0, 0)])
def test_parts_that_do_not_add_up_are_refused(parts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="do not add up"):
        FileAccount(*parts, (OTHERS,))


def test_three_lines_say_what_became_of_the_records() -> None:
    filled = (*ACCOUNT.filled, Filled("generations", "resps", 17, "output"), Filled("loss", "acc", 0, "score"))
    assert ACCOUNT.with_filled(filled).lines == (
        Saying("20 records", "5 items", "12 further", "1 repeated", "2 left out"),
        Saying("Left out", "2 requests with perturbations", "3, 4"),
        Saying("5 right answers (target)", "17 outputs (resps)", "no scores (acc)"),
    )


def test_the_table_adds_up_to_the_records() -> None:
    frame = ACCOUNT.frame
    records = frame[frame["kind"].isin(["records", "left out"])]
    assert records["count"].sum() == ACCOUNT.seen
    assert frame[frame["kind"] == "filled"].values.tolist() == [["filled", "answer", "target", 5]]


def test_an_account_passes_through_json() -> None:
    account = FileAccount(1, 1, totals=(ToolTotal("m", "accuracy", 0.5, 0.25),), skipped=("a.txt",))
    for one in (account, ACCOUNT):
        assert FileAccount.of_json(json.loads(json.dumps(one.as_json()))) == one


def test_several_files_add_up_and_name_themselves() -> None:
    files = [ACCOUNT.of_file("a.jsonl"), ACCOUNT.of_file("b.jsonl")]
    both = FileAccount.together(files, 5)
    assert both is not None and (both.seen, both.items, both.further, both.repeated) == (40, 5, 29, 2)
    assert both.filled == (Filled("answer", "target", 10, "right answer"),)
    assert both.lines[1] == Saying("Left out", *("2 requests", "3, 4 in a.jsonl"), *("2 requests", "3, 4 in b.jsonl"))
    assert FileAccount.together([ACCOUNT, None], 5) is None


def test_a_file_that_says_nothing_new_is_repeated() -> None:
    again = ACCOUNT.repeating()
    assert (again.items, again.further, again.repeated, again.n_left_out) == (0, 0, 18, 2)


def test_a_record_is_counted_once_whatever_it_is_taken_for() -> None:
    tally = RecordTally()
    list(tally.records(range(6)))
    for row in (1, 2, 2, 2):
        tally.take(row)
    tally.repeat(2)
    tally.repeat(3)
    tally.take(3)
    tally.repeat(4)
    tally.leave_out("records of others", 5)
    tally.leave_out("records for a second reason", 5)
    account = tally.account(2)
    assert account is not None and account.left_out == (
        LeftOut("records of others", 1, (5,)),
        LeftOut(LOST, 1),
    )
    assert (account.items, account.further, account.repeated) == (2, 1, 1)


def test_reasons_keep_their_first_rows() -> None:
    tally = RecordTally()
    for row in tally.records(range(1, 1_001)):
        tally.leave_out("odd rows" if row % 2 else "even rows", row)
    account = tally.account(0)
    assert account is not None
    assert [(one.count, one.rows) for one in account.left_out] == [(500, (1, 3, 5, 7, 9)), (500, (2, 4, 6, 8, 10))]
    assert account.left_out[0].words == "500 odd rows (rows 1, 3, 5, 7, 9 …)"


def test_records_of_no_file_have_no_account() -> None:
    assert RecordTally().account(0) is None


@pytest.mark.parametrize(("own", "agrees"), [(0.66667, True), (0.6667, True), (0.6672, False), (0.25, False)])
def test_a_total_agrees_within_its_rounding(own: float, agrees: bool) -> None:
    account = FileAccount(3, 3, totals=(ToolTotal("m", "accuracy", 0.6667, own),))
    assert (account.differences == ()) == agrees


def test_a_difference_names_both_numbers() -> None:
    total = ToolTotal("m", "accuracy", 2 / 3, 0.25)
    assert total.words.replace("\u00a0", " ") == Saying("accuracy 66.7 % for m", "25.0 %")
