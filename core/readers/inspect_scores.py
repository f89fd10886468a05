"""The score of an Inspect log that counts: which scorer, and which key of it if its values are objects.

It is the headline that the task declares, or else that of the first scorer with a metric; of its keys, the first with
an accuracy, or else the first with a metric. A log that was not finished says what its scorers measure. If several keys
remain and nothing names one, the scores are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from .json_records import list_of, object_of, objects_in
from .verdicts import number_of

_WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
LETTERS = frozenset(_WORDS)
_VERDICTS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MEANS = ("accuracy", "mean")
_SPREADS = frozenset({"stderr", "bootstrap_stderr", "std", "var", "ci"})


@dataclass(frozen=True, slots=True)
class InspectScore:
    """A score of a log.

    Parameters
    ----------
    scorer : str
        The scorer's name in the samples.
    key : str or None
        Which value counts if the scores are objects; None if they are not. May be a pattern, as “acc*”.
    """

    scorer: str
    key: str | None = None

    @classmethod
    def of(cls, header: Mapping[str, Any], scores: Sequence[Mapping[str, Any]]) -> InspectScore | None:
        """Choose the score that counts.

        Parameters
        ----------
        header : mapping of str to Any
            The log without its samples.
        scores : sequence of mappings
            The scores of each sample, by the names of scorers.

        Returns
        -------
        InspectScore or None
            None if no sample has a score.
        """
        scorers = list(dict.fromkeys(name for one in scores for name in one))
        candidates = (*_reported(header), *_declared(header), *map(cls, scorers))
        return next((one for one in candidates if one.scorer in scorers), None)

    @property
    def name(self) -> str:
        """The display name."""
        return self.scorer if self.key is None else f"{self.scorer}, {self.key}"

    def value(self, scores: Mapping[str, Any]) -> Any:
        """Look the score up among those of a sample; None if it has none, an object if no key is chosen."""
        value = object_of(scores.get(self.scorer)).get("value")
        if not isinstance(value, dict):
            return value
        key = self.scorer if self.key is None else self.key
        if self.key is None and len(value) == 1:
            return next(iter(value.values()))
        if key in value or self.key is None:
            return value.get(key, value)
        return next((one for name, one in value.items() if fnmatchcase(name, key)), None)

    def answer(self, scores: Mapping[str, Any]) -> Any:
        """Look up the answer that the scorer read."""
        return object_of(scores.get(self.scorer)).get("answer")

    def total(self, header: Mapping[str, Any]) -> tuple[str, float] | None:
        """Look up the mean of the score in the log's results: what it is called, and the value; None if it has none."""
        for score in objects_in(object_of(header.get("results")).get("scores")):
            named = score.get("scorer") == self.scorer and score.get("name") in (self.key, self.scorer)
            for metric in _MEANS if named and score.get("reducer") in (None, "mean") else ():
                value = object_of(object_of(score.get("metrics")).get(metric)).get("value")
                if isinstance(value, (int, float)) and 0 <= value <= 1:
                    return f"{metric} of {self.name}", float(value)
        return None

    def others(self, scores: Iterable[Mapping[str, Any]]) -> list[str]:
        """Name the other scores: scorers, and further keys of this one's values."""
        names = dict[str, None]()
        for one in scores:
            for scorer, score in one.items():
                value = object_of(score).get("value")
                if scorer != self.scorer:
                    names.setdefault(scorer)
                elif self.key is not None and isinstance(value, dict):
                    names |= dict.fromkeys(InspectScore(scorer, key).name for key in value)
        return [name for name in names if name != self.name]


def as_inspect(value: Any) -> float | None:
    """Read a value as Inspect does: its letters, verdicts in words, and numbers, also as texts."""
    if isinstance(value, str):
        known = _WORDS.get(value, _VERDICTS.get(value.lower()))
        if known is not None:
            return known
        try:
            value = float(value)
        except ValueError:
            return None
    return number_of(value)


def _reported(header: Mapping[str, Any]) -> Iterator[InspectScore]:
    """Scores of the results, the declared headline first, then those with a metric."""
    scores = objects_in(object_of(header.get("results")).get("scores"))
    declared = object_of(object_of(header.get("eval")).get("headline_metric"))
    headline = [one for one in scores if _is_headline(one, declared)] if declared else []
    measured = [one for one in scores if object_of(one.get("metrics")).keys() - _SPREADS]
    scorers = [str(one.get("scorer")) for one in measured]
    measured.sort(key=lambda one: (scorers.index(str(one.get("scorer"))), "accuracy" not in object_of(one["metrics"])))
    for score in (*headline, *measured):
        scorer, name = score.get("scorer"), score.get("name")
        if isinstance(scorer, str) and isinstance(name, str):
            yield InspectScore(scorer, None if name == scorer else name)


def _is_headline(score: Mapping[str, Any], declared: Mapping[str, Any]) -> bool:
    pairs = (("scorer", "scorer"), ("score", "name"), ("reducer", "reducer"))
    named = all(declared.get(field) in (None, score.get(own)) for field, own in pairs)
    return named and declared.get("metric") in (None, *object_of(score.get("metrics")))


def _declared(header: Mapping[str, Any]) -> Iterator[InspectScore]:
    """Return the measures of a log's scorers if it has no results."""
    for scorer in objects_in(object_of(header.get("eval")).get("scorers")):
        name, metrics = scorer.get("name"), scorer.get("metrics")
        if isinstance(name, str):
            for one in [metrics] if isinstance(metrics, dict) else list_of(metrics):
                # Of an object with a name, the name is a metric's; of any other, the keys are those of values.
                keys = [None] if not isinstance(one, dict) or isinstance(one.get("name"), str) else list(one)
                yield from (InspectScore(name, key) for key in keys)
