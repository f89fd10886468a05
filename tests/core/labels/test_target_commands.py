"""Command lines for the sampled items: a shell gives each tool exactly what was meant."""

from __future__ import annotations

import ast
import json
from fnmatch import fnmatchcase

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.labels import commands
from tests.core.shell import words_of

# No argument of a program has a zero byte.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


def test_numbers_are_doc_indices() -> None:
    harness, inspect = commands(["17", "0", "3"], np.array([5, 6, 7]), "mmlu")
    assert harness.line == (
        "lm_eval --model_args pretrained=MODEL --tasks mmlu --samples '{\"mmlu\":[0,3,17]}' "
        "--log_samples --output_path results"
    )
    assert "doc_id" in harness.assumes
    assert inspect.line == "inspect eval mmlu --model MODEL --sample-id 17,0,3"


def test_other_ids_are_places_in_the_pool_and_that_is_said() -> None:
    harness, _ = commands(["q1", "007"], np.array([9, 2]), "t")
    assert json.loads(words_of(harness.line)[6]) == {"t": [2, 9]}
    assert "places in the pool" in harness.assumes


def test_a_list_too_long_for_a_shell_is_said() -> None:
    ids = [str(number) for number in range(40_000)]
    assert all("too long for a shell" in c.assumes for c in commands(ids, np.arange(40_000), "t"))


awkward = texts | st.text(st.sampled_from("[]!*?:-,ab1 "), min_size=1, max_size=5)


@given(st.lists(awkward, min_size=1, max_size=5, unique=True), texts)
def test_a_shell_hands_every_id_over(ids: list[str], task: str) -> None:
    harness, inspect = commands(ids, np.arange(len(ids)), task)
    words = words_of(harness.line)
    assert list(json.loads(words[words.index("--samples") + 1])) == [task]
    words = words_of(inspect.line)
    if words[0] == "inspect":
        assert words[2] == task
        patterns = [word.strip() for word in words[words.index("--sample-id") + 1].split(",")]
    else:
        call = ast.parse(words[2]).body[1].value  # type: ignore[attr-defined]
        keywords = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        patterns = keywords["sample_id"]
        assert ast.literal_eval(call.args[0]) == task
    # As Inspect selects: every pattern its own item alone; what precedes a colon is no task's name.
    assert [[item for item in ids if fnmatchcase(item, pattern)] for pattern in patterns] == [[item] for item in ids]
    assert all(pattern.split(":")[0].endswith("[") for pattern in patterns if ":" in pattern)
