"""Made ``v1/``: a home, files and addresses as version 0.1.0 (commit 73761ae) wrote them.

It was run once, with that version, before the house was rebuilt: ``python -m tests.compatibility.make_fixtures``. It is
not to be run with a later version, whose writing the fixtures are not to hold: its imports are that version's. It stays
here because it says what is in the fixtures. Fixtures of a later version go beside these, into ``v2/``.

``reports/first-format.json`` (neyman-result/1) was written by commit b894e1d, the last with that format, from the
verdicts on “alpha” of the first plan.

Machine, processes and times in the jobs' rows were given neutral values afterwards (`neutral`), and their logs left
out, so that no machine is in the files; the folder of images in a job, /home/ada/pictures, is nobody's.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
from core._schema import MIGRATIONS
from core.labels.records import DECISION, GIVEN_UP, SKIPPED, WITHDRAWN
from core.profile import profile
from core.surrogate.settings import Connection, JobSpec, Prices, Prompting, Sampling, Serving
from core.surrogate.store import Store

from core import __version__, labels, manifest
from core.answers import PARSER_VERSION
from core.archive import BY_HAND, Archive
from core.design import Design, Plan
from core.pool import Pool
from core.surrogate import control
from core.surrogate.filled_pool import pool_with
from core.surrogate.worker import run_job
from tests.compatibility import observed
from tests.compatibility.addresses import addresses
from tests.compatibility.exam import ALPHA, BETA, GAMMA, RICHER, asked_pool, at, exam, other, truth
from tests.compatibility.filled import write_filled
from tests.compatibility.observed import V1
from tests.core.surrogate.conftest import faking

HOME = V1 / "home"
PORT = 18080
DESIGNS = {
    "default": Design(20),
    "default, larger": Design(26),
    "uniform": Design(15, allocation="uniform", seed=3),
    "k-means": Design(18, 4, "k-means", "proportional", seed=11),
    "parser": Design(14, 3, "quantile", "power", 0.3, 0, "choice"),
    "equal": Design(24, 6, "equal-width", "equal", 1),
}


def drawn(pool: Pool, design: Design) -> Plan:
    ids = pool.items.index.to_numpy(dtype=object)
    return design.plan(pool.digest, ids, profile(pool.classes(design.parser)))


def frame(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item_id", "annotator", "label", "note", "status"], dtype=object)


def keep_labels(archive: Archive, pool: Pool, plans: dict[str, Plan]) -> None:
    """Labels of every kind, as page Label and page Estimate keep them."""
    one, two = plans["default"], plans["default, larger"]
    ids = [str(item) for item in one.ids]
    family = [two.plan_id]

    def save(plan: Plan, rows: pd.DataFrame, when: str, source: str, kind: str, target: str = "") -> None:
        also = family if plan is one else [one.plan_id] if plan is two else []
        archive.save_labels(plan.plan_id, rows, when, source, kind, target, also)

    # Verdicts on alpha, by hand, and the outcomes that the pool knows of beta.
    losses = dict(zip(pool.items.index, pool.losses(ALPHA), strict=True))
    judged = ((i, "Ann", "wrong" if losses[i] == 1 else "right", None, "") for i in ids[:19])
    save(one, frame(*judged), at(8), BY_HAND, "right-wrong", ALPHA)
    known = labels.of_target(pool, BETA, ids).rows
    save(one, known, at(8, 30), "pool", "right-wrong", BETA)
    save(one, frame((ids[0], "Ben", "wrong", "looked twice", "")), at(8, 40), BY_HAND, "right-wrong", BETA)
    # Right answers: Ann's file, Ben's file with three other answers, and what was given by hand since.
    save(one, frame(*((i, "Ann", truth(pool, i), None, "") for i in ids[:17])), at(9), "csv", "gold")
    different = set(ids[1:4])
    given = ((i, "Ben", (other if i in different else truth)(pool, i), None, "") for i in ids[:10])
    save(one, frame(*given), at(10), "xlsx", "gold")
    save(one, frame((ids[1], DECISION, truth(pool, ids[1]), None, "")), at(10, 30), BY_HAND, "gold")
    save(one, frame((ids[2], "Čapek", truth(pool, ids[2]), "=clear, I think", "")), at(10, 31), BY_HAND, "gold")
    save(one, frame((ids[5], "Ann", None, None, WITHDRAWN)), at(10, 32), BY_HAND, "gold")
    save(one, frame((ids[17], "Čapek", None, None, SKIPPED)), at(10, 33), BY_HAND, "gold")
    save(one, frame((ids[18], "Čapek", None, "unreadable picture", GIVEN_UP)), at(10, 34), BY_HAND, "gold")
    signals = profile(pool.classes())
    spare = labels.replacements(one, signals, pool.items.index.to_numpy(dtype=object), [ids[18]])["item_id"].tolist()
    save(one, frame(*((str(i), "Čapek", truth(pool, str(i)), None, "") for i in spare)), at(10, 35), BY_HAND, "gold")
    save(one, frame((ids[19], "", truth(pool, ids[19]), None, "")), at(10, 36), BY_HAND, "gold")
    # The larger list of the same design.
    more = [str(item) for item in two.ids if str(item) not in {*ids, *spare}]
    save(two, frame(*((i, "Ann", truth(pool, i), None, "") for i in more[:3])), at(11), BY_HAND, "gold")
    # An import, for a plan of its own.
    uniform = plans["uniform"]
    losses = dict(zip(pool.items.index, pool.losses(BETA), strict=True))
    judged = ((str(i), "3", "wrong" if losses[i] == 1 else "right", None, "") for i in uniform.ids)
    save(uniform, frame(*judged), at(12), "label-studio", "right-wrong", BETA)
    # Scores by two people, one of them beyond 1.
    means = plans["k-means"]
    scores = [(str(i), "Ann", f"{(place * 3 % 10) / 10:g}", None, "") for place, i in enumerate(means.ids)]
    scores += [(str(i), "Ben", f"{(place * 3 % 10) / 10 + 0.05:g}", None, "") for place, i in enumerate(means.ids[:6])]
    scores[7] = (*scores[7][:2], "1.4", "beyond the scale", "")
    save(means, frame(*scores), at(13), "argilla", "score", ALPHA)
    # Right answers for the targets that are run on this list.
    parser = plans["parser"]
    given = ((str(i), "db-ann", truth(pool, str(i)), None, "") for i in parser.ids)
    save(parser, frame(*given), at(14), "prodigy", "gold")


def keep_richer(archive: Archive, pool: Pool, job: str) -> Pool:
    """The same items with the answers of a job's target: a pool of its own, with a list and labels of its own."""
    richer = pool_with(Store(HOME), pool, job)
    archive.save(richer, at(4))
    plan = drawn(richer, Design(16, seed=5))
    document = manifest.write(plan, richer.name, dict(PARSER_VERSION))
    archive.save_design(plan.plan_id, document, richer.digest, at(5))
    (V1 / "manifests" / f"{plan.plan_id}.json").write_text(document, encoding="utf-8")
    given = frame(*((str(i), "Ann", truth(richer, str(i)), None, "") for i in plan.ids))
    archive.save_labels(plan.plan_id, given, at(5), BY_HAND, "gold")
    return richer


