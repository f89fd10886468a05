"""The one command: `neyman serve`, `plan`, `check`, `gate`, `best`, `judge`, `pool`, `study`, `lab`, `home` and so on.

A module of this room holds each, as functions whose parameters are its options. Exit status: 0 done, 2 after one
sentence on stderr if the user must put something right; `gate`, `best`, `judge` and `surrogate` have more, see
`core.surrogate.cli`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from cyclopts import App

from .. import __version__
from ..errors import NeymanError, PoolError
from ..words.console import UsageError, answer, command, guard, say

__all__ = ["earlier", "main"]

# Imported when it is called: where it stands in this room, and what the list of commands says of it.
_COMMANDS = {
    "serve": (".serve:serve", "Start the app, as `neyman` alone does."),
    "plan": (".plan:plan", "Plan labels, precision and money before labelling."),
    "check": (".plan:check", "Check plans on pools whose outcomes are known."),
    "pool": (".pool:app", "Turn files of any shape into a pool."),
    "study": (".study:app", "Turn logs into a list of samples to grade, and their grades into the accuracy."),
    "lab": (".lab:app", "Compare methods on your pools, with the paper's tables."),
    "gate": (".gate:gate", "Decide whether a new version is worse than an old one."),
    "best": (".best:best", "Find the best of several models."),
    "judge": (
        ".judge:judge_command",
        "Decide whether an automatic judge can be trusted.",
    ),
    "home": (".home:app", "Recover a home whose database is lost."),
    "surrogate": (".surrogate:surrogate", "Run a surrogate, a target or a judge without the app."),
}
# They read their words themselves: the app and each worker is such a process, and starts sooner.
_OWN = ("serve", "surrogate")
_LISTED = 20


def main(words: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    words : sequence of str, optional
        Its name and options; by default those of this process. Without a name the app starts.

    Returns
    -------
    int
        The exit status.
    """
    if words is None:
        guard()
    given = list(sys.argv[1:] if words is None else words)
    if not given or (given[0].startswith("-") and given[0] not in ("--help", "-h", "--version")):
        given = ["serve", *given]
    try:
        return answer(_app(), given)
    except PoolError as error:
        _print_problems(error)
    except (NeymanError, OSError, UsageError) as error:
        say(str(error))
    return 2


def earlier(*command: str, switches: Mapping[str, Sequence[str]] | None = None) -> int:
    """Run a command by an earlier spelling: `python -m core.planning` is `neyman plan`.

    Parameters
    ----------
    *command : str
        Its name.
    switches : mapping, optional
        Option → the name of the command that it has become.

    Returns
    -------
    int
        The exit status.
    """
    guard()
    words = sys.argv[1:]
    for switch, instead in (switches or {}).items():
        if switch in words:
            words.remove(switch)
            command = tuple(instead)
    return main([*command, *words])


def _app() -> App:
    text = "Find the few answers worth labelling, and estimate a model's accuracy from them."
    app = command("neyman", text, version=__version__)
    for name, (place, text) in _COMMANDS.items():
        own = {"help_flags": (), "version_flags": ()} if name in _OWN else {}
        app.command(f"{__package__}{place}", name=name, help=text, **own)
    return app


def _print_problems(error: PoolError) -> None:
    """Print every problem, up to a screenful of them."""
    for problem in error.problems[:_LISTED]:
        say(str(problem))
    if error.total > _LISTED:
        say(f"… and {error.total - _LISTED:,} more problems.")
