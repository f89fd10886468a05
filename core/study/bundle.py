"""The files of a study, from which its estimate is computed again, number for number.

Format ``neyman-bundle/1``, the files of a zip: ``manifest.json`` (of the plan), ``labels.csv`` (what people said, a
list that `core.labels.read` takes back), ``items.csv`` (id and stratum of every item, no text) and ``study.json``: pool
{name, digest, items_digest, n_items, n_generations, targets} · plan_id · kind, target, parser and interval, as the
labels are read · family, earlier · judged (targets that labels name) · settled (decisions, and outcomes that the pool
knew, as rows of labels) · answers (of the target to the labelled items) · files (what they held beside the labels) ·
notes (what a person should check of them) · estimate (null if a judge's labels leave a stratum empty) · judge (of
such a list alone: its numbers) · versions.
"""

from __future__ import annotations

import csv
import io
import json
import math
import platform
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..archive.label_log import COLUMNS
from ..design import manifest as manifests
from ..errors import LabelError, ManifestError
from ..estimation.intervals import Interval
from ..estimation.mean import Estimate
from ..files.jsontext import BadJson, decode
from ..labels.account import Account, Remainder
from ..labels.formats.escaping import keep_id
from ..labels.formats.lists import labels_csv
from ..labels.formats.records import DECISION, POOL
from ..labels.reader import read
from ..labels.targets import assign_targets
from ..pool.pool import Pool
from ..words import counted, span
from .labelling import Labelling
from .study import Study

FORMAT = "neyman-bundle/1"
_STUDY, _MANIFEST, _LABELS, _ITEMS = "study.json", "manifest.json", "labels.csv", "items.csv"
_PACKAGES = ("numpy", "pandas", "pyarrow", "scipy")
_LARGEST = 256 * 1024**2
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_SHOWN = 12
# Which rule made the limits; bundles of other ones do not say.
_RULE, _OWN_RULE = "rule", "tilted"
# What other rules for limits leave as it is.
POINT = ("value", "standard_error", "n_labels")


