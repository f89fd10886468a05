"""The verdict of a version gate as one HTML page."""

from __future__ import annotations

from ..study.begun_gate import BegunGate
from .blocks import Paragraph, Table, render
from .sheet import Section

_STRATA = ("Answers differ and", "Items", "Known", "On list")


def gate_html(started: BegunGate) -> str:
    """Write the verdict of a version gate as one HTML page; every text is escaped.

    Parameters
    ----------
    started : BegunGate
        The gate with its labels.
    """
    gate, decision = started.gate, started.decision
    strata = gate.strata_table()[["what", "items", "known", "labels"]].itertuples(index=False)
    rows = [[what, *(f"{count:,}" for count in counts)] for what, *counts in strata]
    words = (started.remark or gate.left_out, gate.rates, gate.why_rates, gate.selection)
    parts = (Table(("", ""), list(gate.facts(decision).items())), *map(Paragraph, filter(None, words)))
    values = {
        "title": f"Version gate: {gate.old} → {gate.new}",
        "about": f"“{started.pool.name}”",
        "answer": decision.sentence,
        "sections": [Section("", parts), Section("The items of the list", (Table(_STRATA, rows),))],
    }
    return render("sheet.html", values)
