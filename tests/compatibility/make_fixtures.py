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

import csv
import io
import json
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

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
from core.report.provenance import labels_csv
from core.surrogate import control
from core.surrogate.results import pool_with
from core.surrogate.worker import run_job
from tests.compatibility import observed
from tests.compatibility.observed import V1
from tests.core.labels import tools
from tests.core.surrogate.conftest import faking

HOME = V1 / "home"
PORT = 18080
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ODD_IDS = {
    3: "ünïcode Ω 🙂",
    8: "a,b",
    14: "=1+1",
    19: "+49",
    23: "0012",
    28: 'say "hi"',
    33: "two\nlines",
    41: "1e5",
    47: "'quoted",
    52: "ｆｕｌｌ",
}
LETTERS = "ABCD"
RICHER = "with the answers of a job"
ALPHA, BETA, GAMMA = "alpha", "β/2, = large", "gamma"


def at(hour: int, minute: int = 0) -> str:
    return f"2026-11-19T{hour:02}:{minute:02}:00+00:00"


def exam() -> Pool:
    """Sixty items: 48 multiple-choice, 12 with numbers; odd ids; one item without generations, one with three."""
    records: list[dict[str, Any]] = []
    for number in range(60):
        # Difficulty goes through 0 … 5: so many of the six generations go astray.
        hard = (number * 7) % 11 % 6
        record: dict[str, Any] = {
            "id": ODD_IDS.get(number, f"q{number:03}"),
            "prompt": f"Question {number}: what is {number} + {hard}?",
            "group": ("algebra", "histoire naturelle", "=group, 3")[number % 3],
            "difficulty": hard,
        }
        if number < 48:
            truth = LETTERS[number % 4]
            record |= {"choices": [f"option {number}", "=x", "y,z", "🙂"], "answer": truth, "answer_kind": "choice"}
            others = [letter for letter in LETTERS if letter != truth]
        else:
            truth = str(number + hard)
            record |= {"answer": truth, "answer_kind": "number"}
            others = [str(number + hard + step) for step in (1, 2, 3)]
        astray = [others[(number + step) % 3] for step in range(hard)]
        texts = [f"Let us see.\nAnswer: {said}" for said in [*[truth] * (6 - hard), *astray]]
        if number == 30:
            texts[5] = "I do not know."
        if number != 11:
            record["generations"] = texts[:3] if number == 22 else texts
        wrong = (number * 5 + hard) % 9 < hard
        alpha: dict[str, Any] = {"answer": others[number % 3] if wrong else truth}
        if number % 13 == 5:
            alpha = {"text": "No idea." if number < 40 else f"I think so.\nAnswer: {truth}"}
        targets = {ALPHA: alpha, BETA: {"loss": float((number * 3 + hard) % 7 < hard)}}
        if number == 37:
            del targets[BETA]
        record["targets"] = targets
        if number == 17:
            record["image"] = [PIXEL]
        if number == 44:
            del record["answer"]
        records.append(record)
    return Pool.from_records(records, "Exam – Prüfung, = 60")


def asked_pool() -> Pool:
    """Fourteen items without generations, of which one is too long for the server."""
    return Pool.from_records(
        [
            {
                "id": f"i{number}",
                "prompt": f"What is item {number}?" + " TOO LONG" * (number == 5),
                "answer_kind": "number",
                "answer": str(number % 3),
            }
            for number in range(14)
        ],
        "To be asked",
    )


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


def truth(pool: Pool, item: str) -> str:
    known = pool.items.at[item, "answer"]
    return "A" if pd.isna(known) else str(known)


def other(pool: Pool, item: str) -> str:
    return "B" if truth(pool, item) == "A" else "A"


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


def run_jobs(pool: Pool, asked: Pool, listed: Plan) -> dict[str, str]:
    """Jobs: stopped half-way, finished, lost half-way, failed before it began."""
    store = Store(HOME)
    connection = Connection((f"http://127.0.0.1:{PORT}/v1",), concurrency=2, timeout=20, backoff=0.01, patience=2)
    stopped = JobSpec(
        asked.digest, "m", connection, None, Sampling(k=3, max_tokens=64), Prompting(system="Be brief. Ω")
    )
    with faking(port=PORT, latency=0.5, seed=1):
        jobs = {"stopped": store.create(stopped, asked.n_items)}
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
    lost = JobSpec(asked.digest, "m", connection, None, Sampling(k=4, seed=5))
    with faking(port=PORT, ignore_n=True, latency=0.2, seed=2):
        jobs["lost"] = control.start(store, lost)
        while store.row(jobs["lost"])["generations"] < 18:
            time.sleep(0.01)
        control.stop(store, jobs["lost"], force=True)
    served = JobSpec(asked.digest, "data/tiny_lm/surrogate", Connection(), Serving("data/tiny_lm/surrogate"))
    jobs["failed"] = store.create(served, asked.n_items, "failed")
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


