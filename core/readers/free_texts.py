"""Right answers that are free texts, which a model may say in other words: equal words tell nothing of them.

If the outputs that no tool has scored say none of them in the same words, right or wrong stays unknown (the answer kind
``open``) until people or a judge say so: compared word by word, the model would be wrong everywhere. It does as well if
somebody has graded the outputs by letters: A may be right, or just the best mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..answers import OPEN, parse
from ..pool.columns import TEXT, Loose
from ..pool.problems import Problems, shown
from ..words import counted, listed
from .judge_columns import is_graded

# A text of more words may be said otherwise; of long right answers, so few equal ones are copies.
_SHORT = 5
_FEW = 0.1
_MANY = 20
_COMPARED = 300
_WORDED = "text"
_SIGNS = re.compile(r"[\W_]+")


def with_open_answers(loose: Loose, problems: Problems) -> Loose:
    """Give right answers the kind ``open`` if words do not tell, with a note.

    Parameters
    ----------
    loose : Loose
        Columns of a file that does not say itself how its answers are to be read.
    problems : Problems
        Where the note is added.

    Returns
    -------
    Loose
        The same columns but ``answer_kind``.
    """
    pairs = {model: _pairs(loose, model) for model in dict.fromkeys(model for model, _ in loose.targets)}
    compared = {model: some for model, some in pairs.items() if some}
    graded = next((name for name, column in loose.extras.items() if is_graded(name, pc.unique(column))), None)
    if not compared or not (graded or _are_free([pair for some in compared.values() for pair in some])):
        return loose
    kinds = loose.columns["answer_kind"]
    is_worded = np.asarray(kinds.to_numpy()) == _WORDED
    column = pa.array(np.where(is_worded, OPEN, kinds.to_numpy()), TEXT, from_pandas=True)
    numbers = listed([f"{counted(len(some), 'output')} of {model}" for model, some in compared.items()])
    why = f"Right answers are free text, and {numbers} say them in other words."
    if graded:
        why = f"Outputs are graded by letters ({shown(graded)}), and nothing says which of them mean right."
    problems.note(
        f"{why} So right or wrong is not known: label items, or have a judge look at the answers on page Surrogate "
        "(neyman surrogate run --judge). To compare them word by word, have answers read as “text”."
    )
    return Loose({**loose.columns, "answer_kind": pa.chunked_array([column])}, loose.targets, loose.extras, loose.rows)


def _pairs(loose: Loose, model: str) -> list[tuple[str, str]]:
    """Return right answers and outputs of a model that are to be compared by their words, of many items some."""
    answers, kinds = loose.columns.get("answer"), loose.columns.get("answer_kind")
    given = [leaf for name in ("answer", "text") if (leaf := loose.targets.get((model, name))) is not None]
    if answers is None or kinds is None or not given:
        return []
    # What a tool took from the output, and the output of items from which it took nothing.
    texts = pc.coalesce(*given)
    losses = loose.targets.get((model, "loss"))
    worded = np.asarray(kinds.to_numpy()) == _WORDED
    known = np.asarray(answers.is_valid()) & np.asarray(texts.is_valid()) & worded
    if losses is not None:
        known &= np.asarray(losses.is_null())
    left_open = loose.targets.get((model, "unscored"))
    if left_open is not None:
        known &= np.asarray(left_open.is_null())
    places = np.flatnonzero(known)
    chosen = pa.array(places[np.linspace(0, len(places) - 1, min(len(places), _COMPARED)).astype(int)])
    return list(zip(answers.take(chosen).to_pylist(), texts.take(chosen).to_pylist(), strict=True))


def _are_free(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether texts are long, and none or hardly any output is its right answer."""
    right, said = (median(len(text.split()) for text in texts) for texts in zip(*pairs, strict=True))
    read = [(parse(answer, _WORDED) or "", parse(text, _WORDED) or "") for answer, text in pairs]
    equal = sum(answer == text for answer, text in read)
    if max(right, said) <= _SHORT:
        return equal == 0 and len(pairs) >= _MANY and _may_be_said_otherwise(read)
    return equal <= (_FEW * len(pairs) if right > _SHORT else 0)


def _may_be_said_otherwise(read: Sequence[tuple[str, str]]) -> bool:
    """Whether short answers, none of them right, are of several words, or right but for signs, as “A, C” and “AC”.

    Letters, options, numbers and single words are wrong.
    """
    if any((bare := _SIGNS.sub("", answer)) and bare == _SIGNS.sub("", text) for answer, text in read):
        return True
    right = {answer for answer, _ in read}
    words = max(median(len(text.split()) for text in texts) for texts in zip(*read, strict=True))
    return words > 1 and 2 * sum(text in right for _, text in read) < len(read)
