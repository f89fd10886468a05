"""Answers that a filled list shows beside its labels, and those of the target that the labels count for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from unicodedata import normalize

from ..pool.outcomes import SILENT
from ..pool.problems import shown
from ..pool.verdict_words import number_in
from ..words import counted
from .labelling import Labelling

_NO_SIGN = re.compile(r"[^a-z0-9]+")
_EXAMPLES, _LONGEST = 3, 30
# Programs cut texts that are longer.
_CUT = 30


def other_answers(labels: Labelling, pairs: Sequence[tuple[str, str]]) -> str:
    """Say that a file shows other answers than those of the target that its labels count for; "" if it does not.

    Parameters
    ----------
    labels : Labelling
        The list, with the target.
    pairs : sequence of (str, str)
        Of `core.labels.LabelFile.shown`: item and answer of each label that names no target.
    """
    if not labels.judged or labels.plan.design.judging is not None:
        return ""
    unlike = _unlike(labels, pairs)
    if not unlike:
        return ""
    others = (name for name in labels.pool.targets if name != labels.judged)
    other = next((name for name in others if not _unlike(replace(labels, target=name), pairs)), "")
    examples = ", ".join(
        f"item {shown(item, _LONGEST)}: {shown(text, _LONGEST)} beside {shown(said, _LONGEST)}"
        for item, text, said in unlike[:_EXAMPLES]
    )
    known = len({item for item, _ in pairs if item in labels.answers})
    remedy = f"They are those of “{other}”: choose it" if other else "If the labels judge another model, choose that"
    return (
        f"Of {counted(known, 'answer')} that this file shows, {len(unlike):,} differ from what “{labels.judged}” "
        f"answered ({examples}{', …' * (len(unlike) > _EXAMPLES)}). {remedy} as the target."
    )


def _unlike(labels: Labelling, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """List the items with another answer than the target's: item, answer shown, the target's."""
    said = {item: answer or SILENT for item, answer in labels.answers.items()}
    there = dict.fromkeys((item, text) for item, text in pairs if item in said)
    return [(item, text, said[item]) for item, text in there if not _same(text, said[item])]


def _same(one: str, other: str) -> bool:
    """Whether two texts are one answer, in whatever way a program writes it; a long one may be cut."""
    numbers = number_in(one), number_in(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    bare = [_NO_SIGN.sub("", text.casefold()) for text in (one, other)]
    if not all(bare):
        bare = ["".join(normalize("NFKC", text).casefold().split()) for text in (one, other)]
    short, long = sorted(bare, key=len)
    return short == long or (len(short) >= _CUT and long.startswith(short))
