"""What people do with the bank of a home: correct, remove, import, merge, switch off; and files that are hostile."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.archive import Archive
from core.archive.verdict_store import read_bank_file
from core.bank import Bank, correct, gather, is_on, remove, switch, take_in
from core.errors import BankError
from core.pool import Pool
from tests.conftest import ROOT
from tests.core.bank.test_home import LATER, NOW, exam, labelled


@pytest.fixture
def home(tmp_path: Path) -> Archive:
    archive = Archive(tmp_path)
    archive.pools.save(exam("v1"), NOW)
    return archive


def test_a_correction_stands_whatever_its_source_goes_on_saying(home: Archive) -> None:
    row = gather(home, NOW).rows.iloc[[0]]
    correct(home, row, 1.0 - float(row["loss"].iloc[0]), LATER)
    plan_id = labelled(home, exam(), 5)
    for _ in range(2):
        bank = gather(home, LATER)
        here = bank.rows[(bank.rows["item"] == row["item"].iloc[0]) & (bank.rows["source"] == "exam")]
        assert here["loss"].tolist() == [1.0 - float(row["loss"].iloc[0])] and here["date"].tolist() == [LATER[:10]]
        # A source that comes later, and one that is taken in again.
        labelled(home, exam(), 9)
    bank = gather(home, LATER)
    first = bank.rows[bank.rows["source"] == f"labels of {plan_id}"].iloc[[0]]
    correct(home, first, 0.5, LATER)
    again = gather(home, LATER).rows
    assert again.loc[again["source"] == f"labels of {plan_id}", "loss"].iloc[0] in (0.0, 0.5)
    assert (again["loss"] == 0.5).sum() == 1


def test_a_removed_verdict_stays_away_and_the_others_stay(home: Archive) -> None:
    bank = gather(home, NOW)
    remove(home, bank.rows.iloc[[3]], LATER)
    remove(home, bank.rows.iloc[[5]], LATER)
    left = gather(home, LATER)
    assert len(left) == len(bank) - 2
    assert not left.rows["item"].isin(bank.rows["item"].iloc[[3, 5]]).any()
    assert gather(home, LATER, Bank.of(exam("v1"))).rows.equals(left.rows), "not by way of the pool itself either"


def test_an_import_is_merged_and_the_home_has_the_last_word(home: Archive) -> None:
    bank = gather(home, NOW)
    take_in(home, Bank.of(exam("v2")) | bank.corrected(bank.rows.index == 0, 0.5), LATER)
    merged = gather(home, LATER)
    assert len(merged) == 80 and set(merged.rows["model"]) == {"v1", "v2"} and not (merged.rows["loss"] == 0.5).any()
    take_in(home, Bank.of(exam("v2")), LATER)
    assert len(gather(home, LATER)) == 80


def test_switched_off_it_knows_nothing_and_loses_nothing(home: Archive) -> None:
    before = gather(home, NOW)
    assert is_on(home)
    switch(home, False, LATER)
    assert not is_on(home) and len(gather(home, LATER, Bank.of(exam("v1")))) == 0
    switch(home, True, LATER)
    assert is_on(home) and gather(home, LATER).rows.equals(before.rows)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_is_exported_is_imported_as_it_was(home: Archive, tmp_path: Path, ending: str) -> None:
    bank = gather(home, NOW)
    path = tmp_path / f"bank.{ending}"
    bank.write(path)
    assert Bank.of_table(*read_bank_file(path.read_bytes())).rows.equals(bank.rows)


def rows_as_csv(**changes: str) -> bytes:
    row = {"item": "i", "answer": "A", "parser": "p", "text": "", "grading": "g", "loss": "0", "model": "m"}
    row |= {"source": "s", "date": "", "is_key": "False"} | changes
    return (",".join(row) + "\n" + ",".join(row.values()) + "\n").encode()


NO_BANKS = [
    (b"", "no bank of verdicts: the columns item, answer"),
    (b"PAR1", "no bank of verdicts, or a damaged one"),
    (b"\xff\xfe", "no bank of verdicts: "),
    (b"PK\x03\x04", "no bank of verdicts: it is a workbook or a zip"),
    (b"item\n1\n", "are missing. Give the Parquet or CSV file"),
    (b'{"item": "a"}\n', "are missing"),
    (rows_as_csv().replace(b"loss", b"cost"), "the column loss is missing"),
    (rows_as_csv() + b"x,y\n", "row 3 has 2 cells, the header 10. Give"),
    (rows_as_csv(loss="2"), "Write each loss as a number"),
    (rows_as_csv(loss="nan"), "Write each loss as a number"),
    (rows_as_csv(loss="x"), "Write each loss as a number"),
]


@pytest.mark.parametrize(("content", "said"), NO_BANKS)
def test_a_file_that_is_no_bank_is_one_sentence(content: bytes, said: str) -> None:
    with pytest.raises(BankError) as refused:
        Bank.read(content)
    assert said in str(refused.value)


@pytest.mark.parametrize("limits", [[], [0.1], [2.0] * 80, ["x"] * 80, None])
def test_estimates_of_a_hostile_file_are_refused(limits: object) -> None:
    row = {"items": "d", "plan_id": "p", "target": "t", "date": "", "value": 0.5, "limits": limits}
    row |= {"labels": 3, "carried": 0, "audited": 0}
    table, _ = read_bank_file(rows_as_csv())
    with pytest.raises(BankError, match="no bank"):
        Bank.of_table(table, {"estimates": json.dumps([row])})


TEXTS = st.text(max_size=12)


@given(TEXTS, TEXTS, st.lists(TEXTS, min_size=1, max_size=3), TEXTS)
@settings(max_examples=settings().max_examples // 3)
def test_no_text_of_a_log_changes_what_is_known_of_another_item(
    prompt: str, answer: str, choices: list[str], key: str
) -> None:
    def log(name: str, *records: dict[str, object]) -> Pool:
        return Pool.from_records(records, name)

    honest = {"id": "honest", "prompt": "What is 2?", "answer": "B", "targets": {"v1": {"answer": "A", "loss": 1.0}}}
    asked = {**honest, "targets": {"v2": {"answer": "A"}}}
    evil = {"id": "honest2", "prompt": prompt, "choices": choices, "targets": {"m": {"answer": answer, "loss": 0.0}}}
    if key.strip():
        evil["answer"] = key
    same = prompt == "What is 2?" and not choices
    before = Bank.of(log("a", honest)).known(log("q", asked), "v2")
    try:
        hostile = log("b", evil)
    except Exception:
        return
    after = (Bank.of(log("a", honest)) | Bank.of(hostile)).known(log("q", asked), "v2")
    assert same or after.equals(before)


# Labels list after list, names each one once its labels are kept, and takes them into the bank.
LABELLING = """
import sys
from pathlib import Path
from core.archive import Archive
from core.bank import gather
from tests.core.bank.test_home import exam, labelled

