"""Collect the files that the tests give to readers: pytest -n0 -p tests.net.capture tests/core tests/data tests/pages.

A plugin of pytest. What the tests build in functions becomes a corpus in `corpus/`, read by `tests.net.inputs` and
`tests.net.lists`: each input once, with the test that made it. Left out are inputs that Hypothesis generates, and those
that are made to fill the memory.
"""

from __future__ import annotations

import functools
import hashlib
import io
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import core.labels
import core.labels.reader
import core.study
import core.study.files
from core.answers import PARSER_VERSION
from core.design import manifest
from core.files.open import Source
from core.study.record import pool_of
from tests.net.corpus import INPUTS, LABELS, LISTS, Case, ListCase, save

# Tests of what is too much for a process.
BOMBS = ("quarantine", "bomb")
MOST_BYTES = 20_000
# Of one test function, with all its parameters.
MOST_INPUTS = 25
_now: dict[str, str] = {}
_inputs: dict[str, Case] = {}
_labels: dict[str, Case] = {}
_lists: dict[str, ListCase] = {}
_counts: Counter[str] = Counter()


def _take(cases: dict[str, Case], content: bytes, name: str) -> None:
    """Keep an input, with the test that made it."""
    # Some names are paths of the machine.
    name = name.rpartition("/")[2] if name.startswith("/") else name
    key = hashlib.sha256(name.encode() + b"\0" + content).hexdigest()[:10]
    function = _now.get("test", "").partition("[")[0]
    counted = f"{function} {cases is _labels}"
    if not function or key in cases or len(content) > MOST_BYTES or _counts[counted] >= MOST_INPUTS:
        return
    _counts[counted] += 1
    cases[key] = Case(key, _now["test"], name, content)


def _source_of(original: Callable[..., Source]) -> Callable[..., Source]:
    def of(cls: type[Source], path_or_bytes: Any, name: str | None = None) -> Source:
        source = original(path_or_bytes, name)
        if not isinstance(path_or_bytes, Source):
            if source.path is None:
                _take(_inputs, source.data, source.name)
            elif source.path.stat().st_size <= MOST_BYTES:
                _take(_inputs, source.path.read_bytes(), source.name)
        return source

    return of


def _read(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def read(content: bytes, name: str | None = None) -> Any:
        _take(_labels, content, name or "")
        return original(content, name)

    return read


def _labelled(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def labelled(plan: Any, file: Any, target: Any = None, kind: Any = None, **more: Any) -> Any:
        if _now.get("test"):
            _take_list(plan, file, target, kind, dict(more.get("words", {})))
        return original(plan, file, target, kind, **more)

    return labelled


def _take_list(plan: Any, file: Any, target: str | None, kind: str | None, words: dict[str, str]) -> None:
    files = [_content(one) for one in (file if isinstance(file, list | tuple) else [file])]
    if any(one is None or len(one[1]) > MOST_BYTES for one in files):
        return
    pool = pool_of(plan)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.parquet"
        pool.write(path)
        content = path.read_bytes()
    if len(content) > 2 * MOST_BYTES:
        return
    document = manifest.write(plan, pool.name, dict(PARSER_VERSION))
    given = repr((document, files, target, kind, words))
    key = hashlib.sha256(given.encode()).hexdigest()[:10]
    function = _now["test"].partition("[")[0]
    if key in _lists or _counts[f"{function} list"] >= MOST_INPUTS:
        return
    _counts[f"{function} list"] += 1
    _lists[key] = ListCase(key, _now["test"], content, document, tuple(files), target, kind, words)  # type: ignore[arg-type]


def _content(file: Any) -> tuple[str, bytes] | None:
    if isinstance(file, bytes):
        return "", file
    if isinstance(file, str | Path) and Path(file).is_file():
        return Path(file).name, Path(file).read_bytes()
    if hasattr(file, "to_csv"):
        stream = io.StringIO()
        file.to_csv(stream, index="item_id" not in file)
        return "table.csv", stream.getvalue().encode()
    return None


Source.of = classmethod(_source_of(Source.of))  # type: ignore[method-assign, assignment, arg-type]
core.labels.reader.read = core.labels.read = core.study.files.read = _read(core.labels.reader.read)
core.study.files.labelled = core.study.labelled = _labelled(core.study.files.labelled)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    generated = item.get_closest_marker("hypothesis") or hasattr(getattr(item, "obj", None), "hypothesis")
    if not generated and not any(word in item.nodeid for word in BOMBS):
        _now["test"] = item.nodeid
    try:
        return (yield)
    finally:
        _now.clear()


def pytest_sessionfinish() -> None:
    save(INPUTS, _inputs.values())
    save(LABELS, _labels.values())
    save(LISTS, _lists.values())
