"""Which field each path of an unknown file is likely to be, by names and by values.

The names are those of `core.readers.field_names`. By the values, an id is different for each prompt, outputs are texts,
verdicts are right or wrong, and scores of judges are numbers. If another path of the same name holds clearly more than
the likeliest, neither is taken: that is a `Doubt`, which a person settles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from operator import ne
from typing import Any

from ..pool.problems import shown
from ..words import counted, listed
from .board_columns import is_other, may_be_output
from .chats import PROMPT, REPLY
from .doubt import Doubt
from .field_map import RIGHT, TEXT, WRONG, FieldMap, Paths
from .field_names import (
    ANSWERS,
    ID_NAMES,
    INPUTS,
    JUDGES,
    MODEL_LIKE,
    MODEL_NAMES,
    NAMES,
    NUMBERED,
    OF_VERDICTS,
    OPTION,
    OTHERS,
    OUTPUT_NAMES,
    PEOPLE,
    REWARDS,
    SCORE_NAMES,
    VALUES,
    WRONG_NAMES,
    answer_rank,
    has_word,
    is_asked,
    is_fault,
    is_reason,
    is_said,
    keys_of,
    last_key,
    last_name,
    name_rank,
    prompt_rank,
    score_rank,
    words_of,
)
from .first_rows import FirstRows
from .free_paths import ENOUGH, FreePaths
from .item_names import called_id, is_mistaken, is_of_codes, item_name
from .judge_columns import are_a_judges, is_called_judge, is_peoples, judges_of, verdicts_of
from .model_columns import says_as_models, unknown_scale
from .model_names import (
    are_models,
    has_size,
    is_model,
    is_named_model,
    is_numbered_model,
    is_of_truth,
    of_model,
    verdict_on,
    versions_among,
)
from .row_keys import RowKeys, is_of_group, is_of_variants, item_in_subset, item_of_rows, row_keys
from .runs import columns_of_runs, holds_runs
from .sample_columns import numbered_like_samples, say_the_same, sound_like_samples
from .side_by_side import called_as_models, says_answers, side_by_side
from .structured_outputs import answer_within, answers_within

# What a value is called in an object that holds it.
_PLAIN = ("text", "content", "value", "string")
# So many columns of nothing but 0 and 1 may be models' verdicts.
_SEVERAL = 3
# So many names of metrics are listed.
_NAMED = 4
# In so many rows a model is hardly ever right everywhere, word for word.
_MANY = 10
# What holds the row of a dataset; what holds the outputs of OpenAI’s interface.
_OF_ITEM = frozenset({*INPUTS, "doc", "document", "row", "rawinput", "item", "metadata", "dataset", "datasetrow"})
_MESSAGE = ("choices", "message", "content")
_OF_JUDGES = JUDGES | PEOPLE | OF_VERDICTS
_HAS_DIGIT = re.compile(r".*\d").match


class Guess:
    """Which paths the fields of items are likely to be.

    Parameters
    ----------
    values : mapping of str to sequence
        The values at each path, None if a row has none.
    """

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self.rows = self._rows = FirstRows(values)
        self._free = FreePaths(self._rows)
        self.may_be_scores: tuple[str, ...] = ()

    @property
    def doubts(self) -> list[Doubt]:
        """Which fields it is not clear of which path they are."""
        return self._free.doubts

    def field_map(self, model: str) -> FieldMap:
        """Return the map; ``model`` is the target's name. What is in doubt is in ``doubts``, and not in the map."""
        rows = self._rows
        numbered = self._numbered(NUMBERED)
        prompt = self._question()
        reply = self._chat_reply(prompt)
        choices = self._free.take("choices", NAMES["choices"], rows.is_choices) or self._options()
        answer = self._answer()
        fields: dict[str, Paths | None] = {
            "prompt": prompt,
            "choices": choices,
            "answer": answer,
            "group": self._free.take_ranked("group", _group_rank, rows.is_group),
            "generations": self._free.take("generations", NAMES["generations"], rows.is_samples) or numbered,
        }
        if fields["generations"] is None:
            fields["generations"] = self._free.by_words("generations", "generations", rows.is_samples)
        fields["generations"] = answers_within(rows, self._free, fields["generations"])
        if prompt is None and not self._free.is_doubted("prompt"):
            fields["prompt"] = prompt = self._longest_text()
        identity = item_name(rows, prompt, answer)
        if identity is None or identity == prompt or rows.repeats(identity):
            identity = item_in_subset(rows, prompt) or identity or item_of_rows(rows, prompt)
        # What repeats by mistake makes no samples: the reader names the rows.
        mistaken = identity is not None and is_mistaken(rows, identity, prompt)
        apart = RowKeys()
        if identity is not None and not mistaken:
            free = [*self._free, *[path for path in [fields["group"]] if isinstance(path, str)]]
            outputs = [path for path in self._free if name_rank(path, OUTPUT_NAMES) or is_said(path)]
            apart = row_keys(rows, free, identity, prompt, [path for path in outputs if rows.is_prose(path)])
        if apart.reviewer and identity == prompt and prompt is not None:
            identity = called_id(rows, prompt) or identity
        if fields["group"] == identity:
            fields["group"] = None
        key = [path for path in (apart.subset, identity) if path]
        repeats = bool(key) and rows.repeats_together(key) and not mistaken
        models: Paths | None = None
        if identity is not None and repeats:
            models = apart.models[0] if len(apart.models) == 1 else apart.models or self._models(identity)
        self._free.mark(apart.paths)
        if apart.metric:
            self._question_metric(apart.metric)
        given = fields["generations"]
        if apart.run and isinstance(given, str) and rows.distinct([*key, given]) == rows.distinct(key):
            # What is the same in all runs is a fact of the item.
            fields["generations"] = None
        repeats = repeats and not rows.are_pieces(key)
        wide, runs = self._first_of_runs(self._side_by_side(), model)
        output = None if wide else reply or self._text(OUTPUT_NAMES, TEXT)
        scored = None if wide else self._right() or self._verdict_on(output)
        if apart.metric and not (wide or scored):
            scored = self._free.take(RIGHT, VALUES, self._rows.is_share)
        right = None if wide else self._settled(RIGHT, scored, output)
        wrong = None if wide or right else self._free.take(WRONG, WRONG_NAMES, self._means_wrong)
        wrong = self._settled(WRONG, wrong, output)
        if output is None and not (wide or right or wrong or self.doubts):
            # Verdicts may be called as what they are about.
            right = self._free.take(RIGHT, OUTPUT_NAMES, self._says_verdicts)
            right = right or self._free.by_words(RIGHT, "output", self._says_verdicts)
        if output is None and answer and not (wide or right or wrong or fields["generations"] or self.doubts):
            output = self._free.take(TEXT, OUTPUT_NAMES, partial(self._may_be_values, answer))
        if not (right or wrong or self._free.is_doubted(RIGHT)):
            self._question_negative()
        if not (wide or right or wrong or self._free.is_doubted(RIGHT)):
            self._question_faults()
        marks = [candidate.path for doubt in self.doubts if doubt.marks for candidate in doubt.candidates]
        is_scored = right or wrong or marks or self._free.is_doubted(RIGHT) or any(map(is_called_judge, self._free))
        if output is None and not wide and answer and fields["generations"] is None and is_scored:
            # What is scored or judged, and called “answer” alone, is what the model said.
            output, fields["answer"] = (answer, None) if last_name(answer) in ANSWERS else (None, answer)
        if output is None and not wide and fields["generations"] is None:
            self._question_likelihoods()
        if apart.reviewer and repeats:
            # What several people say of one output are their verdicts, and no score.
            varying = [path for path in (right, wrong) if path and rows.distinct([*key, path]) > rows.distinct(key)]
            marks += varying
            right, wrong = (None if path in varying else path for path in (right, wrong))
        elif output is not None and fields["generations"] is None and repeats and models is None and not apart.metric:
            fields["generations"], output = output, None
        if output is not None and fields["generations"] is None and rows.has_several(output):
            # Such as the choices of a response, or a list of outputs.
            fields["generations"], output = output, None
        if fields["generations"] is None and (output or wide or answer):
            fields["generations"] = self._samples(said_by_models=bool(output or wide))
        output = answer_within(rows, self._free, output) if output else None
        said = fields["generations"]
        if isinstance(said, str) and "[]" not in said:
            fields["generations"] = said = answer_within(rows, self._free, said)
        if isinstance(said, str) and fields["answer"] is None and self._are_right_answers(said, output):
            fields["answer"], fields["generations"] = said, None
        has_more = prompt is not None or answer is not None
        if has_more and not (wide or output or fields["generations"] or self.doubts):
            if right or wrong:
                self._question_texts(answer)
            else:
                wide = self._called_as_models(answer)
        if not (wide or output or right or wrong or fields["generations"] or self.doubts):
            wide = self._verdicts_of_models()
            if not wide and (versions := self._versions(list(self._free))):
                # In words of their own, verdicts look like answers.
                self._free.doubt(TEXT, versions)
        if not (wide or output or right or wrong or fields["generations"] or self.doubts):
            no_question = prompt is None or prompt_rank(prompt) is None
            self._question_scales(identity, are_all=no_question and answer is None)
        if answer is None and self._question_people(wide, output):
            wide = {model: paths for model, paths in wide.items() if TEXT in paths}
        if sum(TEXT in paths for paths in wide.values()) > 1:
            self._question_score(wide)
        run = apart.run or runs or self._runs_of_row(right or wrong, fields["generations"])
        if apart.subset:
            fields["group"] = fields["group"] or apart.subset
        beside = [output, right, wrong, fields["generations"], choices]
        if answer is not None and fields["answer"] == answer and last_name(answer) in ANSWERS:
            if not (wide or any(beside) or self.doubts or self._is_of_the_item(answer)):
                self._question_answers(answer)
                fields["answer"] = None
        elif output not in (None, answer) and answer is not None and self._is_answer_again(output, answer):
            output = None
        found = {TEXT: output, RIGHT: right, WRONG: wrong}
        paths = {native: path for native, path in found.items() if path is not None}
        name = (apart.subset, identity) if apart.subset and identity else identity
        known = {native: path for native, path in {"id": name, **fields}.items() if path is not None}
        judges = judges_of(rows, list(self._free), [path for path in (right, wrong, answer) if path is not None])
        others = [path for path in self._free if verdict_on(path, wide) is None]
        kept = (*marks, *verdicts_of(rows, others, judges))
        says_more = wide or paths or judges or known.keys() - {"id", "group"}
        if apart.reviewer and repeats:
            kept = (*dict.fromkeys([*kept, *self._varying(key)]),)
            judges = () if is_peoples(apart.reviewer) else tuple(path for path in judges if path not in kept)
        return FieldMap(
            known,
            wide or ({model: paths} if paths else {}),
            kept if says_more or any(are_a_judges(rows, path) for path in kept) else (),
            judges,
            model=models or "",
            run=run,
            reviewer=apart.reviewer if says_more else "",
        )

    def _varying(self, key: Sequence[str]) -> list[str]:
        """List the free paths of single values that differ between rows with one key."""
        rows = self._rows
        free = [path for path in self._free if rows.is_single(path)]
        return [path for path in free if rows.distinct([*key, path]) > rows.distinct(key)]

    def _first_of_runs(
        self, wide: dict[str, dict[str, str]], model: str
    ) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
        """Return the first of runs that stand side by side, and the paths of the scores of all of them."""
        ordered = columns_of_runs(list(wide))
        scores = tuple(wide[name][RIGHT] for name in ordered if RIGHT in wide[name])
        if not scores or not len(scores) == len(ordered) == len(wide):
            return wide, ()
        return {model: wide[ordered[0]]}, scores

    def _columns_of_runs(self) -> tuple[str, ...]:
        """Return the columns that score one run of each item, “run_1” for instance."""
        rows = self._rows
        return columns_of_runs([path for path in rows.values if rows.is_single(path) and rows.are_scores_of_runs(path)])

    def _runs_of_row(self, score: str | None, generations: Paths | None) -> Paths:
        """Return the paths of the scores of several runs that a row has; "" for none.

        One path holds a list of them, beside a list of as many outputs or called so.
        """
        rows = self._rows
        if score is None:
            return ""
        columns = self._columns_of_runs()
        if score in columns:
            return columns
        if not rows.has_several(score):
            return ""
        outputs = rows.values[generations] if isinstance(generations, str) else [None] * rows.size
        pairs = [
            len(one) == len(other)
            for one, other in zip(rows.values[score], outputs, strict=True)
            if isinstance(one, list) and isinstance(other, list)
        ]
        return score if holds_runs(score) or (pairs and all(pairs)) else ""

    def _answer(self) -> str | None:
        """Take the right answers; parts of objects are in doubt unless one is called as a value, or is the only one."""
        rows, free = self._rows, self._free
        best = free.take_ranked("answer", answer_rank, lambda path: rows.is_answer(path) and not self._rates(path))
        if best is None:
            # An answer that is JSON itself, of which no part is one.
            named = free.take_ranked(
                "answer", lambda path: (0,) if is_of_truth(last_key(path)) else None, rows.is_answer
            )
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

    def _rates(self, path: str) -> bool:
        """Whether a column such as “correct label” has verdicts: it is 0 or 1, which nothing that a model said is."""
        rows = self._rows
        if not rows.is_zero_or_one(path) or words_of(path)[-1][:1] not in (("correct",), ("right",)):
            return False
        said = (one for one in rows.values if is_named_model(one) or name_rank(one, OUTPUT_NAMES) or is_said(one))
        return not any(rows.is_zero_or_one(one) for one in said if one != path)

    def _are_right_answers(self, said: str, output: str | None) -> bool:
        """Whether lists called “answers” are right ones: beside what a model said, or with their places, as SQuAD’s."""
        places = f"{said.removesuffix('text')}answer_start"
        return "answers" in keys_of(said) and (output is not None or places in self._rows.values)

    def _right(self) -> str | None:
        """Take the verdicts, or else the scores, of the model's outputs."""
        rows = self._rows
        columns = self._columns_of_runs()
        if columns and not any(name_rank(path, SCORE_NAMES) for path in self._free if path not in columns):
            self._free.mark(columns)
            return columns[0]
        several = [path for path in self._free if rows.has_several(path) and rows.are_scores_of_runs(path)]
        if several:
            # One list has what others sum up, such as pass@1.
            return self._free.take_path(several[0])
        named = self._free.take(RIGHT, (*SCORE_NAMES, *REWARDS), rows.is_binary)
        named = named or self._free.take_ranked(RIGHT, score_rank, rows.is_binary)
        if named is None and (named := self._free.by_words(RIGHT, "right", rows.is_binary)):
            alike = [path for path in self._free if self._is_instead_of_score(path, named)]
            if alike:
                self._free.mark(alike)
                self._free.doubt(RIGHT, [named, *alike])
                return None
        named = named or self._free.take(RIGHT, WRONG_NAMES, rows.says_itself)
        return named or self._free.take(RIGHT, SCORE_NAMES, rows.is_share)

    def _means_wrong(self, path: str) -> bool:
        """Whether these are verdicts of which 1 means wrong, and no words that say or may say the opposite."""
        rows = self._rows
        return rows.is_zero_or_one(path) and not (rows.says_itself(path) or rows.are_wrong_or_false(path))

    def _verdict_on(self, output: str | None) -> str | None:
        """Take the verdicts that are called like the output, as “bot_verdict” beside “bot_answer”."""
        named = of_model(output) if output is not None else None
        paths = [
            path for path in self._free if named and verdict_on(path, [named.model]) and self._rows.is_binary(path)
        ]
        return self._free.take_path(paths[0]) if len(paths) == 1 else None

    def _is_instead_of_score(self, path: str, named: str) -> bool:
        """Whether other verdicts have a name as near to “correct”, such as “correct_before” beside “correct_after”."""
        near = len(words_of(path)[-1]) == len(words_of(named)[-1]) and has_word(path, "right")
        return near and self._rows.is_binary(path) and self._rows.numbers(path) != self._rows.numbers(named)

    def _settled(self, meaning: str, path: str | None, output: str | None) -> str | None:
        """Return a path of scores; None, with a doubt, if they are marks and an empty cell may mean the opposite.

        That all are right may also be said of the calls, and is in doubt, with what else may be the score.
        """
        rows = self._rows
        if path is None or not (rows.is_of_calls(path) or rows.are_marks(path, output)):
            return path
        other = self._right() if rows.is_of_calls(path) else None
        self._free.doubt(meaning, [path, *filter(None, [other])], marks=other is None)
        return None

    def _question_faults(self) -> None:
        """Ask what 1 means in scores that are likely to be bad; they stay free."""
        rows = self._rows
        scores = [path for path in self._free if rows.is_zero_or_one(path) and rows.is_fault(path)]
        named = (*WRONG_NAMES, *SCORE_NAMES)
        scores = [path for path in scores if last_name(path) in named or score_rank(path) or is_fault(path)]
        if scores:
            sounds = listed(list(dict.fromkeys(rows.called(path) or last_key(path) for path in scores)))
            self._free.doubt(WRONG, scores, sounds)

    def _question_texts(self, answer: str | None) -> None:
        """Ask which of several columns, called as models or their versions, is what the one score is about."""
        rows, free = self._rows, list(self._free)
        called = [path for path, paths in called_as_models(rows, free, answer).items() if TEXT in paths]
        if len(called := called or self._versions(free)) > 1:
            self._free.doubt(TEXT, called)

    def _question_metric(self, path: str) -> None:
        """Ask which metric counts, as each item has a score of several."""
        names = list(dict.fromkeys(str(one) for one in self._rows.known[path]))
        named = listed([shown(name) for name in names[:_NAMED]] + ["more"] * (len(names) > _NAMED))
        why = (
            f"{shown(path)} names several metrics ({named}), so each item has several scores. Take it as the name of "
            "the model, after that of the model if there is one, and each metric is a target; or keep the rows of one "
            "metric in the file."
        )
        self._free.doubt("model", [path], why=why)

    def _question_scales(self, identity: str | None, are_all: bool) -> None:
        """Ask what numbers of models are, of which some are no shares: answers, or scores."""
        named, why = unknown_scale(self._rows, [path for path in self._free if path != identity], are_all)
        if why:
            self._free.doubt(TEXT, named, why=why)

    def _question_people(self, wide: Mapping[str, Mapping[str, str]], output: str | None) -> bool:
        """Ask whether what people say, beside models that say the same, is right or one more answer."""
        said = [path for paths in wide.values() for path in paths.values()] or [path for path in (output,) if path]
        people = says_as_models(self._rows, list(self._free), said)
        if people:
            why = (
                f"{shown(people)} says what the models say too. It may hold the right answers, or the answers of one "
                "more. Nothing in the file tells which."
            )
            self._free.doubt("answer", [people], why=why)
        return bool(people)

    def _question_answers(self, path: str) -> None:
        """Ask whether answers beside questions alone are the right ones or those of a model."""
        why = f"{shown(path)} may hold the right answers, or the answers of a model. Nothing in the file tells which."
        self._free.doubt("answer", [path], why=why)

    def _is_answer_again(self, output: str, answer: str) -> bool:
        """Whether what may be a right answer says the same as another one everywhere, which is in doubt then."""
        rows = self._rows
        if last_name(output) not in ANSWERS or rows.size < _MANY or rows.texts(output) != rows.texts(answer):
            return False
        why = (
            f"{shown(output)} says the same as {shown(answer)} in all of the first {counted(rows.size, 'row')}, so it "
            "may be the right answer once more."
        )
        self._free.doubt(TEXT, [output], why=why)
        return True

    def _question_negative(self) -> None:
        """Ask what numbers below 0 mean in a column that is called a score of 0 to 1; the column stays free."""
        rows = self._rows
        for path in self._free:
            named = of_model(path)
            called = last_name(path) in SCORE_NAMES or (named is not None and named.what in SCORE_NAMES)
            low = [one for one in rows.numbers(path) if one is not None and one < 0] if called else []
            if not low or not rows.is_single(path) or any(one is not None and one > 1 for one in rows.numbers(path)):
                continue
            many = f"{len(low):,} of the first {counted(rows.size, 'row')}"
            why = (
                f"{shown(path)} is below 0 ({min(low):g}) in {many}, so it is no share of right answers as it stands. "
                f"If such a number means “not scored”, take the column for “{RIGHT}” and the number for “skip”."
            )
            self._free.mark([path])
            self._free.doubt(RIGHT, [path], why=why)

    def _question_score(self, wide: Mapping[str, Mapping[str, str]]) -> None:
        """Ask whose one score is that stands beside the outputs of several models, none of which has its own."""
        if any({RIGHT, WRONG} & paths.keys() for paths in wide.values()):
            return
        if right := self._right():
            self._free.doubt(RIGHT, [right])
        elif wrong := self._free.take(WRONG, WRONG_NAMES, self._means_wrong):
            self._free.doubt(WRONG, [wrong])

    def _versions(self, free: Sequence[str]) -> list[str]:
        """Versions of something, which may be what a model said."""
        return [path for path in versions_among(free) if self._rows.is_words(path) and not is_called_judge(path)]

    def _question_likelihoods(self) -> None:
        """Ask whether lists that are called as samples, and nothing else is an output, hold samples."""
        rows = self._rows
        named = [path for path in self._free if name_rank(path, NAMES["generations"]) and rows.is_list(path)]
        if doubted := [path for path in named if rows.are_likelihoods(path)]:
            self._free.mark(doubted)
            self._free.doubt("generations", doubted)

    def _question(self) -> str | None:
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
        if named_by_words and (is_of_group(path) or is_of_variants(path) or not rows.is_prose(path)):
            return False
        others = [one for one in rows.values if one != path and (prompt_rank(one) or has_word(one, "prompt"))]
        return rows.is_words(path) and not any(rows.are_crossed(path, one) for one in others if rows.is_words(one))

    def _text(self, names: Sequence[str], field: str) -> str | None:
        rows, words = self._rows, "output" if field == TEXT else field
        self._free.mark(path for path in list(self._free) if self._is_of_the_item(path))
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

    def _is_of_the_item(self, path: str) -> bool:
        """Whether an answer stands among what the item is, such as the row of a dataset, and is a right one."""
        return last_name(path) in ANSWERS and not _OF_ITEM.isdisjoint(keys_of(path)[:-1])

    def _is_said(self, path: str) -> bool:
        return self._rows.is_words(path) and self._may_be_said(path)

    def _may_be_said(self, path: str) -> bool:
        """Whether these are texts, and no verdicts on what was said."""
        return self._rows.is_text(path) and not self._says_verdicts(path)

    def _may_be_values(self, answer: str, path: str) -> bool:
        """Whether these are numbers or texts that may be answers: no verdicts, and no shares beside other answers."""
        rows = self._rows
        shares, others = (
            [one for one in rows.numbers(name) if one is not None and not one.is_integer() and 0 <= one <= 1]
            for name in (path, answer)
        )
        return rows.is_single(path) and not rows.is_zero_or_one(path) and (bool(others) or not shares)

    def _says_verdicts(self, path: str) -> bool:
        """Whether these are words of verdicts, and no other column holds such words or is called a score of 0 and 1."""
        rows = self._rows
        return rows.are_verdicts(path) and not any(
            rows.are_words_of_verdicts(one) or (rows.is_zero_or_one(one) and _may_score(one))
            for one in rows.values
            if one != path
        )

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

    def _chat_reply(self, prompt: str | None) -> str | None:
        """Take the last answer of a chat, unless a plain column holds what a model said or the chat is a history."""
        best = self._chat(REPLY)
        if best is None or self._is_history(best.removesuffix(REPLY), prompt):
            return None
        plain = (path for path in self._free if self._free.is_plain_as(path, best) and self._is_said(path))
        named = (path for path in plain if name_rank(path, OUTPUT_NAMES) or is_said(path))
        return None if any(last_name(path) not in ANSWERS and not _is_right_answer(path) for path in named) else best

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

    def _numbered(self, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
        paths = tuple(
            path
            for path in self._rows.values
            if pattern.fullmatch(last_key(path).lower()) and self._rows.is_single(path)
        )
        if len(paths) < 2 or {*paths} <= {*self._columns_of_runs()}:
            return None
        self._free.mark(paths)
        return paths

    def _samples(self, said_by_models: bool) -> tuple[str, ...] | None:
        """Take numbered columns of short answers, beside what another model said or right answers alone."""
        found = numbered_like_samples(self._rows, self._free)
        may_be_models = any(map(is_numbered_model if said_by_models else is_model, found))
        if may_be_models or not (sound_like_samples(found) and say_the_same(self._rows, found)):
            return None
        self._free.mark(found)
        return found

    def _options(self) -> tuple[str, ...] | None:
        """Return columns A, B, C … or option 1, option 2 … if there are such."""
        paths = [path for path in self._free if OPTION.fullmatch(last_key(path).lower())]
        paths = [path for path in paths if self._rows.is_single(path)]
        lettered = [path for path in paths if len(last_key(path)) > 1 or last_key(path).isupper()]
        if len(lettered) < 2 or (len(last_key(lettered[0])) == 1 and last_key(lettered[0]) != "A"):
            return None
        self._free.mark(lettered)
        return tuple(lettered)

    def _longest_text(self) -> str | None:
        texts = [
            path
            for path in self._free
            if self._rows.is_words(path)
            and self._rows.is_common(path)
            and self._rows.may_be_a_question(path)
            and name_rank(path, (*ID_NAMES, *OUTPUT_NAMES)) is None
            and not (is_of_codes(self._rows, path) and all(map(_HAS_DIGIT, self._rows.texts(path))))
            and not is_reason(path)
            and not is_said(path)
            and OTHERS.isdisjoint(words_of(path)[-1][-1:])
            and not is_named_model(path)
        ]
        lengths = {path: sum(map(len, map(str, self._rows.known[path]))) for path in texts}
        best = max(texts, key=lambda path: lengths[path], default=None)
        if best is not None:
            self._free.mark([best])
        return best

    def _side_by_side(self) -> dict[str, dict[str, str]]:
        """Take outputs and scores of several models that stand beside each other in each row."""
        chosen = side_by_side(self._rows, list(self._free))
        self._free.mark(path for paths in chosen.values() for path in paths.values())
        for meaning in (RIGHT, WRONG):
            scores = {paths[meaning]: paths.get(TEXT) for paths in chosen.values() if meaning in paths}
            if scores and all(self._rows.are_marks(path, output) for path, output in scores.items()):
                self._free.doubt(meaning, list(scores), marks=True)
                chosen = {
                    model: {field: path for field, path in paths.items() if path not in scores}
                    for model, paths in chosen.items()
                }
        return {model: paths for model, paths in chosen.items() if paths}

    def _called_as_models(self, answer: str | None) -> dict[str, dict[str, str]]:
        """Take columns that are called by models alone; what has the same answers under other names is in doubt."""
        rows, free = self._rows, list(self._free)
        chosen = called_as_models(rows, free, answer)
        alike = [
            path for path in free if path not in chosen and answer is not None and says_answers(rows, path, answer)
        ]
        doubted = [
            path for path in (*chosen, *alike) if answer and rows.is_zero_or_one(path) and rows.is_zero_or_one(answer)
        ]
        if doubted or (alike and not are_models([*chosen, *alike])):
            self._free.doubt(TEXT, list(dict.fromkeys([*chosen, *alike])))
            return {}
        if not (chosen or alike) and (versions := self._versions(free)):
            self._free.doubt(TEXT, versions)
        chosen = {**chosen, **{path: {TEXT: path} for path in alike}}
        self._free.mark(chosen)
        return chosen

    def _verdicts_of_models(self) -> dict[str, dict[str, str]]:
        """Take columns of 0 and 1 that are called as models if there are several and nothing else scores an output.

        The others may be flags of the items as well: ``may_be_scores`` names them.
        """
        free, rows = list(self._free), self._rows
        scores = [path for path in free if rows.is_zero_or_one(path) and rows.is_single(path)]
        scores = [path for path in scores if last_key(path) == path and not (is_other(path) or rows.are_marks(path))]
        others = [one for one in free if may_be_output(last_key(one)) or not _OF_JUDGES.isdisjoint(words_of(one)[-1])]
        # Settings and flags are often the same in all rows.
        varied = sum(len({*rows.numbers(path)} - {None}) > 1 for path in scores)
        if others or "id" in rows.values or varied < _SEVERAL:
            return {}
        named = [path for path in scores if is_model(path) or has_size(path)]
        # Of several flags, one may be called as a model by chance, such as “solar”.
        named = named if len(named) > 1 or any(map(_HAS_DIGIT, named)) else []
        self.may_be_scores = tuple(path for path in scores if path not in named)
        self._free.mark(named)
        return {path: {RIGHT: path} for path in named}

    def _models(self, identity: str) -> str | None:
        """Take the path that names several models, whose outputs stand in separate rows."""
        rows, named = self._rows, []
        for path in self._free:
            known, name = rows.known[path], last_name(path)
            several = 1 < len(set(map(str, known))) < len(known) and rows.is_text(path)
            # What may be something else too names models if it tells the rows of an item apart.
            if several and (name in MODEL_NAMES or (name in MODEL_LIKE and rows.are_distinct(identity, path))):
                named.append(path)
        others = [path for path in self._rows.values if last_name(path) in MODEL_NAMES[:-1]]
        # A file in a zip is a model only if no column says which model it is.
        named = [path for path in named if last_name(path) != MODEL_NAMES[-1] or not others]
        ranks = (*MODEL_NAMES, *MODEL_LIKE)
        return self._free.take_path(min(named, key=lambda path: ranks.index(last_name(path)))) if named else None

    def model(self) -> str | None:
        """Return the name of the model if a column has the same in all rows."""
        for path in self._rows.values:
            known = self._rows.known[path]
            if last_name(path) in MODEL_NAMES and len(set(map(str, known))) == 1:
                return known[0].strip() or None if isinstance(known[0], str) else None
        return None


def _group_rank(path: str) -> tuple[int, int] | None:
    """Return the rank among names of groups; what a task holds is no group."""
    rank = name_rank(path, NAMES["group"])
    return None if rank is not None and rank[0] and NAMES["group"][rank[1]] == "task" else rank


def is_called_question(path: str) -> bool:
    """Whether a path is called as questions, by its name or by a word in it."""
    return prompt_rank(path) is not None or has_word(path, "prompt") or is_asked(path)


def _is_right_answer(path: str) -> bool:
    """Whether a path is called as right answers, by its name or by a word in it."""
    return answer_rank(path) is not None or has_word(path, "answer")


def _may_score(path: str) -> bool:
    """Whether a path is called as a score, a label of people, a judge's verdict or a right answer."""
    ranks = (name_rank(path, (*SCORE_NAMES, *WRONG_NAMES)), score_rank(path), name_rank(path, NAMES["answer"]))
    return any(rank is not None for rank in ranks) or is_fault(path) or not _OF_JUDGES.isdisjoint(words_of(path)[-1])


def _called_prompt_rank(path: str) -> tuple[int, ...] | None:
    """Return the rank among names of questions, without a nested “text” or “content”, which may be anything."""
    is_nested = len(keys_of(path)) > 1 and last_name(path) in ("text", "content")
    rank = prompt_rank(path)
    return None if rank is None or (is_nested and INPUTS[rank[1]] in ("text", "content")) else rank


def _message_rank(path: str) -> tuple[int] | None:
    """Return one rank for what a message of OpenAI's interface says."""
    return (0,) if keys_of(path)[-3:] == _MESSAGE else None


def _own_answer_rank(path: str) -> tuple[int, int] | None:
    """Return the rank among names of right answers of a path that is called so itself."""
    return name_rank(path, NAMES["answer"]) if last_name(path) in NAMES["answer"] else None
