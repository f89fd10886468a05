"""Images as they are sent."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from core.surrogate.client.prompting import data_url, messages
from core.surrogate.faults import ItemFault
from core.surrogate.job.parameters import Prompting
from core.surrogate.job.source import Item


def item(prompt: str = "Which?", **more: Any) -> Item:
    return Item(0, "i", prompt, **more)


def picture(form: str, size: tuple[int, int] = (37, 21), **options: Any) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(stream, form, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("form", "media", "options"),
    [
        ("PNG", "image/png", {}),
        ("JPEG", "image/jpeg", {}),
        ("JPEG", "image/jpeg", {"progressive": True, "comment": b"x" * 3000}),
        ("WEBP", "image/webp", {}),
        ("WEBP", "image/webp", {"lossless": True}),
        ("WEBP", "image/webp", {"exif": b"Exif\0\0II*\0\x08\0\0\0\0\0"}),
    ],
)
def test_images_are_sent_as_data_urls_from_files_urls_and_base64(
    form: str, media: str, options: dict[str, Any], tmp_path: Path
) -> None:
    content = picture(form, **options)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.img").write_bytes(content)
    encoded = base64.b64encode(content).decode()
    expected = f"data:{media};base64,{encoded}"
    prompting = Prompting(images=str(tmp_path))
    for image in ("sub/a.img", encoded, f"data:image/whatever;base64,{encoded}"):
        assert data_url(image, prompting) == expected
    (user,) = messages(item(images=("sub/a.img",)), prompting)
    assert user["content"] == [
        {"type": "image_url", "image_url": {"url": expected}},
        {"type": "text", "text": "Which?"},
    ]


def test_images_outside_the_folder_the_network_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(picture("PNG"))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "text.png").write_text("no image")
    (folder / "large.png").write_bytes(picture("PNG", (300, 20)))
    (folder / "cut.jpg").write_bytes(picture("JPEG")[:40])
    prompting = Prompting(images=str(folder), max_image_side=200)
    for image, reason in {
        "../secret.png": "leaves the folder",
        str(tmp_path / "secret.png"): "leaves the folder",
        "link.png": "leaves the folder",
        "text.png": "neither PNG nor JPEG nor WebP",
        "cut.jpg": "damaged",
        "large.png": "300 × 20 pixels",
        "none.png": "No such file",
        "a\0b": "cannot be read",
        "http://169.254.169.254/x.png": "on the network",
        "file:///etc/passwd": "on the network",
        "data:image/png;base64,@@@": "not valid base64",
        "data:image/png;base64,": "neither",
    }.items():
        with pytest.raises(ItemFault, match=reason):
            data_url(image, prompting)
    with pytest.raises(ItemFault, match="folder"):
        data_url("text.png", Prompting())
    noise = base64.b64encode(bytes(2_000_000)).decode()
    with pytest.raises(ItemFault, match="larger than the limit"):
        data_url(noise, replace(prompting, max_image_megabytes=1.0))
