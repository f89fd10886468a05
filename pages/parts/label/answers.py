"""The ways to answer an item: its own choices, each with its keys, and a field if they are not all there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import labels
from core.pool import Pool
from core.study import Study
from pages.parts.app import kept

_DIGITS = "1234567890"


def _known(pool: Pool, kind: str | None) -> tuple[str, ...]:
    title = "Looking for the answers that items share …"
    return kept.once(
        "shared answers", (pool.digest, kind), lambda: labels.options.known_answers(pool, kind, models=False), title
    )


def offered(study: Study, item: str, options: Sequence[str]) -> list[dict[str, Any]]:
    """The answers to choose from, [] if they are typed: label, title, the sign of its key, and all its keys.

    Parameters
    ----------
    options : sequence of str
        The item's options as they are shown; their letters are the answers.
    """
    kind = labels.KINDS[study.kind]
    if kind.verdicts and study.plan.design.judging is not None:
        return [_answer("right", "Pass", "1", "1", "p"), _answer("wrong", "Fail", "0", "0", "f")]
    if kind.compares:
        return [
            _answer(labels.FIRST, "First", "←", "arrowleft", "1", "a"),
            _answer(labels.TIE, "Tie", "=", "=", "0", "t"),
            _answer(labels.SECOND, "Second", "→", "arrowright", "2", "b"),
        ]
    if kind.verdicts:
        return [_answer("right", "Right", "1", "1", "r"), _answer("wrong", "Wrong", "0", "0", "w")]
    if kind.judges:
        ends = {kind.keys[0]: "worst", kind.keys[-1]: "best"} if kind.keys else {}
        return [_answer(grade, ends.get(grade, ""), grade, grade) for grade in kind.keys]
    if len(options) > labels.options.LETTERS:
        return []
    names, titles = [labels.letter(number) for number in range(len(options))], list(options)
    if not names:
        in_prompt = listed(study, item)
        names, titles = list(in_prompt.letters), list(in_prompt.texts)
    if not names:
        names = list(_known(study.pool, study.labels.parser))
        titles = ["" if len(name) == 1 else name for name in names]
    digits = keys_of(names)
    return [
        _answer(name, title, name if len(name) == 1 else digit, digit, name if len(name) == 1 else "")
        for name, title, digit in zip(names, titles, digits, strict=True)
    ]


def listed(study: Study, item: str) -> labels.options.ListedOptions:
    """The options that the item's prompt lists."""
    prompt = study.pool.items_with([item]).loc[item].get("prompt")
    return labels.options.listed(prompt if isinstance(prompt, str) else "")


def field(study: Study, offers: Sequence[dict[str, Any]], options: Sequence[str]) -> dict[str, Any] | None:
    """The field to type an answer in; None if the choices are all that there is."""
    kind = labels.KINDS[study.kind]
    if kind.averaged:
        low, high = (0, 1) if kind.scale is None else (kind.scale.low, kind.scale.high)
        title = "Score, 0 to 1" if kind.scale is None else f"Grade, {kind.scale}"
        return {"title": title, "score": True, "low": low, "high": high}
    if kind.judges or (offers and options):
        return None
    return {"title": "Another answer" if offers else "The right answer", "score": False}


def keys_of(answers: Sequence[str]) -> list[str]:
    """The digit of each answer: a digit its own, the others those that are left, 1 to 0; "" from the eleventh on."""
    free = [key for key in _DIGITS if key not in answers]
    return [answer if answer in _DIGITS else free.pop(0) if free else "" for answer in answers]


def _answer(label: str, title: str, badge: str, *keys: str) -> dict[str, Any]:
    return {"label": label, "title": title, "badge": badge, "keys": [key.lower() for key in dict.fromkeys(keys) if key]}
