"""Several right answers of an item: a list, or a text that a table's cell has for one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..pool.columns import TARGETS
from ..pool.problems import Problems
from .answers import LONGEST_COMPARED, is_one_of
from .paths import entered

_STRAIGHT = str.maketrans("“”", '""')


def answers_in(value: Any, said: Iterable[Any]) -> Any:
    """Return the right answers that a text lists, such as ["JFK", "Kennedy"]; any other value as it is.

    Where an output has a bracket, the right answer is a list itself; letters may be all to be chosen.

    Parameters
    ----------
    value : Any
        The right answer of a row.
    said : iterable
        What models said there.
    """
    if not isinstance(value, str) or not value.strip().startswith("["):
        return value
    inside = entered(value.strip().translate(_STRAIGHT))
    if not isinstance(inside, list) or not inside or not all(isinstance(one, str) and one.strip() for one in inside):
        return value
    is_list = max(map(len, inside)) == 1 or any("[" in text for text in said if isinstance(text, str))
    return value if is_list else inside


def accept(alternatives: list[Any], record: dict[str, Any], row: int, problems: Problems) -> None:
    """Take several right answers of an item: an output is right if it is one of them."""
    texts = [str(one) for one in alternatives if isinstance(one, (str, int, float)) and not isinstance(one, bool)]
    if len(texts) < len(alternatives):
        return
    record["answer"] = texts[0]
    is_short = max(len(text.split()) for text in texts) <= LONGEST_COMPARED
    for outcome in record.get(TARGETS, {}).values():
        said = outcome.get("answer") or outcome.get("text")
        if outcome.get("loss") is None and not outcome.get("unscored") and isinstance(said, str):
            outcome |= {"loss": float(not is_one_of(said, texts))} if is_short else {"unscored": True}
    rule = "They are free texts, so right or wrong is unknown"
    if is_short:
        rule = "An output is right if it is one of them"
    problems.note(f"Items have several right answers, of which the first is shown. {rule}.")
