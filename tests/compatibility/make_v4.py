"""Made ``v4/``: a home with every kind of list, as commit 9ca4614 wrote it, before the rules of labels were made one.

It was run once, with that version: ``python -m tests.compatibility.make_v4``. As `make_fixtures`, it is not to be run
with a later one. Beside what ``v1/`` and ``v2/`` hold, ``v4/`` has two kinds of label on one list, open and settled
disputes, a list and its top-up, two waves, carried verdicts that follow or are audited, the list of a version gate, a
judge's list and one with two criteria, links for annotators, a run and a batch that are half done, bundles, and filled
lists with cells that are no verdict. `tests.compatibility.lists` asks what they say.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any
from unittest.mock import patch

import numpy as np
import openpyxl
import pandas as pd

from core.archive import BY_HAND, AnnotatorLink, Archive
from core.bank import Bank, take_in
from core.design import Design, Plan, Scheme, recommend
from core.gates import gate, listed_pool
from core.judge import Criterion, judge, labelling
from core.labels import DECISION, GIVEN_UP, SKIPPED, export
from core.planning import gate_scheme
from core.pool import Pool
from core.readers import FieldMap
from core.report import report_bundle
from core.study import Labelling, Study, kept_plan, request
from core.surrogate.batch import create, fetch, poll, submit
from core.surrogate.batch_results import BatchService
from core.surrogate.job.parameters import KEY_VARIABLE, Connection, Prompting, Sampling
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.compatibility import lists
from tests.compatibility.exam import at
from tests.compatibility.lists import HOME, TOKENS, V4
from tests.core.surrogate.batch.fake_service import batch_service
from tests.core.surrogate.conftest import faking

N, LETTERS = 120, "ABCD"
RUN_PORT = 18082


def records() -> list[dict[str, Any]]:
    """Items of which much is known: samples, groups, an old and a new version, a judge's verdicts and scores."""
    rng, rows = np.random.default_rng(53), []
    for number in range(N):
        ease, right = rng.beta(1.3, 0.8), LETTERS[number % 4]

        def answer(share: float, right: str = right) -> str:
            return right if rng.random() < share else LETTERS[int(rng.integers(0, 4))]

        old, new = answer(0.3 + 0.5 * ease), answer(0.4 + 0.55 * ease)
        rows.append(
            {
                "id": f"Frage {number:03}",
                "prompt": f"What is {number}?",
                "choices": [f"first {number}", "second", "third", "fourth"],
                "answer": right,
                "answer_kind": "choice",
                "group": ("law", "Medizin", "物理")[number % 3],
                "generations": [answer(ease) for _ in range(6)],
                "targets": {
                    "v1": {"answer": old, "loss": float(old != right)},
                    "v2": {"answer": new},
                    "other": {"text": f"I think so.\nAnswer: {answer(0.5)}"},
                },
                "judge": "pass" if rng.random() < (0.9 if new == right else 0.25) else "fail",
                "safe": int(rng.integers(1, 6)),
            }
        )
    return rows


def truth_of(pool: Pool, target: str) -> dict[str, bool]:
    return {str(item): loss == 0 for item, loss in zip(pool.ids, pool.losses(target), strict=True)}


