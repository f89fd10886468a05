"""Images of items: a file, a data URL or bare base64, PNG, JPEG or WebP, within limits.

A pool may come from anybody, so a path may not leave the folder of images, and nothing is fetched from the network. The
picture itself is not decoded: its kind and size are read from its header.
"""

from __future__ import annotations

import base64
import binascii
import re
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from core.errors import NeymanError

MAX_MEGABYTES = 20.0
MAX_SIDE = 8192

_DATA_URL = re.compile(r"data:image/[A-Za-z0-9.+\-]+;base64,", re.IGNORECASE)
# How the base64 text of a PNG, JPEG or WebP begins.
_BASE64 = ("iVBORw0KGgo", "/9j/", "UklGR")
_LONGEST_PATH = 4096
_SIZED_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


class ImageError(NeymanError):
    """An image that cannot be used.

    Parameters
    ----------
    message : one sentence. final : False where the file may be there another time.
    """

    def __init__(self, message: str, final: bool = True) -> None:
        super().__init__(message)
        self.final = final


@dataclass(frozen=True, slots=True)
class Header:
    """What the first bytes of an image say: its media type, and width and height in pixels."""

    media: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Picture:
    """An image within the limits: its bytes, and what they begin with."""

    content: bytes
    header: Header

    @property
    def data_url(self) -> str:
        """The image as a data URL."""
        return f"data:{self.header.media};base64,{base64.b64encode(self.content).decode()}"


def picture(
    image: str, folder: str | None = None, max_megabytes: float = MAX_MEGABYTES, max_side: int = MAX_SIDE
) -> Picture:
    """Read an image.

    Parameters
    ----------
    image : a data URL, base64, or a path relative to ``folder`` (None: there is no folder).
    max_megabytes, max_side : limits of its size (10⁶ bytes) and of its longer side (pixels).

    Raises
    ------
    ImageError : it cannot be read, is of another kind, or is too large.
    """
    content = _content(image, folder, max_megabytes)
    if len(content) > max_megabytes * 1e6:
        raise ImageError(f"An image has {len(content) / 1e6:.1f} MB; the limit is {max_megabytes:g} MB.")
    found = header(content)
    if found is None:
        raise ImageError("An image is damaged, or neither PNG nor JPEG nor WebP.")
    if not 0 < max(found.width, found.height) <= max_side:
        size = f"{found.width:,} × {found.height:,}"
        raise ImageError(f"An image has {size} pixels; the limit is {max_side:,} a side.")
    return Picture(content, found)


def header(content: bytes) -> Header | None:
    """Kind and size of an image; None where it is none that is sent."""
    try:
        if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR":
            return Header("image/png", *struct.unpack(">II", content[16:24]))
        if content.startswith(b"\xff\xd8\xff"):
            return _jpeg(content)
        if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            return _webp(content)
    except (struct.error, IndexError):
        pass
    return None


def _content(image: str, folder: str | None, max_megabytes: float) -> bytes:
    prefix = _DATA_URL.match(image)
    if prefix:
        return _decoded(image[prefix.end() :], max_megabytes)
    if re.match(r"[a-z][a-z0-9+.\-]*:", image, re.IGNORECASE):
        raise ImageError("An image is an address on the network; these are not fetched.")
    if len(image) > _LONGEST_PATH or image.startswith(_BASE64):
        return _decoded(image, max_megabytes)
    return _file(image, folder, max_megabytes)


def _decoded(text: str, max_megabytes: float) -> bytes:
    if len(text) > 1.5e6 * max_megabytes:
        raise ImageError(f"An image is larger than the limit of {max_megabytes:g} MB.")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError("An image is not valid base64.") from error


def _file(name: str, images: str | None, max_megabytes: float) -> bytes:
    if images is None:
        raise ImageError("An image is a file; say which folder its path is relative to.", final=False)
    folder = Path(images).resolve()
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise ImageError("The path of an image leaves the folder of images.")
        found = path.stat()
        # A pipe would never end.
        if not stat.S_ISREG(found.st_mode):
            raise ImageError("An image cannot be read (it is no file).", final=False)
        if found.st_size > max_megabytes * 1e6:
            raise ImageError(f"An image is larger than the limit of {max_megabytes:g} MB.")
        return path.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no such file"
        raise ImageError(f"An image cannot be read ({reason}).", final=False) from error


def _jpeg(content: bytes) -> Header | None:
    place = 2
    while place < len(content):
        if content[place] != 0xFF:
            return None
        marker = content[place + 1]
        if marker == 0xFF:
            place += 1
        elif marker in _SIZED_FRAMES:
            height, width = struct.unpack(">HH", content[place + 5 : place + 9])
            return Header("image/jpeg", width, height)
        else:
            place += 2 + struct.unpack(">H", content[place + 2 : place + 4])[0]
    return None


def _webp(content: bytes) -> Header | None:
    chunk = content[12:16]
    if len(content) < 30:
        return None
    if chunk == b"VP8X":
        width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
    elif chunk == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    elif chunk == b"VP8 ":
        width, height = (side & 0x3FFF for side in struct.unpack("<HH", content[26:30]))
    else:
        return None
    return Header("image/webp", width, height)
