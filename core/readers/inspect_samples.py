"""Inspect logs as they are, sample by sample, for taking some of the samples out and for reading their scores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PoolError, Problem
from ..files.archives import opened
from ..files.json_rows import MAX_ARRAY_VALUES, decoded
from ..files.jsontext import BadJson, StrictDecoder
from ..files.open import MAX_ARRAY, Source
from ..files.sniff import ZIP, Beginning
from ..pool.problems import Problems, shown
from .inspect_log import recognises
from .values import list_of, object_of

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"(?:.*/)?samples/.+\.json", re.DOTALL)
_LARGEST = 256 * 1024**2
_REMEDY = "Use the log as Inspect wrote it."


@dataclass(frozen=True, slots=True)
class InspectLog:
    """A log: ``header`` without the samples, and whatever else it is packed with."""

    source: Source
    header: dict[str, Any]

    @classmethod
    def of(cls, path_or_bytes: str | Path | bytes, name: str | None = None) -> InspectLog | None:
        """Open a log, ``.eval`` or ``.json``; None for any other file.

        Parameters
        ----------
        path_or_bytes : str, Path or bytes
            Path of the file, or its content.
        name : str, optional
            Name of the file.

        Raises
        ------
        PoolError
            The file is empty or damaged.
        """
        source = Source.of(path_or_bytes, name)
        beginning = Beginning.of(source)
        if not recognises(beginning):
            return None
        if beginning.container == ZIP:
            with opened(source) as archive:
                name = next(name for name in _HEADERS if name in archive.names)
                return cls(source, _object(archive.read(name, _LARGEST), name))
        return cls(source, {name: part for name, part in _whole(source).items() if name != "samples"})

    @property
    def model(self) -> str | None:
        """Name of the model."""
        return self._fact("model")

    @property
    def task(self) -> str | None:
        """Name of the task."""
        return self._fact("task")

    def samples(self) -> Iterator[dict[str, Any]]:
        """Read the samples one after another, each an object with an id; raises as :meth:`of`."""
        for number, sample in enumerate(self._samples(), start=1):
            if not isinstance(sample, dict) or not isinstance(sample.get("id"), (str, int)):
                raise PoolError([Problem("the sample has no id.", number, remedy=_REMEDY)])
            yield sample

    def _samples(self) -> Iterator[Any]:
        if Beginning.of(self.source).container == ZIP:
            with opened(self.source) as archive:
                for name in archive.names:
                    if _SAMPLE.fullmatch(name):
                        yield _object(archive.read(name, _LARGEST), name)
        else:
            yield from list_of(_whole(self.source).get("samples"))

    def _fact(self, name: str) -> str | None:
        fact = object_of(self.header.get("eval")).get(name)
        return fact if isinstance(fact, str) and fact.strip() else None


def _whole(source: Source) -> dict[str, Any]:
    return _object(source.content(MAX_ARRAY), source.name, MAX_ARRAY_VALUES)


def _object(content: bytes, name: str, most: int = MAX_ARRAY_VALUES) -> dict[str, Any]:
    problems = Problems()
    try:
        value = StrictDecoder(lenient=True).decode(decoded(content), most)
        if isinstance(value, dict):
            return value
        problems.add(f"{shown(name)} is not a JSON object.", remedy=_REMEDY)
    except BadJson as error:
        problems.add(f"{shown(name)}: {error.message}", remedy=_REMEDY)
    problems.stop()
    raise AssertionError
