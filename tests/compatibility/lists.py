"""Facts about the lists, jobs, bundles and filled files in ``v4/``, as plain JSON values.

`tests.net` records the answers, so that each change of them is read before it is recorded. When something in `core`
moves, change how it is asked here; the home stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.archive import Archive
from core.bank import gather
from core.errors import NeymanError
from core.judge import labelling
from core.pool import Pool
from core.study import Labelling, Study, begun, kept_plan, labelled, reproduce
from core.surrogate.batch import submission
from core.surrogate.job.store import Store
from tests.compatibility import observed

V4 = Path(__file__).with_name("v4")
HOME = V4 / "home"
# Of the links for annotators.
TOKENS = {
    "Ann": "a-token-with-more-than-128-random-bits-in-it",
    "Ben": "another-token-with-more-than-128-random-bits",
}
NOW = "2027-01-01T00:00:00+00:00"


def known() -> dict[str, Any]:
    """The lists of the home, and how each is asked about."""
    document: dict[str, Any] = json.loads((V4 / "lists.json").read_text(encoding="utf-8"))
    return document


def label_rows(database: sqlite3.Connection) -> dict[str, list[Any]]:
    """Number and digest of the kept labels of each plan, as the tables hold them."""
    rows: dict[str, list[str]] = {}
    query = "SELECT plan_id, item_id, annotator, label, note, status, source FROM label_changes ORDER BY rowid"
    for plan, *row in database.execute(query):
        rows.setdefault(plan, []).append(json.dumps(row, ensure_ascii=False))
    return {plan: [len(said), hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]] for plan, said in rows.items()}


def everything() -> dict[str, Any]:
    """All answers, from a copy of the home."""
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(HOME, home)
        archive, lists = Archive(home), known()
        return {
            "lists": {name: list_says(archive, about) for name, about in lists["plans"].items()},
            "gate": gate_says(archive),
            "links": links_say(archive),
            "bank": bank_says(archive),
            "jobs": {name: job_says(home, job) for name, job in lists["jobs"].items()},
            "bundles": {path.stem: bundle_says(archive, path) for path in sorted(V4.glob("*.zip"))},
            "filled": {path.name: file_says(archive, path) for path in sorted((V4 / "filled").iterdir())},
        }


def list_says(archive: Archive, about: dict[str, Any]) -> dict[str, Any]:
    """A kept list: its items, its labels, and what follows from them."""
    pool = archive.pools.load(about["pool"])
    plan = kept_plan(archive, about["plan_id"], pool)
    if about.get("judge"):
        record = labelling(archive, plan, pool, about.get("criterion"))
    else:
        record = Labelling.load(archive, plan, pool, about["kind"], about["target"])
    labels = record.relevant[["item_id", "annotator", "label", "note", "status", "source"]]
    says = {
        "plan_id": plan.plan_id,
        "sample_digest": plan.sample_digest,
        "items": list(map(str, plan.ids)),
        "stratum": plan.items["stratum"].tolist(),
        "labelled": sorted(record.labelled),
        "lost": sorted(record.lost),
        "labels": observed.table(labels),
    }
    try:
        return says | study_says(Study(record))
    except NeymanError as error:
        return says | {"refused": str(error)}


def study_says(study: Study) -> dict[str, Any]:
    """The number of a study, and the open disputes behind it."""
    estimate = study.estimate()
    return {
        "measure": estimate.measure,
        "value": estimate.value,
        "standard_error": estimate.standard_error,
        "low": estimate.low,
        "high": estimate.high,
        "n_labels": estimate.n_labels,
        "undecided": list(study.labels.settlement.undecided),
    }


def gate_says(archive: Archive) -> dict[str, Any]:
    """The list of the version gate, with its decision."""
    about = known()["plans"]["a version gate"]
    found = begun(archive, archive.pools.load(about["pool"]), "v1", "v2")
    assert found is not None
    decision = found.decision
    gap = decision.difference
    return {"verdict": decision.verdict, "value": gap.value, "low": gap.low, "high": gap.high, "labels": gap.n_labels}


def links_say(archive: Archive) -> dict[str, Any]:
    """The links for annotators, and the map of fields."""
    links = {name: archive.links.opened_by(token, NOW) for name, token in TOKENS.items()}
    says: dict[str, Any] = {
        name: None if link is None else [link.plan_id, link.kind, link.target, link.annotator]
        for name, link in links.items()
    }
    return says | {"fields": {shape: fields.as_json() for shape, fields in archive.maps.all().items()}}


def bank_says(archive: Archive) -> dict[str, Any]:
    """Verdicts that the home's bank has, with those of its own lists."""
    rows = gather(archive, NOW).rows
    return {"verdicts": len(rows), "wrong": float(rows["loss"].sum())}


def job_says(home: Path, job: str) -> dict[str, Any]:
    """A job as `observed` asks about it, and what of it is with a batch service."""
    files = submission(Store(home), job).files
    return observed.job_says(home, job) | {"batches": [[file.batch, file.state, file.answered] for file in files]}


def bundle_says(archive: Archive, path: Path) -> dict[str, Any]:
    """The study of a bundle, computed again from its pool."""
    return study_says(reproduce(path, _pool(archive)))


def file_says(archive: Archive, path: Path) -> dict[str, Any]:
    """A filled list: its number, or why it has none."""
    plan = kept_plan(archive, known()["plans"]["open disputes"]["plan_id"], _pool(archive))
    try:
        study = labelled(plan, path, "v2")
    except NeymanError as error:
        return {"refused": str(error)}
    return {"kind": study.kind, **study_says(study), "labelled": len(study.labels.labelled)}


def _pool(archive: Archive) -> Pool:
    return archive.pools.load(known()["plans"]["two kinds"]["pool"])
