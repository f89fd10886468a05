"""The scores and verdicts of an unknown file, by names and by values, and what is asked about them."""

from __future__ import annotations

from collections.abc import Mapping

from ..files.foreign_names import plain_key
from ..pool.problems import shown
from ..words import counted, listed
from ..words.verdict_words import spelling
from .doubt import FreePaths
from .field_map import RIGHT, WRONG, Paths
from .field_names import NAMES, WORDS, has_word, is_fault, is_said, last_key, last_name, name_rank, score_rank, words_of
from .first_rows import FirstRows
from .judge_columns import are_mentioned
from .model_names import is_model, is_named_model, of_model, verdict_on
from .runs import columns_of_runs, holds_runs
from .side_by_side import twins

# So many names of metrics are listed.
_NAMED = 4
_CALLED_RIGHT = frozenset({"correct", "right", "passed", "accurate", "ok"})
# Names of a model's own judgement of its output.
_OWN = frozenset({"self", "claimed", "predicted"})


class ScorePaths:
    """Paths of scores and verdicts, taken or asked about.

    Parameters
    ----------
    rows : FirstRows
        What the values look like.
    free : FreePaths
        The paths that are not yet taken for a field.
    """

    def __init__(self, rows: FirstRows, free: FreePaths) -> None:
        self._rows, self._free = rows, free

    def first_of_runs(
        self, wide: dict[str, dict[str, str]], model: str
    ) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
        """Return the first of runs that stand side by side, and the paths of the scores of all of them."""
        ordered = columns_of_runs(list(wide))
        scores = tuple(wide[name][RIGHT] for name in ordered if RIGHT in wide[name])
        if not scores or not len(scores) == len(ordered) == len(wide):
            return wide, ()
        return {model: wide[ordered[0]]}, scores

    def of_runs(self) -> tuple[str, ...]:
        """Return the columns that score one run of each item, “run_1” for instance."""
        rows = self._rows
        return columns_of_runs([path for path in rows.values if rows.is_single(path) and rows.are_scores_of_runs(path)])

    def runs_of_row(self, score: str | None, generations: Paths | None) -> Paths:
        """Return the paths of the scores of several runs that a row has; "" for none.

        One path holds a list of them, beside a list of as many outputs or called so.
        """
        rows = self._rows
        if score is None:
            return ""
        columns = self.of_runs()
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

    def rates(self, path: str) -> bool:
        """Whether a column such as “answer correct” has verdicts: it is 0 or 1, which nothing that a model said is."""
        rows, words = self._rows, words_of(path)[-1]
        if not rows.is_zero_or_one(path) or _CALLED_RIGHT.isdisjoint((*words[:1], *words[-1:])):
            return False
        said = (one for one in rows.values if is_named_model(one) or name_rank(one, NAMES["output"]) or is_said(one))
        return not any(rows.is_zero_or_one(one) or are_mentioned(rows, path, one) for one in said if one != path)

    def right(self, output: str | None = None, answer: str | None = None) -> str | None:
        """Take the verdicts, or else the scores, of what the model said (``output``), beside the right answers."""
        rows = self._rows
        columns = self.of_runs()
        if columns and not any(name_rank(path, NAMES["score"]) for path in self._free if path not in columns):
            self._free.mark(columns)
            return columns[0]
        several = [path for path in self._free if rows.has_several(path) and rows.are_scores_of_runs(path)]
        several = [path for path in several if holds_runs(path) or not self._is_of_steps(path)]
        if several:
            # One list has what others sum up, such as pass@1.
            return self._free.take_path(several[0])
        named = self._free.take(RIGHT, (*NAMES["score"], *NAMES["reward"]), rows.is_binary)
        named = named or self._free.take_ranked(RIGHT, score_rank, rows.is_binary)
        # Of a call, a status says “success” and “failed”.
        tests = rows.are_verdicts if output else lambda path: rows.is_binary(path) and rows.varies(path)
        named = named or self._free.take(RIGHT, NAMES["status"], tests)
        if named and (parts := self._parts_of_one(named)):
            self._free.mark(parts)
            self._free.doubt(RIGHT, [named, *parts])
            return None
        if named is None and (named := self._free.by_words(RIGHT, "right", rows.is_binary)):
            alike = [path for path in self._free if self._is_instead_of_score(path, named)]
            if alike:
                self._free.mark(alike)
                self._free.doubt(RIGHT, [named, *alike])
                return None
        if (
            named
            and name_rank(named, (*NAMES["score"], *NAMES["reward"])) is None
            and (why := self._about_others(named, output))
        ):
            self._free.doubt(RIGHT, [named], why=why)
            return None
        named = named or self._free.take(RIGHT, NAMES["wrong"], rows.says_itself)
        share = None if named else self._free.take(RIGHT, NAMES["score"], rows.is_share)
        # Words that nobody knows are asked about as the file is read.
        share = share or (None if named else self._free.take(RIGHT, NAMES["score"], rows.are_mostly_verdicts))
        if share and output and answer and (why := self._is_of_no_answer(share, output, answer)):
            self._free.doubt(RIGHT, [share], why=why)
            return None
        return named or share

    def _is_of_no_answer(self, path: str, output: str, answer: str) -> str:
        """Say why shares may be a model's confidence or a similarity: no output that is the answer has 1; "" if not."""
        rows = self._rows
        known = zip(rows.numbers(path), rows.texts(output), rows.texts(answer), strict=True)
        equal = [score for score, said, right in known if score is not None and spelling(said) == spelling(right)]
        if not equal or max(equal) == 1:
            return ""
        return (
            f"{shown(path)} is not 1 where {shown(output)} is the right answer ({shown(answer)}): it may be a model’s "
            "confidence or a similarity. Take it as a judge’s number, and outputs are compared with the right answers; "
            f"or take it for “{RIGHT}” if it is the score that counts."
        )

    def _about_others(self, path: str, output: str | None) -> str:
        """Say why verdicts such as “baseline correct” and “lint passed” may be about something else; "" if not."""
        known = WORDS["of-outputs"].union(words_of(output)[-1] if output else ())
        words = words_of(path)[-1]
        called = has_word(path, "right")
        others = [word for word in words if word in _OWN or (called and word not in known and not word.isdecimal())]
        if not others or is_model(path) or self._is_said_twice(path):
            return ""
        named = listed([f"“{word}”" for word in dict.fromkeys(others)])
        return (
            f"{shown(path)} may say something else than whether the output is right: its name has {named} in it. Take "
            f"it for “{RIGHT}” if 1 means there that the output is right, and otherwise keep it as a column (in a "
            f"shell: --column {path})."
        )

    def _is_said_twice(self, path: str) -> bool:
        """Whether another column that is called “correct” says the same."""
        rows = self._rows
        alike = (one for one in rows.values if one != path and has_word(one, "right"))
        return any(rows.numbers(one) == rows.numbers(path) for one in alike)

    def _parts_of_one(self, named: str) -> list[str]:
        """List verdicts on other parts of the item, as “tests[b].passed” beside “tests[a].passed”; none of metrics.

        So are “scores.m2” beside “scores.m1”, whose keys somebody made up: two models, or two metrics.
        """
        if alike := twins(named, self._free):
            return [path for path in alike if self._rows.is_binary(path) or self._rows.is_share(path)]
        outer, sign, inner = named.partition("[")
        name, _, key = inner.partition("]")
        holder, dot, _ = named.rpartition(".")
        if dot and not sign and _of_criteria(named):
            beside = [path for path in self._free if path.rpartition(".")[0] == holder and _of_criteria(path)]
            return [path for path in beside if self._rows.is_binary(path)]
        if not sign or not name or plain_key(name) in NAMES["score"] or score_rank(named):
            return []
        free = [path for path in self._free if path.startswith(f"{outer}[") and path.endswith(f"]{key}")]
        return [path for path in free if self._rows.is_binary(path)]

    def _is_of_steps(self, path: str) -> bool:
        """Whether scores of parts of an item, such as its steps, stand beside a score of the item itself."""
        outer = path.partition("[]")[0].rpartition(".")[0]
        nearer = [one for one in self._free if "[]" not in one and one.rpartition(".")[0] == outer]
        named = (one for one in nearer if last_name(one) in (*NAMES["score"], *NAMES["reward"]))
        return "[]." in path and any(map(self._rows.is_binary, named))

    def means_wrong(self, path: str) -> bool:
        """Whether these are verdicts of which 1 means wrong, and no words that say or may say the opposite."""
        rows = self._rows
        says_other = rows.says_itself(path) or rows.are_wrong_or_false(path) or _is_wrong_answer(path)
        return rows.is_zero_or_one(path) and not says_other

    def beside(self, output: str | None) -> str | None:
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

    def settled(self, meaning: str, path: str | None, output: str | None) -> str | None:
        """Return a path of scores; None, with a doubt, if they are marks and an empty cell may mean the opposite.

        That all are right may also be said of the calls, and is in doubt, with what else may be the score.
        """
        rows = self._rows
        if path is None or not (rows.is_of_calls(path) or rows.are_marks(path, output)):
            return path
        other = self.right() if rows.is_of_calls(path) else None
        self._free.doubt(meaning, [path, *filter(None, [other])], marks=other is None)
        return None

    def question_faults(self) -> None:
        """Ask what 1 means in scores that are likely to be bad; they stay free."""
        rows = self._rows
        scores = [path for path in self._free if rows.is_zero_or_one(path) and rows.is_fault(path)]
        # Wrong answers are no verdicts, whatever they say.
        scores = [path for path in scores if not _is_wrong_answer(path)]
        named = (*NAMES["wrong"], *NAMES["score"])
        scores = [path for path in scores if last_name(path) in named or score_rank(path) or is_fault(path)]
        if scores:
            sounds = listed(list(dict.fromkeys(rows.called(path) or last_key(path) for path in scores)))
            self._free.doubt(WRONG, scores, sounds)

    def question_metric(self, path: str) -> None:
        """Ask which metric counts, as each item has a score of several."""
        names = list(dict.fromkeys(str(one) for one in self._rows.known[path]))
        named = listed([shown(name) for name in names[:_NAMED]] + ["more"] * (len(names) > _NAMED))
        why = (
            f"{shown(path)} names several metrics ({named}), so each item has several scores. Take it as the name of "
            "the model, after that of the model if there is one, and each metric is a target; or keep the rows of one "
            "metric in the file."
        )
        self._free.doubt("model", [path], why=why)

    def question_negative(self) -> None:
        """Ask what numbers below 0 mean in a column that is called a score of 0 to 1; the column stays free."""
        rows = self._rows
        for path in self._free:
            named = of_model(path)
            called = last_name(path) in NAMES["score"] or (named is not None and named.what in NAMES["score"])
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

    def question_score(self, wide: Mapping[str, Mapping[str, str]]) -> None:
        """Ask whose one score is that stands beside the outputs of several models, none of which has its own."""
        if any({RIGHT, WRONG} & paths.keys() for paths in wide.values()):
            return
        if right := self.right():
            self._free.doubt(RIGHT, [right])
        elif wrong := self._free.take(WRONG, NAMES["wrong"], self.means_wrong):
            self._free.doubt(WRONG, [wrong])

    def says_verdicts(self, path: str) -> bool:
        """Whether these are words of verdicts, and no other column holds such words or is called a score of 0 and 1."""
        rows = self._rows
        return rows.are_verdicts(path) and not any(
            rows.are_words_of_verdicts(one) or (rows.is_zero_or_one(one) and _may_score(one))
            for one in rows.values
            if one != path
        )


def _of_criteria(path: str) -> bool:
    """Whether a score is called as one of several criteria, such as “scores.helpful”."""
    return not WORDS["criteria"].isdisjoint(words_of(path)[-1]) and last_name(path) not in NAMES["score"]


def _is_wrong_answer(path: str) -> bool:
    """Whether a path is called as wrong answers to choose from: “incorrect answers”, “Incorrect Answer 1”."""
    words = [word for word in words_of(path)[-1] if not word.isdecimal()]
    is_one = words[-1:] == ["answer"] and not WORDS["wrong-choices"].isdisjoint(words)
    return is_one or not WORDS["several-answers"].isdisjoint(words[-1:])


def _may_score(path: str) -> bool:
    """Whether a path is called as a score, a label of people, a judge's verdict or a right answer."""
    ranks = (name_rank(path, (*NAMES["score"], *NAMES["wrong"])), score_rank(path), name_rank(path, NAMES["answer"]))
    return (
        any(rank is not None for rank in ranks)
        or is_fault(path)
        or not WORDS["of-judges"].isdisjoint(words_of(path)[-1])
    )
