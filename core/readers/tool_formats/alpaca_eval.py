"""AlpacaEval: ``annotations.json``, and ``model_outputs.json``, which has outputs without a score.

The model is ``generator_2``, and its score the share of a win against ``generator_1``: a preference of 2 is a win, 1 is
a defeat, and 0 or 1.5 a draw. Of several annotators the first counts. Preferences that the judge did not state are
unknown, as AlpacaEval drops them.

Source: tatsu-lab/alpaca_eval 0.6.6, run; ``main.py`` and ``metrics/helpers.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...files.open import Source, stem
from ...files.sniff import ARRAY, OBJECT, Beginning
from ...pool.problems import Problems, shown
from ..field_names import has_more
from ..file_rows import rows_of
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL
from ..json_records import text_of
from ..model_outputs import Record, ResultsFormat

_PAIR = frozenset({"instruction", "output_1", "output_2", "preference"})
_OUTPUTS = frozenset({"instruction", "output", "generator"})
_DRAW = 0.5
_REMEDY = "Use the file as AlpacaEval wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the first record is an annotation of a pair, or a model's output."""
    keys, is_known = beginning.keys, beginning.container in (ARRAY, OBJECT)
    return is_known and (keys >= _PAIR or (keys >= _OUTPUTS and not has_more(keys, _OUTPUTS)))


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the outputs of a model, and how a judge preferred them."""
    samples, unstated, others = ItemOutputs(problems.tally), 0, dict[str, None]()
    places: dict[str, str] = {}
    judge: str | None = None
    for row, line in rows_of(source, problems):
        instruction = text_of(line.get("instruction"))
        is_pair = "preference" in line
        text = text_of(line.get("output_2" if is_pair else "output"))
        if instruction is None:
            problems.add("there is no instruction.", row, "instruction", _REMEDY)
            continue
        annotator = text_of(line.get("annotator"))
        judge = judge or annotator
        if is_pair and annotator not in (None, judge):
            problems.tally.leave_out(f"annotations by judges other than {shown(judge or '')}", row)
            continue
        share = _share(line.get("preference"))
        unstated += is_pair and share is None
        others.setdefault(str(line.get("generator_1"))) if is_pair else None
        record = {
            MODEL: text_of(line.get("generator_2" if is_pair else "generator")) or stem(source.name),
            "id": places.setdefault(instruction, str(len(places) + 1)),
            "prompt": instruction,
            "group": text_of(line.get("dataset")),
            "answer_kind": "text",
        }
        samples.add(row, record, Output.of(text or "", share))
    if others:
        problems.note(f"Scores are shares of wins against {', '.join(map(shown, others))}: a draw is half.")
    if unstated:
        problems.note(f"Pairs without a preference of the judge, from 1 to 2, have no score: {unstated:,}.")
    return samples.records()


def _share(preference: Any) -> float | None:
    """Return the share of a win: 1 to 2 becomes 0 to 1, and 0 is a draw."""
    known = isinstance(preference, (int, float)) and not isinstance(preference, bool)
    if known and preference == 0:
        return _DRAW
    return float(preference) - 1 if known and 1 <= preference <= 2 else None


FORMAT = ResultsFormat.declared("alpaca_eval", recognises, outputs)
