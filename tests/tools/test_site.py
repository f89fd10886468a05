"""The site of the documents: which pages it has, and that links lead where they stand in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tools import site


def test_every_document_and_generated_page_has_a_place_in_the_site() -> None:
    places = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    written = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert set(places) == written | {*site._PAGES.values(), "reference.md"} and len(places) == len(set(places))


@pytest.mark.parametrize(
    ("text", "folder", "linked"),
    [
        ("[a](docs/labels.md)", "", "[a](labels.md)"),
        ("[a](docs/home.md#a-shared-app) ![b](docs/explore.png)", "", "[a](home.md#a-shared-app) ![b](explore.png)"),
        ("[a](../README.md#in-python)", "docs", "[a](index.md#in-python)"),
        ("[a](labels.md#words) [b](#here)", "docs", "[a](labels.md#words) [b](#here)"),
        ("[a](README.md)", "data", "[a](data.md)"),
        ("[a](https://example.org/x.md)", "docs", "[a](https://example.org/x.md)"),
        ("[a](CITATION.cff)", "", "[a](index.md)"),
    ],
)
def test_links_lead_to_the_pages_of_the_site(text: str, folder: str, linked: str) -> None:
    assert site._linked(text, Path(folder)) == linked


def test_the_reference_has_every_name_of_the_face() -> None:
    import core

    assert re.findall(r"^::: core\.\w+\.(\w+)$", site._reference(), re.MULTILINE) == core.__all__[1:]
