"""The meaning of 1 in a column of scores: in a sentence, questioned by its name, and by the right answers beside it."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers import EXTRACTED, OPEN, parse
from ..pool.columns import TARGETS
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..words import counted, listed, per_cent
from ..words.verdict_words import number_in, spelling
from .field_map import RIGHT, TEXT, WRONG, FieldMap, turned
from .field_names import CALLS_THAT_WENT_WELL, NAMES, is_fault, last_name
from .json_records import alike, kind_of
from .judge_columns import is_judges
from .model_results import ModelResults
from .own_totals import share_words
from .paths import at
from .verdicts import number, right_word, right_words, say_themselves, says_nothing, word_of

_LONGEST, _LONGEST_WORD = 60, 30
# So many unknown words are counted and named.
_MOST_COUNTED, _MOST_NAMED, _MOST_WORDS, _OTHERS = 1_000, 6, 12, "others"
# Verdicts are compared with if nearly all are known; they say otherwise if this share of items, and so many, differ.
_MOST_KNOWN = 0.9
_SHARE, _LEAST = 0.05, 2
# “C” and “I” are correct and incorrect beside no other letters than these: a partial answer, and none.
_CORRECT, _BESIDE = frozenset("ci"), frozenset("cipn")
_IN_WORDS = frozenset({"text", "as-is", None})
_REPLACE = "In the file, replace each word with “correct” or “wrong” (or 1 and 0), or with “n/a” if nobody knows."
_SAY = "Say what each means (in a shell: --word=WORD=right). Or "
_KEEP = " Or keep the column as a judge’s verdict: page Judge asks which words mean pass."
_KEPT = "The column is kept as it is: page Judge asks which words mean pass."


class ScoreWords:
    """The words that stand for 1 in each score of a file, 1 or words such as “correct”, and the unknown ones."""

    def __init__(self, fields: FieldMap) -> None:
        scores = [paths[meaning] for paths in fields.targets.values() for meaning in {RIGHT, WRONG} & paths.keys()]
        self._kept = set(fields.columns).intersection(fields.judging).difference(scores)
        paths = (*scores, *fields.numeric_judges, *sorted(self._kept))
        self._right: dict[str, dict[str, Any]] = {path: {} for path in paths}
        self._verdicts = Counter[str]()
        self._unknown: dict[str, Counter[str]] = {path: Counter() for path in self._right}
        self._first: dict[str, int] = {}
        # The letters of each column, with their first row and how many rows have them.
        self._letters: dict[str, dict[str, list[int]]] = {path: {} for path in self._right}
        self._faults = faults = {paths[WRONG] for paths in fields.targets.values() if WRONG in paths}
        # Of lists without the word that they are runs: how many rows have several scores, and the most of a row.
        self._lists: dict[str, list[int]] = {path: [] for path in scores if path not in fields.run_scores}
        self._said = {
            path: turned(fields.words) if path in faults else fields.words if path in scores else fields.words_of_judges
            for path in self._right
        }
        # The numbers of each column, with their first row and how many rows have them.
        self._numbers: dict[str, dict[str, list[int]]] = {path: {} for path in scores}

    def look(self, row: Mapping[str, Any], place: int) -> None:
        """Look at the scores of a row, and at those of judges."""
        for path, right in self._right.items():
            value = at(row, path)
            said = self._said[path]
            known = number(value, said)
            if path in self._lists and isinstance(value, list) and len(value) > 1:
                self._lists[path].append(len(value))
            self._verdicts[path] += known in (0, 1)
            if isinstance(value, str) and len(letter := spelling(value)) == 1 and letter.isalpha():
                self._letters[path].setdefault(letter, [place, 0])[1] += 1
            if path in self._numbers and known is not None and number_in(word := word_of(value)) is not None:
                self._numbers[path].setdefault(word, [place, 0])[1] += 1
            if known == 1:
                right.setdefault(right_word(value, said), value)
            elif known is None and not says_nothing(value) and word_of(value) not in said:
                self._first.setdefault(path, place)
                unknown, word = self._unknown[path], str(value)[: _LONGEST_WORD + 1]
                unknown[word if word in unknown or len(unknown) < _MOST_COUNTED else _OTHERS] += 1

    def of(self, path: str) -> str:
        """Return what stands for 1 at a path, 1 if nothing does."""
        return right_words(self._right[path].values(), self._said[path])

    def report(self, problems: Problems) -> None:
        """Add a problem for each score with words that nobody knows: the words, and in how many rows they are.

        Of a judge's verdicts that are kept in words it is a note, if most of them are known. Another note says of which
        scores the mean of a row counts.
        """
        for path, sizes in self._lists.items():
            if sizes:
                rows = counted(len(sizes), "row has", "rows have")
                where = f"{rows} up to {max(sizes):,} scores in {shown(path, _LONGEST)}"
                run = f"If they are runs, of which the first counts, say so (in a shell: --run {path})."
                problems.note(f"{where}: the mean counts. {run}")
        for path, numbers in self._numbers.items():
            said = self._said[path]
            # If a number means right or wrong that would not, the others may mean anything.
            given = {word: said[word] for word in numbers if said.get(word) in (RIGHT, WRONG)}
            if any(not _is_usual(word, meaning) for word, meaning in given.items()):
                left = {word: numbers[word] for word in sorted(numbers) if word not in said}
                named = [f"“{word}” ({counted(count, 'row')})" for word, (_, count) in left.items()]
                as_said = turned(given) if path in self._faults else given
                others = listed([f"“{word}” as {meaning}" for word, meaning in as_said.items()])
                if left:
                    message = f"{listed(named)} {'have' if len(left) > 1 else 'has'} no meaning beside {others}."
                    first = min(place for place, _ in left.values())
                    problems.add(message, first, path, "Say what each number means (in a shell: --word=1=wrong).")
        for path, letters in self._letters.items():
            if not letters.keys() <= _BESIDE:
                for letter in letters.keys() & _CORRECT - self._said[path].keys():
                    place, count = letters[letter]
                    self._first[path] = min(place, self._first.get(path, place))
                    self._unknown[path][letter.upper()] += count
        for path, first in self._first.items():
            unknown = self._unknown[path]
            rest = unknown.pop(_OTHERS, 0)
            counts = unknown.most_common()
            named = [shown(word, _LONGEST_WORD) + f" ({n:,} rows)" * (n > 1) for word, n in counts[:_MOST_NAMED]]
            # Of more words, or longer ones, the column has no verdicts.
            short = dict.fromkeys(spelling(word) for word, _ in counts if len(word) <= _LONGEST_WORD)
            words = tuple(short) if len(counts) <= _MOST_WORDS else ()
            total = rest + unknown.total()
            if rest := rest + sum(n for _, n in counts[_MOST_NAMED:]):
                named.append(f"others ({counted(rest, 'row')})")
            several = len(counts) > 1
            message = f"{listed(named)} {'are' if several else 'is'} neither a number nor a known verdict."
            if path not in self._kept:
                remedy = _SAY + _REPLACE[0].lower() + _REPLACE[1:] if words else _REPLACE
                problems.add(message, first, path, remedy + _KEEP * is_judges(path), words=words)
            elif self._verdicts[path] > total:
                where = f"row {first}" if total == 1 else f"from row {first} on"
                problems.note(f"{shown(path, _LONGEST)}, {where}: {message} {_KEPT}")


def score_statements(
    fields: FieldMap, pool: Pool, results: ModelResults | None = None, words: ScoreWords | None = None
) -> tuple[str, ...]:
    """Say for each score what its 1 is read as, and which share of the items is right then.

    Parameters
    ----------
    fields : FieldMap
        The map by which the pool was read.
    pool : Pool
        The pool.
    results : ModelResults, optional
        Of rows that name their models: the models, all of which have the score.
    words : ScoreWords, optional
        What stands for 1 in the file; by default 1.

    Returns
    -------
    tuple of str
        A sentence for each path; a second one follows in it if the name of the path sounds like the opposite.
    """
    shares: dict[tuple[str, str], dict[str, tuple[float, int]]] = {}
    for model, paths in fields.targets.items():
        for meaning in {RIGHT, WRONG} & paths.keys():
            known = shares.setdefault((paths[meaning], meaning), {})
            known |= _of_models(results) if results is not None else _shares(pool, [model])
    words = words or ScoreWords(fields)
    items = dict.fromkeys(pool.targets, pool.n_items)
    items |= dict(zip(results.models, results.items, strict=True)) if results is not None else {}
    return tuple(
        _statement(path, meaning, known, words.of(path)) + _without_verdict(known, items)
        for (path, meaning), known in shares.items()
    )


def verdicts_beside(fields: FieldMap, pool: Pool) -> Iterator[str]:
    """Name verdicts or ratings that are kept while comparing with right answers decides, if they often say otherwise.

    Parameters
    ----------
    fields : FieldMap
        The map by which the pool was read.
    pool : Pool
        The pool.

    Yields
    ------
    str
        A sentence for each target and column.
    """
    compared = [model for model, paths in fields.targets.items() if not {RIGHT, WRONG} & paths.keys()]
    if "answer" not in fields.fields or len(compared) != 1 or compared[0] not in pool.targets:
        return
    model, names = compared[0], pool.table.column_names
    kinds = set(pool.table.column("answer_kind").to_pylist()) if "answer_kind" in names else {None}
    losses = pool.losses(model)
    for path in fields.judging:
        column = fields.column(path)
        values = pool.table.column(column).to_pylist() if column in names else []
        pairs = [
            (1 - loss, number(value, fields.words_of_judges))
            for loss, value in zip(losses.tolist(), values, strict=False)
            if not (math.isnan(loss) or says_nothing(value))
        ]
        known = [(right, one) for right, one in pairs if one is not None]
        compares = "Right or wrong is by comparing outputs with right answers"
        least = max(_LEAST, _SHARE * len(pairs))
        if not known and kinds <= _IN_WORDS and sum(right == 0 for right, _ in pairs) >= least:
            yield f"{compares}. {shown(path, _LONGEST)} is kept as a judge’s, and its texts decide nothing."
        if not known or len(known) < _MOST_KNOWN * len(pairs):
            continue
        ratings = [one for _, one in known]
        are_verdicts, middle = {*ratings} <= {0.0, 1.0}, (min(ratings) + max(ratings)) / 2
        if not are_verdicts and (max(ratings) <= 1 or not kinds <= _IN_WORDS):
            continue
        other = [right != one if are_verdicts else right == 0 and one > middle for right, one in known]
        if sum(other) < least:
            continue
        share = share_words({model: (sum(right for right, _ in known) / len(known), len(known))})
        says = f"passes {per_cent(sum(ratings) / len(known))}"
        says = f"{says} of them" if are_verdicts else f"rates them from {min(ratings):g} to {max(ratings):g}"
        scaled = "" if are_verdicts else "write its numbers as 0 to 1 in the file and "
        paths = {**fields.targets[model], RIGHT: path}
        options = " ".join(f"--target {shlex.quote(f'{model}:{what}={of}')}" for what, of in paths.items())
        yield (
            f"{compares}: {share}. {shown(path, _LONGEST)} {says}, and says otherwise on "
            f"{counted(sum(other), 'item')}. If that is the grading, {scaled}take it for “{RIGHT}” (in a shell: "
            f"{options})."
        )


def _is_usual(number: str, meaning: str) -> bool:
    """Whether a number means what it would among scores: 1 is right, 0 and what is below are wrong."""
    value = number_in(number) or 0.0
    return value == 1 if meaning == RIGHT else value <= 0


def sounds_opposite(path: str, meaning: str) -> bool:
    """Whether the name of a path sounds as if 1 meant the other."""
    return is_fault(path) if meaning == RIGHT else not is_fault(path) and last_name(path) in NAMES["score"]


def _shares(pool: Pool, models: list[str]) -> dict[str, tuple[float, int]]:
    shares = {}
    for model in pool.targets.keys() & set(models):
        known = [loss for loss in pool.losses(model).tolist() if not math.isnan(loss)]
        if known:
            shares[model] = 1 - sum(known) / len(known), len(known)
    return shares


def _of_models(results: ModelResults) -> dict[str, tuple[float, int]]:
    return {model: known for model in results.models if (known := results.known(model))[1]}


def _without_verdict(shares: Mapping[str, tuple[float, int]], items: Mapping[str, int]) -> str:
    """Say how many items of each model its score leaves open; "" if none."""
    left = {model: items[model] - known for model, (_, known) in shares.items() if items[model] > known}
    if not left:
        return ""
    several = len(shares) > 1
    named = [f"{counted(n, 'item')}{f' of {shown(model)}' * several}" for model, n in [*left.items()][:_MOST_NAMED]]
    named += [f"items of {len(left) - _MOST_NAMED:,} more models"] * (len(left) > _MOST_NAMED)
    return f" {listed(named)} {'has' if [*left.values()] == [1] else 'have'} no verdict."


def _statement(path: str, meaning: str, shares: Mapping[str, tuple[float, int]], word: str) -> str:
    name = shown(path, _LONGEST)
    said = share_words(shares) if shares else "no item is known"
    question = ""
    if sounds_opposite(path, meaning) and not (meaning == RIGHT and say_themselves([word.strip("“”")])):
        other = WRONG if meaning == RIGHT else RIGHT
        question = f" The name sounds as if {word} meant {other}: if it does, take it for “{other}” instead."
    return f"{word} in {name} is read as {meaning}: {said}.{question}"


# So many outputs are compared; the score says otherwise if this share of them, and so many, are right and count as
# wrong.
_MOST = 5_000
_HALF = 0.5
# Kinds of which another answer is a wrong one.
_COMPARED = frozenset({"number", "choice"})


class Contradictions:
    """Counts the outputs of a file that are scored beside right answers, and those whose score says otherwise.

    Parameters
    ----------
    fields : FieldMap
        Where outputs, scores and right answers are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._fields = fields
        of_models = fields.targets.items() if "answer" in fields.fields else ()
        self._scores = {
            model: paths.get(RIGHT) or paths[WRONG]
            for model, paths in of_models
            if {RIGHT, WRONG} & paths.keys() and (TEXT in paths or "generations" in fields.fields)
        }
        self._counts = {model: _ScoredOutputs() for model in self._scores}

    def look(self, value: Any, record: Mapping[str, Any], row: int) -> None:
        """Look at the scored outputs of a row."""
        outcomes = record.get(TARGETS, {})
        for model, counts in self._counts.items():
            outcome = outcomes.get(model, {})
            said = outcome.get("answer") or outcome.get("text") or next(iter(record.get("generations") or ()), None)
            loss = outcome.get("loss")
            if counts.compared == _MOST or loss is None or not isinstance(said, str):
                continue
            answers = self._fields.right_answers(value, record) or [record.get("answer")]
            answers = [str(one) for one in answers if one is not None and not isinstance(one, (list, dict))]
            kind, choices = record.get("answer_kind"), record.get("choices")
            if answers and kind != OPEN:
                options = choices if isinstance(choices, list) else None
                counts.add(_is_one_of(said, answers, kind, options), loss, row, _is_compared(answers, kind, options))

    @property
    def remark(self) -> str:
        """A sentence for each target whose score says otherwise, with the shares of both; otherwise empty."""
        return " ".join(filter(None, (self._remark(model) for model in self._counts)))

    def _remark(self, model: str) -> str:
        counts, path = self._counts[model], self._scores[model]
        least = max(_LEAST, _SHARE * counts.compared)
        # Of a call, success says nothing of the answer.
        is_of_calls = last_name(path) in CALLS_THAT_WENT_WELL and counts.beyond >= least
        if counts.against < least and not is_of_calls:
            return ""
        paths = {name: one for name, one in self._fields.targets[model].items() if name not in (RIGHT, WRONG)}
        paths = paths or {TEXT: "PATH"}
        options = " ".join(f"--target {shlex.quote(f'{model}:{what}={of}')}" for what, of in paths.items())
        said = f"wrong of {counted(counts.against, 'output')} that are the right answer"
        first = counts.first
        if counts.against < least:
            said = f"right of {counted(counts.beyond, 'output')} that differ from the right answer"
            first = counts.first_beyond
        return (
            f"{shown(path)} says {said} (the first is in row {first}): {per_cent(counts.equal / counts.compared)} of "
            f"{counts.compared:,} outputs are the right answer, and by {shown(path)}, which counts, "
            f"{per_cent(counts.right / counts.compared)} are right. If it is about something else, leave it out (in a "
            f"shell: {options}), and outputs are compared."
        )


