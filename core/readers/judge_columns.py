"""Columns of judges in an unknown file: their numbers, their verdicts in words, and the reasons for these."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..pool.problems import shown
from ..words import listed
from ..words.verdict_words import number_in, spelling
from .field_names import NAMES, WORDS, is_reason, keys_of, score_rank, words_of
from .first_rows import FirstRows
from .verdicts import number, says_nothing

# Of how many different words a column of verdicts has at most.
_PASS_FAIL = frozenset({"pass", "passed", "fail", "failed"})
_FEW_WORDS = 6
# Grades of outputs go up to this; words that outputs say of questions whose right answers are 0 and 1.
_TOP_GRADE, _SEVERAL = 10, 4
_HALF, _HARDLY = 0.5, 0.05
_YES_OR_NO = frozenset({"yes", "no", "true", "false"})
_LETTER = re.compile(r"[A-F][+-]?")
# What an LLM gives that judges: its “score” or “label” may be that of what it said itself.
_GIVEN = frozenset({"grade", "graded", "grading", "judgment"})
_PEOPLE = WORDS["people"] | {"manual", "manually"}


def is_called_judge(path: str) -> bool:
    """Whether a path is called as a judge's verdicts (“LLMJudge”, “judgement”, “llm_grade”), and not as its reasons."""
    words = words_of(path)[-1]
    named = any(name in word for word in words for name in WORDS["judges"]) or (
        "llm" in words and not _GIVEN.isdisjoint(words)
    )
    return named and not is_reason(path)


def is_peoples(path: str) -> bool:
    """Whether a path is called as what people say."""
    return not _PEOPLE.isdisjoint(words_of(path)[-1])


def is_peoples_verdict(path: str) -> bool:
    """Whether a path is called as people's verdicts (“reviewer”, “human label 2”), and not as another fact of them."""
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    says = (
        not words.isdisjoint(WORDS["of-verdicts"] | WORDS["judges"]) or not words <= WORDS["askers"] | WORDS["of-items"]
    )
    return is_peoples(path) and words <= _PEOPLE | WORDS["of-verdicts"] | WORDS["judges"] and says


def is_judges(path: str) -> bool:
    """Whether a path is called as a judge's verdicts, and not as those of people."""
    return is_called_judge(path) and not is_peoples(path)


def verdict_like(rows: FirstRows, taken: Collection[str]) -> set[str]:
    """List the paths that look like verdicts by their words, or by their names; none says the same as a taken one."""
    known = {rows.numbers(path) for path in taken if path in rows.values}
    return {
        path
        for path in rows.values
        if rows.is_single(path)
        and _looks_like_verdicts(rows, path)
        and (path in taken or None in rows.numbers(path) or rows.numbers(path) not in known)
    }


def _looks_like_verdicts(rows: FirstRows, path: str) -> bool:
    words = {str(value).strip().casefold() for value in rows.known[path]}
    # Letters in a column such as “correct” are options.
    letters = [word.upper() for word in words]
    are_options = all(map(_LETTER.fullmatch, letters)) and not is_graded(path, letters)
    is_of_verdicts = not (is_reason(path) or are_options or WORDS["of-verdicts"].isdisjoint(words_of(path)[-1]))
    named = is_called_judge(path) or is_of_verdicts
    few = len(words) <= min(_FEW_WORDS, rows.filled(path) - 1) and not rows.is_numeric(path)
    return words <= WORDS["verdicts"] or (named and (few or rows.is_zero_or_one(path)))


def are_a_judges(rows: FirstRows, path: str) -> bool:
    """Whether a path is called as a judge's, and holds its verdicts on most rows."""
    return is_judges(path) and rows.is_single(path) and rows.is_common(path) and _looks_like_verdicts(rows, path)


def is_graded(path: str, values: Iterable[object]) -> bool:
    """Whether a path is called as a grade, and holds letters."""
    letters = [str(value) for value in values if value is not None]
    return "grade" in words_of(path)[-1] and bool(letters) and all(map(_LETTER.fullmatch, letters))