def write_filled(pool: Pool, plan: Plan, archive: Archive) -> dict[str, str]:
    """The list of a plan as annotators fill it, in every form; file → kind of label."""
    folder = V1 / "filled"
    folder.mkdir()
    ids = [str(item) for item in plan.ids]
    answers = [labels.target_answers(pool, ALPHA, ids).get(item) for item in ids]
    blind = labels.request(plan, pool.items)
    judged = labels.request(plan, pool.items, answers, target=ALPHA)
    requests = {"gold": blind, "right-wrong": judged, "score": judged}
    given: dict[str, dict[str, str | None]] = {
        "gold": {item: truth(pool, item) for item in ids},
        "right-wrong": {item: "wrong" if place % 4 == 0 else "right" for place, item in enumerate(ids)},
        "score": {item: f"{(place % 5) / 4:g}" for place, item in enumerate(ids)},
    }
    for values in given.values():
        values[ids[6]] = None
    forms = [
        ("csv", "csv", "gold", tools.fill_csv),
        ("csv", "csv", "right-wrong", tools.fill_csv),
        ("xlsx", "xlsx", "gold", tools.fill_xlsx),
        ("xlsx", "xlsx", "score", tools.fill_xlsx),
        ("jsonl", "jsonl", "score", tools.fill_jsonl),
        ("jsonl", "jsonl", "gold", tools.fill_jsonl),
        ("label-studio", "label-studio.json", "right-wrong", tools.fill_studio),
        ("label-studio", "label-studio-min.json", "gold", tools.fill_studio_min),
        ("label-studio", "label-studio.csv", "score", studio_csv),
        ("argilla", "argilla-flat.json", "gold", tools.fill_argilla_flat),
        ("argilla", "argilla.json", "right-wrong", tools.fill_argilla_nested),
        ("prodigy", "prodigy.jsonl", "gold", tools.fill_prodigy),
        ("prodigy", "prodigy.jsonl", "right-wrong", tools.fill_prodigy),
    ]
    kinds = {}
    for form, ending, kind, fill in forms:
        content = fill(labels.export(requests[kind], form, kind), given[kind])
        if ending == "csv":
            content = with_people(content)
        name = f"{kind}.{ending}"
        (folder / name).write_bytes(content)
        kinds[name] = kind
    kept = archive.labels(plan.plan_id)
    people = kept[~kept["annotator"].isin([DECISION]) & (kept["source"] != "pool")]
    (folder / "labels-as-given.csv").write_text(labels_csv(people), encoding="utf-8", newline="")
    return kinds


