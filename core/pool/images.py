"""Images of items: a file, a data URL or bare base64, PNG, JPEG or WebP, within limits.

A pool may come from anybody, so a path may not leave the folder of images, and nothing is fetched from the network.
Pillow opens the image for its format and size; the pixels are not decoded, however many a small file claims to hold.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from ..errors import NeymanError

MAX_MEGABYTES = 20.0
MAX_SIDE = 8192

_DATA_URL = re.compile(r"data:image/[A-Za-z0-9.+\-]+;base64,", re.IGNORECASE)
# How the base64 text of a PNG, JPEG or WebP begins.
_BASE64 = ("iVBORw0KGgo", "/9j/", "UklGR")
_LONGEST_PATH = 4096
# Without Image.open, which warns of sizes within the limits, and takes a JPEG with a second picture for another format.
_FORMATS = {
    b"\x89PNG": ("image/png", PngImageFile),
    b"\xff\xd8\xff": ("image/jpeg", JpegImageFile),
    b"RIFF": ("image/webp", WebPImageFile),
}


class ImageError(NeymanError):
    """An image that cannot be used.

    Parameters
    ----------
    message : str
        One sentence.
    final : bool, default True
        False if the file may be there another time.
    """

    def __init__(self, message: str, final: bool = True) -> None:
        super().__init__(message)
        self.final = final


@dataclass(frozen=True, slots=True)
class Picture:
    """An image within the limits.

    Parameters
    ----------
    content : bytes
        The file as it is.
    media : str
        Its media type, as ``"image/png"``.
    width, height : int
        Size in pixels.
    """

    content: bytes
    media: str
    width: int
    height: int

    @property
    def data_url(self) -> str:
        """The image as a data URL."""
        return f"data:{self.media};base64,{base64.b64encode(self.content).decode()}"


def picture(
    image: str, folder: str | None = None, max_megabytes: float = MAX_MEGABYTES, max_side: int = MAX_SIDE
) -> Picture:
    """Read an image.

    Parameters
    ----------
    image : str
        A data URL, base64, or a path relative to ``folder``.
    folder : str, optional
        The folder of images; without it paths are refused.
    max_megabytes : float, default 20
        Limit of the file's size, in 10⁶ bytes.
    max_side : int, default 8192
        Limit of the longer side, in pixels.

    Returns
    -------
    Picture

    Raises
    ------
    ImageError
        The image cannot be read, is damaged, has another format, or is too large.
    """
    content = _content(image, folder, max_megabytes)
    if len(content) > max_megabytes * 1e6:
        raise ImageError(f"An image has {len(content) / 1e6:.1f} MB; the limit is {max_megabytes:g} MB.")
    media, width, height = _opened(content)
    if not 0 < max(width, height) <= max_side:
        raise ImageError(f"An image has {width:,} × {height:,} pixels; the limit is {max_side:,} a side.")
    return Picture(content, media, width, height)


def _opened(content: bytes) -> tuple[str, int, int]:
    """Media type, width and height."""
    for beginning, (media, opener) in _FORMATS.items():
        if content.startswith(beginning):
            try:
                with opener(io.BytesIO(content)) as image:
                    return media, *image.size
            except (SyntaxError, OSError, ValueError, MemoryError):
                break
    raise ImageError("An image is damaged, or neither PNG nor JPEG nor WebP.")


def _content(image: str, folder: str | None, max_megabytes: float) -> bytes:
    prefix = _DATA_URL.match(image)
    if prefix:
        return _decoded(image[prefix.end() :], max_megabytes)
    if re.match(r"[a-z][a-z0-9+.\-]*:", image, re.IGNORECASE):
        raise ImageError("An image is an address on the network; addresses are not fetched.")
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
        raise ImageError("An image is a file. Choose the folder that its path is relative to.", final=False)
    folder = Path(images).resolve()
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise ImageError("The path of an image leaves the folder of images.")
        status = path.stat()
        # A pipe would never end.
        if not stat.S_ISREG(status.st_mode):
            raise ImageError("An image cannot be read (it is not a file).", final=False)
        if status.st_size > max_megabytes * 1e6:
            raise ImageError(f"An image is larger than the limit of {max_megabytes:g} MB.")
        return path.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no such file"
        raise ImageError(f"An image cannot be read ({reason}).", final=False) from error
