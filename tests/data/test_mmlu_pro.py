"""The bundled results of MMLU-Pro: facts only, and as accurate as the README says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from core.design import Design, recommend
from core.readers import read
from core.simulation import exact_mse, uniform_mse

DATA = Path(__file__).resolve().parents[2] / "data"
FILE = DATA / "mmlu-pro.parquet"
TARGET = "Meta-Llama-3-70B"


@pytest.fixture(scope="module")
def pool():
    return read(FILE)


def test_facts_only_in_a_few_hundred_kilobytes(pool):
    assert FILE.stat().st_size < 400_000
    assert pool.n_items == 12_032 and len(pool.targets) == 12 and pool.n_generations == 10
    assert set(pq.read_schema(FILE).names) == {"id", "group", "generations", "targets"}
    letters = {letter for target in pool.targets.values() for letter in target.answers}
    assert letters - {None} == set("ABCDEFGHIJ")
    assert {text for row in pool.generations for text in row} <= {"", *"ABCDEFGHIJ"}


def test_equal_letters_of_a_question_are_right_or_wrong_alike(pool):
    texts: dict[tuple[int, str], float] = {}
    right = np.zeros(pool.n_items, dtype=np.int64)
    for name, target in pool.targets.items():
        letters: dict[int, str] = {}
        for item, (letter, loss) in enumerate(zip(target.answers, pool.losses(name), strict=True)):
            if letter is None:
                assert loss == 1
                continue
            letters[item] = letter
            assert texts.setdefault((item, letter), loss) == loss
    for (item, _), loss in texts.items():
        right[item] += loss == 0
    assert right.max() == 1


def test_the_readme_states_what_the_designs_give(pool):
    text = (DATA / "README.md").read_text(encoding="utf-8")
    losses, uniform = pool.losses(TARGET), uniform_mse(pool.losses(TARGET), 200)
    designs = {"the paper’s": Design(200), "recommended": recommend(pool, 200, TARGET)}
    figures = {"Uniform": [100.0, 100 * uniform**0.5, 200]}
    for name, design in designs.items():
        plan = design.draw(pool, seed=0)
        error = exact_mse(losses, plan.stratum, plan.allocation)
        needed = next(m for m in range(1, 1000) if uniform_mse(losses, m) <= error)
        figures[name] = [100 * error / uniform, 100 * error**0.5, needed]
    for name, numbers in figures.items():
        row = next(line for line in text.splitlines() if line.replace("'", "’").startswith(f"| {name}"))
        stated = [float(number) for number in re.findall(r"[\d.]+", row.split("|", 2)[2])]
        assert stated == pytest.approx(numbers, abs=0.051)
