"""When a run pauses by itself: most of the last items fail, or nothing but empty answers comes."""

from __future__ import annotations

from collections import Counter, deque

from ..faults import ItemFault, JobPaused

WINDOW = 50
FEWEST = 20
"""Items that the breaker looks at: the last 50, once there are 20."""
_ANSWERED = ""


class Breaker:
    """Looks at the items that ended last.

    Parameters
    ----------
    share : float
        The share of them that may fail, 0 … 1; at 1 the run never pauses.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._recent: deque[str] = deque(maxlen=WINDOW)
        self._empty = 0

    def answered(self, empty: bool) -> None:
        """Count an item that is answered; ``empty``: none of its texts says anything.

        Raises
        ------
        JobPaused
            All contents of the last 20 answered items are empty.
        """
        self._recent.append(_ANSWERED)
        self._empty = self._empty + 1 if empty else 0
        if self._empty >= FEWEST and self._share < 1:
            raise JobPaused(
                f"All answers to the last {self._empty} items are empty. If the model reasons, the token limit may"
                " end it before its answer; if it does not, a server with a reasoning parser takes its answers for"
                " reasoning: turn thinking off. Look at the model and its settings, then resume the job or start"
                " another."
            )

    def failed(self, fault: ItemFault) -> None:
        """Count an item that failed.

        Raises
        ------
        JobPaused
            More than the share of the last 50 items failed.
        """
        self._recent.append(fault.kind)
        kinds = Counter(kind for kind in self._recent if kind != _ANSWERED)
        if len(self._recent) >= FEWEST and kinds.total() > self._share * len(self._recent):
            reasons = ", ".join(f"{items} {kind}" for kind, items in kinds.most_common())
            raise JobPaused(
                f"{kinds.total()} of the last {len(self._recent)} items failed ({reasons}). {fault.message}"
                " To go on whatever fails, set the pause share to 1."
            )
