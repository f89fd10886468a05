"""The pool that this person looks at, and its source.

The pool's digest is in the URL (``?pool=…``), so a link or a reload finds it again; the pool itself is in
NEYMAN_HOME, or is a bundled one, or the file named on the command line.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import streamlit as st

from core.allocation import default_budget
from core.archive import Archive, Setback, Watch
from core.errors import HomeError, NeymanError, PoolError
from core.gates import gate_of
from core.pool import Pool
from core.readers import PROFILE, Folder, FolderPool, read
from pages.parts.app import kept, premises, quarantine, session
from pages.parts.app.progress import Progress
from pages.parts.markup import plain
from pages.parts.widgets.controls import BUDGET
from pages.parts.widgets.every import OF_POOL

if TYPE_CHECKING:
    from core.surrogate import Store

_DATA = Path(__file__).parents[3] / "data"
# What a bare address shows, and the labels with which its story begins.
PUBLISHED, PUBLISHED_NAME, PUBLISHED_BUDGET = _DATA / "mmlu-pro.parquet", "MMLU-Pro", 200
# To try labelling with: its items have prompts.
PRACTICE, PRACTICE_NAME = _DATA / "demo.jsonl.gz", "Practice pool"
# Judges beside people: answers graded by a string match, and pairs graded by two models.
EVOUNA, EVOUNA_NAME = _DATA / "evouna.parquet", "EVOUNA, answers of GPT-4"
LLMBAR, LLMBAR_NAME = _DATA / "llmbar.parquet", "LLMBar, two judges"
_SHOWN_DIGITS = 16
# Its name among what the home keeps.
_LAST_POOL = "pool"
# Of more models than these, the page asks which to keep, and reading them takes a moment.
MANY_MODELS = 200
# A page that waits longer for the database says so, and saves labels again.
_PATIENCE = 5.0
_PROFILING = Lock()
# The database of each home that the app has used, and whether anybody has written to the one that is open.
_KNOWN: dict[Path, tuple[int, int]] = {}
_WATCHES: dict[Path, Watch] = {}


@dataclass(slots=True)
class Shown:
    """The pool that this tab shows, the budgets it begins with, and why it is another than was asked for, and where."""

    digest: str = ""
    items: str = ""
    begun: Collection[int] = ()
    problems: list[str] = field(default_factory=list)
    title: str = ""


def archive() -> Archive:
    """Open the archive of whoever looks at the page (:meth:`premises.Premises.home`).

    Raises
    ------
    HomeError
        It cannot be used, or is another one than when the app began to use it.
    """
    here = home()
    opened = Archive(here, _PATIENCE, _KNOWN.get(here), _WATCHES.get(here))
    if opened.identity is not None and premises.here().lasting:
        _KNOWN.setdefault(opened.folder, opened.identity)
    return opened


def store() -> Store:
    """Open the jobs of whoever looks at the page; raises as `archive`."""
    # Here, so that the first page does not wait for what only jobs use.
    from core.surrogate import Store

    folder = archive().folder
    return Store(folder, _WATCHES.get(folder))


@dataclass(frozen=True, slots=True)
class OpenHome:
    """NEYMAN_HOME while the app uses it: what keeps it readable, why it has no copy, and what it lacks."""

    watch: Watch
    problem: str
    setback: Setback | None


def tended() -> OpenHome | None:
    """Copy the database when the app starts and every hour from then on, and compare it with its copies.

    None if it cannot be opened, which whatever reads it says, or ends with the visit.
    """
    if not premises.here().lasting:
        return None
    try:
        return _opened_home(str(home()), datetime.now(UTC).strftime("%Y-%m-%dT%H"))
    except HomeError:
        return None


@st.cache_resource(max_entries=1, show_spinner="Copying the database …", on_release=lambda opened: opened.watch.close())
def _opened_home(home: str, hour: str) -> OpenHome:
    opened, problem = archive(), ""
    watch = _WATCHES[opened.folder] = opened.watched()
    if opened.read_only:
        problem = f"“{opened.folder}” is read-only: you can read what it holds, but nothing new can be saved."
    else:
        try:
            opened.tend(datetime.now(UTC))
        except HomeError as error:
            problem = f"The database has no copy of today. {error}"
    return OpenHome(watch, problem, opened.setback())


def forget_home() -> None:
    """Close what is open of NEYMAN_HOME, whose database is another one from now on."""
    _opened_home.clear()
    _WATCHES.pop(home(), None)
    _KNOWN.pop(home(), None)
    kept.memo().forget("stored pools")


def now() -> str:
    """Return the present moment, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def made() -> str:
    """Say when a report is made."""
    moment = datetime.now(UTC)
    return f"Made {moment.day} {moment:%B %Y, %H:%M} UTC"


def practice() -> Pool:
    """Read the bundled practice pool."""
    return kept.once("bundled pools", PRACTICE, lambda: read(PRACTICE, PRACTICE_NAME), "Opening the practice pool …")


