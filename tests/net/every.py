"""Every recording: its name, and the function that gives its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.net import drawn, homes, inputs, lists, offers, samples

RECORDINGS: Mapping[str, Callable[[], list[str]]] = {
    "controls": offers.controls,
    "options": offers.options,
    "names": offers.names,
    "elements": drawn.elements,
    "inputs": inputs.readings,
    "lists": lists.answers,
    "samples": samples.limits,
    "home": homes.facts,
}
