"""Readings of each filled list: kind, counts, estimate, limits and remarks, or the refusal, one fact a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import core.labels
from core.design import Plan, manifest
from core.errors import LabelError, NeymanError
from core.pool import Pool
from core.readers import read
from core.study import labelled
from tests.conftest import ROOT
from tests.net.corpus import LABELS, LISTS, Case, ListCase, load
from tests.net.inputs import shortened, test_of
from tests.net.recording import one_line

CASES = ROOT / "tests" / "cases" / "labels"
# The lists of each plan in `CASES`, and the kinds under which they are read beside that of the file.
BUNDLED = {"cli": ("cli_*.csv", "own_skip.xlsx"), "w": ("w_*.csv",)}
# Exports of labelling tools, which are read without a plan.
EXPORTS = ("tests/core/labels/formats/fixtures/**/*.*", "tests/compatibility/v1/filled/*")

_MOST_ROWS = 12
_OF_STRATA = re.compile(r"(stratum|\d+)  ")


def answers() -> list[str]:
    """The facts of every list: exports without a plan, the small cases, then what tests build."""
    lines: list[str] = []
    for path in exports():
        facts = _rows(path.read_bytes(), path.name)
        lines += [f"{path.relative_to(ROOT).as_posix()}: {fact}" for fact in facts]
    for case in load(LABELS, Case):
        lines.append(f"{case.key}: labels “{case.name}” of {test_of(case.test)}")
        lines += [f"{case.key}: {fact}" for fact in _rows(case.content, case.name or None)]
    for plan, patterns in BUNDLED.items():
        pool, document = CASES / "pool.jsonl", (CASES / f"{plan}_manifest.json").read_text(encoding="utf-8")
        for path in (path for pattern in patterns for path in sorted(CASES.glob(pattern))):
            drawn = _plan(pool.read_bytes(), document)
            for kind in (None, *core.labels.KINDS):
                said = _said(drawn, ((path.name, path.read_bytes()),), "M", kind, {})
                lines += [f"cases/labels/{path.name}, kind {kind}: {fact}" for fact in said]
    for case in load(LISTS, ListCase):
        names = ", ".join(name or "bytes" for name, _ in case.files)
        lines.append(
            f"{case.key}: {names} of {test_of(case.test)}; target {case.target}, kind {case.kind}, {case.words}"
        )
        said = _said(_plan(case.pool, case.manifest), case.files, case.target, case.kind, case.words)
        lines += [f"{case.key}: {fact}" for fact in said]
    return [one_line(line) for line in lines]


def exports() -> list[Path]:
    paths = [path for pattern in EXPORTS for path in sorted(ROOT.glob(pattern))]
    return [path for path in paths if path.is_file() and path.suffix not in (".py", ".md", ".txt")]


@cache
def _pool(content: bytes) -> Pool:
    return read(content, "pool")


@cache
def _plan(content: bytes, document: str) -> Plan:
    return manifest.reproduce(manifest.read(document), _pool(content))


def _rows(content: bytes, name: str | None) -> Iterator[str]:
    try:
        file = core.labels.read(content, name)
    except LabelError as error:
        yield from _refusals(error)
        return
    yield f"{len(file.rows)} rows of {file.source}"
    columns = [name for name in file.rows if name != "row"]
    for row in file.rows.head(_MOST_ROWS).to_dict("records"):
        filled = [f"{name} {row[name]}" for name in columns if row[name] is not None and row[name] != ""]
        yield f"row {row['row']}: {' · '.join(map(shortened, filled))}"
    yield from (f"note: {note}" for note in file.notes)


def _said(
    plan: Plan, files: tuple[tuple[str, bytes], ...], target: str | None, kind: str | None, words: Mapping[str, str]
) -> Iterator[str]:
    with TemporaryDirectory() as folder:
        given: list[bytes | Path] = []
        for number, (name, content) in enumerate(files):
            path = Path(folder) / str(number) / name
            if name:
                path.parent.mkdir()
                path.write_bytes(content)
            given.append(path if name else content)
        try:
            study = labelled(plan, given, target, kind, words=words)
            text = str(study)
        except NeymanError as error:
            yield from (one.replace(folder, "…") for one in _refusals(error))
            return
    record = study.labels
    yield f"kind {record.kind}, target {record.target}: {len(record.labelled)} labelled of {len(record.ids)} items"
    try:
        estimate = study.estimate()
        yield (
            f"{estimate.measure} {estimate.value:.10g} ± {estimate.standard_error:.10g}, {estimate.low:.10g} to "
            f"{estimate.high:.10g} from {estimate.n_labels} labels"
        )
    except NeymanError as error:
        yield from _refusals(error)
    # Without the table of strata, which follows from the labels.
    said = (line.strip() for line in text.splitlines() if line.strip())
    yield from (f"says: {shortened(line)}" for line in said if not _OF_STRATA.match(line))


def _refusals(error: NeymanError) -> list[str]:
    problems = getattr(error, "problems", ()) or [error]
    said = [f"refused: {shortened(str(error))}"]
    return said + [f"refused: {shortened(str(one))}" for one in problems if str(one) != str(error)]