def bundle_files(study: Study, judge: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Write what a study is made of, each file by its name.

    Parameters
    ----------
    study : Study
        A plan with its labels.
    judge : mapping, optional
        What the labels of a list that checks a judge say, of `core.judge.summary`; their rates need no label in every
        stratum.

    Raises
    ------
    DesignError
        A stratum has no label.
    """
    log, origin = study.labels.log, study.labels.origin
    settled = log["annotator"].isin([DECISION, POOL]) | (log["source"] == "pool")
    document = {
        "format": FORMAT,
        "pool": {
            "name": study.pool.name,
            "digest": origin.digest,
            "items_digest": origin.items_digest,
            "n_items": origin.n_items,
            "n_generations": origin.n_generations,
            "targets": list(origin.targets),
        },
        "plan_id": study.plan.plan_id,
        "kind": study.kind,
        "target": study.target,
        "parser": study.labels.parser,
        "interval": asdict(study.labels.interval) | {_RULE: _OWN_RULE},
        "family": list(study.labels.family),
        "earlier": list(study.labels.earlier),
        "judged": sorted({name for name in log["target"] if name}),
        "settled": _records(log[settled]),
        "answers": _answers(study),
        "files": [one.facts for one in study.labels.left],
        "notes": list(study.labels.notes),
        **({} if study.labels.threshold is None else {"threshold": study.labels.threshold}),
        "estimate": None if judge is not None and study.partial() is not None else _numbers(study.outcomes.estimate),
        **({} if judge is None else {"judge": judge}),
        "versions": _versions(),
    }
    files = {
        _STUDY: json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n",
        _MANIFEST: study.labels.manifest,
        _ITEMS: _strata(study),
    }
    return files if settled.all() else files | {_LABELS: labels_csv(log[~settled])}


def reproduce(bundle: str | Path | bytes, pool: Pool) -> Study:
    """Compute the estimate of a bundle again, from its labels and the pool, and prove that it is the same.

    Parameters
    ----------
    bundle : path or bytes
        A zip that `core.report.report` or page Estimate made.
    pool : Pool
        The pool that it was made from. Generations and targets may have come since.

    Returns
    -------
    Study
        With the estimate and the interval of the bundle, bit for bit. The interval of a bundle whose version had
        another rule for limits is that of today; a remark says what it was.

    Raises
    ------
    ManifestError
        The file is no bundle or damaged, the pool is another one, or the estimate is another one.
    LabelError
        The labels cannot be read.
    """
    files, name = _unpacked(bundle)
    try:
        facts = decode(files[_STUDY])
        if facts["format"] != FORMAT:
            raise ManifestError(f"{name} has the format “{facts['format']}”, not “{FORMAT}”. Update Neyman.")
        _check_pool(facts["pool"], pool)
        study = _study(files, facts, pool)
        expected = facts["estimate"]
    except (BadJson, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ManifestError(f"{name} is damaged ({error}). Use the bundle as it was made.") from error
    if expected is None:
        return study
    now = _numbers(study.outcomes.estimate)
    if facts["interval"].get(_RULE) == _OWN_RULE:
        if expected != now:
            raise ManifestError(_differs(study, facts))
        return study
    # Earlier versions left items without a verdict out.
    ways = (now, _numbers(replace(study.outcomes, open=None).estimate))
    if not any(all(same(expected[name], way[name]) for name in POINT) for way in ways):
        raise ManifestError(_differs(study, facts))
    ends = [(one["low"], one["high"]) for one in (expected, now)]
    if ends[0] == ends[1] or None in ends[0]:
        return study
    before, today = (span(low, high, study.outcomes.unit) for low, high in ends)
    note = f"The bundle has the limits {before}, by the rule of the version that made it. Those of today are {today}."
    return Study(replace(study.labels, notes=(*study.labels.notes, note)))


def judge_facts(bundle: str | Path | bytes) -> dict[str, Any]:
    """Return the facts about the judge in the bundle of a list that checks one, of `bundle_files`.

    Raises
    ------
    ManifestError
        The file is no bundle or damaged, or its list checks no judge.
    LabelError
        The file cannot be read.
    """
    files, name = _unpacked(bundle)
    try:
        facts = decode(files[_STUDY]).get("judge")
    except (BadJson, AttributeError) as error:
        raise ManifestError(f"{name} is damaged ({error}). Use the bundle as it was made.") from error
    if not isinstance(facts, dict):
        raise ManifestError(f"{name} has no judge that passes and fails. Read it with neyman.reproduce(bundle, pool).")
    return facts


def _study(files: Mapping[str, str], facts: Mapping[str, Any], pool: Pool) -> Study:
    manifest = manifests.read(files[_MANIFEST], pool.items_digest)
    strata = np.array([int(row["stratum"]) for row in csv.DictReader(io.StringIO(files[_ITEMS]))], dtype=np.int64)
    plan = manifests.reproduce(manifest, pool, stratum=strata)
    if plan.plan_id != facts["plan_id"]:
        raise ManifestError(f"The bundle's manifest is of plan {plan.plan_id}, its labels are of {facts['plan_id']}.")
    settled = pd.DataFrame(facts["settled"], columns=list(COLUMNS), dtype=object)
    log = pd.concat([_given(files, plan.plan_id, facts["judged"]), settled], ignore_index=True)
    target = facts["target"]
    labels = Labelling(
        plan,
        pool,
        log,
        facts["kind"],
        target,
        facts["parser"],
        Interval(**{name: value for name, value in facts["interval"].items() if name != _RULE}),
        tuple(facts["family"]),
        tuple(facts["earlier"]),
        {} if target is None else {target: facts["answers"]},
        # Earlier versions wrote neither.
        tuple(facts.get("notes", ())),
        tuple(_remainder(one) for one in facts.get("files", ())),
        facts.get("threshold"),
    )
    return Study(labels)


def _remainder(one: Mapping[str, Any]) -> Remainder:
    items = tuple((item, fate) for item, fate in one.get("items", ()))
    rows, notes = Account(**one["rows"]), tuple(one["notes"])
    return Remainder(one["name"], one["kind"], one["target"], rows, notes, items, one.get("created", ""))


def _given(files: Mapping[str, str], plan_id: str, judged: list[str]) -> pd.DataFrame:
    """Return people's labels, as rows of `Archive.labels.of`."""
    if _LABELS not in files:
        return pd.DataFrame(columns=list(COLUMNS), dtype=object)
    file = read(files[_LABELS].encode(), _LABELS)
    rows = assign_targets(file.rows, judged).fillna({"plan_id": plan_id, "kind": ""})
    return rows.assign(source=file.source, created="")[list(COLUMNS)]


def _unpacked(bundle: str | Path | bytes) -> tuple[dict[str, str], str]:
    """The texts of a bundle by name, and what to call it."""
    path = None if isinstance(bundle, bytes) else Path(bundle)
    name = "The bundle" if path is None else f"“{path.name}”"
    try:
        content = bundle if isinstance(bundle, bytes) else Path(bundle).read_bytes()
    except (OSError, ValueError) as error:
        raise LabelError(f"“{path}” cannot be read ({error}). Check the path.") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside = [one for one in (_STUDY, _MANIFEST, _ITEMS, _LABELS) if one in archive.namelist()]
            texts = {}
            for one in inside:
                with archive.open(one) as file:
                    text = file.read(_LARGEST + 1)
                if len(text) > _LARGEST:
                    raise ManifestError(f"{one} in {name} is larger than {_LARGEST // 1024**2} MiB.")
                texts[one] = text.decode()
    except (*_DAMAGED, UnicodeDecodeError) as error:
        raise ManifestError(f"{name} cannot be unpacked ({error}). Use the bundle as it was made.") from error
    missing = [one for one in (_STUDY, _MANIFEST, _ITEMS) if one not in texts]
    if missing:
        raise ManifestError(f"{name} has no {missing[0]}: it is not a bundle that Neyman made.")
    return texts, name


def _check_pool(facts: Mapping[str, Any], pool: Pool) -> None:
    if facts["items_digest"] != pool.items_digest:
        raise ManifestError(
            f"The bundle was made from another pool: “{facts['name']}”, {counted(facts['n_items'], 'item')}, digest of "
            f"the items {facts['items_digest'][:_SHOWN]}…. This one is “{pool.name}”, {counted(pool.n_items, 'item')}, "
            f"digest {pool.items_digest[:_SHOWN]}…. Load the pool that it was made from."
        )


def _differs(study: Study, facts: Mapping[str, Any]) -> str:
    """Why the estimate is another one than the bundle's."""
    expected, digest = facts["estimate"], facts["pool"]["digest"]
    start = f"The estimate is {study.outcomes.estimate.value:.6g} here and {expected['value']:.6g} in the bundle"
    if study.pool.digest == digest:
        return f"{start}. These versions made it: {facts['versions']}; these compute it here: {_versions()}."
    return (
        f"{start}: the items are the same, but the pool’s answers have changed (digest {digest[:_SHOWN]}…, here "
        f"{study.pool.digest[:_SHOWN]}…). Load the pool that it was made from."
    )


def _answers(study: Study) -> dict[str, str | None]:
    """The target's answers that right answers are compared with; none if labels judge answers."""
    if study.kind != "gold":
        return {}
    labels = study.labels
    return {item: labels.answers[item] for item in labels.settlement.labels["item_id"] if item in labels.answers}


def _strata(study: Study) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["item_id", "stratum"])
    writer.writerows(zip(map(keep_id, map(str, study.pool.ids)), study.plan.stratum.tolist(), strict=True))
    return stream.getvalue()


def _records(rows: pd.DataFrame) -> list[dict[Any, Any]]:
    table = rows.reindex(columns=list(COLUMNS)).astype(object)
    return table.where(table.notna(), None).to_dict("records")


def same(first: float | None, second: float | None) -> bool:
    """Whether two numbers of JSON are the same but for the last digits of a sum."""
    if first is None or second is None:
        return first is second
    return math.isclose(first, second, rel_tol=1e-12, abs_tol=1e-15)


def _numbers(estimate: Estimate) -> dict[str, Any]:
    """The numbers of an estimate as JSON holds them, without what it estimates: without limits, null."""
    fields = {name: number for name, number in asdict(estimate).items() if name not in ("measure", "warning")}
    plain = {name: number.item() if isinstance(number, np.generic) else number for name, number in fields.items()}
    return {n: None if isinstance(x, float) and not math.isfinite(x) else x for n, x in plain.items()}


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in _PACKAGES}
    return {"neyman": __version__, "python": platform.python_version()} | packages
