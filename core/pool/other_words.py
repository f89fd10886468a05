"""Words that outputs say often and that none of a pool's few right answers is, such as “pos” for positive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..answers import parse
from ..words import counted, listed, shown

_WORDED = "text"
# Right answers are classes if they are so few, each of so many items, and so short; a word of outputs is as short.
_MOST_CLASSES, _ITEMS, _LONGEST = 20, 3, 40
# So often a word is said, and so large a share of the outputs says such words, at least.
_LEAST, _SHARE = 2, 0.05
_NAMED = 4


def classes_of(truths: Sequence[str | None]) -> frozenset[str]:
    """Return the right answers as they are compared, if they are the classes of a few; none for other answers."""
    read = [parse(one, _WORDED) or "" for one in truths if one is not None]
    classes = frozenset(read)
    are_few = 2 <= len(classes) <= _MOST_CLASSES and _ITEMS * len(classes) <= len(read)
    are_words = all(1 < len(one) <= _LONGEST for one in classes)
    return classes if are_few and are_words else frozenset()


def other_words(model: str, texts: Sequence[str], classes: frozenset[str], size: int) -> list[str]:
    """Name words that outputs say often and that no right answer is.

    Parameters
    ----------
    model : str
        Name of the target.
    texts : sequence of str
        Its outputs that count as wrong, and are no right answer in another spelling.
    classes : frozenset of str
        The right answers, of `classes_of`.
    size : int
        How many outputs are compared.
    """
    said = Counter(read for text in texts if (read := parse(text, _WORDED)) and len(read) <= _LONGEST)
    often = [(word, count) for word, count in said.most_common() if count >= _LEAST and word not in classes]
    total = sum(count for _, count in often)
    if not classes or total < max(_LEAST, _SHARE * size):
        return []
    named = [f"{shown(word, 30)} ({count:,})" for word, count in often[:_NAMED]] + ["others"] * (len(often) > _NAMED)
    return [
        f"{counted(total, 'output')} of “{model}” that count as wrong say {listed(named)}, which none of the "
        f"{len(classes)} different right answers is. If such a word means one of them, write both alike, or label "
        "these items."
    ]