def published() -> Pool:
    """Read the bundled results of twelve published models on MMLU-Pro."""
    return kept.once("bundled pools", PUBLISHED, lambda: read(PUBLISHED, PUBLISHED_NAME), "Opening MMLU-Pro …")


def evouna() -> Pool:
    """Read the bundled verdicts of a string match and of people on answers of GPT-4."""
    return kept.once("bundled pools", EVOUNA, lambda: read(EVOUNA, EVOUNA_NAME))


def llmbar() -> Pool:
    """Read the bundled verdicts of two models and of people on pairs of outputs."""
    return kept.once("bundled pools", LLMBAR, lambda: read(LLMBAR, LLMBAR_NAME))


def is_bundled(pool: Pool) -> bool:
    """Whether a pool comes with the app, to show what it does."""
    named = {PUBLISHED_NAME: published, PRACTICE_NAME: practice, EVOUNA_NAME: evouna, LLMBAR_NAME: llmbar}
    # By its name first, since the practice pool takes a moment to read.
    return pool.name in named and named[pool.name]().digest == pool.digest


def _opened(path: str) -> Pool | NeymanError:
    try:
        return quarantine.quarantine().pool(path, None, archive().folder)
    except NeymanError as error:
        # Kept as well: every page asks for the pool, and refusing it may have taken long.
        return error


def _stored(digest: str) -> Pool:
    pool = archive().pools.load(digest)
    # Every page needs the generations: a damaged file is better noticed here than in the middle of a page.
    _ = pool.n_generations
    return pool


def from_command_line() -> Pool | None:
    """Return the pool named with ``--pool`` on the command line, read once as long as the file does not change.

    Raises
    ------
    NeymanError
        It cannot be read.
    """
    path = _named(tuple(sys.argv[1:]))
    if path is None:
        return None
    if path.suffix == PROFILE and path.exists():
        path = _profiled(path)
    if path.is_dir() and Folder.state(path):
        return _folder(path)
    key = (path, path.stat().st_mtime if path.exists() else 0.0)
    opened = kept.once("given files", key, lambda: _opened(str(path)), "Opening the pool …")
    if isinstance(opened, NeymanError):
        raise opened.with_traceback(None)
    return opened


def _profiled(path: Path) -> Path:
    key, title = (path, path.stat().st_mtime), "Opening the profile …"
    return kept.once("given profiles", key, lambda: archive().pools.take_profile(path), title)


def _folder(path: Path) -> Pool:
    """Return the pool of a folder, profiled once as long as no file changes; one session at a time."""

    def opening() -> FolderPool | NeymanError:
        try:
            rows = Folder.of(path).rows
            with Progress(f"Profiling “{path.name}”", rows, "items") as progress:
                return archive().pools.open_folder(path, now(), progress)
        except PoolError as error:
            return error

    with _PROFILING:
        opened = kept.once("given folders", (path, Folder.state(path)), opening)
    if isinstance(opened, NeymanError):
        raise opened.with_traceback(None)
    return opened


