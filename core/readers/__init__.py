"""Reading pools: ``read`` looks at the content, not at the name, and passes it to the module of that format.

=====================  ======================================================================
native JSON Lines      ``json_lines``: one item a line, or one array of items; also gzipped
native CSV             ``csv_table``: comma, semicolon, tab or bar; also gzipped
native Parquet         ``parquet``: the same columns
a folder of Parquet    ``folder_pool``: the same columns in any number of files, by way of a profile
any other folder       as the zip of its files
benchmarks             ``benchmarks``: as their authors publish them
results of models      ``results``: logs of evaluation tools and published results
=====================  ======================================================================

Of any other file, ``read_or_shape`` returns the `Shape`, with a guess at which of its fields is what: `read_mapped`
reads it by such a map. So does ``read``, and says which field it took for what, if something names the items and
nothing of the guess is in doubt; if not, it raises :class:`core.errors.PoolError` with a sentence that says what the
file is.

``read`` reads in the process that calls it, which is right for your own files. What comes from somebody else may be
made to fill the memory: ``core.archive.quarantine`` reads it in a process with limits, as the app does.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import PoolError
from ..files.open import READABLE, Source
from ..files.sniff import OBJECT, PARQUET, ZIP, Beginning
from ..pool.columns import COLUMNS
from ..pool.pool import Pool
from ..pool.problems import shown
from ..words import listed
from .archive_files import Bundle
from .benchmarks import BENCHMARKS
from .doubt import Doubt
from .field_map import RIGHT, ROWS, TEXT, WRONG, FieldMap, Paths
from .folder.folder import Folder
from .folder.folder_pool import FolderPool, read_folder
from .folder.profile_file import PROFILE, ProfileFile
from .folder.profiling import profile
from .mapped import read_mapped, with_ways_out
from .model_outputs import ModelOutputs
from .model_results import ModelResults, Split
from .native import is_pool, of_pool
from .parquet import is_written_pool
from .results import FORMATS, pool_of, pool_of_zip, read_outputs, read_results, recognised
from .shape import FieldPath, Shape, shape_of, table_of, target_names

__all__ = [
    "BENCHMARKS",
    "FORMATS",
    "PROFILE",
    "READABLE",
    "RIGHT",
    "ROWS",
    "TEXT",
    "WRONG",
    "Doubt",
    "FieldMap",
    "FieldPath",
    "Folder",
    "FolderPool",
    "ModelOutputs",
    "ModelResults",
    "Paths",
    "ProfileFile",
    "Shape",
    "Split",
    "profile",
    "read",
    "read_mapped",
    "read_or_shape",
    "read_outputs",
    "read_results",
    "shape_of",
    "table_of",
    "target_names",
]
_NAMED = 8


def read(path_or_bytes: str | Path | bytes, name: str | None = None) -> Pool:
    """Read a pool from a file, a folder of files, or from its content.

    Parameters
    ----------
    path_or_bytes : str, Path or bytes
        Path of a file, or the content itself. The texts of a folder of Parquet files stay in these; a profile that was
        made of it (`core.readers.profile`) opens it at once. Any other folder is read as its zip.
    name : str, optional
        What the pool is called; by default the file's name without its endings.

    Returns
    -------
    Pool

    Raises
    ------
    PoolError
        With every problem, its row and the remedy.
    """
    if not isinstance(path_or_bytes, bytes | bytearray | memoryview):
        path = Path(path_or_bytes)
        if path.is_dir() and Folder.state(path):
            return read_folder(path, name or path.resolve().name)
        if path.suffix == PROFILE:
            stored = ProfileFile(path)
            return FolderPool.of(stored, name or stored.folder.path.name)
    source = Source.of(path_or_bytes, name)
    beginning = Beginning.of(source)
    of_results = recognised(source, beginning)
    if of_results is not None:
        return pool_of(source, beginning, of_results)
    if beginning.container == ZIP:
        pool = pool_of_zip(source)
        if pool is None:
            raise Bundle.of(source).refusal("holds the log of a known tool, or a pool")
        return pool
    try:
        return _of_pool(source, beginning)
    except PoolError as error:
        # A row that cannot be read is none in another shape either.
        is_damaged = any(one.row is not None and one.field is None for one in error.problems)
        # In one object of columns, an “id” that is no text names the items of its list.
        is_of_columns = beginning.container == OBJECT and [one.field for one in error.problems] == ["id"]
        has_ids = all(one.row is not None and one.field not in ("id", None) for one in error.problems)
        pool = None if is_damaged or is_pool(beginning) else _by_guess(source, named=is_of_columns or has_ids)
        if pool is not None and has_ids and error.total < pool.n_items:
            # Only what is another thing in each row, such as options with their letters, has another shape.
            raise
        if pool is None and not is_pool(beginning) and not is_damaged:
            raise with_ways_out(error) from None
        if pool is None:
            raise
        return pool


def read_or_shape(path_or_bytes: str | Path | bytes, name: str | None = None) -> Pool | Shape:
    """Read a pool; of a file that no reader recognizes, return the shape.

    A file with ids is a pool if it has generations or outcomes of targets under the names of a native pool, or if
    no other field looks like a prompt, a model's output or its score.

    Parameters
    ----------
    path_or_bytes : str, Path or bytes
        Path of a file, or the content itself.
    name : str, optional
        What the pool is called; by default the file's name without its endings.

    Returns
    -------
    Pool or Shape

    Raises
    ------
    PoolError
        With every problem, its row and the remedy.
    """
    source = Source.of(path_or_bytes, name)
    beginning = Beginning.of(source)
    of_results = recognised(source, beginning)
    if of_results is not None:
        return pool_of(source, beginning, of_results)
    if is_pool(beginning):
        return of_pool(source, beginning)
    if beginning.container == ZIP and (pool := pool_of_zip(source)) is not None:
        return pool
    has_ids = "id" in beginning.keys
    try:
        shape = Shape.of(source)
    except PoolError:
        if not has_ids:
            raise
        # Its ids may have problems too: all are named at once.
        return of_pool(source, beginning)
    return _of_pool(source, beginning) if has_ids and shape.is_plain else shape


def _by_guess(source: Source, named: bool) -> Pool | None:
    """Read a file of another shape by the guess of its fields; None if nobody can tell what is what.

    Parameters
    ----------
    source : Source
        The file.
    named : bool
        Whether its column "id" may be that of the ids. If its ids cannot be those of a pool it may not: a column that
        somebody called so has to be right, unless something tells its rows apart.
    """
    try:
        shape = Shape.of(source)
    except PoolError:
        return None
    fields = shape.guess
    apart = named or fields.parts("id") != ("id",) or fields.run or fields.model or fields.reviewer
    if fields.lacks or not apart or "id" not in fields.fields or not all(one.is_optional for one in shape.doubts):
        return None
    pool = read_mapped(source, fields)
    taken = listed([f"{shown(path)} as {name.replace(' · ', ': ')}" for name, path in fields.origin().fields.items()])
    note = f"The fields are guessed: {taken}. If a guess is wrong, say what they are with neyman pool map FILE."
    first = [one for one in pool.notes[:1] if fields.run]
    unread = (*_left_open(shape), *shape.remarks(fields), *filter(None, [shape.not_used(fields)]))
    return replace(pool, notes=(*first, note, *unread, *pool.notes[len(first) :]))


def _left_open(shape: Shape) -> list[str]:
    """Say which columns may be the score of a target that has none, and how to take them for it."""
    if any({RIGHT, WRONG} & paths.keys() for paths in shape.guess.targets.values()):
        return []
    return [
        f"{one.sentence} (neyman pool map FILE --target MODEL:{one.field}={one.candidates[0].path})"
        for one in shape.doubts
        if one.is_optional
    ]


def _of_pool(source: Source, beginning: Beginning) -> Pool:
    """Read a native pool; one that says nothing of its items, or less than its columns seem to, has a note."""
    pool = of_pool(source, beginning)
    if is_pool(beginning):
        return pool
    columns = set(pool.table.column_names)
    unread = listed([shown(name) for name in pool.table.column_names if name not in COLUMNS][:_NAMED])
    kept = f" Kept, not read: {unread}. Say what they are with neyman pool map FILE." if unread else ""
    if columns & COLUMNS.keys() <= {"id", "group"}:
        # The only id may be that of a run, whose items are in a list.
        guessed = _by_guess(source, named=True) if pool.n_items == 1 and beginning.container == OBJECT else None
        if guessed is not None and guessed.n_items > 1:
            return guessed
        note = f"The file has ids, but no questions, outputs or right answers.{kept}"
    elif unread and not _is_plain(source):
        written = beginning.container == PARQUET and is_written_pool(source)
        guessed = None if written else _by_guess(source, named=True)
        if guessed is not None and (guessed.targets or guessed.n_generations):
            return guessed
        note = f"Some columns look like outputs or scores, but a pool calls them by other names.{kept}"
        ways = [one.command for one in Shape.of(source).doubts if one.command]
        note += f" If they are answers of models: neyman pool map FILE {ways[0]}" if ways and not written else ""
    else:
        return pool
    return replace(pool, notes=(*pool.notes, note))


def _is_plain(source: Source) -> bool:
    try:
        return Shape.of(source).is_plain
    except PoolError:
        return True
