"""Zips: their members unpacked one by one, none further than a limit, nothing written anywhere."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import pyarrow as pa

from ..errors import PoolError, Problem
from ..pool.problems import shown
from .json_records import MAX_ARRAY
from .source import Source, too_large

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
_PUBLISHED = "Use the zip as TIGER-AI-Lab published it, or unpack the zip first."
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
            if not member.is_dir() and not member.filename.startswith("__MACOSX/") and "/." not in f"/{member.filename}"
        }
        self.names = tuple(self._members)

    def read(self, name: str, limit: int) -> bytes:
        """Unpack a member; raises :class:`core.errors.PoolError` where it is larger than ``limit``, in bytes."""
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


def only_json(source: Source) -> bytes:
    """Read the only JSON file in a zip.

    Raises
    ------
    PoolError
        As :func:`opened`; or the zip holds something else, or unpacks to more than ``MAX_ARRAY``.
    """
    with opened(source) as archive:
        return archive.read(_only(archive.names), MAX_ARRAY)


def _only(names: tuple[str, ...]) -> str:
    json_members = [name for name in names if name.lower().endswith(".json")]
    if any(name == "[Content_Types].xml" for name in names):
        message, remedy = "the file is an Excel workbook or another Office file.", "Save the sheet as CSV (UTF-8)."
    elif any(name.lower().endswith(".zip") for name in names):
        message, remedy = "the zip holds other zips.", "Unpack it and choose the zips inside."
    elif not json_members:
        listed = ", ".join(shown(name, 40) for name in names[:5]) or "nothing"
        message, remedy = f"the zip holds no log of a known tool ({listed}).", "Unpack it, and choose the files inside."
    elif len(json_members) != 1:
        listed = ", ".join(shown(name, 40) for name in names[:5]) or "nothing"
        message, remedy = f"the zip holds {len(json_members)} JSON files instead of one ({listed}).", _PUBLISHED
    else:
        return json_members[0]
    raise PoolError([Problem(message, remedy=remedy)])
