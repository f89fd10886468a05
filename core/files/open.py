"""The file or bytes that a pool is read from, plain or gzipped, and the progress of reading it."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from ..errors import PoolError, Problem
from .encoding import PAGES, UTF8, Reencoded, also_may_be, page_of, utf16_of
from .workbooks import BookTable

# Most steps in which one pass over a file is reported.
STEPS = 100
_LEAST = 512
_LISTENER: ContextVar[Callable[[float], None] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[float], None]) -> Iterator[None]:
    """Call a function with the share of the file that has been read, in [0, 1], while this is open."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report(share: float) -> None:
    """Tell whoever is listening the share of the file that has been read, in [0, 1]."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(share)


class Position:
    """The place that one pass over a file has reached; called with it, in the unit of ``total``.

    Parameters
    ----------
    total : int
        The end; 0 if it is not known, and then nothing is reported.
    """

    def __init__(self, total: int) -> None:
        self._total, self._step = total, max(1, total // STEPS)
        self._next: float = self._step if total else math.inf

    def __call__(self, place: int) -> None:
        """Report the share up to a place, if it is a step further."""
        if place >= self._next:
            self._next = place + self._step
            report(min(1.0, place / self._total))


class Passage(io.RawIOBase):
    """A packed file that reports how much of it has been read, whatever that becomes when it is unpacked.

    Parameters
    ----------
    file : binary file
        What is read.
    total : int
        Its size in bytes.
    """

    def __init__(self, file: BinaryIO, total: int) -> None:
        self._file, self._reach = file, Position(total)
        # The unpacker asks for more at once than a small file has.
        self._part = max(_LEAST, total // STEPS)

    def readable(self) -> bool:
        """Whether this can be read."""
        return True

    def seekable(self) -> bool:
        """Whether another place can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into a buffer, and report the place after them; return how many there are."""
        data = self._file.read(min(len(buffer), self._part))
        buffer[: len(data)] = data
        self._reach(self._file.tell())
        return len(data)

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to another place of the file."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """Return the place that is read next."""
        return self._file.tell()


MAX_BYTES = 2 * 1024**3
# Of a file that is read as a whole.
MAX_ARRAY = 512 * 1024**2
UTF8_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
# A table may begin with PK, too.
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_HEAD = 4096
_MOST_ZEROS = 0.02
_SMALL = 16 * 1024**2
_MAX_BOOK = 512 * 1024**2
_ENDINGS = (".gz", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt", ".parquet", ".zip", ".eval", ".xlsx", ".xlsm")
# What people may upload, for every sentence that says so.
READABLE = "JSON, JSON Lines, CSV, TSV, Excel (.xlsx), Parquet, logs of evaluation tools, and zips or gzips of these"
_USE = f"These can be read: {READABLE}."

_FOREIGN: tuple[tuple[tuple[bytes, ...], str, str], ...] = (
    ((b"\x28\xb5\x2f\xfd",), "compressed with Zstandard", "Unpack it, or compress it with gzip."),
    ((b"BZh",), "compressed with bzip2", "Unpack it, or compress it with gzip."),
    ((b"\xfd7zXZ",), "compressed with xz", "Unpack it, or compress it with gzip."),
    ((b"7z\xbc\xaf",), "a 7z archive", "Unpack it first."),
    ((_GZIP,), "gzipped twice", "Unpack it once."),
    ((*_ZIP, b"PAR1"), "gzipped over another compressed format", "Unpack it once."),
    ((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), "a Python pickle, which could run code", _USE),
    ((b"\xd0\xcf\x11\xe0",), "an old Excel workbook", "Save the sheet as CSV (UTF-8)."),
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF"), "an image", _USE),
    ((b"%PDF",), "a PDF", _USE),
    ((b"SQLite format 3",), "an SQLite database", _USE),
    ((b"ARROW1", b"FEA1"), "an Arrow file", "Save it as Parquet."),
    ((b"\xff\xff\xff\xff",), "an Arrow stream", "Save it as Parquet, or use python -m neyman pool benchmark."),
    ((b"\x89HDF", b"\x93NUMPY"), "an array file", _USE),
    ((b"<",), "a web page or XML", "Download the file itself. " + _USE),
)


@dataclass(frozen=True)
class Source:
    """A file or bytes to read a pool from, as UTF-8 if it is a text; ``name`` is the name of the pool."""

    name: str
    path: Path | None = None
    data: bytes = b""

    @classmethod
    def of(cls, path_or_bytes: str | Path | bytes | Source, name: str | None = None) -> Source:
        """Wrap a path or bytes; a folder becomes the zip of its files.

        Raises
        ------
        PoolError
            There is no such file, or a folder has none that can be read, or too much.
        """
        if isinstance(path_or_bytes, Source):
            return path_or_bytes
        if isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
            return cls(_printable(name or "pool"), None, bytes(path_or_bytes))
        path = Path(path_or_bytes)
        try:
            if path.is_dir():
                return cls(_printable(name or path.resolve().name), None, _packed(path))
            if not path.is_file():
                raise PoolError([Problem(f"there is no file “{path}”.", remedy="Check the path.")])
        except (OSError, ValueError) as error:
            raise PoolError([Problem(f"“{path}” cannot be used as a path ({error}).")]) from None
        return cls(_printable(name or stem(path.name)), path)

    @property
    def size(self) -> int:
        """Bytes of the content; 0 if it is gzipped, so that nobody knows."""
        with self.raw() as file:
            return 0 if file.read(2) == _GZIP else file.seek(0, io.SEEK_END)

    def head(self) -> bytes:
        """Read the first bytes of the content, unpacked if it is gzipped, without a UTF-8 byte order mark."""
        with self.opened() as file:
            head = file.read(_HEAD).removeprefix(UTF8_BOM)
        if not head.strip():
            message = "the file is empty." if len(head) < _HEAD else "the file begins with blanks only."
            raise PoolError([Problem(message, remedy="Choose one with an item in each row.")])
        return head

    @cached_property
    def encoding(self) -> str:
        """The encoding of a text: UTF-8, UTF-16, UTF-32 or a code page; UTF-8 for what is no text."""
        with self._unpacked() as file:
            head = file.read(_HEAD)
            utf16 = utf16_of(head)
            foreign = tuple(one for beginnings, *_ in _FOREIGN for one in beginnings)
            text = head.removeprefix(UTF8_BOM).lstrip()
            if utf16 is not None or b"\0" in head or text.startswith(foreign):
                return utf16 or UTF8
        with self._unpacked() as file:
            return page_of(file, MAX_BYTES)

    @property
    def remark(self) -> str:
        """A sentence about the encoding if it is a guess, else empty."""
        if self.encoding not in PAGES:
            return ""
        with self._unpacked() as file:
            others = also_may_be(file.read(_SMALL), self.encoding)
        page, *rest = (f"{PAGES[one]} (code page {one.removeprefix('cp')})" for one in (self.encoding, *others))
        doubt = f" It may also be {' or '.join(rest)}: its content does not tell." if rest else ""
        return f"The file is not UTF-8. It is read as {page}.{doubt} If letters look wrong, save it as UTF-8."

    @property
    def is_zip(self) -> bool:
        """Whether this begins as a zip, which a workbook is as well."""
        with self.raw() as file:
            return file.read(4) in _ZIP

    @cached_property
    def sheet(self) -> BookTable:
        """The table in an Excel workbook; raises :class:`core.errors.PoolError` if it cannot be read."""
        with self.raw() as file:
            content = file.read(_MAX_BOOK + 1)
        if len(content) > _MAX_BOOK:
            raise too_large(_MAX_BOOK)
        return BookTable.of(content)

    @contextmanager
    def opened(self, reports: bool = False) -> Iterator[BinaryIO]:
        """Open the content as a binary file, unpacked if it is gzipped, and a text in UTF-8.

        With ``reports``, the share of a gzip file that has been read is reported (`core.files.open`). Errors of
        reading are raised as :class:`core.errors.PoolError`.
        """
        encoding = self.encoding
        with self._unpacked(reports) as file:
            if encoding == UTF8:
                yield file
                return
            text = Reencoded(file, encoding)
            try:
                yield cast(BinaryIO, io.BufferedReader(text))
            except UnicodeDecodeError as error:
                if error.encoding != encoding:
                    raise
                message = f"the file begins as {encoding.upper()}, but continues as something else."
                raise PoolError([Problem(message, remedy="Save it as UTF-8.")]) from None

    @contextmanager
    def _unpacked(self, reports: bool = False) -> Iterator[BinaryIO]:
        try:
            with self.raw() as raw:
                if raw.read(2) != _GZIP:
                    raw.seek(0)
                    yield raw
                else:
                    size = raw.seek(0, io.SEEK_END)
                    raw.seek(0)
                    with gzip.GzipFile(fileobj=cast(BinaryIO, Passage(raw, size)) if reports else raw) as unpacked:
                        yield cast(BinaryIO, io.BufferedReader(unpacked))
        except EOFError:
            raise PoolError([Problem("the gzip file ends early.", remedy="Download or compress it again.")]) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            message = f"the gzip file is damaged ({error})."
            raise PoolError([Problem(message, remedy="Download or compress it again.")]) from None
        except OSError as error:
            raise PoolError([Problem(f"the file cannot be read ({error}).")]) from None

    @contextmanager
    def raw(self) -> Iterator[BinaryIO]:
        """Open the bytes as they are stored."""
        with io.BytesIO(self.data) if self.path is None else self.path.open("rb") as file:
            # On some systems, what is opened as /dev/fd/… stands where it was read last.
            file.seek(0)
            yield file

    def content(self, limit: int) -> bytes:
        """Read all of the content, unpacked; never more than ``limit`` bytes are unpacked."""
        with self.opened() as file:
            data = file.read(_SMALL)
            if len(data) == _SMALL:
                # Python reserves what is asked for at once: for a small file, more than there may be.
                if file.seekable():
                    file.seek(0)
                    data = b""
                data += file.read(limit + 1 - len(data))
        if len(data) > limit:
            raise too_large(limit)
        return data

    @staticmethod
    def refuse_foreign(head: bytes) -> None:
        """Raise :class:`core.errors.PoolError` if a file of another kind begins with ``head``."""
        text = head.lstrip()
        for beginnings, kind, remedy in _FOREIGN:
            if text.startswith(beginnings):
                raise PoolError([Problem(f"the file is {kind}.", remedy=remedy)])
        if b"\0" in head and not _is_text(head):
            raise PoolError([Problem("the file is neither text nor a known format.", remedy=_USE)])


def _packed(folder: Path) -> bytes:
    """Pack the files of a folder into a zip; of those whose kind holds no items, the names alone."""
    files = [one for one in sorted(folder.rglob("*")) if one.is_file()]
    shown = [one for one in files if not any(part.startswith(".") for part in one.relative_to(folder).parts)]
    taken = {one for one in shown if one.name.lower().endswith(_ENDINGS)}
    if not taken:
        message = f"the folder “{folder}” has no Parquet files, and no others that can be read."
        raise PoolError([Problem(message, remedy=f"Give a file, or a folder with some. {_USE}")])
    if sum(one.stat().st_size for one in taken) > MAX_BYTES:
        raise too_large(MAX_BYTES)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for one in shown:
            archive.writestr(one.relative_to(folder).as_posix(), one.read_bytes() if one in taken else b"")
    return packed.getvalue()


def _is_text(head: bytes) -> bool:
    """Whether a beginning with zero bytes is text none the less: cells may hold any character."""
    try:
        codecs.getincrementaldecoder(UTF8)().decode(head)
    except UnicodeDecodeError:
        return False
    return head.count(0) <= _MOST_ZEROS * len(head)


def _printable(name: str) -> str:
    # A file name may hold bytes that are no text.
    return name.encode("utf-8", "replace").decode()


def too_large(limit: int) -> PoolError:
    """Make the error of content beyond ``limit`` bytes."""
    message = f"the content is larger than {limit / 1024**3:.3g} GiB."
    return PoolError([Problem(message, remedy="Split it, or convert it to Parquet.")])


def path_of(name: str) -> PurePosixPath:
    """Return the path in a file's name, as it is written on any system."""
    return PurePosixPath(name.replace("\\", "/"))


def stem(name: str) -> str:
    """Remove the endings of a file's name: “a.b.jsonl.gz” → “a.b”."""
    while name.lower().endswith(_ENDINGS) and "." in name[1:]:
        name = name[: name.rindex(".")]
    return name
