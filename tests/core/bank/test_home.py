"""The bank of a home: it grows by itself, takes in what has changed, and forgets what it is told to forget."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import core as neyman
from core.archive import Archive
from core.bank import Bank
from core.bank.home import correct, gather, remove, take_in
from core.pool import Pool
from core.study import Labelling

NOW, LATER = "2026-11-25T12:00:00+00:00", "2026-11-26T12:00:00+00:00"


def exam(*graded: str) -> Pool:
    """Forty items answered by two versions; the outcome of those named is known."""
    records = []
    for place in range(40):
        targets = {
            name: {"answer": "A" if place % 4 or (name == "v2" and place % 8) else "B"}
            | ({"loss": float(place % 4 == 0)} if name in graded else {})
            for name in ("v1", "v2")
        }
        records.append({"id": f"i{place}", "prompt": f"q{place}", "targets": targets})
    return Pool.from_records(records, "exam")


def test_kept_pools_are_taken_in_once(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.pools.save(exam("v1"), NOW)
    bank = gather(archive, NOW)
    assert len(bank) == 40 and set(bank.rows["date"].astype(str)) == {"2026-11-25"}
    before = archive.verdicts.all()
    gather(archive, LATER)
    assert archive.verdicts.all() == before


def labelled(archive: Archive, pool: Pool, count: int, seed: int = 1) -> str:
    """Keep a list of twenty items, and labels of the first ones; return its name."""
    archive.pools.save(pool, NOW)
    plan = neyman.recommend(pool, 20, "v2").draw(pool, seed=seed)
    Labelling(plan, pool, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, NOW)
    rows = pd.DataFrame({"item_id": plan.ids[:count], "label": "right"})
    archive.labels.save(plan.plan_id, rows, NOW if count < 6 else LATER, "csv", "right-wrong", "v2")
    return plan.plan_id


def test_labels_become_rows_and_more_labels_more_rows(tmp_path: Path) -> None:
    archive, pool = Archive(tmp_path), exam()
    labelled(archive, pool, 5)
    assert len(gather(archive, NOW)) == 5
    plan_id = labelled(archive, pool, 9)
    bank = gather(archive, LATER)
    assert len(bank) == 9 and set(bank.rows["source"]) == {f"labels of {plan_id}"}
    assert set(bank.rows["model"]) == {"v2"}


def test_rows_survive_their_pool(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    digest = archive.pools.save(exam("v1"), NOW)
    gather(archive, NOW)
    (tmp_path / "pools" / f"{digest}.parquet").unlink()
    assert len(gather(archive, LATER)) == 40


def test_a_source_that_was_forgotten_stays_away_until_it_is_remembered(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    digest = archive.pools.save(exam("v1"), NOW)
    gather(archive, NOW)
    archive.verdicts.forget(f"pool {digest}", NOW)
    assert len(gather(archive, LATER)) == 0
    archive.verdicts.remember(f"pool {digest}")
    assert len(gather(archive, LATER)) == 40


def test_imports_and_corrections_are_parts_of_their_own(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.pools.save(exam("v1"), NOW)
    bank = gather(archive, NOW)
    wrong = bank.rows["item"] == bank.rows["item"].iloc[0]
    corrected = bank.corrected(wrong, 0.0, "2026-11-26")
    archive.verdicts.save("corrections", "1", corrected.without(~wrong).to_bytes(), LATER)
    assert gather(archive, LATER).rows["loss"].sum() == bank.rows["loss"].sum() - 1
    assert isinstance(Bank.read(archive.verdicts.all()["corrections"].content), Bank)


# Of the pool below, as earlier versions wrote them.
_EARLIER = """item,answer,parser,text,grading,loss,model,source,date,is_key
b734bb0c4ddbc466265bc5023baa3c84,A,as-is 1,,7481f1abcdfc4d48,0.0,v1,traffic,,False
defaadc141b7a9a2a8c1100e1438fae7,A,as-is 1,,7481f1abcdfc4d48,0.0,v1,traffic,,False
20308466c171ae04567a3f63947401d8,A,as-is 1,,7481f1abcdfc4d48,1.0,v1,traffic,,False
ce1eacf7c87cce37bab960f60def8525,A,as-is 1,,7481f1abcdfc4d48,0.0,v1,traffic,,False
"""


def test_what_people_said_of_rows_without_questions_stands_after_an_update(tmp_path: Path) -> None:
    archive, earlier = Archive(tmp_path), Bank.read(_EARLIER.encode()).rows
    targets = [{"v1": {"answer": "A", "loss": float(place == 2)}, "v2": {"answer": "A"}} for place in range(4)]
    numbered = Pool.from_records(
        [{"id": str(place), "targets": given} for place, given in enumerate(targets)], "traffic"
    )
    archive.pools.save(numbered, NOW)
    take_in(archive, Bank(earlier), NOW)
    correct(archive, earlier.iloc[[2]], 0.0, NOW)
    remove(archive, earlier.iloc[[1]], NOW)
    known = gather(archive, LATER).lookup(numbered, "v2")
    assert known.frame().drop(columns="source").to_dict("list") == {"item_id": ["0", "2", "3"], "loss": [0.0, 0.0, 0.0]}
