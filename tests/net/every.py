"""Every recording: its name, and the function that gives its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.net import drawn, offers, samples

RECORDINGS: Mapping[str, Callable[[], list[str]]] = {
    "controls": offers.controls,
    "options": offers.options,
    "names": offers.names,
    "elements": drawn.elements,
    "samples": samples.limits,
}
