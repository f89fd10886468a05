"""JSON from outside: whatever is wrong with it is a ``BadJson`` with a sentence."""

from __future__ import annotations

import json
from typing import Any

from core.errors import PoolError, Problem
from core.pool.problems import shown
from core.readers._source import UTF8_BOM

MAX_ARRAY = 512 * 1024**2
EXAMPLE = 'Write one object a line, such as {"id": "q1", "generations": ["A", "B"]}.'
_UTF8 = "Save the file as UTF-8."


class BadJson(Exception):
    """Text that is not the expected JSON: what is wrong, and the remedy."""

    def __init__(self, message: str, remedy: str = EXAMPLE) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class _DuplicateKey(ValueError):
    """A JSON object that names a key twice."""


def loads(content: bytes, start: int = 0) -> Any:
    """Decode and parse; ``start`` is the place of ``content`` in its file, for the message about a wrong byte."""
    try:
        return _DECODER.decode(content.decode())
    except UnicodeDecodeError as error:
        raise BadJson(f"byte {start + error.start + 1:,} of the file is not UTF-8.", _UTF8) from None
    except _DuplicateKey as error:
        raise BadJson(f"the key {shown(str(error))} appears twice in one object.", "Keep one of them.") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"this is not JSON ({error.msg}, character {error.pos + 1:,}).") from None
    except (RecursionError, ValueError):
        raise BadJson("this is nested too deeply, or has a number with too many digits.") from None


def load_array(content: bytes) -> list[Any]:
    """Parse a JSON array; raises :class:`core.errors.PoolError` where the content is none."""
    try:
        array = loads(content.removeprefix(UTF8_BOM))
        if not isinstance(array, list):
            raise BadJson("the JSON is not an array of objects.")
    except BadJson as error:
        raise PoolError([Problem(error.message, remedy=error.remedy)]) from None
    return array


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateKey(next(name for name in names if names.count(name) > 1))
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_without_duplicates)
