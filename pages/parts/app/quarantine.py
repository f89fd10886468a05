"""Files from outside: uploaded, or named on the command line. They are read in a separate process."""

from __future__ import annotations

import math
import os

import streamlit as st

from core.archive import Quarantine, ReadLimits
from core.errors import NeymanError
from pages.parts.app import premises

_MEMORY, _SECONDS = "NEYMAN_READ_MEMORY", "NEYMAN_READ_SECONDS"


def quarantine() -> Quarantine:
    """Return the reader of all sessions, within the limits of the environment.

    Raises
    ------
    NeymanError
        A limit is not a number above 0.
    """
    usual = premises.here().limits
    gigabytes = _positive(_MEMORY, usual.memory / 1024**3)
    return _quarantine(ReadLimits(int(gigabytes * 1024**3), _positive(_SECONDS, usual.seconds)))


def prepare() -> None:
    """Start a reader ahead of the file that somebody is about to choose."""
    quarantine().warm()


@st.cache_resource(max_entries=1, show_spinner=False, on_release=Quarantine.close)
def _quarantine(limits: ReadLimits) -> Quarantine:
    return Quarantine(limits)


def _positive(variable: str, usual: float) -> float:
    given = os.environ.get(variable)
    if not given:
        return usual
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not 0 < number < 1e6:
        raise NeymanError(f"{variable} must be a number above 0. Found “{given}”.")
    return number
