"""A zip of any files: those that may hold items, also in zips within it, and those that are passed over.

Files without items are passed over by their endings, pictures and programs for instance. What a known tool wrote, or is
a pool, is read as it is; otherwise the files of one shape that together are the largest are the rows of a table
(`core.readers.file_rows`), and the others are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import PurePosixPath

from ..errors import PoolError, Problem
from ..files.archives import is_office, opened
from ..files.foreign_names import plain_key
from ..files.open import MAX_ARRAY, MAX_BYTES, Source, stem, too_large
from ..files.sniff import OBJECT, ZIP, Beginning
from ..pool.problems import shown
from .field_names import NAMES

# The column that names the file of a row, if rows come from several.
FILE = "zip file"
_ENDINGS = frozenset(
    {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".xlsm", ".gz", ".eval", ".zip"}
)
_DEEPEST, _MOST = 4, 20_000
_PROMPTS = frozenset(NAMES["prompt"]) - {"text", "content"}
_OF_ITEMS = frozenset({*_PROMPTS, *NAMES["answer"], *NAMES["output"]}) - {"text", "content"}
_MOST_NAMED = 6
# Share of the names that two files of one shape have in common.
_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A file in a zip.

    Parameters
    ----------
    source : Source
        Its content, called by its path in the zip.
    beginning : Beginning
        What it begins with.
    size : int
        Number of its bytes, unpacked.
    """

    source: Source
    beginning: Beginning
    size: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a zip.

    Parameters
    ----------
    files : tuple of BundleFile
        Those that may hold items, in the order of their paths.
    skipped : tuple of str
        Paths of the others.
    """

    files: tuple[BundleFile, ...]
    skipped: tuple[str, ...]

    @classmethod
    def of(cls, source: Source, is_whole: Callable[[Beginning], bool] = lambda beginning: False) -> Bundle:
        """Unpack a zip.

        Parameters
        ----------
        source : Source
            The zip.
        is_whole : callable
            Whether a zip within it is itself the file of a tool, and stays whole.

        Returns
        -------
        Bundle

        Raises
        ------
        PoolError
            The zip is damaged, encrypted or too large.
        """
        files, skipped, numbers = list[BundleFile](), list[str](), count(1)
        left = MAX_BYTES
        for name, content in _unpacked(source, is_whole, numbers, 0):
            left -= len(content or b"")
            if left < 0:
                raise too_large(MAX_BYTES)
            try:
                inner = None if content is None else Source(name, None, content)
                beginning = None if inner is None else Beginning.of(inner)
            except PoolError:
                inner = beginning = None
            if inner is None or beginning is None or (beginning.container == ZIP and not is_whole(beginning)):
                skipped.append(name)
            else:
                files.append(BundleFile(inner, beginning, len(inner.data)))
        return cls(tuple(files), tuple(skipped))

    def without(self, names: Collection[str]) -> Bundle:
        """The bundle in which files of these names are skipped."""
        kept = tuple(file for file in self.files if file.source.name not in names)
        return Bundle(kept, (*self.skipped, *names))

    def table(self) -> Bundle:
        """The bundle with the largest files of one shape alone; the others are skipped."""
        groups: list[list[BundleFile]] = []
        for file in self.files:
            group = next((one for one in groups if _are_alike(one[0], file)), None)
            if group is None:
                groups.append([file])
            else:
                group.append(file)
        largest = max(groups, key=lambda group: sum(file.size for file in group), default=[])
        return self.without([file.source.name for group in groups if group is not largest for file in group])

    @property
    def copies(self) -> list[str]:
        """Names of files with the content of an earlier one, unless each file is one item."""
        first: dict[bytes, str] = {}
        names = [(file.source.name, first.setdefault(file.source.data, file.source.name)) for file in self.files]
        return [] if self.is_one_each else [name for name, earlier in names if name != earlier]

    @property
    def is_one_each(self) -> bool:
        """Whether each file is one item, an object with a question or an answer, and no list of items."""
        return len(self.files) > 1 and all(
            file.beginning.container == OBJECT
            and file.source.name.lower().endswith(".json")
            and any(plain_key(key) in _OF_ITEMS for key in file.beginning.keys)
            and not any(plain_key(key) in _OF_ITEMS for key in file.beginning.inner)
            for file in self.files
        )

    def names(self) -> list[str]:
        """Return the names of each file's rows: its path without endings, and without the folders of all of them."""
        paths = [PurePosixPath(stem(file.source.name)).parts for file in self.files]
        common = 0
        while all(len(path) > common + 1 for path in paths) and len({path[common] for path in paths}) == 1:
            common += 1
        return ["/".join(path[common:]) for path in paths]

    @property
    def remark(self) -> str:
        """Return a remark on the files that are skipped, empty if none is."""
        return f"Files in the zip that were not read: {_few(self.skipped)}." if self.skipped else ""

    def refusal(self, what: str) -> PoolError:
        """Make the error of a zip in which no file is what it should be; ``what`` begins with a verb."""
        names = [*(file.source.name for file in self.files), *self.skipped]
        if is_office(names):
            message, remedy = "the file is a document of an Office program.", "Save its table as CSV (UTF-8)."
        else:
            message = f"no file in the zip {what}; it has {_few(names) or 'none'}."
            remedy = "Choose one with JSON, CSV, Excel or Parquet files" + (
                ", or say which field is what: upload it on page Pool, or use neyman pool map." if self.files else "."
            )
        return PoolError([Problem(message, remedy=remedy)])


def _unpacked(
    source: Source, is_whole: Callable[[Beginning], bool], numbers: Iterator[int], depth: int
) -> Iterator[tuple[str, bytes | None]]:
    """Yield path and content of each file, of those that are passed over no content."""
    with opened(source) as archive:
        for name in sorted(archive.names, key=_in_order):
            path = name if depth == 0 else f"{source.name}/{name}"
            if PurePosixPath(name.lower()).suffix not in _ENDINGS or next(numbers) > _MOST:
                yield path, None
                continue
            content = archive.read(name, MAX_ARRAY)
            inner = Source(path, None, content)
            nested = inner.is_zip and depth < _DEEPEST
            beginning = _beginning(inner) if nested else None
            if beginning is not None and beginning.container == ZIP and not is_whole(beginning):
                yield from _unpacked(inner, is_whole, numbers, depth + 1)
            else:
                yield path, content


def _in_order(name: str) -> list[tuple[bool, int, str]]:
    """Sort names as people do: 2 before 10."""
    parts = re.split(r"([0-9]{1,9})", name)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _beginning(source: Source) -> Beginning | None:
    try:
        return Beginning.of(source)
    except PoolError:
        return None


def _are_alike(one: BundleFile, other: BundleFile) -> bool:
    first, second = one.beginning, other.beginning
    common, every = first.keys & second.keys, first.keys | second.keys
    if first.container != second.container or len(common) < _ALIKE * max(len(every), 1):
        return False
    # Questions and their answers say different things of the same items.
    mine, theirs = (_named(one, _OF_ITEMS) for one in (first.keys - second.keys, second.keys - first.keys))
    return not (mine and theirs) and _named(first.keys, _PROMPTS) == _named(second.keys, _PROMPTS)


def of_items(keys: Collection[str]) -> bool:
    """Whether any of these is the name of a prompt, an answer, an output or a score."""
    return _named(keys, _OF_ITEMS) or _named(keys, NAMES["score"])


def _named(keys: Collection[str], names: Collection[str]) -> bool:
    return any(plain_key(key) in names for key in keys)


def _few(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(shown(name, 60) for name in names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
