"""The field that each path of an unknown file is likely to be, by names and by values.

The names are those of `core.readers.field_names`. By the values, an id is different for each prompt, outputs are texts,
verdicts are right or wrong, and scores of judges are numbers. If another path of the same name holds clearly more than
the likeliest, neither is taken: that is a `Doubt`, which a person settles. `TextPaths`, `ScorePaths` and `ModelPaths`
take the paths of one kind each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..answers import KINDS
from ..files.foreign_names import plain_key
from ..pool.problems import shown
from ..words import counted, listed
from .doubt import ENOUGH, Doubt, FreePaths
from .field_map import RIGHT, TEXT, WRONG, FieldMap, Paths
from .field_names import NAMES, NUMBERED, WORDS, is_said, keys_of, last_key, last_name, name_rank, prompt_rank, words_of
from .first_rows import FirstRows
from .judge_columns import are_a_judges, is_called_judge, is_peoples, judges_of, rates_outputs, verdicts_of
from .label_paths import LabelPaths
from .model_names import verdict_on
from .model_paths import ModelPaths
from .row_keys import (
    RowKeys,
    called_id,
    is_mistaken,
    item_in_subset,
    item_name,
    item_of_rows,
    item_of_runs,
    may_name_items,
    names_a_model,
    row_keys,
)
from .score_paths import ScorePaths
from .text_paths import TextPaths


def answers_within(rows: FirstRows, free: FreePaths, samples: Paths | None) -> Paths | None:
    """Return the paths of the answers within samples that are objects; in doubt if no name is an answer's.

    Beside the answer, such samples have their reasoning, which differs in all of them.
    """
    paths = (samples,) if isinstance(samples, str) else samples or ()
    if not paths or not all(map(rows.are_objects, paths)) or any("[]" in path for path in paths):
        return samples
    insides = [f"{path}[]" if rows.is_list(path) and isinstance(samples, str) else path for path in paths]
    parts = _parts_of(rows, insides[0])
    part = _answer_part(parts)
    free.mark(path for path in rows.values if path.startswith(tuple(f"{one}." for one in insides)))
    if part is None and any(map(_is_beside_answers, parts)):
        free.doubt("generations", [paths[0], *(f"{insides[0]}.{part}" for part in parts)])
        return None
    chosen = tuple(f"{inside}.{part}" for inside in insides if f"{inside}.{part}" in rows.values)
    return samples if len(chosen) < len(insides) else chosen if len(chosen) > 1 else chosen[0]


def answer_within(rows: FirstRows, free: FreePaths, output: str) -> str:
    """Return the path of the answer within an output that is an object, or the path of the output."""
    holder, dot, _ = output.rpartition(".")
    holder = output if output in rows.values and rows.are_objects(output) else holder
    if holder not in rows.values or not rows.are_objects(holder):
        return output
    part = _answer_part(_parts_of(rows, holder))
    if part is None or (dot and plain_key(last_key(output)) in NAMES["answer-part"]):
        return output
    free.mark([f"{holder}.{part}"])
    return f"{holder}.{part}"


def parts_alike(rows: FirstRows, answer: str, output: str) -> list[str]:
    """List the paths of right answers if these are objects like outputs, and no part is called an answer; or none."""
    holders = [path.rpartition(".")[0] for path in (answer, output)]
    if last_key(answer) != last_key(output) or plain_key(last_key(answer)) in NAMES["answer-part"]:
        return []
    if not all(holders):
        return []
    right, said = (_parts_of(rows, holder) for holder in holders)
    both = [part for part in right if part in said and not _is_beside_answers(part)]
    return [f"{holders[0]}.{part}" for part in both] if len(both) > 1 else []


def _parts_of(rows: FirstRows, holder: str) -> list[str]:
    """List the keys of single values within objects."""
    inner = [path.removeprefix(f"{holder}.") for path in rows.values if path.startswith(f"{holder}.")]
    return [key for key in inner if not set(key) & {".", "["}]


def _answer_part(parts: Sequence[str]) -> str | None:
    """Return which part of an output is its answer: by its name, or as the only one beside reasons."""
    named = [part for part in parts if plain_key(part) in NAMES["answer-part"]]
    others = [part for part in parts if not _is_beside_answers(part)]
    best = min(named, key=lambda part: NAMES["answer-part"].index(plain_key(part)), default=None)
    return best or (others[0] if len(others) == 1 < len(parts) else None)


def _is_beside_answers(part: str) -> bool:
    return not WORDS["reasoning"].isdisjoint(words_of(part)[-1])


# Columns that seem to name models, or tasks with several runs, and that nothing reads: a person says what they are.


def unread_models(rows: FirstRows, free: Sequence[str], used: Sequence[str]) -> tuple[str, str] | None:
    """Return a path that names several models whose results would be averaged, and a sentence on it; None for none.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.
    used : sequence of str
        Paths of the outputs and scores of the only target.
    """
    lists = {path.partition("[]")[0] for path in used if "[]" in path}
    for path in (one for one in free if used and names_a_model(one) and last_name(one) not in NAMES["model-like"]):
        outer = {word for words in words_of(path)[:-1] for word in words}
        if not WORDS["of-judges"].isdisjoint(outer) or not rows.is_text(path):
            continue
        inside = [one for some in rows.known[path] if isinstance(some, list) for one in some]
        names = {str(one) for one in inside or rows.known[path] if one is not None}
        within = path.partition("[]")[0] in lists if "[" in path else bool(lists) and len(names) == rows.size
        often = "[" not in path and 2 * len(names) <= rows.filled(path) >= ENOUGH * rows.size
        if len(names) < 2 or not (within or often):
            continue
        why = f"{shown(path)} names {counted(len(names), 'model')}, "
        if within:
            return path, f"{why}and a row holds a list of results. Write a row for each item and model, with an id."
        return path, (
            f"{why}but each row would be an item of one target, so that the results of the models would be averaged. "
            "Take it as the name of the model, and as the id what the rows of an item have in common. If each row is "
            f"an item of one system that uses several models, keep the column (in a shell: --column {path})."
        )
    return None


def unread_tasks(rows: FirstRows, paths: Sequence[str]) -> tuple[str, str] | None:
    """Return a path that names many tasks with a few rows each, and a sentence on it; None for none.

    Without ids, the rows of a task may be its runs or different items.
    """
    for path in paths:
        times = set(Counter(rows.texts(path)).values()) if may_name_items(rows, path) else set[int]()
        size = rows.distinct([path])
        if len(times) == 1 and 1 < max(times) <= size:
            return path, (
                f"{shown(path)} names {size:,} tasks with {max(times):,} rows each, and no field is named as the id. "
                f"If the rows of a task are runs of it, or of several models, take {shown(path)} as the id, and as the "
                f"run or the model what tells them apart (in a shell: --id {path} with --run or --model PATH). If they "
                f"are different items, take it as the group (--group {path})."
            )
    return None


def unread_ids(rows: FirstRows, free: Sequence[str]) -> tuple[str, str] | None:
    """Return a plain column that is called as an id and has the same in several rows, and a sentence; None for none.

    Nothing else tells its rows apart, so they may be samples, runs, models or different items.
    """
    for path in free:
        is_called = len(keys_of(path)) == 1 and (last_name(path) in NAMES["id"] or last_name(path) == "id")
        if is_called and rows.is_key(path) and 1 < (size := rows.distinct([path])) <= rows.size / 2:
            return path, (
                f"{shown(path)} has {size:,} values in {counted(rows.size, 'row')}, and nothing says what tells the "
                f"rows of one apart. If they are runs, models or reviewers, take {shown(path)} as the id and name the "
                f"column that tells them apart (in a shell: --id {path} with --run, --model or --reviewer PATH); if "
                f"they are samples of one model, their outputs as samples (--id {path} --generations PATH). If they "
                f"are different items, keep it (--column {path})."
            )
    return None


def unread_settings(rows: FirstRows, free: Sequence[str], key: Sequence[str]) -> tuple[str, str] | None:
    """Return a column of a few values that tells apart the rows of each item, and a sentence on it; None for none.

    Its name does not say whether it is a model, a run or a part of the item.
    """
    items = rows.distinct(key)
    for path in free:
        if len(keys_of(path)) > 1 or not rows.is_key(path) or rows.is_zero_or_one(path) or name_rank(path, _OF_RESULTS):
            continue
        several, most = rows.distinct([path]), _CROSSED * rows.size
        if 1 < several < items and several * items <= most and not rows.repeats_together([*key, path]):
            return path, (
                f"{shown(path)} has {several:,} values, another one in each row of an item. If they name models, "
                f"systems or settings, take it as the name of the model (in a shell: --model {path}); if they number "
                f"the runs of one model, as the run (--run {path}). If they only describe samples of one model, keep "
                f"it (--column {path})."
            )
    return None


# Rows of each item are told apart by a column whose values nearly all of the items have.
_CROSSED = 1.5
_OF_RESULTS = (*NAMES["answer"], *NAMES["output"], *NAMES["score"], *NAMES["judge"], *NAMES["wrong"])


def _of_parts(parts: Sequence[str], output: str) -> str:
    """Say that right answers have several parts, so that one of them does not tell which output is right."""
    named = listed([shown(last_key(part)) for part in parts[:_NAMED]] + ["more"] * (len(parts) > _NAMED))
    holder, of_output = parts[0].rpartition(".")[0], output.rpartition(".")[0]
    return (
        f"{shown(holder)} and {shown(of_output)} have the same parts ({named}), and one part alone does not say "
        f"whether an output is right. Give a score of each output, or take the part that counts (in a shell: --answer "
        f"{parts[0]} --target MODEL:text={of_output}.{last_key(parts[0])})."
    )


_NAMED = 4
_KIND = "answer_kind"


class Guess:
    """A guess at the paths of the fields of items.

    Parameters
    ----------
    values : mapping of str to sequence
        The values at each path, None if a row has none.
    """

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self.rows = self._rows = FirstRows(values)
        self._free = FreePaths(self._rows)
        self._scores = ScorePaths(self._rows, self._free)
        self._texts = TextPaths(self._rows, self._free, self._scores)
        self._models = ModelPaths(self._rows, self._free)
        self._labels = LabelPaths(self._rows, self._free)

    @property
    def doubts(self) -> list[Doubt]:
        """Fields of which it is not clear what path they are."""
        return self._free.doubts

    def field_map(self, model: str) -> FieldMap:
        """Return the map; ``model`` is the target's name. What is in doubt is in ``doubts``, and not in the map."""
        rows = self._rows
        self._free.mark([path for path in self._free if rows.counts_entries(path)])
        self._free.mark(self._texts.premises())
        numbered = self._texts.numbered(NUMBERED)
        prompt = self._texts.prompt()
        reply = self._texts.chat_reply(prompt)
        choices = self._free.take("choices", NAMES["choices"], rows.is_choices) or self._texts.options()
        choices = choices or self._free.take("choices", NAMES["choices"], rows.are_options)
        # What is said of each option, such as which is right, is no score of an output.
        self._free.mark(path for path in self._free if _is_of_options(path) and last_name(path) in NAMES["score"])
        answer, paired = self._texts.answer(), None
        if not self._free.is_doubted("answer"):
            pair = self._labels.pair(answer) or (None if answer else self._labels.by_hand())
            answer, paired = pair or (answer, None)
        # The elements of a text that lists right answers are no samples.
        self._free.mark([path for path in self._free if path.startswith(f"{answer}[")])
        fields: dict[str, Paths | None] = {
            "prompt": prompt,
            "choices": choices,
            "answer": answer,
            "answer_kind": self._kinds() if answer else None,
            "group": self._free.take_ranked("group", _group_rank, rows.is_group),
            "generations": self._free.take("generations", NAMES["generations"], rows.is_samples) or numbered,
        }
        if fields["generations"] is None:
            fields["generations"] = self._free.by_words("generations", "generations", rows.is_samples)
        fields["generations"] = answers_within(rows, self._free, fields["generations"])
        if prompt is None and not self._free.is_doubted("prompt"):
            fields["prompt"] = prompt = self._texts.longest_text()
        identity = item_name(rows, prompt, answer)
        if identity is None or identity == prompt or rows.repeats(identity):
            identity = item_in_subset(rows, prompt) or identity or item_of_rows(rows, prompt)
        elif (item := item_of_runs(rows, identity, prompt, answer)) is not None:
            identity = item
            if prompt is not None and rows.distinct([item, prompt]) > rows.distinct([item]):
                # Each run is a separate conversation.
                fields["prompt"] = prompt = None
        # What repeats by mistake makes no samples: the reader names the rows.
        mistaken = identity is not None and is_mistaken(rows, identity, prompt)
        apart = RowKeys()
        if identity is not None and not mistaken:
            free = [*self._free, *[path for path in [fields["group"]] if isinstance(path, str)]]
            outputs = [path for path in self._free if name_rank(path, NAMES["output"]) or is_said(path)]
            apart = row_keys(rows, free, identity, prompt, [path for path in outputs if rows.is_prose(path)])
        if apart.reviewer and identity == prompt and prompt is not None:
            identity = called_id(rows, prompt) or identity
        if fields["group"] == identity:
            fields["group"] = None
        key = [path for path in (apart.subset, identity) if path]
        repeats = bool(key) and rows.repeats_together(key) and not mistaken
        models: Paths | None = None
        self._free.mark(apart.paths)
        if identity is not None and repeats:
            models = apart.models[0] if len(apart.models) == 1 else apart.models or self._models.names(identity)
        if apart.metric:
            self._scores.question_metric(apart.metric)
        given = fields["generations"]
        if apart.run and isinstance(given, str) and rows.distinct([*key, given]) == rows.distinct(key):
            # What is the same in all runs is a fact of the item.
            fields["generations"] = None
        repeats = repeats and not rows.are_pieces(key)
        wide, runs = self._scores.first_of_runs(self._models.side_by_side(), model)
        output = (
            None if wide else paired or reply or self._texts.said(answer, choices, partial(self._models.texts, answer))
        )
        scored = None if wide else self._scores.right(output, answer) or self._scores.beside(output)
        if apart.metric and not (wide or scored):
            scored = self._free.take(RIGHT, NAMES["value"], self._rows.is_share)
        right = None if wide else self._scores.settled(RIGHT, scored, output)
        wrong = None if wide or right else self._free.take(WRONG, NAMES["wrong"], self._scores.means_wrong)
        wrong = self._scores.settled(WRONG, wrong, output)
        has_score = wide or right or wrong or self._free.is_doubted(RIGHT)
        if answer and output and not (has_score or choices) and (why := rates_outputs(rows, answer, output)):
            self._free.doubt(RIGHT, [answer], why=why)
            answer = fields["answer"] = None
        if output is None and not (wide or right or wrong or self.doubts):
            # Verdicts may be called as what they are about.
            right = self._free.take(RIGHT, NAMES["output"], self._scores.says_verdicts)
            right = right or self._free.by_words(RIGHT, "output", self._scores.says_verdicts)
        if output is None and answer and not (wide or right or wrong or fields["generations"] or self.doubts):
            output = self._free.take(TEXT, NAMES["output"], partial(self._texts.may_be_values, answer))
        if not (right or wrong or self._free.is_doubted(RIGHT)):
            self._scores.question_negative()
        if not (wide or right or wrong or self._free.is_doubted(RIGHT)):
            self._scores.question_faults()
        marks = [candidate.path for doubt in self.doubts if doubt.marks for candidate in doubt.candidates]
        is_scored = right or wrong or marks or self._free.is_doubted(RIGHT) or any(map(is_called_judge, self._free))
        if output is None and not wide and answer and fields["generations"] is None and is_scored:
            # What is scored or judged, and called “answer” alone, is what the model said.
            output, fields["answer"] = (answer, None) if last_name(answer) in WORDS["answers"] else (None, answer)
        if output is None and not wide and fields["generations"] is None:
            self._texts.question_likelihoods()
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
            fields["generations"] = self._texts.samples(said_by_models=bool(output or wide))
        output = answer_within(rows, self._free, output) if output else None
        said = fields["generations"]
        if isinstance(said, str) and "[]" not in said:
            fields["generations"] = said = answer_within(rows, self._free, said)
        if isinstance(said, str) and fields["answer"] is None and self._texts.are_right_answers(said, output):
            fields["answer"], fields["generations"] = said, None
        if several := self._texts.right_answers(answer):
            fields["answer"] = several
        has_more = prompt is not None or answer is not None or self._models.are_all(identity)
        if has_more and not (wide or output or fields["generations"] or self.doubts):
            if right or wrong:
                self._models.question_texts(answer)
            else:
                wide = self._models.called_as_models(answer)
                if self._free.is_doubted("answer"):
                    answer = fields["answer"] = None
        if not (wide or output or right or wrong or fields["generations"] or self.doubts):
            wide = self._models.verdicts()
            if not wide and (versions := self._models.versions(list(self._free))):
                # In words of their own, verdicts look like answers.
                self._free.doubt(TEXT, versions)
        if not (wide or output or right or wrong or fields["generations"] or self.doubts):
            no_question = prompt is None or prompt_rank(prompt) is None
            self._models.question_scales(identity, are_all=no_question and answer is None)
        if answer is None and self._models.question_people(wide, output):
            wide = {model: paths for model, paths in wide.items() if TEXT in paths}
        if answer is None and not (right or wrong or self.doubts):
            sampled = fields["generations"] or ()
            texts = [output, *((sampled,) if isinstance(sampled, str) else sampled)]
            self._models.question_truth([*filter(None, texts), *(one[TEXT] for one in wide.values() if TEXT in one)])
        if answer is None and output and not (wide or models or fields["generations"] or self.doubts):
            output = None if self._texts.question_outputs(output) else output
        if output and not (wide or models) and self._models.question_twins(output):
            output = None
        if sum(TEXT in paths for paths in wide.values()) > 1:
            self._scores.question_score(wide)
        if answer and not (wide or choices or fields["generations"] or self.doubts):
            is_asked = self._labels.question_probabilities(answer, output, right)
            output, right = (None, None) if is_asked else (output, right)
        if answer is None and not (wide or right or wrong or fields["answer"] or self.doubts):
            self._labels.question_lists(output)
        if not (models or wide):
            samples = said if isinstance(said, str) and "[]" in said else None
            used = [path for path in (output, right, wrong, samples) if path]
            others = [path for path in self._free if path != prompt]
            doubted = unread_models(rows, others, used)
            if doubted is None and repeats and not (apart.paths or self.doubts):
                doubted = unread_settings(rows, others, key)
            self._ask("model", doubted)
        run = apart.run or runs or self._scores.runs_of_row(right or wrong, fields["generations"])
        if apart.subset:
            fields["group"] = fields["group"] or apart.subset
        asked = prompt is not None and prompt_rank(prompt) is not None
        if identity in (None, prompt) and not (asked or answer or models or wide or run) and (right or wrong):
            tasks = [path for path in (fields["group"], *self._free) if isinstance(path, str)]
            fields["group"] = None if self._ask("id", unread_tasks(rows, tasks)) else fields["group"]
        if identity in (None, prompt) and not (models or wide or run) and (output or right or wrong):
            self._ask("id", unread_ids(rows, list(self._free)))
        if prompt and answer and not choices:
            sampled = fields["generations"] or ()
            said_by = [*((sampled,) if isinstance(sampled, str) else sampled), *([output] if output else ())]
            said_by += [one[TEXT] for one in wide.values() if TEXT in one]
            fields["choices"] = self._texts.options_of(prompt, answer, said_by)
        beside = [output, right, wrong, fields["generations"], choices]
        if answer is not None and not (wide or output or fields["generations"] or self.doubts):
            self._texts.question_repeated(answer)
        is_open = answer is not None and fields["answer"] == answer and last_name(answer) in WORDS["answers"]
        if answer and is_open and not (wide or any(beside) or self.doubts or self._texts.is_of_the_item(answer)):
            self._texts.question_answers(answer)
            fields["answer"] = None
        is_scored = bool(right or wrong or fields["answer"] != answer)
        if answer and output and not is_scored and (parts := parts_alike(rows, answer, output)):
            self._free.doubt("answer", parts, why=_of_parts(parts, output))
            fields["answer"] = None
        has_outputs = bool(wide or output or fields["generations"])
        is_settled = bool(right or wrong or self._free.is_doubted("answer"))
        if answer and has_outputs and fields["answer"] == answer and not is_settled:
            if self._texts.question_orders(choices, answer):
                fields["choices"] = None
            if self._texts.question_versions(answer, choices):
                fields["answer"] = None
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

    def _ask(self, field: str, doubted: tuple[str, str] | None) -> bool:
        """Ask whether a path is a field, with a sentence why that is not clear; nothing for None."""
        if doubted is not None:
            self._free.mark([doubted[0]])
            self._free.doubt(field, [doubted[0]], why=doubted[1])
        return doubted is not None

    def _kinds(self) -> str | None:
        """Take the column that says how each answer is read."""
        said = self._rows.values.get(_KIND, ())
        kinds = (None, "", *KINDS)
        return self._free.take_path(_KIND) if any(said) and all(one in kinds for one in said) else None

    def _varying(self, key: Sequence[str]) -> list[str]:
        """List the free paths of single values that differ between rows with one key."""
        rows = self._rows
        free = [path for path in self._free if rows.is_single(path)]
        return [path for path in free if rows.distinct([*key, path]) > rows.distinct(key)]

    @property
    def may_be_scores(self) -> tuple[str, ...]:
        """Columns of 0 and 1 that may be models' results, or flags of the items."""
        return self._models.may_be_scores

    @property
    def by_choices(self) -> tuple[str, ...]:
        """Columns that are taken for models' answers by their values alone."""
        return self._models.by_choices

    def model(self) -> str | None:
        """Return the name of the model if a column has the same in all rows."""
        return self._models.model()


def _is_of_options(path: str) -> bool:
    return "[" in path and plain_key(path.partition("[")[0].rpartition(".")[2]) in NAMES["choices"]


def _group_rank(path: str) -> tuple[int, int] | None:
    """Return the rank among names of groups; what a task holds is no group."""
    rank = name_rank(path, NAMES["group"])
    return None if rank is not None and rank[0] and NAMES["group"][rank[1]] == "task" else rank
