"""Images of items, read from a folder and nowhere else."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from PIL import Image

from core.pool import ImageError, picture
from core.pool.images import Header


def png(size: tuple[int, int] = (8, 6)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, "red").save(stream, "PNG")
    return stream.getvalue()


def test_a_file_of_the_folder_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.png").write_bytes(png())
    found = picture("sub/a.png", str(tmp_path))
    assert found.content == png() and found.header == Header("image/png", 8, 6)
    assert picture(found.data_url) == found


@pytest.mark.parametrize(
    ("image", "told", "final"),
    [
        ("../secret.png", "leaves the folder", True),
        ("link/secret.png", "leaves the folder", True),
        ("{outside}/secret.png", "leaves the folder", True),
        ("https://example.org/a.png", "network", True),
        ("file:///etc/passwd", "network", True),
        ("none.png", "No such file", False),
        ("pipe.png", "no file", False),
        ("", "no file", False),
        ("a\0b.png", "cannot be read", False),
        ("large.png", "pixels", True),
    ],
)
def test_what_is_not_a_picture_of_the_folder_is_refused_in_a_sentence(
    tmp_path: Path, image: str, told: str, final: bool
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "large.png").write_bytes(png((300, 2)))
    os.symlink(tmp_path, folder / "link")
    os.mkfifo(folder / "pipe.png")
    with pytest.raises(ImageError, match=told) as caught:
        picture(image.format(outside=tmp_path), str(folder), max_side=200)
    assert caught.value.final is final


def test_a_path_needs_a_folder_and_a_file_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    with pytest.raises(ImageError, match="which folder"):
        picture("a.png")
    with pytest.raises(ImageError, match="larger than the limit"):
        picture("a.png", str(tmp_path), max_megabytes=0.00001)