home, number = Archive(Path(sys.argv[1])), int(sys.argv[2])
print("ready", flush=True)
while True:
    print(labelled(home, exam(), 1 + number % 20, seed=number), flush=True)
    gather(home, f"2026-11-26T{number:06}")
    number += 1
"""


@pytest.mark.parametrize("kills", [1, pytest.param(40, marks=pytest.mark.trial)])
def test_a_kill_while_labels_become_rows_loses_none(tmp_path: Path, kills: int) -> None:
    archive, rng, said = Archive(tmp_path), random.Random(kills), list[str]()
    archive.pools.save(exam("v1"), NOW)
    for number in range(kills):
        words = [sys.executable, "-c", LABELLING, str(tmp_path), str(1000 * number)]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            ready, *named = (child.stdout.readline().strip() for _ in range(1 + rng.randrange(1, 4)))
            time.sleep(rng.uniform(0.0, 0.3))
            child.kill()
            said += named + child.stdout.read().split("\n")[:-1]
        items = archive.labels.counts().set_index("plan_id")["items"].to_dict()
        assert set(said) <= set(items), "labels that were kept are there"
        for source, part in archive.verdicts.all().items():
            if source.startswith("plan "):
                assert len(Bank.read(part.content)) == items[source.removeprefix("plan ")], "no part is half written"
        bank = gather(archive)
        rows = bank.rows["source"].value_counts().to_dict()
        assert rows == {"exam": 40} | {f"labels of {name}": count for name, count in items.items()}
    kept = gather(archive, LATER)
    assert ready == "ready" and kept.rows["source"].value_counts().to_dict() == rows
