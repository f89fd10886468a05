"""Right answers that are the letter and the text of an option, as “A) Paris”, beside outputs of letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from ..answers import parse
from ..pool.option_labels import OptionLabel, labelled, plain_text

_LOOKED_AT = 200
# Other outputs refuse to answer, or say nothing.
_MOST = 0.9


def places_of_labels(
    answers: Sequence[str | None], outputs: Sequence[Sequence[str | None]]
) -> tuple[str, Mapping[int, int]] | None:
    """Return the options of right answers that all are a letter and a text, if outputs choose letters.

    They do if nearly all choose one, some in another spelling than the right answers, none is the text of an option
    alone, and none has another text behind the right letter, as “A. Johnson” beside “A. Lincoln”.

    Parameters
    ----------
    answers : sequence of str or None
        The right answers.
    outputs : sequence of sequence of str or None
        The outputs of each model; if they are as many as the right answers, they stand in their order.

    Returns
    -------
    tuple of str and mapping of int to int, or None
        A right answer, and the place of the option, from 0, for each place of a right answer.
    """
    known = {place: labelled(one) for place, one in enumerate(answers) if one is not None}
    labels = {place: one for place, one in known.items() if one is not None}
    if len(labels) < len(known) or len({one.letter for one in labels.values()}) < 2:
        return None
    said = [text for some in outputs for text in some[:_LOOKED_AT] if text and text.strip()]
    texts = {one.text for one in labels.values()}
    if not said or any(plain_text(text) in texts for text in said):
        return None
    if sum(parse(text, "choice") is not None for text in said) < _MOST * len(said):
        return None
    right = {one for one in answers if one is not None}
    if not any(_is_respelled(text, right, labels) for text in said) or _contradicts(labels, outputs, len(answers)):
        return None
    first = next(iter(labels))
    return answers[first] or "", {place: ascii_uppercase.index(one.letter) for place, one in labels.items()}


def _is_respelled(text: str, right: set[str], labels: Mapping[int, OptionLabel]) -> bool:
    """Whether an output chooses a letter without its text, or is a right answer whose letter is marked otherwise."""
    label = labelled(text)
    return (label is None and parse(text, "choice") is not None) or (
        text.strip() not in right and label in labels.values()
    )


def _contradicts(labels: Mapping[int, OptionLabel], outputs: Sequence[Sequence[str | None]], size: int) -> bool:
    """Whether an output has the right letter and another text behind it."""
    for some in outputs:
        if len(some) != size:
            continue
        for place, right in labels.items():
            said = labelled(some[place] or "")
            same = said is None or said.text in right.text or right.text in said.text
            if said is not None and said.letter == right.letter and not same:
                return True
    return False
