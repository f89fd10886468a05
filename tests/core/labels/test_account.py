"""Every row that comes back is counted once, whatever became of it."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from core.labels import settle
from core.labels.account import Account
from core.labels.formats.records import POOL
from tests.core.wording import Saying

IDS = ["a", "b", "c"]
ROW = st.fixed_dictionaries(
    {
        "item_id": st.sampled_from([*IDS, "nobody"]),
        "label": st.sampled_from(["right", "wrong", "rihgt", None]),
        "annotator": st.sampled_from(["Ann", "Bob", POOL]),
        "plan_id": st.sampled_from(["p1", "p1", "p2", None]),
        "status": st.sampled_from(["", "", "skipped", "cancelled", "several"]),
    }
)


def test_each_row_has_one_fate() -> None:
    rows = pd.DataFrame(
        [
            ("a", "right", "Ann", "p1"),
            ("a", "right", "Ann", "p1"),
            ("a", "right", "Bob", "p1"),
            ("b", "right", "Ann", "p1"),
            ("b", "wrong", "Bob", "p1"),
            ("c", "rihgt", "Ann", "p1"),
            ("c", None, "Bob", "p1"),
            ("c", None, "Cid", "p1"),
            ("nobody", "right", "Ann", "p1"),
            ("a", "right", "Ann", "p2"),
        ],
        columns=["item_id", "label", "annotator", "plan_id"],
    )
    rows["status"] = ["skipped" if person == "Cid" else "" for person in rows["annotator"]]
    account = settle(rows, IDS, "p1", "right-wrong").account
    assert account == Account(used=1, ties=2, repeated=2, unread=1, foreign=2, empty=1, without_verdict=1)
    assert account.rows == 10
    assert account.sentence == Saying(
        "10 rows",
        "1 label",
        "2 ties",
        "2 repeated",
        "1 unread",
        "2 of another",
        "1 without a label",
        "1 without a verdict",
    )
    decided = settle(rows, IDS, "p1", "right-wrong", decisions={"b": "right"}).account
    assert (decided.used, decided.ties, decided.repeated) == (2, 0, 3)
    assert settle(rows.head(1), IDS, "p1", "right-wrong").account.sentence == ""


@given(st.lists(ROW, min_size=1, max_size=12))
def test_the_parts_add_up_to_the_rows(rows: list[dict[str, str | None]]) -> None:
    rows = [*rows, {"item_id": "a", "label": "right", "annotator": "Cy", "plan_id": "p1", "status": ""}]
    settled = settle(pd.DataFrame(rows), IDS, "p1", "right-wrong")
    account = settled.account
    assert account.rows == len(rows) and account.used == len(settled.labels)
    assert bool(account.ties) == bool(settled.undecided) and bool(account.sentence) == (account.used < len(rows))
