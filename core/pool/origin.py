"""The origin of a pool: what its file was recognized as, and which of its fields became what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """The recognized format of a pool's file.

    Parameters
    ----------
    format : str
        Name of the format, as in “Recognized as …”; "" if somebody chose the fields.
    fields : mapping of str to str
        Field of the file by what it became: a native column, a target's outcome, or a separate column.
    """

    format: str
    fields: Mapping[str, str] = field(default_factory=dict)
