"""Every recording: its name, and the function that gives its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.net import drawn, offers

RECORDINGS: Mapping[str, Callable[[], list[str]]] = {
    "controls": offers.controls,
    "options": offers.options,
    "names": offers.names,
    "elements": drawn.elements,
}