@cache
def _named(arguments: tuple[str, ...]) -> Path | None:
    """Return the path given with ``--pool``."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--pool")
    given = parser.parse_known_args(arguments)[0].pool
    return Path(given).expanduser() if given else None


def last_pool(kept: Mapping[str, str]) -> dict[str, str | Sequence[str] | None]:
    """Return the parameter of the pool that was chosen last, by what the home keeps; nothing if it is gone."""
    digest = kept.get(_LAST_POOL, "")
    return {"pool": shortened(digest)} if digest and _is_kept(digest) else {}


def is_bare() -> bool:
    """Whether neither the address nor the command line names a pool."""
    return session.parameter("pool") is None and _named(tuple(sys.argv[1:])) is None


def pool() -> Pool:
    """Return the current pool: the address's, or the command line's, or MMLU-Pro.

    A pool that cannot be had is named in a warning, and the next one in line is shown. Raises
    :class:`core.errors.HomeError` if NEYMAN_HOME cannot be used, which says nothing of the pool.
    """
    named = session.parameter("pool")
    sources: tuple[Callable[[], Pool | None], ...] = (lambda: by_digest(named) if named else None, from_command_line)
    problems, chosen = list[str](), None
    for source in sources:
        try:
            chosen = chosen or source()
        except HomeError:
            raise
        except NeymanError as error:
            problems.append(str(error))
    chosen = chosen or published()
    if problems:
        # The run may end before it is read: :func:`pool_problems` shows it.
        session.held(Shown).problems = [
            f"{problem[:1].upper()}{problem[1:]} “{chosen.name}” is shown instead." for problem in problems
        ]
        session.held(Shown).title = ""
    _remember(chosen)
    return chosen


def read_ahead(chosen: Pool) -> None:
    """Read what is known of very many models with a progress bar, before the page names the pool anywhere.

    Until then the page shows the pool before, with its own name.
    """
    count = len(chosen.targets)
    if count <= MANY_MODELS:
        return
    with Progress("Reading the models’ results", count, "models") as progress:
        for place, name in enumerate(chosen.targets, start=1):
            chosen.losses(name)
            progress(place / count)


def pool_problems(title: str) -> None:
    """Say which pool could not be had and what is shown instead, for as long as this page is looked at."""
    shown = session.held(Shown)
    if shown.title not in ("", title):
        shown.problems = []
    shown.title = title if shown.problems else ""
    for problem in shown.problems:
        st.warning(plain(problem), icon=":material/warning:")


def by_digest(digest: str) -> Pool:
    """Return the pool whose digest begins so.

    Raises
    ------
    NeymanError
        There is none, or it cannot be read.
    """
    sources: tuple[Callable[[], Pool | None], ...] = (from_command_line, published, evouna, llmbar)
    # Reading the practice pool takes longer than to open most that are kept.
    for source in sources if _is_kept(digest) else (*sources, practice):
        pool = source()
        if pool is not None and pool.digest.startswith(digest):
            return pool
    key = (str(archive().folder), digest, archive().pools.is_suspect(digest))
    try:
        return kept.once("stored pools", key, lambda: _stored(digest), "Opening the pool …")
    except NeymanError:
        # The kept copy of a pool that comes with the app may be damaged.
        if practice().digest.startswith(digest):
            return practice()
        raise


def _is_kept(digest: str) -> bool:
    """Whether the home holds a pool whose digest begins so."""
    with suppress(HomeError):
        return any(name.startswith(digest) for name in archive().pools.table()["digest"])
    return False


def with_targets(current: Pool) -> dict[str, int]:
    """Count the targets of the current pool and of those in the archive, by digest; pools without any are left out."""
    rows = archive().pools.listed()
    stored = zip(rows["digest"], (len(names) for names in rows["targets"]), strict=True)
    return {digest: count for digest, count in [(current.digest, len(current.targets)), *stored] if count}


def opened(current: Pool, digests: Iterable[str]) -> list[Pool]:
    """Open pools of the archive; one whose file cannot be used is named in a warning and left out."""
    pools = []
    for digest in digests:
        try:
            pools.append(current if digest == current.digest else archive().pools.load(digest))
        except NeymanError as error:
            st.warning(f"A pool is left out. {plain(str(error))}", icon=":material/warning:")
    return pools


def shortened(digest: str) -> str:
    """Shorten a pool's digest as addresses have it."""
    return digest[:_SHOWN_DIGITS]


def first_budgets(pool: Pool) -> tuple[int, ...]:
    """Return the budgets that pages begin with if nobody chose one."""
    first = default_budget(min(2, pool.n_items), pool.n_items)
    return (first, PUBLISHED_BUDGET) if pool.name == PUBLISHED_NAME else (first,)


def _show(chosen: Pool) -> None:
    shown = session.held(Shown)
    shown.digest, shown.items, shown.begun = chosen.digest, chosen.items_digest, first_budgets(chosen)


def choose(chosen: Pool, keep: bool = True) -> None:
    """Make ``chosen`` the current pool, and have the address forget what it says of other items.

    ``keep`` stores it in the archive so that links and reloads find it.
    """
    if keep and not is_bundled(chosen):
        archive().pools.save(chosen, now())
        kept.memo().forget("stored pools")
    if keep and gate_of(chosen) is None:
        with suppress(HomeError):
            archive().preferences.save({_LAST_POOL: "" if chosen.name == PUBLISHED_NAME else chosen.digest})
    shown = session.held(Shown)
    # Lists, labels and targets of the same items stay.
    left = OF_POOL if shown.items not in ("", chosen.items_digest) else ()
    # So does a budget that was chosen, unless it is the whole of this pool.
    if left and BUDGET.address is not None and (BUDGET.value in shown.begun or BUDGET.value >= chosen.n_items):
        left = (*left, BUDGET.key)
    shown.problems = []
    _show(chosen)
    session.write({**dict.fromkeys(left), "pool": shortened(chosen.digest)})


def rename(pool: Pool, name: str) -> None:
    """Give a kept pool another name."""
    archive().pools.rename(pool.digest, name)
    kept.memo().forget("stored pools")


def api_key(field: str = "api_key") -> str | None:
    """Return the key typed into a field, or the one of Streamlit's secrets; the worker reads the environment's."""
    typed = session.widget(field)
    return str(typed) if typed else _of_streamlit("NEYMAN_API_KEY")


def secret(variable: str) -> str | None:
    """Return what the environment or else Streamlit's secrets call so, None if neither does."""
    return os.environ.get(variable, "").strip() or _of_streamlit(variable)


def _of_streamlit(name: str) -> str | None:
    try:
        return st.secrets.get(name) or None
    except FileNotFoundError:
        return None


def home() -> Path:
    """Return the folder of what is kept for whoever looks at the page."""
    return premises.here().home()


def _remember(chosen: Pool) -> None:
    """Write the choice to the address, unless it is the pool that a bare address shows."""
    shown = session.held(Shown)
    if shown.digest != chosen.digest:
        _show(chosen)
        archive().pools.recognize(chosen)
    if is_bare() and chosen.digest == published().digest:
        return
    session.write({"pool": shortened(chosen.digest)})
