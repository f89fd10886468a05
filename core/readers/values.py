"""Parts of JSON values that may have any shape: what is asked for, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def object_of(value: Any) -> dict[str, Any]:
    """Return an object as it is, for anything else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list as it is, for anything else an empty one."""
    return value if isinstance(value, list) else []


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; none for anything else."""
    return [one for one in list_of(value) if isinstance(one, dict)]


def filled(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without what is None."""
    return {name: value for name, value in record.items() if value is not None}
