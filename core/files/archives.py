"""Zips: their members unpacked one by one, none further than a limit, nothing written anywhere."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import pyarrow as pa

from ..errors import PoolError, Problem
from ..words import shown
from .open import MAX_ARRAY, Source, too_large

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    pa.ArrowException,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    IndexError,
    struct.error,
)
# Python's zipfile knows Zstandard from 3.14 on.
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")
_MAX_MEMBERS = 2_000_000


class ZipMembers:
    """The members of an open zip.

    Parameters
    ----------
    file : binary file
        Where the zip is.
    archive : zipfile.ZipFile
        The zip in it.
    """

    def __init__(self, file: BinaryIO, archive: zipfile.ZipFile) -> None:
        self._file, self._archive = file, archive
        self._members = {
            member.filename: member
            for member in archive.infolist()[:_MAX_MEMBERS]
            if not member.is_dir() and not is_hidden(member.filename)
        }
        self.names = tuple(self._members)

    def read(self, name: str, limit: int) -> bytes:
        """Unpack a member; raises :class:`core.errors.PoolError` if it is larger than ``limit``, in bytes."""
        member = self._members[name]
        with self._zstandard(member) if member.compress_type == _ZSTANDARD else self._archive.open(member) as stream:
            content = bytes(stream.read(limit + 1))
        if len(content) > limit:
            raise too_large(limit)
        return content

    def _zstandard(self, member: zipfile.ZipInfo) -> pa.CompressedInputStream:
        if member.flag_bits & 1:
            raise RuntimeError("encrypted")
        self._file.seek(member.header_offset)
        sizes = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        self._file.seek(sum(sizes), 1)
        return pa.CompressedInputStream(pa.py_buffer(self._file.read(member.compress_size)), "zstd")


def is_office(names: Collection[str]) -> bool:
    """Whether a zip of such members is a document of an Office program, of Microsoft's kind or OpenDocument."""
    return "[Content_Types].xml" in names or "content.xml" in names or any(name.startswith("xl/") for name in names)


def is_hidden(name: str) -> bool:
    """Whether a member is what a system adds to its zips, or a file that it does not show."""
    return name.startswith("__MACOSX/") or "/." in f"/{name}"


@contextmanager
def opened(source: Source) -> Iterator[ZipMembers]:
    """Open a zip.

    Raises
    ------
    PoolError
        Within the block too: the file is not a zip, is damaged or encrypted, or packed in a way nobody knows.
    """
    try:
        with source.raw() as raw, zipfile.ZipFile(raw) as archive:
            yield ZipMembers(raw, archive)
    except NotImplementedError:
        message, remedy = "the zip uses a compression that this version cannot unpack.", "Unpack it first."
        raise PoolError([Problem(message, remedy=remedy)]) from None
    except RuntimeError:
        raise PoolError([Problem("the zip is encrypted.", remedy="Unpack it first.")]) from None
    except PoolError:
        raise
    except _DAMAGED as error:
        message = f"the zip is damaged ({shown(str(error), 80)})."
        raise PoolError([Problem(message, remedy="Download it again.")]) from None


def only_file(source: Source, most: int) -> Source | None:
    """Unpack the only file in a zip that is no workbook and no document of an Office program; None for others.

    Raises
    ------
    PoolError
        As :func:`opened`; or it unpacks to more than ``most`` bytes.
    """
    with opened(source) as archive:
        return Source(source.name, None, archive.read(archive.names[0], most)) if len(archive.names) == 1 else None


def only_json(source: Source) -> bytes:
    """Read the only JSON file in a zip.

    Raises
    ------
    PoolError
        As :func:`opened`; or it unpacks to more than ``MAX_ARRAY``.
    """
    with opened(source) as archive:
        return archive.read(next(name for name in archive.names if name.lower().endswith(".json")), MAX_ARRAY)
