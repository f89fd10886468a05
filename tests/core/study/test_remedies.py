"""Remedies of refusals: whoever does what one says has a number, or one further question, and never goes in a circle.

Every list of `remedies.jsonl` is brought to every door (a study in Python and as a command, a gate, a judge) over pools
of every kind of answer. What a refusal offers to type is typed, each offer by itself.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import neyman
from core.commands import main
from core.design import Plan, manifest
from core.errors import NeymanError
from core.gates import VersionGate, gate
from core.gates.version_pool import graded
from core.judge import judge, judged
from core.labels import read
from core.pool import Pool
from core.study.record import pool_of as pool_of_plan
from core.words.verdict_words import number_in
from tests.sampled import sampled

CASES = Path(__file__).parents[2] / "cases" / "labels"
LISTS = {one["name"]: one["labels"] for one in map(json.loads, (CASES / "remedies.jsonl").read_text().splitlines())}
SIZE, LISTED = 40, 24
TOWNS = ["Rome", "Oslo", "Bonn", "Lima"]
# Right answers of the pools by the place of an item; None if nothing is known of it.
POOLS: dict[str, Callable[[int], str] | None] = {
    "verdict": None,
    "choice": lambda place: "ABCD"[place % 4],
    "number": lambda place: str(7 * place % 23 + 2),
    "text": lambda place: TOWNS[place % 4],
    "yes-no": lambda place: ("yes", "no")[place % 2],
    "score": lambda place: f"0.{place % 9 + 1}",
}
_PYTHON = re.compile(r'(?:kind="([\w-]+)", )?words=(\{.*?\}) in Python, .*? in the shell')
_SHELL = re.compile(r'(?:kind="[\w-]+", )?words=\{.*?\} in Python, (.*?) in the shell')
_KIND = re.compile(r'kind="([\w-]+)"(?:, --kind [\w-]+| or)')
_SCALE = re.compile(r"Grades from ([−\d.]+) to ([−\d.]+)")
_UNBOUNDED = "interval=neyman.Interval(bounded=False)"


def answer(kind: str, place: int) -> str:
    known = POOLS[kind]
    return f"The town of number {place} is {TOWNS[place % 4]}, as far as I know." if known is None else known(place)


def records(kind: str) -> list[dict[str, Any]]:
    """Items that M answered, a third of them wrongly; v1 and v2 never agree."""
    rows = []
    for place in range(SIZE):
        right = answer(kind, place)
        other = "no" if (kind, right) == ("yes-no", "yes") else "yes" if kind == "yes-no" else answer(kind, place + 1)
        given = {"M": right if place % 3 else other, "v1": other if place % 3 else right}
        row: dict[str, Any] = {"id": f"q{place}", "prompt": f"What of {place}?", "generations": [right, other]}
        row |= {} if POOLS[kind] is None else {"answer": right}
        row |= {"choices": ["red", "green", "blue", "grey"]} if kind == "choice" else {}
        row |= {"targets": {name: {"answer": text} for name, text in given.items()}, "output": given["M"]}
        rows.append(row | {"verdict": "pass" if place % 5 else "fail"})
    return rows


@cache
def pool_of(kind: str) -> Pool:
    return Pool.from_records(records(kind), kind)


@cache
def plan_of(kind: str) -> Plan:
    # People say what the right answers are.
    rows = [{name: value for name, value in row.items() if name != "answer"} for row in records(kind)]
    rows = rows if kind in ("verdict", "number", "text") else records(kind)
    return neyman.Design(budget=LISTED).draw(Pool.from_records(rows, kind), seed=0)


@cache
def gate_of(kind: str) -> VersionGate:
    return gate(pool_of(kind), "v1", "M", margin=0.1)


@cache
def judge_of(kind: str) -> Plan:
    return judge(pool_of(kind), "verdict", budget=LISTED)


@dataclass(frozen=True)
class Asked:
    """Labels of a list as somebody brings them, and what their columns say."""

    labels: tuple[tuple[str, str], ...]
    kind: str | None = None
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    bounded: bool = True

    def content(self) -> bytes:
        stream = io.StringIO()
        writer = csv.writer(stream)
        writer.writerow(["item_id", "label"])
        writer.writerows(self.labels)
        return stream.getvalue().encode()


def by_python(kind: str, asked: Asked, folder: Path) -> str:
    interval = neyman.Interval(bounded=asked.bounded)
    said = neyman.labelled(plan_of(kind), asked.content(), "M", asked.kind, words=asked.words, interval=interval)
    return repr(said)


def by_command(kind: str, asked: Asked, folder: Path) -> str:
    plan = plan_of(kind)
    if not (folder / "plan.json").exists():
        pool_of_plan(plan).write(folder / "pool.parquet")
        (folder / "plan.json").write_text(manifest.write(plan, kind))
    (folder / "list.csv").write_bytes(asked.content())
    words = [f"--word={word}={meaning}" for word, meaning in asked.words.items()]
    typed = [] if asked.kind is None else ["--kind", asked.kind]
    said, failed = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", said)
        patch.setattr("sys.stderr", failed)
        status = main(["study", "estimate", str(folder), str(folder / "list.csv"), "--target", "M", *typed, *words])
    if status:
        raise NeymanError(failed.getvalue())
    return said.getvalue()


def by_gate(kind: str, asked: Asked, folder: Path) -> str:
    return str(graded(gate_of(kind), pool_of(kind), read(asked.content()), asked.words, asked.kind))


def by_judge(kind: str, asked: Asked, folder: Path) -> str:
    return repr(judged(judge_of(kind), asked.content(), asked.words))


DOORS = {"python": by_python, "command": by_command, "gate": by_gate, "judge": by_judge}


def ids_of(door: str, kind: str) -> list[str]:
    if door == "gate":
        return [str(item) for item in gate_of(kind).items["item_id"]]
    return [str(item) for item in (judge_of if door == "judge" else plan_of)(kind).ids]


def offers(said: str, door: str, kind: str, asked: Asked) -> Iterator[tuple[str, Asked]]:
    """Yield what a refusal offers to type, and what is brought once that is typed."""
    typed = _SHELL if door == "command" else _PYTHON
    for found in typed.finditer(said):
        if said.startswith(", and so on", found.end()):
            # Only the beginning is typed for them.
            continue
        if door == "command":
            parts = shlex.split(found[1])
            of_kind = parts[parts.index("--kind") + 1] if "--kind" in parts else None
            pairs = [part.removeprefix("--word=").rpartition("=") for part in parts if part.startswith("--word=")]
            words = {word: meaning for word, _, meaning in pairs}
        else:
            of_kind, words = found[1], json.loads(found[2])
        reads = of_kind or asked.kind
        some = {"gold": ["skip"] if POOLS[kind] is None else [answer(kind, 1)], "score": ["0.5", "1"]}
        meanings = cycle(some.get(reads or "", ["right", "wrong"]))
        words = {word: next(meanings) if meaning == "…" else meaning for word, meaning in words.items()}
        yield found[0], replace(asked, kind=reads, words=words)
    for found in _KIND.finditer(typed.sub("", said)):
        if door != "judge" and found[1] != asked.kind:
            other = replace(asked, kind=found[1])
            scale = _SCALE.search(said)
            if scale and found[1] == "score":
                low, high = (float(text.replace("−", "-")) for text in scale.groups())
                labels = [(item, _rescaled(label, low, high)) for item, label in asked.labels]
                other = replace(other, labels=tuple(labels))
            yield found[0], other
    if _UNBOUNDED in said and door == "python" and all(number_in(label) is not None for _, label in asked.labels):
        yield _UNBOUNDED, replace(asked, kind="score", bounded=False)


def _rescaled(label: str, low: float, high: float) -> str:
    number = number_in(label)
    return label if number is None else f"{(number - low) / (high - low):.6g}"


def refused(door: str, kind: str, asked: Asked, folder: Path) -> str:
    """Say why something is refused; "" if it is not."""
    try:
        return "" if DOORS[door](kind, asked, folder) else "nothing is said"
    except NeymanError as error:
        return str(error)


def circles(door: str, kind: str, name: str, folder: Path) -> list[str]:
    """List the ways that lead back to the same refusal, or to a third one."""
    ids = ids_of(door, kind)
    given = [label.replace("{answer}", answer(kind, int(item[1:]))) for label, item in zip(cycle(LISTS[name]), ids)]
    asked = Asked(tuple(zip(ids, given, strict=True)))
    first, found = refused(door, kind, asked, folder), list[str]()
    assert "words={" not in first or "and so on" in first or [*offers(first, door, kind, asked)], first
    for offer, then in offers(first, door, kind, asked) if first else ():
        second = refused(door, kind, then, folder)
        if not second:
            continue
        if second == first:
            found.append(f"CIRCLE {offer}\n  1 {first}")
            continue
        for again, last in offers(second, door, kind, then):
            # Whoever has said the kind of the labels does not say another one.
            if then.kind in (None, last.kind) and (third := refused(door, kind, last, folder)):
                found.append(f"THIRD {offer}\n  1 {first}\n  then {again}\n  2 {second}\n  3 {third}")
    return found


# All lists at the first door, some at the others.
EVERY = [(door, name) for door in DOORS for name in LISTS]


@pytest.mark.parametrize(
    ("door", "name"),
    sampled(EVERY, lambda door, name: door == "python" or [*LISTS].index(name) % 4 == [*DOORS].index(door)),
)
def test_doing_what_a_refusal_says_ends(door: str, name: str, tmp_path: Path) -> None:
    found = []
    for kind in POOLS:
        (folder := tmp_path / kind).mkdir()
        found += [f"{kind}: {one}" for one in circles(door, kind, name, folder)]
    assert not found, "\n".join(found)
