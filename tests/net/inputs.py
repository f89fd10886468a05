"""Readings of each file of the corpus, of the fixtures and of the bundled pools, one fact a line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import NeymanError, PoolError
from core.pool import Pool
from core.readers import Shape, read_mapped, read_or_shape
from tests.conftest import ROOT
from tests.net.corpus import INPUTS, Case, load
from tests.net.recording import one_line

# Files of the repository that are pools or logs of tools.
FILES = (
    "tests/core/readers/fixtures/**/*.*",
    "tests/cases/**/*.*",
    "tests/pools/*.gz",
    "tests/pools/*.parquet",
    "data/*.gz",
    "data/*.parquet",
)
NO_INPUTS = {".md", ".py", ".txt"}
# Losses of so many items are written out.
_FEW = 40
_LONGEST = 400


def readings() -> list[str]:
    """The facts of every input: the bundled files first, then what tests build, by its digest."""
    lines: list[str] = []
    for path in files():
        lines += _reading(path.relative_to(ROOT).as_posix(), path, path.name)
    for case in load(INPUTS, Case):
        lines.append(f"{case.key}: “{case.name}” of {test_of(case.test)}")
        lines += _reading(case.key, case.content, case.name)
    return [one_line(line) for line in lines]


def files() -> list[Path]:
    """Paths of the files of the repository that are read."""
    paths = (path for pattern in FILES for path in sorted(ROOT.glob(pattern)))
    return [path for path in paths if path.is_file() and path.suffix not in NO_INPUTS]


def test_of(name: str) -> str:
    """The function of a test, without its parameters."""
    return name.removeprefix("tests/").partition("[")[0].replace("::", ", ")


def _reading(key: str, content: bytes | Path, name: str) -> Iterator[str]:
    given = None if isinstance(content, Path) else name
    try:
        read = read_or_shape(content, given)
        if isinstance(read, Shape):
            known = {name: value for name, value in read.guess.as_json().items() if value}
            guess = json.dumps(known, ensure_ascii=False, sort_keys=True)
            yield f"{key}: asks for its fields, with the guess {shortened(guess)}"
            read = read_mapped(content, read.guess, given)
        yield from (f"{key}: {fact}" for fact in facts(read))
    except NeymanError as error:
        yield from (f"{key}: refused: {one}" for one in refusals(error))


def refusals(error: NeymanError) -> list[str]:
    """The problems that an error lists, with their rows."""
    return [shortened(str(one)) for one in error.problems] if isinstance(error, PoolError) else [shortened(str(error))]


def facts(pool: Pool) -> Iterator[str]:
    """Facts about a pool: items, outputs, targets with their losses, groups, account and remarks."""
    ids = list(map(str, pool.ids))
    yield f"{pool.n_items} items, {shortened(repr(ids[0]))} to {shortened(repr(ids[-1]))}, {digest(ids)}"
    columns = [name for name in pool.item_columns if name != "id"]
    items = pool.items
    filled = [f"{name} {items[name].notna().sum()} {digest(map(str, items[name]))[:6]}" for name in columns]
    yield f"columns: {' · '.join(filled)}"
    if pool.n_generations:
        classes = pool.classes()
        mean = np.mean([len(set(row[row >= 0].tolist())) for row in classes])
        yield f"samples: k = {pool.n_generations}, {mean:.4g} classes an item, {digest(map(str, classes.tolist()))}"
        for kind in ("logprobs", "token_logprobs"):
            if (values := getattr(pool, kind)) is not None:
                yield f"samples: {kind} {digest(numbers(values.ravel()))}"
    for name, target in pool.targets.items():
        losses = target.losses
        known = losses[np.isfinite(losses)]
        mean_loss = f", mean loss {known.mean():.6g}" if known.size else ""
        shown = " ".join(numbers(losses)) if losses.size <= _FEW else digest(numbers(losses))
        yield f"target {shortened(name)}: {known.size} losses{mean_loss}: {shown}"
        for kind in ("answers", "texts"):
            values = getattr(target, kind)
            if values is not None:
                first = next((one for one in values if one is not None), None)
                filled = sum(one is not None for one in values)
                shown = f"first {shortened(repr(first), 80)}, {digest(map(str, values))}"
                yield f"target {shortened(name)}: {filled} {kind}, {shown}"
    if pool.groups is not None:
        yield f"groups: {pool.n_groups}, {shortened(repr(pool.group_names))}, {digest(map(str, pool.groups))}"
    if pool.origin is not None and pool.origin.format:
        yield f"recognized as {pool.origin.format}"
    if pool.account is not None:
        account = pool.account
        parts = (account.seen, account.items, account.further, account.completing, account.repeated)
        yield "account: {} records = {} items + {} further + {} completing + {} repeated".format(*parts)
        for one in account.left_out:
            yield f"account: left out {one.count}: {shortened(one.reason)}, rows {shortened(repr(one.rows), 60)}"
        yield from (f"account: total {shortened(repr(one))}" for one in account.totals)
        yield from (f"account: skipped {shortened(one)}" for one in account.skipped)
    yield from (f"remark: {shortened(one)}" for one in pool.remarks)


def numbers(values: NDArray[np.float64]) -> list[str]:
    """Numbers to ten digits, ? for those that are not known."""
    return ["?" if value != value else f"{value:.10g}" for value in values.tolist()]


def digest(texts: Iterable[str]) -> str:
    """A short digest of texts in their order."""
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:10]


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text, cut if it is long, with a digest of the whole."""
    return text if len(text) <= longest else f"{text[:longest]}… {digest([text])}"
