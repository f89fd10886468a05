"""Images of items, read from a folder and nowhere else."""

from __future__ import annotations

import base64
import io
import os
import resource
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from core.pool import ImageError, picture


def png(size: tuple[int, int] = (8, 6)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, "red").save(stream, "PNG")
    return stream.getvalue()


def test_a_file_of_the_folder_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.png").write_bytes(png())
    image = picture("sub/a.png", str(tmp_path))
    assert image.content == png() and (image.media, image.width, image.height) == ("image/png", 8, 6)
    assert picture(image.data_url) == image


@pytest.mark.parametrize(
    ("image", "sentence", "final"),
    [
        ("../secret.png", "leaves the folder", True),
        ("link/secret.png", "leaves the folder", True),
        ("{outside}/secret.png", "leaves the folder", True),
        ("https://example.org/a.png", "network", True),
        ("file:///etc/passwd", "network", True),
        ("none.png", "No such file", False),
        ("pipe.png", "not a file", False),
        ("", "not a file", False),
        ("a\0b.png", "cannot be read", False),
        ("large.png", "pixels", True),
    ],
)
def test_what_is_not_a_picture_of_the_folder_is_refused_in_a_sentence(
    tmp_path: Path, image: str, sentence: str, final: bool
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "large.png").write_bytes(png((300, 2)))
    os.symlink(tmp_path, folder / "link")
    os.mkfifo(folder / "pipe.png")
    with pytest.raises(ImageError, match=sentence) as caught:
        picture(image.format(outside=tmp_path), str(folder), max_side=200)
    assert caught.value.final is final


def test_a_path_needs_a_folder_and_a_file_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    with pytest.raises(ImageError, match="folder"):
        picture("a.png")
    with pytest.raises(ImageError, match="larger than the limit"):
        picture("a.png", str(tmp_path), max_megabytes=0.00001)


def encoded(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def bomb(width: int, height: int) -> bytes:
    """A PNG of some hundred bytes that says it has this many pixels."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(99_999)))]
    parts = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_the_pixels_of_a_bomb_are_not_decoded() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert picture(encoded(bomb(65_535, 65_535)), max_side=65_535).width == 65_535
    with pytest.raises(ImageError, match="65,535 × 65,535 pixels"):
        picture(encoded(bomb(65_535, 65_535)))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xd8\xff", b"RIFF0000WEBPVP8X", b"\x89PNG\r\n\x1a\n", png()[:20], b"GIF89a" + bytes(40)]
)
def test_what_is_no_whole_header_is_damaged(content: bytes) -> None:
    with pytest.raises(ImageError, match="damaged"):
        picture(encoded(content))


def test_a_jpeg_with_a_second_picture_is_a_jpeg() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (8, 6)).save(stream, "MPO", save_all=True, append_images=[Image.new("RGB", (8, 6))])
    assert picture(encoded(stream.getvalue())).media == "image/jpeg"
