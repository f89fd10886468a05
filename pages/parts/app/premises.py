"""Where the app runs, and what may be done there: everything at its owner's; in public, what leaves no trace.

The server opens the app to the public (:func:`open_to_public`) before anybody comes. Pages ask :func:`here`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.archive import ReadLimits
from core.errors import HomeError

_USUAL, _STRANGERS = ReadLimits(), ReadLimits(memory=512 * 1024**2, seconds=30.0)


@dataclass(frozen=True, slots=True)
class Premises:
    """The machine of whoever uses the app.

    Attributes
    ----------
    lasting : bool
        Whether what a visitor brings outlives the visit.
    limits : ReadLimits
        What reading one file may take, unless the environment says otherwise.
    notice : str
        Shown to every visitor; "" for nothing.
    upload : str
        What may be uploaded; "" if nothing needs to be said.
    """

    lasting: bool = True
    limits: ReadLimits = _USUAL
    notice: str = ""
    upload: str = ""

    def home(self) -> Path:
        """Return NEYMAN_HOME, by default ``~/.neyman``."""
        return Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()

    def refusal(self, what: str) -> str:
        """Return why something cannot be done here, and where it can; "" if it can.

        Parameters
        ----------
        what : str
            The beginning of the sentence, such as "Running a model".
        """
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Public(Premises):
    """A machine for strangers, each with a home of their own, which goes when they leave.

    Parameters
    ----------
    root : Path
        The folder of these homes.
    """

    root: Path
    lasting: bool = False
    limits: ReadLimits = _STRANGERS
    notice: str = (
        "A public app: nobody else sees what you upload or label here, and it is forgotten when you leave or reload "
        "the page. Download what you want to keep."
    )

    def home(self) -> Path:
        """Return the home of this visit.

        Raises
        ------
        HomeError
            Nobody is visiting: what asks is no page, or that of somebody who has left meanwhile.
        """
        run = get_script_run_ctx(suppress_warning=True)
        if run is None or (runtime.exists() and not runtime.get_instance().is_active_session(run.session_id)):
            raise HomeError("A public app keeps nothing after your visit.")
        return self.root / run.session_id

    def refusal(self, what: str) -> str:
        """Return the sentence: nothing is started or asked for here."""
        return (
            f"{what} is off in this public app: it starts no process for its visitors and takes no keys. On your own "
            "machine it works: install Neyman there and start it with `neyman`."
        )

    def forget(self, session: str, present: Container[str] = ()) -> None:
        """Remove the home of a visit that has ended, and any other whose visitor is not present."""
        for home in self.root.iterdir():
            if home.name == session or home.name not in present:
                shutil.rmtree(home, ignore_errors=True)


_here = Premises()


def here() -> Premises:
    """Return where the app runs."""
    return _here


def open_to_public(root: Path, upload: str) -> Public:
    """Open the app to the public; from now on :func:`here` is a place for strangers."""
    global _here
    _here = public = Public(root=root, upload=upload)
    return public
