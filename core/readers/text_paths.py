"""The texts of an unknown file, by names and by values: questions, options, right answers and outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from operator import ne
from string import ascii_uppercase
from typing import Any

from ..answers import parse
from ..files.foreign_names import plain_key
from ..pool.problems import shown
from ..words import counted
from .chats import PROMPT, REPLY, options_in
from .doubt import ENOUGH, FreePaths
from .field_map import TEXT, Paths
from .field_names import (
    NAMES,
    OPTION,
    WORDS,
    answer_rank,
    has_word,
    holds_right_answers,
    is_asked,
    is_reason,
    is_said,
    keys_of,
    last_key,
    last_name,
    name_rank,
    prompt_rank,
    words_of,
)
from .first_rows import FirstRows
from .json_records import is_one_of, letter_of
from .model_names import is_model, is_named_model, is_numbered_model, is_of_truth, says_right
from .row_keys import is_of_codes, is_of_group, is_of_variants
from .runs import names_a_run
from .score_paths import ScorePaths
from .side_by_side import numbered_like_samples, said_by_each, say_the_same, sound_like_samples

# In so many rows a model is hardly ever right everywhere.
_MANY = 10
# Share of rows in which two columns of right answers say the same: spellings may differ in a few.
_NEARLY_ALL = 0.98
# Words beside one for an answer in the names of what somebody answers, beside those for a model.
_ANSWERED = WORDS["speakers"] | {"pred", "predicted", "generated", "extracted", "parsed", "student", "participant"}


def may_be_right(path: str) -> bool:
    """Whether a column is called as an answer, and its name does not say that somebody gives it."""
    words = set(words_of(path)[-1])
    said = words & WORDS["output"]
    called = last_name(path) in WORDS["answers"] or (bool(said) and said <= WORDS["answers"])
    return called and words.isdisjoint(_ANSWERED) and not is_model(last_key(path))


def is_beside(path: str, answer: str) -> bool:
    """Whether a part of an object is called as an output by its object alone, of which another is the right answer."""
    holder = answer.rpartition(".")[0]
    return (
        bool(holder) and path.startswith(f"{holder}.") and last_name(path) not in NAMES["output"] and not is_said(path)
    )


def is_form(path: str, answer: str) -> bool:
    """Whether a column is called as a form of the right answer, as “answer_idx” is beside “answer”."""
    words = set(words_of(path)[-1])
    return (
        last_name(answer) in WORDS["answers"]
        and words <= WORDS["answers"] | WORDS["answer-forms"]
        and not words.isdisjoint(WORDS["answer-forms"])
    )


def are_versions(path: str, answer: str) -> bool:
    """Whether a column is called as another version of the right answers: “gold_fixed” beside “gold”.

    Beside “gold”, “gold_old” is none that counts.
    """
    words, others = ([word for word in words_of(one)[-1] if not word.isdecimal()] for one in (path, answer))
    common = set(words) & set(others) & (WORDS["truths"] | WORDS["answers"])
    more, beside = set(words) - set(others), set(others) - set(words)
    is_current = not beside and more and more <= WORDS["outdated"]
    if last_name(path) in NAMES["output"] or words_of(path)[-1] == words_of(answer)[-1]:
        return False
    return bool(common) and more | beside <= WORDS["versions"] | WORDS["answers"] and not is_current


def says_right_answers(rows: FirstRows, path: str, answer: str, choices: Paths | None) -> bool:
    """Whether a column says what the right answers say in nearly all of many rows, spelled in any way.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    path, answer : str
        Paths of the column and of the right answers.
    choices : str or tuple of str or None
        Where the options are: a letter says the same as its option.
    """
    if rows.size < _MANY:
        return False
    values = zip(rows.values[path], rows.values[answer], _options(rows, choices), strict=True)
    pairs = [(said, right, options) for said, right, options in values if said is not None and right is not None]
    if len(pairs) < _MANY:
        return False
    return sum(_are_alike(*pair) for pair in pairs) >= _NEARLY_ALL * len(pairs)


def _options(rows: FirstRows, choices: Paths | None) -> Sequence[list[str] | None]:
    if choices is None:
        return [None] * rows.size
    if isinstance(choices, str):
        given = (options_in(one) if isinstance(one, str) else one for one in rows.values[choices])
        return [list(map(str, one)) if isinstance(one, list) else None for one in given]
    cells = zip(*(rows.values[path] for path in choices), strict=True)
    return [[str(one) for one in row if one is not None] for row in cells]


def _are_alike(said: Any, right: Any, options: list[str] | None) -> bool:
    several = [letter_of(str(one), options) or "" for one in (right if isinstance(right, list) else [right])]
    one = letter_of(str(said), options) or ""
    return one in several or is_one_of(one, several)


_CHOICE = "choice"
# What a value is called in an object that holds it.
_PLAIN = ("text", "content", "value", "string")
# Lists of these hold right answers, of which one is enough; of labels, an output may have to name all.
_LISTS_OF_TRUTHS = frozenset(
    f"{name.removesuffix('s')}{s}"
    for name in NAMES["answer"]
    if name not in WORDS["answers"] and not name.endswith(("label", "class", "category", "solution"))
    for s in ("", "s")
) - {"targets"}
# What holds the row of a dataset; what holds the outputs of OpenAI’s interface.
_OF_ITEM = frozenset(
    {*NAMES["input"], "doc", "document", "row", "rawinput", "item", "metadata", "dataset", "datasetrow"}
)
_MESSAGE = ("choices", "message", "content")
# A text of an option in a list of objects whose letters name them.
_NAMED_OPTION = re.compile(r"(?:.*\.)?(?P<holder>[^.\[\]]+)\[(?P<letter>[A-Z])\]\.(?P<inner>(?!key|name)[^.\[\]]+)")
# Letters and places of options are no longer than this.
_LETTER = 2
_HAS_DIGIT = re.compile(r".*\d").match
# How the name of the first option ends.
_FIRST_OPTIONS = frozenset("Aa01")
# Words of what only a model says.
_SAID = WORDS["speakers"] | {"prediction", "predicted", "predict", "pred", "generated", "generation"}


class TextPaths:
    """Paths of what is asked, right and said, taken or asked about.

    Parameters
    ----------
    rows : FirstRows
        What the values look like.
    free : FreePaths
        The paths that are not yet taken for a field.
    scores : ScorePaths
        What may be verdicts, and so no text.
    """

    def __init__(self, rows: FirstRows, free: FreePaths, scores: ScorePaths) -> None:
        self._rows, self._free = rows, free
        self._scores = scores
        self._again = list[str]()

    def answer(self) -> str | None:
        """Take the right answers; parts of objects are in doubt unless one is called as a value, or is the only one."""
        rows, free = self._rows, self._free
        said = said_by_each(rows, list(free))

        def fits(path: str) -> bool:
            return path not in said and rows.is_answer(path) and not self._scores.rates(path)

        best = free.take_ranked("answer", answer_rank, fits)
        if best is None:
            # An answer that is JSON itself, of which no part is one.
            named = free.take_ranked("answer", lambda path: (0,) if is_of_truth(last_key(path)) else None, fits)
            named = named or free.by_words("answer", "answer", rows.is_prose)
            return named or free.take_ranked("answer", _own_answer_rank, rows.is_text_of_json)
        if last_name(best) in NAMES["answer"] or "." not in best:
            return best
        holder = best.rsplit(".", (answer_rank(best) or (0, 0, 0))[2])[0]
        inside = [path for path in free if path.startswith(f"{holder}.") and rows.is_answer(path)]
        inside = [path for path in inside if rows.filled(path) >= ENOUGH * rows.filled(best) and answer_rank(path)]
        value = next((path for path in (best, *inside) if last_name(path) in _PLAIN), None)
        if inside and value is None:
            parts = [*([holder] if holder in rows.values else []), best, *inside]
            free.mark(parts)
            free.doubt("answer", parts)
            return None
        free.mark([value or best])
        return value or best

    def premises(self) -> list[str]:
        """List the paths of hypotheses that stand beside premises, and so are no outputs."""
        has_premise = any(last_name(path) in WORDS["premises"] for path in self._rows.values)
        return [path for path in self._free if has_premise and last_name(path) in ("hypothesis", "hyp")]

    def are_right_answers(self, said: str, output: str | None) -> bool:
        """Whether lists called “answers” are right ones: beside what a model said, or with their places, as SQuAD’s."""
        places = f"{said.removesuffix('text')}answer_start"
        return "answers" in keys_of(said) and (output is not None or places in self._rows.values)

    def right_answers(self, answer: str | None) -> str | None:
        """Take a list of right answers, such as “correct_answers”; beside one right answer, if that is always in it."""
        rows = self._rows
        for path in self._free:
            named = holds_right_answers(path) or last_name(path) in _LISTS_OF_TRUTHS
            if not (named and rows.is_choices(path) and rows.has_several(path)):
                continue
            pairs = zip(rows.values[path], rows.values[answer or path], strict=True)
            if answer is None or all(one in (several or [one]) for several, one in pairs):
                return self._free.take_path(path)
        return None

    def question_versions(self, answer: str, choices: Paths | None) -> bool:
        """Ask which of several right answers counts, as “gold v1” and “gold v2” that differ."""
        rows = self._rows
        others = [path for path in self._free if are_versions(path, answer) and rows.is_answer(path)]
        others = [path for path in others if rows.is_prose(path) and not is_form(path, answer)]
        others = [path for path in others if not says_right_answers(rows, path, answer, choices)]
        others = [path for path in others if not rows.are_spellings(path, answer)]
        if others:
            self._free.mark(others)
            self._free.doubt("answer", [answer, *others])
        return bool(others)

    def question_orders(self, choices: Paths | None, answer: str) -> bool:
        """Ask which order of options letters are of, if they stand in two orders."""
        rows = self._rows
        if not isinstance(choices, str) or any(len(one) > _LETTER for one in rows.texts_known(answer)):
            return False
        for path in self._free:
            pairs = [
                (one, other)
                for one, other in zip(rows.values[path], rows.values[choices], strict=True)
                if isinstance(one, list) and isinstance(other, list)
            ]
            same = sum(sorted(map(str, one)) == sorted(map(str, other)) for one, other in pairs)
            if same > ENOUGH * rows.size and any(one != other for one, other in pairs):
                why = (
                    f"{shown(choices)} and {shown(path)} have the same options in two orders, so a letter in "
                    f"{shown(answer)} or in an output may be of either. Take the options by whose order both are "
                    "given, and the right answers that go with them."
                )
                self._free.mark([path])
                self._free.doubt("choices", [choices, path], why=why)
                return True
        return False

    def question_answers(self, path: str) -> None:
        """Ask whether answers beside questions alone are the right ones or those of a model."""
        why = f"{shown(path)} may hold the right answers, or the answers of a model. Nothing in the file tells which."
        self._free.doubt("answer", [path], why=why)

    def said(self, answer: str | None, choices: Paths | None, models: Callable[[], Sequence[str]]) -> str | None:
        """Take what a model said, and pass over what holds the right answers once more.

        Parameters
        ----------
        answer : str or None
            Path of the right answers.
        choices : str or tuple of str or None
            Where the options are.
        models : callable
            Returns the free columns that are called as models and hold texts.
        """
        output = self.output(NAMES["output"], TEXT)
        while output and answer not in (None, output) and self._is_right_again(output, answer, choices):
            output = self.output(NAMES["output"], TEXT)
        if output and answer not in (None, output) and may_be_right(output) and (others := models()):
            self._free.mark(others)
            self._free.doubt(TEXT, [output, *others])
            return None
        return output

    def _is_right_again(self, output: str, answer: str, choices: Paths | None) -> bool:
        if is_beside(output, answer):
            return True
        if not may_be_right(output):
            return False
        again = says_right_answers(self._rows, output, answer, choices)
        if again and not is_form(output, answer):
            self._again.append(output)
        return again or is_form(output, answer)

    def question_repeated(self, answer: str) -> None:
        """Ask whether what says the same as the right answers, and nothing else is an output, is what a model said."""
        for output in self._again[:1]:
            why = (
                f"{shown(output)} says the same as {shown(answer)} in all or nearly all of the first "
                f"{counted(self._rows.size, 'row')}, so it may be the right answer once more. If so, take it for "
                f"“answer” (in a shell: --answer {output})."
            )
            self._free.doubt(TEXT, [output], why=why)

    def question_outputs(self, output: str) -> bool:
        """Ask which of two columns that are called as outputs a model said, and whether the other is right answers.

        What stands within the other, as an answer within its reasoning, is no second output.
        """
        rows = self._rows
        called = [path for path in self._free if len(keys_of(path)) == len(keys_of(output)) == 1]
        called = [path for path in called if name_rank(path, NAMES["output"]) or is_said(path)]
        called = [path for path in called if not words_of(path)[-1][-1].isdecimal()]
        others = [path for path in called if rows.is_single(path) and rows.is_text(path) and rows.varies(path)]
        others = [path for path in others if not rows.are_words_of_verdicts(path) and not self._is_within(path, output)]
        if not others:
            return False
        right, said = sorted((output, others[0]), key=lambda path: not _SAID.isdisjoint(words_of(path)[-1]))
        why = (
            f"{shown(output)} and {shown(others[0])} are both called as outputs, and one of them may hold the right "
            f"answers. Say which is which (in a shell: --answer {right} --target MODEL:text={said}), or take each as "
            "the answer of another model."
        )
        self._free.mark(others)
        self._free.doubt(TEXT, [output, *others], why=why)
        return True

    def _is_within(self, path: str, other: str) -> bool:
        """Whether nearly all texts of one column stand in those of the other one."""
        pairs = [(str(one).casefold().strip(), str(two).casefold().strip()) for one, two in self._pairs(path, other)]
        return sum(one in two or two in one for one, two in pairs) >= ENOUGH * len(pairs)

    def _pairs(self, path: str, other: str) -> list[tuple[Any, Any]]:
        both = zip(self._rows.values[path], self._rows.values[other], strict=True)
        return [pair for pair in both if None not in pair]

    def question_likelihoods(self) -> None:
        """Ask whether lists that are called as samples, and nothing else is an output, hold samples."""
        rows = self._rows
        named = [path for path in self._free if name_rank(path, NAMES["generations"]) and rows.is_list(path)]
        if doubted := [path for path in named if rows.are_likelihoods(path)]:
            self._free.mark(doubted)
            self._free.doubt("generations", doubted)

    def prompt(self) -> str | None:
        """Take the question, of a chat or by its name."""
        rows = self._rows
        # Alpaca’s “input” is empty in most rows, whose question is the instruction.
        asked = self._chat_question()
        if asked is not None:
            return asked
        by_words = partial(
            self._free.by_words, "prompt", "prompt", lambda one: rows.is_common(one) and self._asks(one, True)
        )
        named = self._free.take_ranked(
            "prompt", _called_prompt_rank, lambda one: not rows.is_blank(one) and self._asks(one)
        )
        named = named or self._free.take_ranked("prompt", _called_prompt_rank, self._asks)
        named = named or self._free.take_ranked("prompt", _called_prompt_rank, rows.is_text) or by_words()
        named = named or self._free.take_ranked("prompt", prompt_rank, self._asks)
        named = named or self._free.take_ranked("prompt", prompt_rank, rows.is_text)
        return named or self._free.take_ranked("prompt", lambda one: (0,) if is_asked(one) else None, rows.is_prose)

    def _asks(self, path: str, named_by_words: bool = False) -> bool:
        """Whether these may be questions, and not groups or variants of a prompt in which each question is asked."""
        rows = self._rows
        is_other = is_of_group(path) or is_of_variants(path) or "system" in words_of(path)[-1]
        if named_by_words and (is_other or not rows.is_prose(path)):
            return False
        others = [one for one in rows.values if one != path and (prompt_rank(one) or has_word(one, "prompt"))]
        return rows.is_words(path) and not any(rows.are_crossed(path, one) for one in others if rows.is_words(one))

    def output(self, names: Sequence[str], field: str) -> str | None:
        """Take what a model said, under one of these names; None, with a doubt, if another path may be it."""
        rows, words = self._rows, "output" if field == TEXT else field
        self._free.mark(path for path in list(self._free) if self.is_of_the_item(path))
        named = self._free.take(field, names, self._is_said) or self._free.take(field, names, self._may_be_said)
        if named and (others := [path for path in self._free if self._is_instead(path, named, words)]):
            self._free.mark(others)
            self._free.doubt(field, [named, *others])
            return None
        if named is None and field == TEXT:
            named = self._free.take_ranked(field, _message_rank, self._may_be_said)
        said = named or self._free.by_words(field, words, lambda one: rows.is_prose(one) and self._may_be_said(one))
        if named is None and said and (twins := [path for path in self._free if self._is_twin(path, said)]):
            self._free.mark(twins)
            self._free.doubt(field, [said, *twins])
            return None
        return said

    def is_of_the_item(self, path: str) -> bool:
        """Whether an answer stands among what the item is, such as the row of a dataset, and is a right one."""
        return last_name(path) in WORDS["answers"] and not _OF_ITEM.isdisjoint(keys_of(path)[:-1])

    def _is_said(self, path: str) -> bool:
        return self._rows.is_words(path) and self._may_be_said(path)

    def _may_be_said(self, path: str) -> bool:
        """Whether these are texts, and no right answers or verdicts on what was said."""
        is_right = holds_right_answers(path) or says_right(path)
        is_verdict = self._scores.says_verdicts(path) or self._scores.rates(path)
        return self._rows.is_text(path) and not (is_right or is_verdict)

    def may_be_values(self, answer: str, path: str) -> bool:
        """Whether these are numbers or texts that may be answers: no verdicts, and no shares beside other answers."""
        rows = self._rows
        if holds_right_answers(path) or is_beside(path, answer):
            return False
        shares, others = (
            [one for one in rows.numbers(name) if one is not None and not one.is_integer() and 0 <= one <= 1]
            for name in (path, answer)
        )
        return rows.is_single(path) and not rows.is_zero_or_one(path) and (bool(others) or not shares)

    def _is_twin(self, path: str, said: str) -> bool:
        """Whether a path is called like another one but for a word, as “what bot B said” beside “what bot A said”."""
        words, others = words_of(path)[-1], words_of(said)[-1]
        near = len(words) == len(others) and sum(map(ne, words, others)) == 1
        return near and is_said(path) and self._rows.is_prose(path)

    def _is_instead(self, path: str, named: str, words: str) -> bool:
        """Whether a path of such a name has values in many rows where another one has none, and in no other rows."""
        rows = self._rows
        if not has_word(path, words) or not rows.is_prose(path):
            return False
        both = any(
            one is not None and other is not None
            for one, other in zip(rows.values[path], rows.values[named], strict=True)
        )
        return not both and rows.filled(path) > (1 - ENOUGH) * rows.size

    def _chat(self, part: str) -> str | None:
        """Mark what is called so of each chat, and return that of the least deep one that most rows have."""
        paths = sorted((path for path in self._free if path.endswith(part)), key=lambda path: len(keys_of(path)))
        self._free.mark(paths)
        return next(filter(self._rows.is_common, paths), None)

    def chat_reply(self, prompt: str | None) -> str | None:
        """Take the last answer of a chat, unless a plain column holds what a model said or the chat is a history."""
        best = self._chat(REPLY)
        if best is None or self._is_history(best.removesuffix(REPLY), prompt):
            return None
        plain = (path for path in self._free if self._free.is_plain_as(path, best) and self._is_said(path))
        named = (path for path in plain if name_rank(path, NAMES["output"]) or is_said(path))
        return (
            None
            if any(last_name(path) not in WORDS["answers"] and not _is_right_answer(path) for path in named)
            else best
        )

    def _is_history(self, chat: str, prompt: str | None) -> bool:
        """Whether a chat precedes the question, which it does not have in most rows."""
        if prompt is None or prompt.endswith(PROMPT):
            return False
        asked, said = self._rows.values[prompt], self._rows.values[f"{chat}{PROMPT}"]
        pairs = [(str(one).strip(), str(other)) for one, other in zip(asked, said, strict=True) if one and other]
        return 2 * sum(one in other for one, other in pairs) < len(pairs)

    def _chat_question(self) -> str | None:
        """Take what precedes the last answer of a chat, unless a plain column holds the question."""
        rows, free, best = self._rows, self._free, self._chat(PROMPT)
        if best is None:
            return None
        plain = (path for path in free if free.is_plain_as(path, best) and rows.is_words(path) and rows.varies(path))
        return None if any(map(is_called_question, plain)) else best

    def numbered(self, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
        """Take numbered columns of such a name that score no runs, if there are several."""
        paths = tuple(
            path
            for path in self._rows.values
            if pattern.fullmatch(last_key(path).lower()) and self._rows.is_single(path)
        )
        if len(paths) < 2 or {*paths} <= {*self._scores.of_runs()}:
            return None
        self._free.mark(paths)
        return paths

    def samples(self, said_by_models: bool) -> tuple[str, ...] | None:
        """Take numbered columns of short answers, beside what another model said or right answers alone."""
        found = numbered_like_samples(self._rows, self._free)
        may_be_models = any(map(is_numbered_model if said_by_models else is_model, found))
        if may_be_models or not (sound_like_samples(found) and say_the_same(self._rows, found)):
            return None
        self._free.mark(found)
        return found

    def options(self) -> tuple[str, ...] | None:
        """Return columns A, B, C … or option 1, option 2 … if there are such, or the texts that letters name."""
        paths = [path for path in self._free if OPTION.fullmatch(last_key(path).lower())]
        paths = [path for path in paths if self._rows.is_single(path)]
        lettered = {path: last_key(path) for path in paths if len(last_key(path)) > 1 or last_key(path).isupper()}
        lettered = lettered or self._named_options()
        paths = sorted(lettered, key=lambda path: (len(path), path.casefold()))
        if len(paths) < 2 or lettered[paths[0]][-1] not in _FIRST_OPTIONS:
            return None
        self._free.mark(paths)
        return tuple(paths)

    def _named_options(self) -> dict[str, str]:
        """Return the texts of options in a list of objects with letters, “options[A].value”, by path the letter."""
        found: dict[str, dict[str, str]] = {}
        for path in self._free:
            match = _NAMED_OPTION.fullmatch(path)
            if match and plain_key(match["holder"]) in NAMES["choices"] and self._rows.is_prose(path):
                found.setdefault(match["inner"], {})[path] = match["letter"]
        texts = {inner: paths for inner, paths in found.items() if inner.casefold() in (*_PLAIN, *NAMES["choices"])}
        return next(iter((texts or found).values()), {})

    def options_of(self, prompt: str, answer: str, outputs: Sequence[str]) -> str | None:
        """Return the question if all end with options that tell which letter a text is, of an answer or an output."""
        rows = self._rows
        if not rows.are_options(prompt, apart=False):
            return None
        given = [options_in(one, apart=False) if isinstance(one, str) else None for one in rows.values[prompt]]
        right = [(str(one), some) for one, some in zip(rows.values[answer], given, strict=True) if one is not None]
        said = [
            (str(text), some)
            for path in outputs
            for one, some in zip(rows.values.get(path, ()), given, strict=False)
            for text in (one if isinstance(one, list) else [one])
            if text is not None
        ]
        letters = [parse(text, _CHOICE) for text, _ in said]
        if all(letter_of(one, some) != one for one, some in right):
            # Right answers are texts.
            return prompt if 2 * sum(letter is not None for letter in letters) > len(letters) else None
        if not all(len(one) == 1 and one in ascii_uppercase[: len(some or ())] for one, some in right):
            return None
        worded = (one for letter, one in zip(letters, said, strict=True) if letter is None)
        return prompt if any(parse(text, _CHOICE, some) is not None for text, some in worded) else None

    def longest_text(self) -> str | None:
        """Take the path of the longest texts that may be a question."""
        texts = [
            path
            for path in self._free
            if self._rows.is_words(path)
            and self._rows.is_common(path)
            and self._rows.may_be_a_question(path)
            and name_rank(path, (*NAMES["id"], *NAMES["output"])) is None
            and not (is_of_codes(self._rows, path) and all(map(_HAS_DIGIT, self._rows.texts(path))))
            and not is_reason(path)
            and not is_said(path)
            and WORDS["others"].isdisjoint(words_of(path)[-1][-1:])
            and not is_named_model(path)
            and not (names_a_run(path) and self._rows.repeats(path))
        ]
        lengths = {path: sum(map(len, map(str, self._rows.known[path]))) for path in texts}
        best = max(texts, key=lambda path: lengths[path], default=None)
        if best is not None:
            self._free.mark([best])
        return best


def is_called_question(path: str) -> bool:
    """Whether a path is called as questions, by its name or by a word in it."""
    return prompt_rank(path) is not None or has_word(path, "prompt") or is_asked(path)


def _is_right_answer(path: str) -> bool:
    """Whether a path is called as right answers, by its name or by a word in it."""
    return answer_rank(path) is not None or has_word(path, "answer")


def _called_prompt_rank(path: str) -> tuple[int, ...] | None:
    """Return the rank among names of questions, without a nested “text” or “content”, which may be anything."""
    is_nested = len(keys_of(path)) > 1 and last_name(path) in ("text", "content")
    rank = prompt_rank(path)
    return None if rank is None or (is_nested and NAMES["input"][rank[1]] in ("text", "content")) else rank


def _message_rank(path: str) -> tuple[int] | None:
    """Return one rank for what a message of OpenAI's interface says."""
    return (0,) if keys_of(path)[-3:] == _MESSAGE else None


def _own_answer_rank(path: str) -> tuple[int, int] | None:
    """Return the rank among names of right answers of a path that is called so itself."""
    return name_rank(path, NAMES["answer"]) if last_name(path) in NAMES["answer"] else None
