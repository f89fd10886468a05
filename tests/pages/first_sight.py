"""What is read of a page, for the rule that it explains a word where it has it first (`tests.first_sight`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.parts.widgets import numbers
from tests import first_sight
from tests.headlines import seen

# What leads to a page or a file is called like it.
_LINKS = {"page_link", "button", "download_button"}
_INPUTS = ("button_group", "selectbox", "number_input", "text_input", "multiselect", "toggle", "radio", "checkbox")
_PANELS = ("popover", "expander")
_TEXTS = {"title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success"}


# The most that is in sight of a page before anything is opened.
MOST_CONTROLS, MOST_WORDS = 6, 200


def blocks(parent: Any, folded: bool = True) -> Iterator[str]:
    """What is read of a page, from its top to its end; what stands behind question marks and in lists is not.

    ``folded``: with what closed panels hold.
    """
    for child in parent.children.values():
        if hasattr(child, "children"):
            yield seen(str(getattr(child.proto, "label", "") or ""))
            if folded or child.type not in _PANELS:
                yield from blocks(child, folded)
        elif child.type in _TEXTS:
            # A page called by one word says what it is below.
            yield seen(str(child.value)) if child.type != "title" or " " in child.value else ""
        elif child.type == "metric":
            yield seen(f"{child.label}: {child.value} {child.delta}")
        elif child.type not in _LINKS:
            yield seen(str(getattr(child.proto, "label", "") or ""))
            if child.type in ("radio", "button_group"):
                yield from map(seen, child.options)


def in_sight(block: Any) -> list[str]:
    """Keys of the inputs of a page that no closed panel hides."""
    found = []
    for child in block.children.values():
        if hasattr(child, "children"):
            found += [] if child.type in _PANELS else in_sight(child)
        elif child.type == "bidi_component" and child.proto.component_name == numbers.NAME:
            found.append(json.loads(child.proto.json)["parameter"])
        elif child.type in _INPUTS:
            found.append(child.key)
    return found


def crowded(app: AppTest) -> list[str]:
    """What a page has too much of at first sight: controls, by their keys, and words."""
    controls, words = in_sight(app.main), sum(len(block.split()) for block in blocks(app.main, folded=False))
    return (controls if len(controls) > MOST_CONTROLS else []) + [f"{words} words"] * (words > MOST_WORDS)


def unexplained(app: AppTest) -> dict[str, str]:
    """The words that a page has first in a block that does not explain them, with that block."""
    return first_sight.unexplained(blocks(app.main))
