"""Verdicts that are answers of the pool as well: “yes” may mean that the model is right, or that the answer is yes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ..words import counted, listed, shown
from ..words.verdict_words import CERTAIN, SAYS_RIGHT, spelling, word_key
from . import literal
from .kinds import GOLD, KINDS, RIGHT, RIGHT_WRONG, canonical
from .options import AnswerWords, respelled
from .proposals import ONLY_VERDICTS
from .right_answers import answer_pairs
from .rows import column
from .vocabulary import written

# Of fewer known right answers, nobody can say what labels mean.
_ENOUGH = 5
_SHOWN = 3
# Words such as pass and good, which a judge's list asks for.
OF_JUDGES = SAYS_RIGHT.keys() - CERTAIN.keys()
# What to do about right answers that are read as verdicts: where lists may hold them, and where they hold none.
SAY_SO = 'If they are answers: kind="gold", --kind gold.'
WRITE_VERDICTS = "If they are answers, write in each row whether the answer that it shows is right or wrong."


def may_be_either(label: str) -> bool:
    """Whether a word says right or wrong, and may be an answer as well: “yes”, “nein” or “0”, but not “correct”."""
    word = spelling(label)
    return word not in ONLY_VERDICTS and (word in CERTAIN or (word in SAYS_RIGHT and word[0].isalpha()))


def answers_among(cells: pd.DataFrame, is_answer: AnswerWords, are_numbers: bool = False) -> list[str]:
    """List the labels that are no verdicts, but answers to their items: of these no meaning is proposed.

    Parameters
    ----------
    cells : DataFrame
        Of `core.labels.cells.not_understood`: verdicts on answers, or scores.
    is_answer : AnswerWords
        The answers of the pool.
    are_numbers : bool
        Whether the questions ask for numbers: then each label may be an answer.
    """
    pairs = zip(cells["item_id"], cells["label"], strict=True)
    return [label for item, label in pairs if are_numbers or is_answer(item, label)]


def are_answers(cells: pd.DataFrame, own: Sequence[str], is_answer: AnswerWords, kind: str, remedy: str) -> str:
    """Say that labels are answers to the items, with ``remedy``: most equal that of a model, or some are of the pool.

    Parameters
    ----------
    cells, is_answer : DataFrame, AnswerWords
        As in `answers_among`.
    own : sequence of str
        Those that are of the pool.
    kind : str
        What the labels were read as, of `core.labels.KINDS`.
    remedy : str
        What to do if they are answers.
    """
    if KINDS[kind].verdicts:
        labels = cells.drop_duplicates("item_id").assign(kind=GOLD.name)
        met = literal.given(respelled(labels, GOLD.name, is_answer), is_answer.pool, is_answer.parser)[1]
        if len(met) >= _ENOUGH and 2 * len(met) > len(labels):
            return (
                f"Of these labels, {len(met):,} equal an answer that a model gave to the item, or its right answer. "
                f"{remedy}"
            )
    among = list(dict.fromkeys(shown(label, 30) for label in own))[:_ENOUGH]
    return f"Answers to these items are among them: {listed(among)}. {remedy}" if among else ""


def of_sentences(is_answer: AnswerWords) -> str:
    """Say how right answers are compared with sentences that say yes or no; "" where that needs no word."""
    if not (kind := is_answer.reader_of_sentences):
        return ""
    return (
        "Models answer these items with sentences that say yes or no. To compare right answers with the word that a "
        f'sentence says: parser="{kind}", --parser {kind}, or “How the target’s answers are read” on page Estimate.'
    )


def remark(
    rows: pd.DataFrame,
    kind: str,
    answers: Mapping[str, str | None],
    is_answer: AnswerWords,
    remedy: str = SAY_SO,
    verdicts: Collection[str] = (),
) -> str:
    """Return a sentence about verdicts that may be answers to the items; "" if they are none.

    Where the pool knows enough right answers of these items, labels are answers if more of them equal these than say
    rightly whether the target's answer does. A few among other verdicts are asked about (`doubtful`).

    Parameters
    ----------
    rows : DataFrame
        item_id, label, note: verdicts on the target's answers, or scores; what `translated` read counts as it was
        written.
    kind : str
        What they are read as, of `core.labels.KINDS`.
    answers : mapping
        The target's answers by item id.
    is_answer : AnswerWords
        The answers of the pool.
    remedy : str
        What to do if they are answers.
    verdicts : collection of str
        Words that the list asks for: verdicts alone, unless they are answers.
    """
    texts = [written(note) or label for label, note in zip(rows["label"], column(rows, "note"), strict=True)]
    given = rows.assign(text=texts)[["item_id", "label", "text"]].drop_duplicates()
    given = given[given["text"].notna()]
    # What no verdict is called may be an answer as well; beside such answers, 0 and 1 are no verdicts alone.
    own = [is_answer(item, text) for item, text in zip(given["item_id"], given["text"], strict=True)]
    others = [
        one and spelling(text) not in CERTAIN.keys() | SAYS_RIGHT.keys()
        for one, text in zip(own, given["text"], strict=True)
    ]
    may_be = [
        one or (may_be_either(text) and spelling(text) not in verdicts)
        for one, text in zip(own, given["text"], strict=True)
    ]
    either = given[may_be]
    if either.empty or not is_answer.may_be_verdicts(either["item_id"], among_others=any(others)):
        return ""
    pairs = list(zip(either["item_id"], either["text"], strict=True))
    meant = [is_answer.respelled(item, text) for item, text in pairs]
    if not all(map(is_answer, either["item_id"], meant)):
        meant = [is_answer.nearest(item, text) or text for item, text in pairs]
    if 2 * len(either) <= len(given):
        return ""
    said, equal = "", _known(either[["item_id"]].assign(label=meant), is_answer)
    if len(equal) < _ENOUGH and not any(spelling(text)[0].isalnum() for text in either["text"]):
        return ""
    if len(equal) >= _ENOUGH:
        if sum(equal.values()) <= _rightly_judged(either, answers, is_answer):
            return ""
        said = f" Of {counted(len(equal), 'label')}, {sum(equal.values()):,} equal the right answer that the pool has."
    words = listed([f"“{word}”" for word in dict.fromkeys(map(spelling, either["text"]))])
    read = "scores of" if KINDS[kind].averaged else "verdicts on"
    return f"The labels {words} are read as {read} the model’s answer, not as answers to the question.{said} {remedy}"


def doubtful(
    rows: pd.DataFrame, kind: str, is_answer: AnswerWords, answers: Mapping[str, str | None] | None = None
) -> frozenset[str]:
    """Return the verdicts, as written, that may be right answers among other verdicts: “yes” beside right and wrong.

    Where all or most labels are such words, they are of one kind; a few may be corrections of the model's answer.

    Parameters
    ----------
    rows : DataFrame
        item_id, label, note: of `core.labels.vocabulary.translated`; words that somebody gave a meaning are none.
    kind : str
        What they are read as, of `core.labels.KINDS`.
    is_answer : AnswerWords
        The answers of the pool.
    answers : mapping, optional
        The target's answers by item id: no word is doubtful if all say the same as verdicts and as right answers.
    """
    if not KINDS[kind].verdicts:
        return frozenset()
    given = [
        (item, label, written(note))
        for item, label, note in zip(rows["item_id"], column(rows, "label"), column(rows, "note"), strict=True)
        if label is not None
    ]
    either = [
        (item, label) for item, label, word in given if word is None and may_be_either(label) and is_answer(item, label)
    ]
    if not either or 2 * len(either) > len(given) or not is_answer.may_be_verdicts(item for item, _ in either):
        return frozenset()
    labels = pd.DataFrame(either, columns=["item_id", "label"], dtype=object)
    return (
        frozenset() if answers is not None and _say_the_same(labels, answers, is_answer) else frozenset(labels["label"])
    )


def same_on_both(rows: pd.DataFrame, is_answer: AnswerWords) -> str | None:
    """Return why labels on two targets' different answers are right answers: most items have the same word on both.

    Parameters
    ----------
    rows : DataFrame
        item_id, target, label, note, of a file also row: verdicts on the answers of two targets, which differ on every
        item.
    is_answer : AnswerWords
        The answers of the pool.

    Returns
    -------
    str or None
        "" if labels differ as verdicts do; None if too few items have words on both answers that may be either.
    """
    texts = [written(note) or label for label, note in zip(rows["label"], column(rows, "note"), strict=True)]
    given = rows.assign(text=texts)[rows["label"].notna().to_numpy()].drop_duplicates(["item_id", "target"])
    labelled = given[given.duplicated("item_id", keep=False)]
    by_item = labelled.groupby("item_id", sort=False)
    either = [
        (str(item), two)
        for item, two in by_item
        if all(is_answer(str(item), t) or may_be_either(t) for t in two["text"])
    ]
    if len(either) < _ENOUGH or 2 * len(either) <= by_item.ngroups:
        return None
    if not is_answer.may_be_verdicts([item for item, _ in either], among_others=True):
        return None
    same = [(item, two) for item, two in either if two["text"].map(word_key).nunique() == 1]
    if 2 * len(same) <= len(either):
        return ""
    examples = ", ".join(f"{shown(item, 30)}: “{two['text'].iloc[0]}”{_rows(two)}" for item, two in same[:_SHOWN])
    return (
        f"{counted(len(same), 'item')} have the same label on both versions’ answers, which differ ({examples}"
        f"{', …' * (len(same) > _SHOWN)}). That says what the right answer is, and the list of a gate asks whether "
        "each version’s is: write right or wrong in each row."
    )


def _rows(labels: pd.DataFrame) -> str:
    """Say in which rows of a file labels stand; "" for labels of none."""
    return f" in rows {listed([f'{row:,}' for row in labels['row']])}" if "row" in labels else ""


def _say_the_same(labels: pd.DataFrame, answers: Mapping[str, str | None], is_answer: AnswerWords) -> bool:
    """Whether some of the target's answers are known, and labels say the same of them as verdicts and right answers."""
    first = labels.drop_duplicates("item_id")
    meant = [is_answer.respelled(item, label) for item, label in zip(first["item_id"], first["label"], strict=True)]
    items = is_answer.pool.items_with(first["item_id"])
    pairs = answer_pairs(first.assign(label=meant), answers, items, is_answer.parser)
    says = dict(zip(first["item_id"], first["label"], strict=True))
    compared = list(zip(pairs["item_id"], pairs["true"] == pairs["said"], strict=True))
    return bool(compared) and all(
        (canonical(says[item], RIGHT_WRONG.name) == RIGHT) == equal for item, equal in compared
    )


