"""Each row of a file is accounted for: in Python, and after its labels were kept and read again."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.archive import Archive
from core.design import Plan
from core.errors import LabelError
from core.labels import KINDS, Remainder, read, target_code, translated
from core.pool import Pool
from core.report.result_files import report_bundle
from core.study import Labelling, Reading, Study, labelled, split
from core.study.bundle import bundle_files, reproduce
from tests.core.study.conftest import CREATED, rows, verdicts
from tests.core.wording import Saying

SAID = {
    "right-wrong": ["right", "wrong", "Yes", "maybe", "  ", "n/a"],
    "gold": ["A", "b", "B.", "?", "n/a", ""],
    "score": ["0.5", "1", "unsure", "0", "50%", ""],
}


def row(kind: str, plan: Plan) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "item_id": st.sampled_from([*map(str, plan.ids[:5]), "nobody"]),
            "label": st.sampled_from([*SAID[kind], None]),
            "annotator": st.sampled_from(["Ann", "Ben", ""]),
            "plan_id": st.sampled_from([plan.plan_id, None, "p000000000000"]),
            "status": st.sampled_from(["", "", "skipped", "cancelled"]),
            "answers_of": st.sampled_from([None, target_code("one"), target_code("two"), "00000000"]),
            "kind": st.sampled_from([None, None, *KINDS]),
        }
    )


def filled(plan: Plan, kind: str) -> dict[str, Any]:
    """A row that counts, so that the file is one of this list."""
    label = {"right-wrong": "right", "gold": "A", "score": "0.5"}[kind]
    code = None if kind == "gold" else target_code("one")
    about = {"plan_id": plan.plan_id, "kind": kind, "answers_of": code}
    return {"item_id": str(plan.ids[9]), "label": label, "annotator": "Cy", **about}


@pytest.mark.parametrize("kind", list(SAID))
@given(data=st.data())
@settings(max_examples=settings().max_examples // 4)
def test_the_rows_of_a_file_are_the_sum_of_what_became_of_them(
    kind: str, plan: Plan, pool: Pool, data: st.DataObject
) -> None:
    given_rows = pd.DataFrame([*data.draw(st.lists(row(kind, plan), max_size=14)), filled(plan, kind)])
    file = given_rows.to_json(orient="records", lines=True).encode()
    try:
        study = labelled(plan, file, "one", kind)
    except LabelError as error:
        # Labels of one kind are none of another.
        assert "not understood" in str(error)
        return
    account = study.labels.account
    assert account.rows == len(given_rows)
    assert account.used == len(study.outcomes.table)
    assert bool(account.ties) == bool(study.labels.ties)
    assert (account.sentence in repr(study).splitlines()) == bool(account.sentence)
    assert bool(account.sentence) == (account.used < len(given_rows))


def kept(
    archive: Archive,
    plan: Plan,
    pool: Pool,
    file: bytes,
    kind: str,
    name: str = "ann.jsonl",
    created: str = CREATED,
) -> Study:
    """Take a file back as page Label does, and read what is kept."""
    labels = Labelling.load(archive, plan, pool, kind, "one")
    returned = read(file)
    returned = replace(returned, rows=translated(returned.rows, {}, kind, labels.is_answer))
    parts = split(returned.rows, pool.targets, kind, "one")
    beside, settled = len(returned.rows) - sum(map(len, parts.values())), {}
    for reading, part in parts.items():
        settled[reading] = labels.about(reading).settle(part)
    present = Reading(kind, labels.judged)
    left = {reading: one.left.with_foreign(beside if reading == present else 0) for reading, one in settled.items()}
    remainders = [
        Remainder(name, one.kind, one.target, of, returned.notes, settled[one].left_items) for one, of in left.items()
    ]
    stored = pd.concat([one.rows for one in settled.values()], ignore_index=True)
    labels.save(archive, stored, "jsonl", created, remainders=remainders)
    return Study(Labelling.load(archive, plan, pool, kind, "one"))


@pytest.mark.parametrize("kind", list(SAID))
@given(data=st.data())
@settings(max_examples=settings().max_examples // 6)
def test_what_is_kept_of_a_file_accounts_for_the_whole_file(
    kind: str, plan: Plan, pool: Pool, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(row(kind, plan).map(lambda one: one | {"kind": kind}), max_size=14))
    about = [one for one in drawn if kind == "gold" or one["answers_of"] != target_code("two")]
    given_rows = pd.DataFrame([*about, filled(plan, kind)])
    file = given_rows.to_json(orient="records", lines=True).encode()
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(folder)
        archive.pools.save(pool, CREATED)
        study = kept(archive, plan, pool, file, kind)
        assert study.labels.account == labelled(plan, file, "one", kind).labels.account
        # The same file again changes nothing.
        again = kept(archive, plan, pool, file, kind)
        assert again.labels.account == study.labels.account and again.labels.account.rows == len(given_rows)


def odd_file(plan: Plan, pool: Pool) -> bytes:
    listed = rows(plan.ids, verdicts(pool, plan.ids, "one")).assign(second="right")
    listed.loc[3, "label"] = "perhaps"
    more = rows(["nobody", plan.ids[0]], ["right", listed["label"][0]])
    return pd.concat([listed, more]).to_json(orient="records", lines=True).encode()


def test_a_corrected_file_of_the_same_name_takes_the_place_of_the_one_before(
    archive: Archive, plan: Plan, pool: Pool
) -> None:
    study = kept(archive, plan, pool, odd_file(plan, pool), "right-wrong")
    assert study.labels.account.sentence == Saying("62 rows", "59 labels", "1 repeated", "1 of another", "1 without")
    assert "ties" not in study.labels.account.sentence
    (note,) = study.labels.to_check
    assert note in repr(study).splitlines() and "“second” (60 labels) is not read" in note
    corrected = rows(plan.ids, verdicts(pool, plan.ids, "one")).to_json(orient="records", lines=True).encode()
    study = kept(archive, plan, pool, corrected, "right-wrong")
    assert study.labels.account.sentence == "" and study.labels.to_check == ()


def test_a_list_that_comes_back_again_and_again_has_its_rows_once(archive: Archive, plan: Plan, pool: Pool) -> None:
    said: list[str | None] = [*verdicts(pool, plan.ids, "one")]
    accounts = []
    for day, count in enumerate((20, 21, 40, 60), start=1):
        listed = rows(plan.ids, [*said[:count], *[None] * (60 - count)])
        listed.loc[count - 1, "label"] = "perhaps" if count == 21 else said[count - 1]
        file = listed.to_json(orient="records", lines=True).encode()
        study = kept(archive, plan, pool, file, "right-wrong", f"fill{count}.jsonl", f"2026-03-0{day}T00:00:00+00:00")
        accounts.append(study.labels.account)
    assert [one.rows for one in accounts] == [60] * 4
    assert [(one.used, one.unread, one.without_verdict, one.empty) for one in accounts] == [
        (20, 0, 0, 40),
        (20, 0, 1, 39),
        (40, 0, 0, 20),
        (60, 0, 0, 0),
    ]
    # Undoing the last file brings back what the one before it lacked.
    last = archive.labels.last_import(*study.labels.family)
    assert last is not None and archive.labels.undo_import(last)
    assert Study(Labelling.load(archive, plan, pool, "right-wrong", "one")).labels.account == accounts[2]


def test_an_import_that_is_undone_takes_its_account_along(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = kept(archive, plan, pool, odd_file(plan, pool), "right-wrong")
    last = archive.labels.last_import(*study.labels.family)
    assert last is not None
    archive.labels.undo_import(last)
    assert Labelling.load(archive, plan, pool, "right-wrong", "one").account.rows == 0


def test_report_and_bundle_account_for_the_file_too(archive: Archive, plan: Plan, pool: Pool, tmp_path) -> None:
    study = kept(archive, plan, pool, odd_file(plan, pool), "right-wrong")
    study.labels.save(archive, rows([plan.ids[3]], ["right"], "Ben"), "here", CREATED)
    study = Study(study.labels.refreshed(archive))
    assert study.labels.account.sentence in " ".join(study.labels.provenance().left_out)
    (tmp_path / "bundle.zip").write_bytes(report_bundle(study, study.result(), lambda labels: "", "bundle.zip"))
    again = reproduce(tmp_path / "bundle.zip", pool)
    assert again.labels.account == study.labels.account and again.labels.to_check == study.labels.to_check
    assert '"files"' in bundle_files(study)["study.json"]
