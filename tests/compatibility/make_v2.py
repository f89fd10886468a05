"""Made ``v2/``: a home as commit 09d058d wrote it, the last before signals, methods and kinds of label had catalogues.

It was run once, with that version: ``python -m tests.compatibility.make_v2``. As `make_fixtures`, it is not to be run
with a later one. ``v2/`` has what ``v1/`` cannot have: plans along every signal, for a decision and in two waves, with
their strata kept beside them, a link for an annotator, a map of fields, and a half-done job whose seeds follow the ids.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from core.answers import PARSER_VERSION
from core.archive import BY_HAND, AnnotatorLink, Archive
from core.design import Design, Plan, Scheme, fine, manifest, recommend
from core.planning import gate_scheme
from core.pool import Pool
from core.readers import FieldMap
from core.study import Study
from core.surrogate.job.parameters import Connection, Prompting, Sampling
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.compatibility import observed
from tests.compatibility.exam import at
from tests.core.surrogate.conftest import faking

V2 = Path(__file__).with_name("v2")
HOME = V2 / "home"
TARGET, PAST = "Modell α", ("one", "two")
PORT, TOKEN = 18081, "a-token-with-more-than-128-random-bits-in-it"
N, LETTERS = 90, "ABCD"


def judged_pool() -> Pool:
    """Ninety items of which everything is known that a design can rest on."""
    records: list[dict[str, Any]] = []
    for number in range(N):
        hard, right = (number * 7) % 6, LETTERS[number % 4]
        wrong = LETTERS[(number + 1) % 4]
        said = [right] * (6 - hard) + [wrong, LETTERS[(number + 2) % 4], wrong, wrong, wrong][:hard]
        targets = {
            name: {
                "answer": right if (number * step + hard) % 9 >= hard else wrong,
                "loss": float((number * step + hard) % 9 < hard),
            }
            for name, step in ((TARGET, 5), ("one", 4), ("two", 2))
        }
        records.append(
            {
                "id": f"item {number:02}",
                "prompt": f"Question {number}?",
                "choices": [f"first {number}", "second", "third", "fourth"],
                "answer": right,
                "group": ("law", "Medizin", "物理")[number % 3],
                "judge": ((number * 5 + hard) % 9) / 9,
                "generations": said,
                "logprobs": [-1.0 - 0.25 * ((number + sample) % 3) for sample in range(6)],
                "targets": targets,
            }
        )
    return Pool.from_records(records, "Judged – 90")


def blank_pool() -> Pool:
    return Pool.from_records([{"id": f"i{number}", "prompt": f"Number {number}?"} for number in range(12)], "Blank")


def designs(pool: Pool) -> dict[str, Design]:
    """A design along each signal; recommended, the paper's, for a decision, uniform, and in two waves."""
    along = {
        "likelihood-entropy": Scheme("likelihood-entropy"),
        "agreement": Scheme("agreement", target=TARGET),
        "past-results": Scheme("past-results", target=TARGET, past=("one",), accuracy=0.7),
        "column": Scheme("column", column="judge", target=TARGET),
        "group": Scheme("group"),
    }
    best = recommend(pool, 24, TARGET)
    return {
        "recommended": best,
        "recommended, answers alone": recommend(pool, 20, TARGET, ()),
        **{name: Design(18, fine(scheme, 18, N), seed=3) for name, scheme in along.items()},
        "k-means": Design(16, Scheme(stratifier="k-means", n_strata=4, allocation="power"), seed=4),
        "quantile": Design(
            16, Scheme(stratifier="quantile", n_strata=3, allocation="proportional", offset=0.2), seed=5
        ),
        "equal-width": Design(16, Scheme(stratifier="equal-width", allocation="equal", parser="choice"), seed=6),
        "uniform": Design(15, Scheme(allocation="uniform"), seed=7),
        "paper": Design(20, seed=8),
        "for a decision": Design(30, gate_scheme(best.scheme), seed=9, risk=best.risk),
        "two waves": Design(32, Scheme(waves=2, n_strata=8), seed=10),
    }


def keep(archive: Archive, pool: Pool, plan: Plan) -> None:
    document = manifest.write(plan, pool.name, dict(PARSER_VERSION))
    archive.save_design(plan.plan_id, document, pool.digest, at(6), pool.items_digest, plan.stratum)
    (V2 / "manifests" / f"{plan.plan_id}.json").write_text(document, encoding="utf-8")