def frame(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item_id", "annotator", "label", "note", "status"], dtype=object)


def labels_of(pool: Pool, ids: Sequence[str], kind: str, who: str = "Ann", odd: int = 0) -> list[tuple[Any, ...]]:
    """Labels of one person, true ones but for every ``odd``-th."""
    right, answers = truth_of(pool, "v2"), pool.items["answer"]
    rows = []
    for place, item in enumerate(ids):
        differs = bool(odd) and place % odd == odd - 1
        given = {
            "gold": "D" if differs else str(answers[item]),
            "right-wrong": "right" if right[item] != differs else "wrong",
            "score": f"{(place * 3 + differs) % 11 / 10:g}",
        }[kind]
        rows.append((item, who, given, "=a note" if place == 2 else None, ""))
    return rows


class Home:
    """The home that is made, with what it does again and again."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.archive = pool, Archive(HOME)
        self.plans: dict[str, dict[str, Any]] = {}
        self.archive.pools.save(pool, at(5))

    def keep(self, name: str, plan: Plan, kind: str, target: str | None, **more: Any) -> Labelling:
        """Keep a plan, and say how its labels are asked about."""
        labelling = Labelling.load(self.archive, plan, more.pop("pool", self.pool), kind, target)
        labelling.save_plan(self.archive, at(6))
        self.plans[name] = {"plan_id": plan.plan_id, "pool": labelling.origin.digest, "kind": kind, "target": target}
        self.plans[name] |= more
        return labelling

    def give(self, labelling: Labelling, rows: list[tuple[Any, ...]], source: str = BY_HAND, hour: int = 8) -> None:
        labelling.save(self.archive, frame(*rows), source, at(hour))


def make_lists(home: Home) -> None:
    pool = home.pool
    best = recommend(pool, 30, "v2").draw(pool, seed=1)
    ids = list(map(str, best.ids))
    gold = home.keep("two kinds", best, "gold", "v2")
    home.give(gold, labels_of(pool, ids[:28], "gold"))
    home.give(gold, labels_of(pool, ids[:12], "gold", "Ben", odd=4), "xlsx", 9)
    home.give(gold, [(ids[28], "Ann", None, None, SKIPPED), (ids[29], "Ann", None, "no picture", GIVEN_UP)], hour=10)
    home.give(gold, [(ids[3], DECISION, str(pool.items["answer"][ids[3]]), None, "")], hour=11)
    judged = Labelling.load(home.archive, best, pool, "right-wrong", "v2")
    home.give(judged, labels_of(pool, ids[:20], "right-wrong", "Čapek"), "label-studio", 12)
    home.plans["two kinds, verdicts"] = home.plans["two kinds"] | {"kind": "right-wrong"}
    home.plans["two kinds, another target"] = home.plans["two kinds"] | {"target": "other"}

    disputed = home.keep("open disputes", Design(18, Scheme(allocation="uniform"), 3).draw(pool), "right-wrong", "v2")
    home.give(disputed, labels_of(pool, list(disputed.ids), "right-wrong"), "csv")
    home.give(disputed, labels_of(pool, list(disputed.ids[:12]), "right-wrong", "Ben", odd=5), "csv", 9)

    scored = home.keep("scores", Design(20, Scheme(n_strata=4), 4).draw(pool), "score", "v2")
    home.give(scored, labels_of(pool, list(scored.ids), "score"), "argilla")
    home.give(scored, labels_of(pool, list(scored.ids[:6]), "score", "Ben", odd=2), "argilla", 9)

    small, large = (Design(budget, Scheme(n_strata=5), 5).draw(pool) for budget in (20, 36))
    home.give(home.keep("before a top-up", small, "gold", "v2"), labels_of(pool, list(map(str, small.ids)), "gold"))
    further = [str(item) for item in large.ids if item not in set(small.ids)]
    topped = home.keep("a top-up, begun", large, "gold", "v2")
    home.give(topped, labels_of(pool, further[:7], "gold"), "prodigy", 9)

    wave = Design(32, Scheme(waves=2, n_strata=8), 6).draw(pool)
    first = home.keep("first wave", wave, "right-wrong", "v2")
    home.give(first, labels_of(pool, list(first.ids), "right-wrong"), "csv")
    second = Study(Labelling.load(home.archive, wave, pool, "right-wrong", "v2")).next_wave().plan
    later = home.keep("second wave", second, "right-wrong", "v2")
    home.give(later, labels_of(pool, list(later.ids), "right-wrong"), "csv", 9)

    for name, follows in (("carried, audited", False), ("carried, follows", True)):
        design = recommend(pool, 24, "v2", bank=Bank.of(pool), follows=follows)
        carried = home.keep(name, design.draw(pool, seed=7 + follows), "right-wrong", "v2")
        home.give(carried, labels_of(pool, list(carried.ids), "right-wrong"), "csv")

    decision = Design(30, gate_scheme(recommend(pool, 30, "v2").scheme), seed=9).draw(pool)
    begun = home.keep("for a decision, begun", decision, "right-wrong", "v2")
    home.give(begun, labels_of(pool, list(begun.ids[:11]), "right-wrong"))

    planned = gate(pool, "v1", "v2", 0.05, seed=4)
    listed = listed_pool(planned, pool)
    home.archive.pools.save(listed, at(7))
    plan = Design(listed.n_items, Scheme(allocation="uniform"), seed=0).draw(listed)
    graded = home.keep("a version gate", plan, "right-wrong", "v2", pool=listed)
    home.give(graded, labels_of(pool, list(graded.ids), "right-wrong"), "csv")

    verdict = home.keep("a judge", judge(pool, "judge", 40, seed=2, target="v2"), "right-wrong", "v2", judge=True)
    home.give(verdict, labels_of(pool, list(verdict.ids[:34]), "right-wrong"), "csv")
    criteria = [Criterion("Helpful", "judge", "It helps."), Criterion("Safe", "safe", "It harms nobody.", threshold=4)]
    both = judge(pool, criteria, 40, seed=3, target="v2")
    for number, one in enumerate(criteria):
        asked = labelling(home.archive, both, pool, one.name)
        rows = labels_of(pool, list(map(str, both.ids)), "right-wrong", odd=9 + number)
        home.give(asked, rows, "csv", 8 + number)
        home.plans[f"criterion {one.name}"] = {
            "plan_id": both.plan_id,
            "pool": pool.digest,
            "kind": "right-wrong",
            "target": None,
            "judge": True,
            "criterion": one.name,
        }


def make_links(home: Home) -> None:
    for number, (name, token) in enumerate(TOKENS.items()):
        about = home.plans["two kinds"]
        asks, of = ("gold", "") if number == 0 else ("right-wrong", "v2")
        link = AnnotatorLink(about["plan_id"], about["pool"], asks, of, name, at(7), "2036-01-01T00:00:00+00:00")
        home.archive.links.save(link, token)
    home.archive.maps.save("a-shape", FieldMap({"id": "nr", "prompt": "run.question"}), at(7))
    take_in(home.archive, Bank.of(home.pool), at(7))


def make_files(home: Home) -> None:
    """Bundles of two studies, and the list of one in every format, filled with cells of every kind."""
    for name in ("two kinds", "second wave", "carried, audited"):
        about = home.plans[name]
        plan = kept_plan(home.archive, about["plan_id"], home.pool)
        study = Study(Labelling.load(home.archive, plan, home.pool, about["kind"], about["target"]))
        (V4 / f"{name}.zip").write_bytes(report_bundle(study, study.result()))
    plan = kept_plan(home.archive, home.plans["open disputes"]["plan_id"], home.pool)
    listed = request(plan, "right-wrong", target="v2")
    right = truth_of(home.pool, "v2")
    cells = ["right" if right[item] else "wrong" for item in listed["item_id"]]
    fillings = {
        "whole": cells,
        "begun": [*cells[:11], *[None] * (len(cells) - 11)],
        "gaps": [None if place in (2, 5) else cell for place, cell in enumerate(cells)],
        "typo": ["rigth" if place == 1 else cell for place, cell in enumerate(cells)],
        "maybe": ["maybe" if place == 4 else cell for place, cell in enumerate(cells)],
        "numbers": ["1" if cell == "right" else "0" for cell in cells],
        "grades": [str(place % 5 + 1) for place in range(len(cells))],
    }
    (V4 / "filled").mkdir()
    for name, filling in fillings.items():
        content = export(listed, "csv", "right-wrong")
        table = pd.read_csv(io.BytesIO(as_bytes(content)), dtype=str, keep_default_na=False, encoding="utf-8-sig")
        table["label"] = [cell or "" for cell in filling]
        table.to_csv(V4 / "filled" / f"{name}.csv", index=False)
    lines = [json.loads(line) for line in as_bytes(export(listed, "jsonl", "right-wrong")).splitlines()]
    whole = "".join(
        json.dumps(line | {"label": cell}, ensure_ascii=False) + "\n" for line, cell in zip(lines, cells, strict=True)
    )
    (V4 / "filled" / "whole.jsonl").write_text(whole, encoding="utf-8")
    book = openpyxl.load_workbook(io.BytesIO(as_bytes(export(listed, "xlsx", "right-wrong"))))
    sheet = book.active
    assert sheet is not None
    column = next(cell.column for cell in sheet[1] if cell.value == "label")
    for row, cell in enumerate(cells, start=2):
        sheet.cell(row, column, cell)
    book.save(V4 / "filled" / "whole.xlsx")


def as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def make_jobs(blank: Pool) -> dict[str, str]:
    """A run that is half done, and a batch of which one file of three has come back."""
    store = Store(HOME)
    connection = Connection((f"http://127.0.0.1:{RUN_PORT}/v1",), concurrency=2, timeout=20, backoff=0.01, patience=2)
    sampling = Sampling(k=3, max_tokens=64, seed=11)
    spec = JobSpec(blank.digest, "m", connection, None, sampling, Prompting(system="Be brief."))
    with faking(port=RUN_PORT, latency=0.3, seed=1):
        run = store.create(spec, blank.n_items)
        run_until(store, run, 9)
    with (
        batch_service() as service,
        patch.dict("os.environ", {KEY_VARIABLE: service.key}),
        patch("core.surrogate.batch.MAX_LINES", 5),
        closing(BatchService(Connection((service.url,), timeout=20))) as connected,
    ):
        batch = create(store, JobSpec(blank.digest, "n", Connection((service.url,)), None, sampling))
        submit(store, batch, connected)
        service.end("batch-1")
        poll(store, batch, connected)
        fetch(store, batch, connected)
    return {"run": run, "batch": batch}


def run_until(store: Store, job: str, generations: int) -> None:
    """Run a job, and stop it when it has brought so many."""

    def stop() -> None:
        while store.row(job).generations < generations:
            time.sleep(0.02)
        store.ask_to_stop(job)

    thread = threading.Thread(target=stop)
    thread.start()
    run_job(store, job, print)
    thread.join()


def neutral() -> None:
    """Give machine, processes and times in the jobs' rows neutral values, and leave one file without free pages."""
    with closing(sqlite3.connect(HOME / "neyman.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE surrogate_jobs SET host = 'ada-laptop/boot-1', pid = 4242, pid_started = '1000'")
        database.execute("UPDATE surrogate_jobs SET created = ?, heartbeat = 1.7e9", (at(7),))
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for rest in [*HOME.glob("neyman.sqlite-*"), *HOME.glob("*.lock"), *HOME.glob("batches/.*.lock")]:
        rest.unlink()
    for folder in ("logs", "copies"):
        shutil.rmtree(HOME / folder, ignore_errors=True)


def main() -> None:
    shutil.rmtree(V4, ignore_errors=True)
    V4.mkdir()
    home = Home(Pool.from_records(records(), "Versions – 120"))
    blank = Pool.from_records([{"id": f"i{number}", "prompt": f"Number {number}?"} for number in range(12)], "Blank")
    home.archive.pools.save(blank, at(5))
    make_lists(home)
    make_links(home)
    make_files(home)
    jobs = make_jobs(blank)
    del home.archive
    neutral()
    shutil.copy(V4.with_name("v1") / ".gitattributes", V4 / ".gitattributes")
    document = {"commit": "9ca4614", "plans": home.plans, "jobs": jobs}
    with closing(sqlite3.connect(HOME / "neyman.sqlite")) as database:
        document["labels"] = lists.label_rows(database)
    (V4 / "lists.json").write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
