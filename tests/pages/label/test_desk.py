"""The desk: what it is given of a list, without a browser and without a page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from pages.parts.label.desk import _left, _until_estimate


class Counted(tuple[str, ...]):
    """Ids that count how often they are gone through."""

    times = 0

    def __iter__(self) -> Any:
        Counted.times += 1
        return super().__iter__()


def test_what_is_left_is_gone_through_once_however_long_the_list() -> None:
    """Each label on a list of 5,000 items took more than half a second."""
    study: Any = SimpleNamespace(plan=SimpleNamespace(design=SimpleNamespace(judging=None)))
    work: Any = SimpleNamespace(ids=tuple("abcdef"), left=Counted("bdfa"))
    assert _left(study, work) == list("bdfa")
    assert Counted.times <= 2


def test_the_first_estimate_takes_a_label_in_each_stratum_and_the_desk_says_of_how_many() -> None:
    plan = SimpleNamespace(stratum=np.array([0, 0, 1, 2]))
    labels = SimpleNamespace(empty_strata=frozenset({1, 2}), n_further=1, n_drawn=3)
    study: Any = SimpleNamespace(plan=plan, labels=labels, pool=SimpleNamespace(places=lambda ids: [*map(int, ids)]))
    shown = _until_estimate(study, ["1", "2", "3"])
    assert shown == {"waiting": 2, "opening": ["3", "2"], "further": 1, "strata": 3}
