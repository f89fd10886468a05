"""The command `neyman gate`: it reads both versions, plans the gate, and writes the decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..errors import DesignError
from ..gates.version_gate import VersionDecision, VersionGate
from ..gates.version_list import FAIL, ONCE, PASS, UNDECIDED
from ..gates.version_plan import gate
from ..gates.version_pool import check_rows, graded, known_losses, request
from ..labels import read
from ..labels.formats.lists import to_csv
from ..pool.columns import leaf
from ..pool.pool import Pool
from ..pool.reading_notes import UNGRADED
from ..readers.joining import MODEL
from ..readers.model_outputs import ModelOutputs
from ..readers.model_results import joined
from ..readers.results import read_outputs
from ..words import counted
from ..words.console import emit
from ..words.documents import document
from .options import GateOptions, meanings

if TYPE_CHECKING:
    from ..bank import Bank

STATUS = {PASS: 0, FAIL: 1, UNDECIDED: 3}


def run(old: Path, new: Path, asked: GateOptions) -> int:
    """Decide, say it, and write what was asked for.

    Parameters
    ----------
    old, new : path
        As of `core.commands.gate.gate`.
    asked : GateOptions
        What is asked.

    Returns
    -------
    int
        The exit status.
    """
    bank = None if asked.bank is None else _bank(asked.bank)
    if bank is not None and not old.exists():
        banked, (pool, names) = True, _from_bank(str(old), new, bank, asked)
    else:
        banked, (pool, names) = False, _versions(old, new, asked)
    planned = gate(
        pool,
        *names,
        asked.margin / 100,
        asked.confidence / 100,
        asked.power / 100,
        bank,
        asked.looks,
        follows=asked.follows,
        seed=asked.seed,
        parser=asked.parser,
        banked=banked,
        partial=asked.partial,
        varies=asked.varies,
    )
    losses, without_verdict = known_losses(pool, planned.new, asked.parser), frozenset[tuple[str, str]]()
    same = not banked and old.samefile(new) and planned.n_unequal == 0
    twice = ("Both versions are read from the same file, and their answers are the same.",) if same else ()
    said = (*twice, *pool.remarks, *_without_answer(pool, planned, asked.parser))
    if asked.labels is not None:
        file = read(asked.labels.read_bytes(), asked.labels.name)
        gradings = graded(planned, pool, file, meanings(asked.word), asked.kind, asked.parser)
        check_rows(planned, pool, file, asked.parser)
        losses.update(gradings.losses.items())
        without_verdict, said = gradings.without_verdict, (*said, *file.notes, *gradings.remarks)
    decision = planned.decide(losses, without_verdict)
    # The list says what has to be labelled.
    remarks = [one for one in said if not one.startswith(UNGRADED)]
    if asked.out is not None and decision.waiting:
        asked.out.write_text(to_csv(request(planned, pool)), encoding="utf-8")
    emit(_said(planned, decision, asked, remarks), end="")
    if asked.markdown is not None:
        asked.markdown.write_text(markdown(planned, decision, remarks), encoding="utf-8")
    return STATUS[decision.verdict]


def markdown(planned: VersionGate, decision: VersionDecision, remarks: Sequence[str] = ()) -> str:
    """Summarise a decision for a pull request.

    Parameters
    ----------
    planned : VersionGate
        The gate.
    decision : VersionDecision
        What it says.
    remarks : sequence of str
        Of the files and of the labels.
    """
    marked = {"Verdict": f"**{decision.verdict}**", "Versions": f"{_code(planned.old)} → {_code(planned.new)}"}
    rows = planned.facts(decision) | marked
    table = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    notes = "".join(f"\n{one}\n" for one in (planned.left_out, *remarks) if one)
    return f"### {decision.sentence}\n\n| | |\n|---|---|\n{table}\n{notes}"


def _code(name: str) -> str:
    """A name that Markdown shows as it is."""
    return f"`{name.replace('`', 'ˋ').replace('|', '¦')}`"


def _said(planned: VersionGate, decision: VersionDecision, asked: GateOptions, remarks: Sequence[str]) -> str:
    if asked.json:
        facts = {
            "verdict": decision.verdict,
            "difference": asdict(decision.difference),
            "margin": planned.margin,
            "confidence": planned.confidence,
            "power": planned.power,
            "power_note": _reached(planned),
            "looks": planned.looks,
            "old": planned.old,
            "new": planned.new,
            "items": planned.n_items,
            "unequal": planned.n_unequal,
            "labels": planned.n_labels,
            "graded": decision.n_graded,
            "listed": decision.n_listed,
            "without_verdict": decision.without_verdict,
            "seed": planned.seed,
            "sentence": decision.sentence,
            "remark": planned.left_out,
            "remarks": list(remarks),
        }
        return document("neyman-gate/1", facts)
    lines = [planned.sentence, _reached(planned), decision.sentence, *remarks]
    if decision.waiting:
        where = f"It is in {asked.out}." if asked.out is not None else "Write it with --out LIST.csv."
        lines.append(f"The list takes {counted(planned.n_labels, 'label')}. {where} Come back with --labels LIST.csv.")
    return "\n".join(filter(None, lines)) + "\n"


def _without_answer(pool: Pool, planned: VersionGate, parser: str | None) -> list[str]:
    """Say how many outputs of each version count as wrong because they have no answer."""
    said, compared = list[str](), pool.places(planned.pool_ids)
    for name in (planned.old, planned.new):
        columns = [one for field in ("text", "answer") if (one := leaf(pool.source, name, field)) is not None]
        there = np.any([np.asarray(one.is_valid()) for one in columns], axis=0)[compared] if columns else False
        none = np.array([not one for one in pool.target_answers(name, parser)[compared]], dtype=bool)
        count = int((there & none & (pool.losses(name, parser)[compared] == 1)).sum())
        if count:
            verb = "counts" if count == 1 else "count"
            said.append(f"{counted(count, 'output')} of {name} without an answer {verb} as wrong.")
    return said


def _reached(planned: VersionGate) -> str:
    """Say how often a list decides that is looked at after any label; "" for another one, which is planned for it."""
    if planned.looks == ONCE:
        return ""
    # Here, so that no other gate waits for SciPy.
    from ..gates.version_chances import reached

    return reached(planned)


def _bank(path: Path) -> Bank:
    """The bank in a file, or that of a home."""
    from ..archive import Archive
    from ..bank import Bank, gather

    if not path.is_dir():
        return Bank.read(path)
    return gather(Archive(path))


def _from_bank(old: str, new: Path, bank: Bank, asked: GateOptions) -> tuple[Pool, tuple[str, str]]:
    """The items of one log, with the answers that a bank knows of the old version."""
    from ..bank import with_version

    outputs = read_outputs(new, str(new))
    name = _chosen(outputs, asked.new_model, new)
    renamed = name if name != old else f"{name} ({new.stem})"
    pool = joined([_alone(outputs, name, renamed)]).pool((), [renamed])
    return with_version(pool, bank, old), (old, renamed)


def _versions(old: Path, new: Path, asked: GateOptions) -> tuple[Pool, tuple[str, str]]:
    """Both versions' answers, and what they are called."""
    one, other = (read_outputs(path, str(path)) for path in (old, new))
    first, second = _chosen(one, asked.old_model, old), _chosen(other, asked.new_model, new)
    names = (first, second) if first != second else (f"{first} ({old.stem})", f"{second} ({new.stem})")
    if names[0] == names[1]:
        names = (f"{first} (old)", f"{second} (new)")
    results = joined([_alone(one, first, names[0]), _alone(other, second, names[1])])
    return results.pool((), names), names


def _chosen(outputs: ModelOutputs, wanted: str | None, path: Path) -> str:
    there = outputs.table.column(MODEL).unique().to_pylist()
    if wanted is None and len(there) == 1:
        return str(there[0])
    if wanted in there:
        return str(wanted)
    names = ", ".join(f"“{name}”" for name in there[:12])
    what = f"has no model “{wanted}”" if wanted is not None else f"has {len(there)} models"
    raise DesignError(f"{path} {what}. Name one by --old-model or --new-model: {names}.")


def _alone(outputs: ModelOutputs, model: str, name: str) -> ModelOutputs:
    """One model's rows, under another name."""
    table = outputs.table.filter(pa.compute.equal(outputs.table.column(MODEL), model))
    column = pa.chunked_array([pa.array([name] * table.num_rows, pa.string())])
    return ModelOutputs(table.set_column(table.column_names.index(MODEL), MODEL, column), outputs.notes, outputs.origin)
