"""Lists in cells of a CSV file: as JSON, or as Python prints them."""

from __future__ import annotations

import ast
import io
import tokenize
from itertools import pairwise
from typing import Any

from ...files.jsontext import BadJson, decode

_LONGEST = 1_000_000


def listed(value: Any) -> Any:
    """Read a text that looks like a list; anything else, and what cannot be read, stays.

    Parameters
    ----------
    value : object
        A cell: ``["a", "b"]`` (JSON), ``['a', 'b']`` (Python), or a value that is no text.

    Returns
    -------
    object
        The list, or the value.
    """
    if not isinstance(value, str) or not value.strip().startswith("[") or len(value) > _LONGEST:
        return value
    try:
        return decode(value)
    except BadJson:
        pass
    try:
        tree = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value
    if not isinstance(tree, ast.List) or _without_commas(value):
        return value
    cells = [element.value for element in tree.elts if isinstance(element, ast.Constant)]
    return cells if len(cells) == len(tree.elts) else value


def _without_commas(value: str) -> bool:
    """Whether two texts follow each other, as NumPy prints them; Python would make one text of them."""
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(value.strip()).readline)]
    kinds = [kind for kind in kinds if kind != tokenize.NL]
    return (tokenize.STRING, tokenize.STRING) in pairwise(kinds)
