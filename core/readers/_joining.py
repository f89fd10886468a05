"""Putting MMLU-Pro files side by side: the order of questions, their editions, and lists of several models' outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from core.pool.columns import TEXT, TEXTS
from core.pool.problems import Problems

# The published files themselves come from several editions, which differ in 0.3 % of the questions.
_TOLERATED = 0.05
_BLOCK = 4_096


def by_number(name: str) -> tuple[bool, int, str]:
    """Sort key of ids: by value where they are whole numbers, those first; the others by text."""
    return (False, int(name), "") if name.isascii() and name.isdecimal() and len(name) < 19 else (True, 0, name)


@dataclass(frozen=True, slots=True, eq=False)
class Editions:
    """The wordings and answers of the questions, which differ between editions of the benchmark.

    Parameters
    ----------
    wording : (R,) int
        Code of the wording in each row of all files.
    answer : (R,) int
        Code of the right answer in each row.
    prevailing : (Q,) int
        The row that prevails for each question.
    """

    wording: NDArray[np.int64]
    answer: NDArray[np.int64]
    prevailing: NDArray[np.int64]

    @classmethod
    def of(cls, every: pa.Table, places: NDArray[np.int64]) -> Editions:
        """Compare the rows of all files; ``places`` (R,) is the question of each.

        The edition of most files prevails; in a tie, that of the first of them.
        """
        prompts, texts = pd.factorize(every.column("prompt").fill_null("").to_pandas())
        # Editions differ in white space; that is no difference.
        wording = pd.factorize(texts.str.replace(r"\s+", "", regex=True))[0][prompts]
        answer = pd.factorize(every.column("answer").fill_null("").to_pandas())[0]
        options = pd.factorize(pc.fill_null(pc.binary_join(every.column("choices"), "\x1f"), "").to_pandas())[0]
        rows = pd.DataFrame({"place": places, "wording": wording, "answer": answer, "options": options})
        keys = list(rows.columns)
        counted = rows.assign(row=rows.index).groupby(keys, sort=False)["row"].agg(["size", "min"]).reset_index()
        counted = counted.sort_values(["place", "size", "min"], ascending=[True, False, True])
        return cls(wording, answer, counted.drop_duplicates("place")["min"].to_numpy())

    def check(
        self, model: str, rows: slice, places: NDArray[np.int64], names: Sequence[str], problems: Problems
    ) -> None:
        """Note the questions of one file that differ; where they are too many, each is a problem."""
        wording = self.wording[rows] != self.wording[self.prevailing[places]]
        answer = self.answer[rows] != self.answer[self.prevailing[places]]
        different = np.flatnonzero(wording | answer)
        if different.size > _TOLERATED * places.size:
            for place in different.tolist():
                what = " and ".join(key for key, flags in (("question", wording), ("answer", answer)) if flags[place])
                message = f"{model} and the other files differ in {what} of question_id {names[place]}."
                problems.add(message, place + 1, model, "Use files of the same edition of MMLU-Pro.")
        elif different.size:
            first = ", ".join(names[place] for place in different[:5]) + (" …" if different.size > 5 else "")
            counts = f"{int(wording.sum())} questions and {int(answer.sum())} answers differ (question_id {first})"
            remark = "All models are judged by the answer that most files have."
            problems.note(f"{model} comes from another edition: {counts}. {remark}")


def interleaved(members: Sequence[tuple[pa.Array, NDArray[np.int64]]]) -> pa.ChunkedArray:
    """Join the members' outputs to a list for each item, without members that have none."""
    texts = pa.concat_arrays([texts.cast(pa.large_string()) for texts, _ in members])
    starts = np.cumsum([0, *(len(texts) for texts, _ in members)])[:-1]
    places = np.column_stack([place for _, place in members])
    chunks = []
    for first in range(0, len(places), _BLOCK):
        block = places[first : first + _BLOCK]
        present = block >= 0
        offsets = np.concatenate([[0], present.sum(axis=1).cumsum()])
        values = texts.take((block + starts)[present]).cast(TEXT)
        chunks.append(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=TEXTS))
    return pa.chunked_array(chunks, TEXTS)