def studio_csv(content: bytes, given: dict[str, str | None]) -> bytes:
    """Label Studio's CSV: a column for every name that any task has, lists as JSON, and numbers packed."""
    records = json.loads(tools.fill_studio_min(content, given))
    names = sorted({name for record in records for name in record})
    stream = io.StringIO()
    writer = csv.DictWriter(stream, names, quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    for record in records:
        packed = {**record, "neyman_label": [{"number": float(record["neyman_label"])}]}
        writer.writerow({k: json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for k, v in packed.items()})
    return stream.getvalue().encode()


def with_people(content: bytes) -> bytes:
    """The list filled by two people in turn."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    place = rows[0].index("annotator")
    for number, row in enumerate(rows[1:]):
        row[place] = ("Ann", "Čapek")[number % 2]
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    return stream.getvalue().encode("utf-8-sig")


def addresses(pool: Pool, asked: Pool, plans: dict[str, Plan]) -> list[str]:
    """Addresses of every page, as the pages write them and as people write them."""
    exam = pool.digest[:16]
    one, uniform, means, parser = (plans[name].plan_id for name in ("default", "uniform", "k-means", "parser"))
    alpha = labels.target_code(ALPHA)

    def link(page: str, **query: Any) -> str:
        return f"{page}?{urlencode(query)}"

    def to_label(plan: str, asks: str, of: str = "", annotator: str = "Ann") -> str:
        query = {"only": "label", "plan": plan, "asks": asks, "pool": exam} | ({"of": of} if of else {})
        return link("label", **query, annotator=annotator)

    return [
        link("explore", pool=exam),
        link(
            "explore",
            pool=exam,
            stratifier="k-means",
            strata=4,
            offset=0.3,
            budget=25,
            target=BETA,
            parser="choice",
            trials=500,
        ),
        link("explore", pool=pool.digest, stratifier="Equal width", strata=3, budget=30, simulate="false"),
        link("label", pool=exam),
        link("label", pool=exam, budget=26, **{"label-kind": "gold"}),
        link(
            "label",
            pool=exam,
            allocation="Proportional",
            stratifier="k-means",
            strata=4,
            seed=11,
            budget=18,
            target=ALPHA,
            **{"label-kind": "Right or wrong"},
        ),
        link("label", pool=exam, allocation="uniform", seed=3, budget=15, target=BETA, **{"label-kind": "score"}),
        link(
            "label",
            pool=exam,
            allocation="power",
            stratifier="quantile",
            strata=3,
            offset=0.3,
            parser="choice",
            budget=14,
        ),
        to_label(one, "gold"),
        to_label(one, "gold", annotator="Dora"),
        to_label(one, "right-wrong", alpha),
        to_label(means, "score", alpha, "Ben"),
        link("estimate", pool=exam),
        link("estimate", pool=exam, plan=one, says="gold", target=ALPHA, compare=BETA),
        link("estimate", pool=exam, plan=one, says="The right answer", target=ALPHA, positive="A"),
        link("estimate", pool=exam, plan=one, says="right-wrong", target=ALPHA, confidence=90),
        link("estimate", pool=exam, plan=one, says="Right or wrong", target=BETA, interval="Korn–Graubard"),
        link("estimate", pool=exam, plan=uniform, says="right-wrong", target=BETA, confidence=0.99),
        link("estimate", pool=exam, plan=means, says="score", target=ALPHA, **{"half-width": 10}),
        link("estimate", pool=exam, plan=means, says="A score", target=ALPHA, unbounded="true"),
        link("estimate", pool=exam, plan=parser, says="gold", target=GAMMA),
        link("estimate", pool=exam, plan=parser, says="gold", target=ALPHA, **{"read-as": "own"}),
        link("estimate", pool=plans[RICHER].pool_digest[:16], says="gold", target=ALPHA),
        link("lab", pool=exam, section="Savings"),
        link(
            "lab",
            pool=exam,
            section="Allocation",
            target=BETA,
            **{"lab-strata": 4, "lab-offset": 0.5, "lab-budgets": "10, 20", "lab-lure": "false", "lab-seed": 5},
        ),
        link(
            "lab", pool=exam, section="H × δ map", **{"lab-budgets": "12,24", "lab-budget": 24, "lab-trials": "1,000"}
        ),
        # The list of runs is in the address by what it shows.
        link("surrogate", pool=asked.digest[:16], run=f"Stopped · m · k = 3 · {at(7)}"),
        link("surrogate", pool=asked.digest[:16], run=f"Lost: its worker has ended · m · k = 4 · {at(7, 2)}"),
        link("surrogate", pool=asked.digest[:16]),
        link("surrogate", pool=exam),
    ]


QUESTIONS: dict[str, list[observed.Question]] = {
    "default": [("gold", ALPHA, False), ("right-wrong", ALPHA, False), ("right-wrong", BETA, False)],
    "default, larger": [("gold", ALPHA, False)],
    "uniform": [("right-wrong", BETA, False)],
    "k-means": [("score", ALPHA, False), ("score", ALPHA, True)],
    "parser": [("gold", ALPHA, False)],
    RICHER: [("gold", ALPHA, False), ("gold", GAMMA, False)],
}


def expect(
    pool: Pool, asked: Pool, plans: dict[str, Plan], jobs: dict[str, str], kinds: dict[str, str]
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
            for one_pool in (pool, asked, archive.load(plans[RICHER].pool_digest))
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
            {"address": address, "shows": observed.address_says(address)} for address in addresses(pool, asked, plans)
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
    pool, asked = exam(), asked_pool()
    archive = Archive(HOME)
    for plain in (pool, asked):
        archive.save(plain, at(6))
    plans = {name: drawn(pool, design) for name, design in DESIGNS.items()}
    documents = {name: manifest.write(plan, pool.name, dict(PARSER_VERSION)) for name, plan in plans.items()}
    (V1 / "manifests").mkdir()
    for name, plan in plans.items():
        archive.save_design(plan.plan_id, documents[name], pool.digest, at(6))
        (V1 / "manifests" / f"{plan.plan_id}.json").write_text(documents[name], encoding="utf-8")
    keep_labels(archive, pool, plans)
    jobs = run_jobs(pool, asked, plans["parser"])
    richer = keep_richer(archive, pool, jobs["done"])
    plans[RICHER] = drawn(richer, Design(16, seed=5))
    neutral(jobs)
    write_older_homes(pool, plans, documents)
    kinds = write_filled(pool, plans["default"], Archive(HOME))
    neutral(jobs)
    (V1 / ".gitattributes").write_text("* -text\n*.sqlite binary\n*.parquet binary\n*.xlsx binary\n")
    plain = observed.plain(expect(pool, asked, plans, jobs, kinds))
    write_reports(plain)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    (V1 / "expected.json").write_text(text.replace('},{"address"', '},\n{"address"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        main(folder)
