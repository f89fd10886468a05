"""The one JSON member of a zip, unpacked no further than a limit."""

from __future__ import annotations

import lzma
import zipfile
import zlib

from core.errors import PoolError, Problem
from core.pool.problems import shown
from core.readers._json import MAX_ARRAY
from core.readers._source import Source, too_large

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, OverflowError, IndexError)
_PUBLISHED = "Use the zip as TIGER-AI-Lab published it, or unpack the zip first."


def only_json(source: Source) -> bytes:
    """Read the only JSON file in a zip.

    Raises
    ------
    PoolError
        The file is not a zip, is damaged or encrypted, holds something else, or unpacks to more than ``MAX_ARRAY``.
    """
    try:
        with source.raw() as raw, zipfile.ZipFile(raw) as archive:
            member = _member(archive)
            with archive.open(member) as file:
                content = file.read(MAX_ARRAY + 1)
    except NotImplementedError:
        message, remedy = "the zip uses a compression that this version cannot unpack.", "Unpack it first."
    except RuntimeError:
        message, remedy = "the zip is encrypted.", "Unpack it first."
    except _DAMAGED as error:
        message, remedy = f"the zip is damaged ({shown(str(error), 80)}).", "Download it again."
    else:
        if len(content) > MAX_ARRAY:
            raise too_large(MAX_ARRAY)
        return content
    raise PoolError([Problem(message, remedy=remedy)])


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/") and "/." not in f"/{member.filename}"
    ]
    names = [member.filename for member in members]
    json_members = [member for member in members if member.filename.lower().endswith(".json")]
    if any(name == "[Content_Types].xml" for name in names):
        message, remedy = "the file is an Excel workbook or another Office file.", "Save the sheet as CSV (UTF-8)."
    elif "header.json" in names or any(name.startswith("_journal/") for name in names):
        message, remedy = "the file is an Inspect log.", "Write its samples as native JSON Lines."
    elif any(name.lower().endswith(".zip") for name in names):
        message, remedy = "the zip holds other zips.", "Unpack it and choose the zips inside."
    elif len(json_members) != 1:
        listed = ", ".join(shown(name, 40) for name in names[:5]) or "nothing"
        message, remedy = f"the zip holds {len(json_members)} JSON files instead of one ({listed}).", _PUBLISHED
    else:
        return json_members[0]
    raise PoolError([Problem(message, remedy=remedy)])