def run_jobs(pool: Pool, blank: Pool, listed: Plan) -> dict[str, str]:
    """Jobs: stopped half-way, finished, lost half-way, failed before it began."""
    store = Store(HOME)
    connection = Connection((f"http://127.0.0.1:{PORT}/v1",), concurrency=2, timeout=20, backoff=0.01, patience=2)
    stopped = JobSpec(
        blank.digest, "m", connection, None, Sampling(k=3, max_tokens=64), Prompting(system="Be brief. Ω")
    )
    with faking(port=PORT, latency=0.5, seed=1):
        jobs = {"stopped": store.create(stopped, blank.n_items)}
        run_until(store, jobs["stopped"], 5)
    done = JobSpec(
        pool.digest,
        "m",
        connection,
        None,
        Sampling(k=1, seed=7),
        Prompting(images="/home/ada/pictures"),
        Prices(0.5, 2.0),
        GAMMA,
        tuple(map(str, listed.ids)),
    )
    with faking(port=PORT, content="I think so.\nAnswer: B"):
        jobs["done"] = store.create(done, len(listed.ids))
        assert run_job(store, jobs["done"], print).state == "done"
    lost = JobSpec(blank.digest, "m", connection, None, Sampling(k=4, seed=5))
    with faking(port=PORT, ignore_n=True, latency=0.2, seed=2):
        jobs["lost"] = control.start(store, lost)
        while store.row(jobs["lost"])["generations"] < 18:
            time.sleep(0.01)
        control.stop(store, jobs["lost"], force=True)
    served = JobSpec(blank.digest, "data/tiny_lm/surrogate", Connection(), Serving("data/tiny_lm/surrogate"))
    jobs["failed"] = store.create(served, blank.n_items, "failed")
    return jobs


