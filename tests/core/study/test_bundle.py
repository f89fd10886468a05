"""A bundle and the pool give the estimate again, bit for bit; another pool is refused."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
import pytest

import neyman
from core import labels
from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Plan, recommend
from core.errors import DesignError, LabelError, ManifestError
from core.estimation import Interval
from core.labels import DECISION, POOL
from core.pool import Pool
from core.report import report_bundle
from core.report.sections import sentences
from core.study import Labelling, Study, labelled, reproduce, request
from tests.core.study.conftest import CREATED, records, rows, truths, verdicts
from tests.first_sight import unexplained


@pytest.fixture(scope="module")
def study(plan: Plan, pool: Pool) -> Study:
    filled = request(plan, "gold").assign(label=truths(pool, plan.ids))
    return labelled(plan, filled, "one", "gold", interval=Interval("korn-graubard", 0.9))


@pytest.fixture(scope="module")
def bundle(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return neyman.report(study, tmp_path_factory.mktemp("bundle") / "b.zip", half_width=0.05)


def packed(study: Study) -> bytes:
    """The bundle of a study."""
    return report_bundle(study, study.result())


def changed(bundle: Path, change: Callable[[dict[str, bytes]], object]) -> bytes:
    """The bundle with other files."""
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def same(one: Study, other: Study) -> bool:
    """Whether two studies give the same numbers, to the last bit."""
    return (
        asdict(one.result().estimate) == asdict(other.result().estimate)
        and one.labels.interval == other.labels.interval
    )


def test_bundle_and_pool_give_the_estimate_again(bundle: Path, study: Study, pool: Pool) -> None:
    again = reproduce(bundle, pool)
    assert same(again, study) and again.labels.interval == Interval("korn-graubard", 0.9)
    assert again.outcomes.table.equals(study.outcomes.table) and again.plan.plan_id == study.plan.plan_id
    pd.testing.assert_frame_equal(again.by(), study.by())


def test_a_bundle_of_another_rule_gives_its_estimate_and_says_its_limits(
    bundle: Path, study: Study, pool: Pool
) -> None:
    """As versions before tilted limits wrote it: their name of the default interval, and no rule."""

    def earlier(files: dict[str, bytes]) -> None:
        facts = json.loads(files["study.json"])
        facts["interval"] = {"name": "wilson", "confidence": 0.9, "bounded": True, "conservative": None}
        facts["estimate"] |= {"low": 0.25, "high": 0.75, "method": "Wilson, effective sample size, t"}
        files["study.json"] = json.dumps(facts).encode()

    again = reproduce(changed(bundle, earlier), pool)
    assert again.labels.interval == Interval(confidence=0.9) and again.estimate().value == study.estimate().value
    assert "has the limits 25.0 % to 75.0 %" in repr(again).replace("\u00a0", " ")
    assert "Those of today are" in repr(again)

    def other(files: dict[str, bytes]) -> None:
        earlier(files)
        facts = json.loads(files["study.json"])
        facts["estimate"]["value"] += 1e-6
        files["study.json"] = json.dumps(facts).encode()

    with pytest.raises(ManifestError, match="The estimate is"):
        reproduce(changed(bundle, other), pool)


def test_it_holds_report_labels_strata_and_how_to_compute_it_again(bundle: Path, study: Study, pool: Pool) -> None:
    with zipfile.ZipFile(bundle) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert unexplained(files["README.txt"].split("\n\n")) == {}
    assert {*files} == {
        "README.txt",
        "report.html",
        "report.json",
        "manifest.json",
        "labels.csv",
        "items.csv",
        "study.json",
    }
    assert 'neyman.reproduce("b.zip", ' in files["README.txt"] and pool.items_digest in files["README.txt"]
    assert json.loads(files["report.json"])["top_up"]["wanted"] == 0.05
    assert labels.read(files["labels.csv"].encode()).rows["item_id"].tolist() == [str(item) for item in study.plan.ids]
    listed = list(csv.DictReader(io.StringIO(files["items.csv"])))
    assert [int(row["stratum"]) for row in listed] == study.plan.stratum.tolist()
    facts = json.loads(files["study.json"])
    assert facts["pool"]["digest"] == pool.digest and {"neyman", "numpy", "scipy"} <= {*facts["versions"]}
    assert not any(prompt in files["items.csv"] + files["study.json"] for prompt in pool.items["prompt"].head())


def test_equal_studies_give_equal_bytes(bundle: Path, study: Study, tmp_path: Path) -> None:
    assert neyman.report(study, tmp_path / "b.zip", half_width=0.05).read_bytes() == bundle.read_bytes()


def test_decisions_outcomes_of_the_pool_and_relatives_come_back(archive: Archive, plan: Plan, pool: Pool) -> None:
    larger = plan.with_budget(100)
    whole = Study(Labelling.load(archive, larger, pool, "right-wrong", "one"))
    whole.labels.save(archive, rows(larger.ids[:40], verdicts(pool, larger.ids[:40], "one")), "csv", CREATED)
    known = labels.of_target(pool, "one", larger.ids[20:]).rows
    whole.labels.save(archive, known, "pool", CREATED)
    first = str(plan.ids[0])
    for label, person in (("right", "Ben"), ("wrong", "Cem")):
        whole.labels.save(archive, rows([first], [label]).assign(annotator=person), "csv", CREATED)
    plain = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    plain.labels.decide(archive, first, "wrong", CREATED)
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    assert {DECISION, POOL} <= {*study.labels.log["annotator"]} and len(study.labels.family) > 1
    again = reproduce(packed(study), pool)
    assert same(again, study) and again.labels.provenance().by_decision == study.labels.provenance().by_decision == 1
    assert again.labels.provenance().from_pool == study.labels.provenance().from_pool > 0


def test_a_plan_of_fine_strata_whose_pool_got_other_generations(pool: Pool) -> None:
    """Strata come from the bundle: the signals of the pool may have changed since."""
    plan = recommend(pool, 60, "one", ()).draw(pool, seed=0)
    study = labelled(plan, request(plan, "gold").assign(label=truths(pool, plan.ids)), "one", "gold")
    content = packed(study)
    poorer = Pool.from_records([{**row, "generations": row["generations"][:3]} for row in records()], "poorer")
    assert poorer.digest != pool.digest and same(reproduce(content, poorer), study)


def test_a_target_that_was_run_since_needs_no_other_pool(study: Study, bundle: Path) -> None:
    bare = Pool.from_records([{name: x for name, x in row.items() if name != "targets"} for row in records()], "bare")
    again = reproduce(bundle, bare)
    assert not bare.targets and same(again, study)


def test_another_pool_is_named_with_its_digest(bundle: Path, pool: Pool) -> None:
    other = Pool.from_records(records()[:-1], "other")
    with pytest.raises(ManifestError) as error:
        reproduce(bundle, other)
    assert all(part in str(error.value) for part in (pool.items_digest[:12], other.items_digest[:12], "another pool"))


def test_other_answers_to_the_same_items_are_refused(bundle: Path, pool: Pool) -> None:
    turned = [{**row, "targets": {"one": {"answer": "B"}}} for row in records()]
    with pytest.raises(ManifestError, match=pool.digest[:12]):
        reproduce(bundle, Pool.from_records(turned, pool.name))


@pytest.mark.parametrize(
    "change",
    [
        lambda files: files.update({"study.json": files["study.json"].replace(b'"value": 0.', b'"value": 0.1')}),
        lambda files: files.update({"study.json": b"{}"}),
        lambda files: files.update({"study.json": b"nothing"}),
        lambda files: files.update({"items.csv": b"item_id,stratum\n1,x\n"}),
        lambda files: files.update({"manifest.json": b"{}"}),
        lambda files: files.pop("manifest.json"),
        lambda files: files.pop("study.json"),
    ],
)
def test_a_damaged_bundle_is_refused(bundle: Path, pool: Pool, change: Callable[[dict[str, bytes]], object]) -> None:
    with pytest.raises(ManifestError):
        reproduce(changed(bundle, change), pool)


def test_what_is_no_bundle_is_refused(pool: Pool, tmp_path: Path, study: Study) -> None:
    with pytest.raises(ManifestError, match="unpacked"):
        reproduce(b"no zip", pool)
    with pytest.raises(LabelError, match="Check the path"):
        reproduce(tmp_path / "missing.zip", pool)
    waiting = Study(replace(study.labels, log=study.labels.log.head(1)))
    with pytest.raises(DesignError, match="partial"):
        neyman.report(waiting, tmp_path / "w.zip")


@pytest.mark.parametrize(("kind", "named"), [("gold", True), ("right-wrong", False)])
def test_the_report_names_how_answers_were_compared(plan: Plan, pool: Pool, kind: str, named: bool) -> None:
    verdict = truths(pool, plan.ids) if kind == "gold" else verdicts(pool, plan.ids, "two")
    study = labelled(plan, request(plan, kind, "two").assign(label=verdict), "two", kind)
    said = sentences(study.labels.provenance())
    compared = f"Answers were compared with right ones as “Option letter” (rules {PARSER_VERSION['choice']})."
    assert (compared in said) is named