def _known(labels: pd.DataFrame, is_answer: AnswerWords) -> dict[int, bool]:
    """Return whether labels equal the right answer that the pool knows, by place; without those of other items."""
    items = is_answer.pool.items_with(labels["item_id"])
    if "answer" not in items.columns:
        return {}
    truths = {str(item): text for item, text in items["answer"].items() if isinstance(text, str)}
    pairs = answer_pairs(labels, truths, items, is_answer.parser)
    return dict(enumerate(pairs["true"] == pairs["said"]))


def _rightly_judged(labels: pd.DataFrame, answers: Mapping[str, str | None], is_answer: AnswerWords) -> int:
    """Count the verdicts that say of the target's answer what the right answers of the pool say."""
    items = is_answer.pool.items_with(labels["item_id"])
    truths = labels.assign(label=items["answer"].loc[labels["item_id"]].to_numpy())
    pairs = answer_pairs(truths[truths["label"].notna()], answers, items, is_answer.parser)
    right = dict(zip(pairs["item_id"], pairs["true"] == pairs["said"], strict=True))
    verdicts = zip(labels["item_id"], labels["label"], strict=True)
    return sum(
        right.get(item) == (canonical(label, RIGHT_WRONG.name) == RIGHT)
        for item, label in verdicts
        if label is not None
    )