def run_until(store: Store, job: str, generations: int) -> None:
    """Run a job, and stop it when it has brought so many."""

    def stop() -> None:
        while store.row(job)["generations"] < generations:
            time.sleep(0.02)
        store.ask_to_stop(job)

    thread = threading.Thread(target=stop)
    thread.start()
    assert run_job(store, job, print).state == "cancelled"
    thread.join()


def neutral(jobs: dict[str, str]) -> None:
    """Give machine and processes in the jobs' rows neutral names, and leave one file without free pages."""
    with closing(sqlite3.connect(HOME / "neyman.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE surrogate_jobs SET host = 'ada-laptop/boot-1', pid = 4242, pid_started = '1000'")
        for minute, job in enumerate(jobs.values()):
            values = (at(7, minute), job)
            database.execute("UPDATE surrogate_jobs SET created = ?, heartbeat = 1.7e9 WHERE id = ?", values)
        database.execute(
            "UPDATE surrogate_jobs SET host = NULL, pid = NULL, pid_started = NULL,"
            " error = 'vLLM could not be started.' WHERE id = ?",
            (jobs["failed"],),
        )
        # Its worker was killed; stopping it by force has asked it to stop as well.
        database.execute("UPDATE surrogate_jobs SET owner = 'gone', stop = 0 WHERE id = ?", (jobs["lost"],))
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.rmtree(HOME / "logs", ignore_errors=True)
    for name in ("neyman.sqlite-wal", "neyman.sqlite-shm"):
        (HOME / name).unlink(missing_ok=True)


def write_older_homes(pool: Pool, plans: dict[str, Plan], documents: dict[str, str]) -> None:
    """The first two versions of the tables, with two plans of one design; the second with labels."""
    for version in (1, 2):
        database = sqlite3.connect(":memory:")
        for statement in [statement for statements in MIGRATIONS[:version] for statement in statements]:
            database.execute(statement)
        row = (pool.digest, pool.name, 60, 6, json.dumps([ALPHA, BETA], ensure_ascii=False), "[]", at(6))
        database.execute("INSERT INTO pools VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        for name in ("default", "default, larger"):
            values = (plans[name].plan_id, pool.digest, documents[name], at(6))
            database.execute("INSERT INTO designs VALUES (?, ?, ?, ?)", values)
        if version == 2:
            ids = [str(item) for item in plans["default"].ids]
            rows = [(i, "Ann", truth(pool, i), "a note", "csv gold") for i in ids]
            rows += [
                (i, "Ben", "right" if place % 3 else "wrong", None, "here right-wrong") for place, i in enumerate(ids)
            ]
            # The pool's outcomes stood under the target's name, as if it were a person.
            rows += [(ids[0], BETA, "right", None, "pool right-wrong"), (ids[1], "Ann", "0.5", None, "csv score")]
            for number, (item, person, label, note, source) in enumerate(rows, start=1):
                change = (
                    number,
                    f"b{source}",
                    plans["default"].plan_id,
                    item,
                    person,
                    0,
                    label,
                    note,
                    "",
                    source,
                    at(7),
                )
                database.execute("INSERT INTO label_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", change)
        database.commit()
        text = "\n".join(database.iterdump()) + f"\nPRAGMA user_version = {version};\n"
        (V1 / f"home-of-schema-{version}.sql").write_text(text, encoding="utf-8")


QUESTIONS: dict[str, list[observed.Question]] = {
    "default": [("gold", ALPHA, False), ("right-wrong", ALPHA, False), ("right-wrong", BETA, False)],
    "default, larger": [("gold", ALPHA, False)],
    "uniform": [("right-wrong", BETA, False)],
    "k-means": [("score", ALPHA, False), ("score", ALPHA, True)],
    "parser": [("gold", ALPHA, False)],
    RICHER: [("gold", ALPHA, False), ("gold", GAMMA, False)],
}


def expect(
    pool: Pool, blank: Pool, plans: dict[str, Plan], jobs: dict[str, str], kinds: dict[str, str]
) -> dict[str, Any]:
    """What this version says of it all."""
    home = Path(os.environ["NEYMAN_HOME"])
    archive = observed.copy_home(home)
    ids = {name: plan.plan_id for name, plan in plans.items()}
    one = ids["default"]
    return {
        "version": __version__,
        "commit": "73761ae",
        "pools": {
            one_pool.digest: {
                "name": one_pool.name,
                "items": one_pool.items.index.tolist(),
                "targets": list(one_pool.targets),
                "losses": {name: observed.plain(one_pool.losses(name).tolist()) for name in one_pool.targets},
                "classes": one_pool.classes().tolist() if one_pool.n_generations else None,
                "notes": list(one_pool.notes),
            }
            for one_pool in (pool, blank, archive.load(plans[RICHER].pool_digest))
        },
        "plans": {
            plan_id: {"name": name, **observed.plan_says(archive, observed.kept_manifest(archive, plan_id))}
            for name, plan_id in ids.items()
        },
        "counts": {plan_id: observed.counts_say(archive, plan_id) for plan_id in ids.values()},
        "labels": [
            {"plan": ids[name], "question": question, "says": observed.labels_say(archive, ids[name], question)}
            for name, questions in QUESTIONS.items()
            for question in questions
        ],
        "filled": {
            name: observed.file_says(archive, V1 / "filled" / name, one, kind, ALPHA)
            for name, kind in {**kinds, "labels-as-given.csv": "gold"}.items()
        },
        "jobs": {name: {**observed.job_says(home, job), "key": key_of(home, job)} for name, job in jobs.items()},
        "addresses": [
            {"address": address, "shows": observed.address_says(address)} for address in addresses(pool, blank, plans)
        ],
        "schemas": {
            str(version): {
                "counts": observed.counts_say(older, one),
                "labels": [
                    {"question": question, "says": observed.labels_say(older, one, question)}
                    for question in (
                        ("gold", ALPHA, False),
                        ("right-wrong", ALPHA, False),
                        ("right-wrong", BETA, False),
                    )
                    if version == 2
                ],
            }
            for version in (1, 2)
            for older in [observed.home_of_schema(version, home.parent / f"schema-{version}")]
        },
    }


def key_of(home: Path, job: str) -> str:
    return str(Store(home).row(job)["key"])


def write_reports(expected: dict[str, Any]) -> None:
    """Two reports as page Estimate hands them out."""
    folder = V1 / "reports"
    folder.mkdir()
    for name, part in (("gold", "compare="), ("score", "unbounded=true")):
        address = next(one["address"] for one in expected["addresses"] if part in one["address"])
        (folder / f"{name}.json").write_text(observed.report_at(address), encoding="utf-8")


def main(scratch: str) -> None:
    os.environ["NEYMAN_HOME"] = f"{scratch}/home"
    shutil.rmtree(V1, ignore_errors=True)
    HOME.mkdir(parents=True)
    pool, blank = exam(), asked_pool()
    archive = Archive(HOME)
    for plain in (pool, blank):
        archive.save(plain, at(6))
    plans = {name: drawn(pool, design) for name, design in DESIGNS.items()}
    documents = {name: manifest.write(plan, pool.name, dict(PARSER_VERSION)) for name, plan in plans.items()}
    (V1 / "manifests").mkdir()
    for name, plan in plans.items():
        archive.save_design(plan.plan_id, documents[name], pool.digest, at(6))
        (V1 / "manifests" / f"{plan.plan_id}.json").write_text(documents[name], encoding="utf-8")
    keep_labels(archive, pool, plans)
    jobs = run_jobs(pool, blank, plans["parser"])
    richer = keep_richer(archive, pool, jobs["done"])
    plans[RICHER] = drawn(richer, Design(16, seed=5))
    neutral(jobs)
    write_older_homes(pool, plans, documents)
    kinds = write_filled(pool, plans["default"], Archive(HOME))
    neutral(jobs)
    (V1 / ".gitattributes").write_text("* -text\n*.sqlite binary\n*.parquet binary\n*.xlsx binary\n")
    plain = observed.plain(expect(pool, blank, plans, jobs, kinds))
    write_reports(plain)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    (V1 / "expected.json").write_text(text.replace('},{"address"', '},\n{"address"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        main(folder)
