"""Totals that tools report of their own runs, beside the means of the same scores as Neyman reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..words import per_cent

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class ToolTotal:
    """A total that a tool reports of a model, and what Neyman has for it.

    Parameters
    ----------
    model : str
        The model.
    metric : str
        What the tool calls it, such as “accuracy of match”.
    reported : float, optional
        The tool's total, in [0, 1]; None if no file reports one.
    own : float, optional
        The mean of the same scores as Neyman read them; None if no file has them.
    task : str
        What the model was asked, if the tool has several tasks.
    digits : int, default 4
        Decimal digits to which the tool rounds.
    """

    model: str
    metric: str
    reported: float | None = None
    own: float | None = None
    task: str = ""
    digits: int = _DIGITS

    @property
    def is_compared(self) -> bool:
        """Whether both are known."""
        return self.reported is not None and self.own is not None

    @property
    def agrees(self) -> bool:
        """Whether the two differ by no more than the tool's rounding; also if one of them is not known."""
        if self.reported is None or self.own is None:
            return True
        return abs(self.reported - self.own) <= 0.5 * 10.0**-self.digits + 1e-9

    @property
    def words(self) -> str:
        """Both as a sentence; empty if one is not known."""
        if self.reported is None or self.own is None:
            return ""
        digits = 1 if abs(self.reported - self.own) >= 0.001 else 3
        reported, own = per_cent(self.reported, digits), per_cent(self.own, digits)
        task = f" on {self.task}" if self.task else ""
        return f"The tool reports {self.metric} {reported} for {self.model}{task}, and the records read have {own}."

    @property
    def _subject(self) -> tuple[str, str]:
        return self.task, self.metric


def matched(totals: Iterable[ToolTotal]) -> tuple[ToolTotal, ...]:
    """Put what one file reports beside what another one has.

    They belong together if task and metric are the same, and the model too, or if only one model has the two.

    Parameters
    ----------
    totals : iterable of ToolTotal
        Those of several files.

    Returns
    -------
    tuple of ToolTotal
        Those that belong together as one; the others as they are.
    """
    known = list(totals)
    for total in [one for one in known if one.own is None]:
        subject = total._subject
        alike = [one for one in known if one.reported is None and one._subject == subject]
        named = [one for one in alike if one.model == total.model]
        rivals = [one for one in known if one.own is None and one._subject == subject]
        own = named or (alike if len(alike) == len(rivals) == 1 else [])
        if own:
            known[known.index(own[0])] = replace(own[0], reported=total.reported, digits=total.digits)
            known.remove(total)
    return tuple(known)
