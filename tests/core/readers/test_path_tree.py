"""Paths that are looked up together hold what each holds alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.readers.paths import PathTree, at

KEYS = st.sampled_from(["a", "b", "name", "content", "role"])
LEAVES = st.none() | st.integers(0, 3) | st.sampled_from(["x", "y", "assistant", '{"a": [1, {"b": "x"}]}', "[1, 2]"])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
STEPS = st.sampled_from([".a", ".b", ".name", ".content", "[]", "[0]", "[1]", "[x]", "[reply]", "[prompt]"])
PATHS = st.builds(lambda key, steps: key + "".join(steps), KEYS, st.lists(STEPS, max_size=5))


@given(st.dictionaries(st.sampled_from(["a", "b", "name", "a.b", "b[", ""]), VALUES, max_size=4), st.sets(PATHS))
def test_every_path_has_the_value_it_has_alone(row: dict[str, Any], paths: set[str]) -> None:
    alone = {path: value for path in paths if (value := at(row, path)) is not None}
    assert PathTree(paths).values(row) == alone


@pytest.mark.parametrize(
    ("path", "value"),
    [("runs[].out", ["x", None]), ("runs[].steps[].to", [1, 2]), ("runs[].none[].to", []), ("runs[1].name", "second")],
)
def test_lists_keep_their_places(path: str, value: Any) -> None:
    row = {"runs": [{"out": "x", "steps": [{"to": 1}, {"to": 2}]}, {"name": "second"}]}
    assert PathTree([path, "runs[].other"]).values(row)[path] == at(row, path) == value