def rates_outputs(rows: FirstRows, path: str, output: str) -> str:
    """Say why a column that is called as right answers may rate the outputs, if it may.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    path, output : str
        Paths of the right answers and of what a model said.

    Returns
    -------
    str
        A sentence if the column has few values that are verdicts or grades, most outputs are texts of several words,
        and hardly any of these has one of the values in it; "" otherwise.
    """
    known = [str(value).strip() for value in rows.known[path] if not says_nothing(value)]
    values = {spelling(value) for value in known}
    numbers = {number_in(value) for value in values}
    grades = None not in numbers and all(
        abs(one) <= _TOP_GRADE and (one.is_integer() or 0 < one < 1) for one in numbers if one is not None
    )
    verdicts = all(number(value) in (0, 1) for value in values)
    few = (len(values) > 1 or len(known) >= _SEVERAL) and len(values) <= max(2, min(_TOP_GRADE + 1, len(known) / 2))
    if not (few and rows.is_single(path) and (grades or verdicts)):
        return ""
    texts = [text.casefold() for text in rows.texts_known(output) if text.strip()]
    if 2 * sum(len(text.split()) > 1 for text in texts) < len(texts):
        return ""
    are_numbers = 2 * sum(any(map(str.isdecimal, text)) for text in texts) >= len(texts)
    # Of numbers, a model that is often wrong gives some all the same.
    if mentioned(rows, path, output) >= (_HARDLY if are_numbers and not verdicts else _HALF):
        return ""
    named = listed([shown(value) for value in sorted(values)][:_FEW_WORDS])
    return (
        f"{shown(path)} has few values ({named}), and most texts in {shown(output)} contain none of them. So it may "
        "say how good each output is, and hold no right answers. If it says right or wrong, take it for “right”; if it "
        "is a rating, take it as a judge’s; if it holds the right answers, take it for “answer” (in a shell: "
        f"--answer {path})."
    )


def are_mentioned(rows: FirstRows, path: str, output: str) -> bool:
    """Whether half of the outputs contain one of the values at a path as a word, or say yes, no, true or false."""
    return mentioned(rows, path, output) >= _HALF


def mentioned(rows: FirstRows, path: str, output: str) -> float:
    """Return the share of outputs that contain one of the values at a path, or yes, no, true or false; 1 of none."""
    values = {re.escape(str(value).strip().casefold()) for value in rows.known[path] if not says_nothing(value)}
    mention = re.compile(rf"(?<![\w.,])(?:{'|'.join(values | _YES_OR_NO)})(?!\w|[.,]\d)")
    if values <= {"0", "1"}:
        # A numeral in a sentence is no class; one alone, at the end, or behind a colon is.
        mention = re.compile(rf"^\W*[01]\W*$|(?<![\w.,])[01]\W*$|[:=]\W*[01](?![\w.,)])|\b(?:{'|'.join(_YES_OR_NO)})\b")
    texts = [text.casefold() for text in rows.texts_known(output) if text.strip()]
    return sum(mention.search(text) is not None for text in texts) / len(texts) if texts else 1.0


def judges_of(rows: FirstRows, free: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """List the paths of judges' numbers.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.
    known : sequence of str
        Paths of scores and answers; what says the same as one of them, or as another judge, is left out.

    Returns
    -------
    tuple of str
        The least deep first.
    """
    columns = {rows.numbers(path) for path in known}
    judges = []
    for path in sorted(free, key=lambda path: len(keys_of(path))):
        if _is_of_a_judge(rows, path) and (column := rows.numbers(path)) not in columns:
            judges.append(path)
            columns.add(column)
    return tuple(judges)


def verdicts_of(rows: FirstRows, free: Sequence[str], judges: Sequence[str]) -> tuple[str, ...]:
    """List the paths of a judge's verdicts in a few words of any language, and of its reasons if there is one.

    Beside a judge's column there are those of other criteria, and those of people in a few words of any language.

    Parameters
    ----------
    rows, free
        As in `judges_of`.
    judges : sequence of str
        Paths of judges' numbers.

    Returns
    -------
    tuple of str
        None if the file has no judge.
    """
    words = tuple(
        path
        for path in free
        if path not in judges
        and (is_called_judge(path) or is_graded(path, rows.known[path]))
        and _has_few_words(rows, path)
    )
    if not (judges or words):
        return ()
    words += tuple(
        path
        for path in free
        if path not in (*judges, *words)
        and rows.is_single(path)
        and (
            {str(value).strip().casefold() for value in rows.known[path]} <= _PASS_FAIL
            or rows.is_zero_or_one(path)
            or (is_peoples_verdict(path) and _has_few_words(rows, path))
        )
    )
    return words + tuple(path for path in free if path not in (*judges, *words) and is_reason(path))


def _has_few_words(rows: FirstRows, path: str) -> bool:
    return rows.is_single(path) and len({str(value) for value in rows.known[path]}) <= _FEW_WORDS


def _is_of_a_judge(rows: FirstRows, path: str) -> bool:
    keys = keys_of(path)
    of_another_scale = keys[-1] in NAMES["score"] and not rows.is_share(path)
    if score_rank(path) is None and not of_another_scale and not any(name in NAMES["judge"] for name in keys):
        return False
    # A word beside a score says the same once more.
    verdicts = keys[-1] in (*NAMES["value"], *NAMES["judge"]) and None not in [
        number for number, value in zip(rows.numbers(path), rows.values[path], strict=True) if value is not None
    ]
    words = words_of(path)[-1]
    others = rows.is_flag(path) or not WORDS["amounts"].isdisjoint(words) or not WORDS["others"].isdisjoint(words[-1:])
    return not others and (verdicts or rows.is_numeric(path))
