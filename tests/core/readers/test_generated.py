"""Of generated files of every format, each record has the fate that it was made for."""

from __future__ import annotations

import os
from random import Random

import pytest

from core.errors import PoolError
from core.pool.account import LOST
from core.readers import read, read_mapped, read_results
from tests.core.readers.generated import MAKERS, READ, Known, generated, of_lm_eval

# As many as `make trials` opens; ACCOUNTS=100000 says how many.
MANY = int(os.environ.get("ACCOUNTS", "20000"))
PARTS = 20


def test_every_format_has_generated_files() -> None:
    assert MAKERS.keys() == READ


def check(number: int) -> None:
    kind, file = generated(number)
    pool = read(file.content, file.name) if file.fields is None else read_mapped(file.content, file.fields, file.name)
    account = pool.account
    assert account is not None, (number, kind)
    known = Known(account.items, account.further, account.repeated, account.n_left_out, account.completing)
    assert (known, account.items) == (file.known, pool.n_items), (number, kind, account.lines)
    assert LOST not in [one.reason for one in account.left_out], (number, kind)
    filled = {"right answer": 0, "output": 0, "score": 0, "": 0}
    for one in account.filled:
        filled[one.what] += one.count
    assert filled["right answer"] <= pool.n_items


def test_a_hundred_files_of_all_formats_add_up() -> None:
    for number in range(100):
        check(number)


@pytest.mark.parametrize("number", range(30))
def test_two_files_of_one_format_add_up(number: int) -> None:
    """Those of other questions are refused."""
    one, other = (of_lm_eval(Random(f"{place} {number}")) for place in "ab")
    files = {one.name: one.content, one.name.replace("org__m", "org__other"): other.content}
    try:
        results = read_results(files)
    except PoolError as error:
        assert "no id of" in str(error)
        return
    account = results.pool(results.models, []).account
    assert account is not None and account.items == len(set(results.pool(results.models, []).ids))
    parts = [one.known, other.known]
    assert account.seen == sum(map(sum, parts)) and account.repeated == sum(part.repeated for part in parts)


@pytest.mark.trial
@pytest.mark.parametrize("part", range(PARTS))
def test_many_files_of_all_formats_add_up(part: int) -> None:
    for number in range(100 + part, MANY, PARTS):
        check(number)
