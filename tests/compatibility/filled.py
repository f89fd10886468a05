"""A list of ``v1/`` as annotators fill it, in every form."""

from __future__ import annotations

import csv
import io
import json

from core.labels.records import DECISION

from core import labels
from core.archive import Archive
from core.design import Plan
from core.pool import Pool
from core.report.sections import labels_csv
from tests.compatibility.exam import ALPHA, truth
from tests.compatibility.observed import V1
from tests.core.labels import tools


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
    log = archive.labels.of(plan.plan_id)
    people = log[~log["annotator"].isin([DECISION]) & (log["source"] != "pool")]
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
