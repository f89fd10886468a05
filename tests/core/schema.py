"""Check what a command prints as JSON against its documented schema."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tests.conftest import ROOT


@cache
def schema() -> dict[str, Any]:
    """The documented forms, by name and version."""
    whole: dict[str, Any] = json.loads((ROOT / "docs" / "output.schema.json").read_text(encoding="utf-8"))
    return whole


def checked(text: str, form: str) -> dict[str, Any]:
    """Return the document in a text, which has the form and nothing that the schema does not name."""
    document: dict[str, Any] = json.loads(text)
    assert document["format"] == form
    own = {"$ref": f"#/$defs/{form.replace('/', '-')}", "$defs": schema()["$defs"]}
    wrong = [f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(own).iter_errors(document)]
    assert not wrong
    return document