def labels_of(pool: Pool, plan: Plan, kind: str) -> pd.DataFrame:
    """Ann labels everything, Ben every third item, one of them differently."""
    truth, losses = pool.items["answer"], dict(zip(pool.items.index, pool.losses(TARGET), strict=True))
    rows = []
    for place, item in enumerate(map(str, plan.ids)):
        given = {
            "gold": str(truth.loc[item]),
            "right-wrong": "wrong" if losses[item] else "right",
            "score": f"{(place * 3 % 10) / 10:g}",
        }[kind]
        rows.append((item, "Ann", given, "a note" if place == 2 else None, ""))
        if place % 3 == 0:
            other = {"gold": "D", "right-wrong": "wrong", "score": "0.5"}[kind]
            rows.append((item, "Ben", other if place == 3 else given, None, ""))
    return pd.DataFrame(rows, columns=["item_id", "annotator", "label", "note", "status"], dtype=object)


def says(archive: Archive, pool: Pool, plan: Plan, kind: str | None) -> dict[str, Any]:
    """A plan's sample, and what its labels say."""
    drawn = {
        "plan_id": plan.plan_id,
        "sample_digest": plan.sample_digest,
        "items": list(map(str, plan.ids)),
        "stratum": plan.items["stratum"].tolist(),
        "probability": plan.items["probability"].tolist(),
        "allocation": plan.allocation.tolist(),
    }
    if kind is None:
        return drawn
    study = Study.load(archive, plan, pool, kind, TARGET)
    estimate = study.estimate()
    return drawn | {
        "kind": kind,
        "settled": observed.table(study.settlement.labels[["item_id", "label"]]),
        "undecided": list(study.undecided),
        "value": estimate.value,
        "standard_error": estimate.standard_error,
    }


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


KINDS = {
    "recommended": "right-wrong",
    "agreement": "gold",
    "paper": "gold",
    "k-means": "score",
    "for a decision": "right-wrong",
    "two waves": "right-wrong",
    "second wave": "right-wrong",
}


def main() -> None:
    shutil.rmtree(V2, ignore_errors=True)
    (V2 / "manifests").mkdir(parents=True)
    pool, blank = judged_pool(), blank_pool()
    archive = Archive(HOME)
    for one in (pool, blank):
        archive.save(one, at(5))
    plans = {name: design.draw(pool, None if design.seed is not None else 2) for name, design in designs(pool).items()}
    for plan in plans.values():
        keep(archive, pool, plan)
    for name, kind in KINDS.items():
        if "wave" in name:
            continue
        rows = labels_of(pool, plans[name], kind)
        archive.save_labels(plans[name].plan_id, rows, at(8), BY_HAND, kind, "" if kind == "gold" else TARGET)
    first = plans["two waves"]
    archive.save_labels(first.plan_id, labels_of(pool, first, "right-wrong"), at(9), "csv", "right-wrong", TARGET)
    second = Study.load(archive, first, pool, "right-wrong", TARGET).next_wave().plan
    keep(archive, pool, second)
    archive.save_labels(second.plan_id, labels_of(pool, second, "right-wrong"), at(10), BY_HAND, "right-wrong", TARGET)
    plans["second wave"] = second
    archive.save_link(
        AnnotatorLink(plans["paper"].plan_id, pool.digest, "gold", "", "Ann", at(7), "2036-01-01T00:00:00+00:00"), TOKEN
    )
    archive.save_map("a-shape", FieldMap({"id": "nr", "prompt": "run.question"}), at(7))
    store = Store(HOME)
    connection = Connection((f"http://127.0.0.1:{PORT}/v1",), concurrency=2, timeout=20, backoff=0.01, patience=2)
    spec = JobSpec(
        blank.digest, "m", connection, None, Sampling(k=3, max_tokens=64, seed=11), Prompting(system="Be brief.")
    )
    with faking(port=PORT, latency=0.3, seed=1):
        job = store.create(spec, blank.n_items)
        run_until(store, job, 9)
    with closing(sqlite3.connect(HOME / "neyman.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE surrogate_jobs SET host = 'ada-laptop/boot-1', pid = 4242, pid_started = '1000'")
        database.execute("UPDATE surrogate_jobs SET created = ?, heartbeat = 1.7e9", (at(7),))
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    document = {
        "commit": "09d058d",
        "pools": {one.digest: {"name": one.name, "items_digest": one.items_digest} for one in (pool, blank)},
        "plans": {name: says(archive, pool, plan, KINDS.get(name)) for name, plan in plans.items()},
        "link": {"token": TOKEN, "plan_id": plans["paper"].plan_id},
        "job": {**observed.job_says(HOME, job), "key": store.row(job).key},
    }
    shutil.rmtree(HOME / "logs", ignore_errors=True)
    for rest in [*HOME.glob("neyman.sqlite-*"), *HOME.glob("*.lock")]:
        rest.unlink()
    text = json.dumps(observed.plain(document), ensure_ascii=False, separators=(",", ":"))
    (V2 / "expected.json").write_text(text + "\n", encoding="utf-8")
    shutil.copy(V2.with_name("v1") / ".gitattributes", V2 / ".gitattributes")


if __name__ == "__main__":
    main()
