"""What is read as right is said of every format, with the share that follows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from core.readers import FORMATS, read, read_results
from tests.core.readers import test_tools as tools
from tests.core.readers.generated import MAKERS
from tests.core.readers.json_lines import lines as json_lines
from tests.core.readers.test_every_eval_ever import instance
from tests.core.readers.test_inspect_log import as_json, sample
from tests.core.readers.test_lm_eval import doc, lines
from tests.core.wording import Saying

TOOLS = Path(__file__).parent / "fixtures" / "tools"
# A file of these alone has neither scores nor right answers.
OF_TWO_FILES = {"OpenAI and vLLM batch output", "BFCL results and scores"}


@pytest.mark.parametrize("name", [one.name for one in FORMATS])
def test_what_is_right_is_said_with_its_share(name: str) -> None:
    files = [maker(Random(seed)) for maker in MAKERS[name] for seed in range(3)]
    said = [note for file in files for note in read(file.content, file.name).notes if "\u00a0% of" in note]
    by_score = any("loss" in one.fields for one in FORMATS if one.name == name)
    rules = (
        "A score of 1, “yes” or “correct” counts as right (",
        "A score between 0 and 1 counts as that share of right (",
        "Scores are in the model’s column, where",
    )
    assert any(note.startswith((*rules[: 3 * by_score], "An output is right")) for note in said) or name in OF_TWO_FILES


def test_what_is_right_is_said_of_a_run_in_two_files() -> None:
    files = {name: TOOLS / name for name in ("BFCL_v4_simple_python_result.json", "BFCL_v4_simple_python_score.json")}
    notes = read_results(files).notes
    assert any("counts as right" in note and "items right" in note for note in notes)
    # The score file has the scores: no answer was parsed, and there is no right one.
    assert not any(note.startswith("An output is right") for note in notes)


def test_many_models_are_summed_up() -> None:
    models = ["small", "big", "other", "last"]
    table = "\n".join([",".join(["id", *models]), "a,1,0,1,1", "b,1,0,0,1", "c,1,0,0,0", "d,1,0,0,0"])
    assert Saying("4 models", "0\u00a0% to 100\u00a0%") in read(table.encode()).notes


def log(*grades: float) -> bytes:
    return as_json(*(sample(f"s{n}", 1, "4", scores={"grade": {"value": one}}) for n, one in enumerate(grades)))


def samples(*grades: float) -> bytes:
    metric = {"target": None, "metrics": ["grade"]}
    return lines(*(doc(n, ["4"], None, **metric, grade=one) for n, one in enumerate(grades)))


def details(*grades: float) -> bytes:
    docs = [{"query": f"What is {n}?", "choices": [], "gold_index": 0, "id": str(n)} for n in range(len(grades))]
    texts = [{"text": ["4"], "logprobs": [0.0]} for _ in grades]
    return tools.details(docs, texts, [{"grade": one} for one in grades])


def gold_samples(*grades: float) -> bytes:
    metric = {"target": "4", "metrics": ["grade"]}
    return lines(*(doc(n, ["4"], None, **metric, grade=one) for n, one in enumerate(grades)))


def gold_details(*grades: float) -> bytes:
    docs = [{"query": f"What is {n}?", "choices": ["4"], "gold_index": 0, "id": str(n)} for n in range(len(grades))]
    texts = [{"text": ["4"], "logprobs": [0.0]} for _ in grades]
    return tools.details(docs, texts, [{"grade": one} for one in grades])


def instances(*grades: float) -> bytes:
    return json_lines(*(instance(f"q{n}", ["blue"], 0.0, evaluation={"score": one}) for n, one in enumerate(grades)))


def hits(*grades: float) -> bytes:
    columns = ("index", "question", "A", "B", "answer", "prediction", "hit")
    rows = [(n, f"Which of {n}?", "x", "y", "A", "A", one) for n, one in enumerate(grades)]
    return "\n".join(",".join(map(str, row)) for row in (columns, *rows)).encode()


def successes(*grades: float) -> bytes:
    cases = [
        {"name": f"t{n}", "input": f"{n}?", "actualOutput": "4", "expectedOutput": "4", "success": one}
        for n, one in enumerate(grades)
    ]
    return json.dumps({"testCases": cases, "conversationalTestCases": [], "metricsScores": []}).encode()


OF_SCALES = [log, samples, details, gold_samples, gold_details, instances, hits, successes]


@pytest.mark.parametrize("make", OF_SCALES)
@pytest.mark.parametrize("grades", [(1.0, 5.0, 10.0), (0.0, 1.0, 100.0), (-1.0, 1.0, 1.0), (0.0, 1.0, 1.0, 2.0)])
def test_nothing_is_said_of_outputs_whose_scores_are_on_another_scale(
    make: Callable[..., bytes], grades: tuple[float, ...]
) -> None:
    """A single score beyond 0 to 1 was missing without a word, or its output was compared with the right answer."""
    results = read_results({"log.json": make(*grades)})
    assert any(f"go from {min(grades):g} to {max(grades):g}" in note for note in results.notes)
    assert not any("is right" in note or "counts as right" in note for note in results.notes)
    pool = read(make(*grades))
    assert [target.known() for target in pool.targets.values()] == [0]
