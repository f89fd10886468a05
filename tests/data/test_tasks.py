"""The demo's task families: right answers, right steps, and a pool that training never sees."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from math import prod
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "data" / "tiny_lm" / "tasks.py"


def _load():
    spec = importlib.util.spec_from_file_location("tiny_lm_tasks", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tasks = _load()
TRAINING = list(islice(tasks.training_tasks(5), 5000))
NUMBER = re.compile(r"\d+")


def _numbers(question: str) -> list[int]:
    return [int(digits) for digits in NUMBER.findall(question)]


def _next(question: str) -> str:
    _, second, third, fourth = _numbers(question)
    return str(3 * fourth - 3 * third + second)  # the second difference is constant


def _count(question: str) -> str:
    letter, word = re.search(r"is (\w) in (\w+)", question).groups()
    return str(word.count(letter))


def _weekday(question: str) -> str:
    days, direction, name = re.search(r"is (\d+) days (\w+) (\w+)", question).groups()
    start = next(day for day in (datetime(2021, 6, 1) + timedelta(i) for i in range(7)) if f"{day:%A}" == name)
    return f"{start + timedelta(int(days)) * (1 if direction == 'after' else -1):%A}"


def _date(question: str) -> str:
    days, day, month = re.search(r"is (\d+) days after (\d+) (\w+)", question).groups()
    end = datetime.strptime(f"{day} {month} 2021", "%d %B %Y") + timedelta(int(days))
    return f"{end.day} {end:%B}"


RECOMPUTED: dict[str, Callable[[str], str]] = {
    "Addition": lambda question: str(sum(_numbers(question))),
    "Subtraction": lambda question: str(_numbers(question)[0] - _numbers(question)[1]),
    "Multiplication": lambda question: str(prod(_numbers(question))),
    "Remainders": lambda question: str(_numbers(question)[0] % _numbers(question)[1]),
    "Sequences": _next,
    "Counting letters": _count,
    "Weekdays": _weekday,
    "Dates": _date,
    "Reversing": lambda question: question.split()[1][::-1],
    "Sorting": lambda question: " ".join(map(str, sorted(_numbers(question)))),
}


@pytest.mark.parametrize("family", sorted(RECOMPUTED))
def test_answers_agree_with_an_independent_recomputation(family):
    chosen = [task for task in TRAINING if task.family == family]
    assert len(chosen) == len(TRAINING) // len(RECOMPUTED)
    assert [task.answer for task in chosen] == [RECOMPUTED[family](task.question) for task in chosen]


def test_every_equation_in_the_steps_holds():
    equations = 0
    for task in TRAINING:
        for left, right in re.findall(r"(\d[\d+*-]*)=(-?\d+)", task.worked()):
            terms = re.findall(r"([+-]?)([\d*]+)", left)
            value = sum((-1 if sign == "-" else 1) * prod(map(int, term.split("*"))) for sign, term in terms)
            assert value == int(right), task
            equations += 1
    assert equations > len(TRAINING)


def test_replies_end_with_the_answer_line():
    for task in TRAINING:
        for reply in (task.worked(), task.brief()):
            assert reply.splitlines()[-1] == f"Answer: {task.answer}"
        assert task.steps and task.kind in {"number", "text"}


def test_the_same_seed_gives_the_same_tasks_and_another_seed_others():
    assert list(islice(tasks.training_tasks(5), 100)) == TRAINING[:100]
    assert list(islice(tasks.training_tasks(6), 100)) != TRAINING[:100]
    assert tasks.pool_tasks(3, 20) == tasks.pool_tasks(3, 20)
    assert tasks.pool_tasks(3, 20) != tasks.pool_tasks(4, 20)


def test_the_pool_has_all_families_no_repeats_and_training_never_sees_it():
    pool = tasks.pool_tasks(1, 3000)
    sizes = Counter(task.family for task in pool)
    assert sizes.keys() == RECOMPUTED.keys() and min(sizes.values()) >= 150 and max(sizes.values()) <= 400
    assert len({task.question for task in pool}) == len(pool) == 3000
    assert all(tasks.held_out(task.question) for task in pool)
    assert not any(tasks.held_out(task.question) for task in TRAINING)