class _ScoredOutputs:
    """Counts of outputs: compared, equal to a right answer, right by their score, and where the two differ."""

    def __init__(self) -> None:
        self.compared, self.equal, self.right, self.against, self.first = 0, 0, 0.0, 0, 0
        self.beyond, self.first_beyond = 0, 0

    def add(self, is_equal: bool, loss: float, row: int, is_compared: bool) -> None:
        self.compared += 1
        self.equal += is_equal
        self.right += 1 - loss
        if is_equal and loss > _HALF:
            self.against += 1
            self.first = self.first or row
        if is_compared and not is_equal and loss < _HALF:
            self.beyond += 1
            self.first_beyond = self.first_beyond or row


def _is_compared(answers: Sequence[str], kind: str | None, choices: Sequence[str] | None) -> bool:
    """Whether another answer than the right ones is a wrong one, however it is said."""
    return all((kind or kind_of(answer, choices)) in _COMPARED for answer in answers)


def _is_one_of(said: str, answers: Sequence[str], kind: str | None, choices: Sequence[str] | None) -> bool:
    """Whether an output is one of some right answers, each read by its kind."""
    for answer in answers:
        how = kind or kind_of(answer, choices)
        short = EXTRACTED.get(how, how)
        read, right = parse(said, how, choices), parse(answer, short, choices)
        if read is not None and right is not None and alike(read, right, how):
            return True
    return False
