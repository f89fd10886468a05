"""Kind of the labels of a file that does not state it: from its cells and the pool, or asked for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..errors import LabelError
from ..labels.cells import verdicts_or_scores
from ..labels.double_meanings import may_be_either, of_sentences
from ..labels.kinds import GOLD, RIGHT_WRONG, SCORE, canonical
from ..labels.literal import given
from ..labels.options import AnswerWords, respelled
from ..labels.outcomes import target_answers
from ..labels.proposals import is_word
from ..labels.targets import ANSWERS_OF
from ..labels.vocabulary import MEANINGS, meanings_of
from ..pool.pool import Pool
from ..words.verdict_words import CERTAIN, SAYS_NOTHING, number_in, spelling, word_key

# Of fewer labels, none may be an answer of a model by chance.
_ENOUGH = 5
# Of right answers, at least this share is some model's: grades meet answers by chance alone.
_SHARE = 0.2
# A scale has hardly more.
_GRADES = 11
_ASK = (
    'Say whether a label is a verdict on the model’s answer (kind="right-wrong", --kind right-wrong), the right answer '
    '(kind="gold", --kind gold), a score from 0 to 1 (kind="score", --kind score) or a grade of another scale '
    "(scale=(1, 5), --scale 1-5)."
)
# What to do about labels that are no right answers, in Python and in the shell.
OF_ANOTHER_KIND = (
    'If they are verdicts: kind="right-wrong", --kind right-wrong. If they are scores: kind="score", --kind score.'
)


def kind_of_labels(
    rows: pd.DataFrame,
    is_answer: AnswerWords,
    words: Mapping[str, str],
    bounded: bool = True,
    shown: bool = False,
) -> str:
    """Find the kind of label that the rows of a file are.

    Rows that say their kind are of it. Otherwise, a list that showed a target’s answers holds verdicts, or scores if
    most of its labels are fractions. Of any other list, words for right and wrong are verdicts unless they are answers
    of the pool or nothing in the list says that it showed answers, and what is neither is a right answer.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`, at least one with a label.
    is_answer : AnswerWords
        Whether a label may be a right answer of its item, by the pool and the rule for answers.
    words : mapping
        What words mean, as of `core.labels.vocabulary.meanings_of`.
    bounded : bool
        Whether scores lie in 0 to 1.
    shown : bool
        Whether the list showed answers.

    Raises
    ------
    LabelError
        Rows name several kinds, or labels may be of several.
    """
    kind = _kind_by_labels(rows, is_answer, words, bounded)
    if kind == RIGHT_WRONG.name and not shown and not words and names_no_target(rows, is_answer.pool):
        labels = rows[rows["label"].notna()]
        why = "These labels say right or wrong, and nothing in this file says that its list showed a model’s answers"
        raise _asked(why, labels, is_answer)
    return kind


def names_no_target(rows: pd.DataFrame, pool: Pool) -> bool:
    """Whether nothing in a list says that it showed answers: each row names its plan, and none a target or a kind.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`.
    pool : Pool
        The pool. Of one without targets, a list never shows answers.
    """
    asked = rows["plan_id"].notna() & rows[ANSWERS_OF].isna() & rows["kind"].isna()
    return bool(pool.targets) and bool(asked.all())


def _kind_by_labels(rows: pd.DataFrame, is_answer: AnswerWords, words: Mapping[str, str], bounded: bool) -> str:
    named = rows["kind"].dropna().unique()
    if len(named) == 1:
        return str(named[0])
    if len(named) > 1:
        raise LabelError(f"This file holds labels of several kinds ({', '.join(named)}). Choose one of them.")
    labels = rows[rows["label"].notna()]
    said = meanings_of(words, GOLD.name)
    known = [word_key(label) in said or spelling(label) in SAYS_NOTHING for label in labels["label"]]
    plain, n_said = labels[[not one for one in known]], sum(word_key(label) in said for label in labels["label"])
    if rows[ANSWERS_OF].notna().any():
        return verdicts_or_scores(plain["label"], bounded)
    verdicts = sum(canonical(label, RIGHT_WRONG.name) is not None or is_word(label) for label in plain["label"])
    is_answer.look_up(plain["item_id"])
    answers = [is_answer(item, label) for item, label in zip(plain["item_id"], plain["label"], strict=True)]
    if verdicts_or_scores(plain["label"]) == SCORE.name:
        spelled = respelled(plain, GOLD.name, is_answer)
        if not any(map(is_answer, spelled["item_id"], spelled["label"])):
            raise _asked(
                "Most labels of this file are fractions, of which none is an answer of this pool", plain, is_answer
            )
    said_as_words = [is_word(label) for label in plain["label"]]
    if 2 * sum(map(may_be_either, plain["label"])) > len(plain) and is_answer.may_be_verdicts(plain["item_id"]):
        raise _asked("The labels of this file may be verdicts, or right answers of this pool", plain, is_answer)
    if not any(word and not answer for word, answer in zip(said_as_words, answers, strict=True)):
        if not set(said.values()) <= {*MEANINGS}:
            return GOLD.name
        if n_said and not verdicts and n_said >= len(plain):
            return RIGHT_WRONG.name
        if len(plain) and verdicts == len(plain) and all(answers):
            raise _asked("The labels of this file may be verdicts, or right answers of this pool", plain, is_answer)
        numbers = [number for label in plain["label"] if (number := number_in(label)) is not None]
        shares = len(numbers) == len(plain) and all(0 <= number <= 1 for number in numbers)
        if verdicts < len(plain) and not (shares and verdicts):
            return _right_answers(plain, is_answer)
        return RIGHT_WRONG.name
    return RIGHT_WRONG.name if 2 * (verdicts + n_said) >= len(plain) + n_said else GOLD.name


def _right_answers(rows: pd.DataFrame, is_answer: AnswerWords) -> str:
    """Return the kind of right answers if any label is one that a model gave, or the pool has, in any spelling."""
    spelled = respelled(rows, GOLD.name, is_answer)
    if len(rows) < _ENOUGH or not _never_given(spelled, is_answer.pool, is_answer.parser):
        return GOLD.name
    raise _asked("Hardly a label of this file is an answer that a model gave to its item", rows, is_answer)


def _asked(why: str, rows: pd.DataFrame, is_answer: AnswerWords) -> LabelError:
    """Return the error that asks for the kind of labels."""
    there = rows["label"].unique()
    texts = ", ".join(f"“{label}”" for label in there[:_ENOUGH]) + ", …" * (len(there) > _ENOUGH)
    return LabelError(" ".join(filter(None, [f"{why} ({texts}). {_ASK}", of_sentences(is_answer)])))


def _never_given(rows: pd.DataFrame, pool: Pool, parser: str | None) -> bool:
    """Whether models answered these items, and hardly a label is the answer of any, or the right one."""
    rows = _of_pool(rows, pool)
    compared, met = given(rows, pool, parser)
    return compared >= _ENOUGH and len(met) < _SHARE * len(rows)


def _of_pool(rows: pd.DataFrame, pool: Pool) -> pd.DataFrame:
    return rows[pool.places(rows["item_id"]) >= 0].drop_duplicates("item_id")


def no_right_answers(rows: pd.DataFrame, is_answer: AnswerWords) -> str:
    """Say why labels that are called right answers are hardly any: verdicts or grades; "" if they may be right answers.

    Verdicts are digits or letters that say right or wrong; grades are a few whole numbers, each given several times, of
    which models' answers are hardly any. Neither is an answer that a model gave.

    Parameters
    ----------
    rows : DataFrame
        Labels, of `core.labels.LabelFile`.
    is_answer : AnswerWords
        The answers of the pool.
    """
    pool, parser = is_answer.pool, is_answer.parser
    said = rows[rows["label"].notna() & (rows["status"] == "")]
    says = np.array([spelling(label) not in SAYS_NOTHING for label in said["label"]], dtype=bool)
    said = _of_pool(said[says], pool)
    words = {spelling(label) for label in said["label"]}
    if len(said) < _ENOUGH or all(map(is_answer, said["item_id"], said["label"])):
        return ""
    if any(map(is_word, said["label"])):
        # Such words are named with their rows.
        return ""
    looks = "verdicts" if words <= CERTAIN.keys() else "grades" if _are_grades(said, pool, parser) else ""
    if not looks or not _never_given(said, pool, parser):
        return ""
    texts = ", ".join(f"“{label}”" for label in said["label"].unique()[:_ENOUGH])
    return (
        f"These labels look like {looks}, not like right answers: hardly one is an answer that a model gave ({texts}). "
        "If they are right answers, write them as the models do."
    )


def _are_grades(rows: pd.DataFrame, pool: Pool, parser: str | None) -> bool:
    """Whether labels are a few whole numbers, and models hardly answer with numbers in their range."""
    numbers = [number_in(label) for label in rows["label"]]
    grades = [number for number in numbers if number is not None and number.is_integer()]
    if len(grades) < len(numbers) or len(set(grades)) > min(_GRADES, len(grades) / 2):
        return False
    ids, answers = rows["item_id"].tolist(), list[str]()
    for name in pool.targets:
        answers += [one for one in target_answers(pool, name, ids, parser).values() if one is not None]
    inside = [
        text for text in answers if (number := number_in(text)) is not None and min(grades) <= number <= max(grades)
    ]
    return 2 * len(inside) < len(answers)
