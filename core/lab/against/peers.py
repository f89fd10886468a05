"""Peers' own packages, run in their environment's process on the same contests while the other methods run here.

Each contest goes to the process as a file of losses, predictions, strata and samples (`peer_script`), and comes back as
estimates with limits. Nothing of these packages is imported here.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ...errors import DesignError
from .lists import Contest, Lists, positions
from .predictions import STRATA, doubts, proportional, uniform_positions

_SCRIPT = Path(__file__).with_name("peer_script.py")


@dataclass(frozen=True, slots=True, eq=False)
class PeerResult:
    """The result of a package's method in a contest.

    Parameters
    ----------
    lists : Lists
        NaN if it refused.
    rounds : int
        Lists.
    seconds : float
        For all of them.
    note : str
        Its first refusal, or "".
    """

    lists: Lists
    rounds: int
    seconds: float
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class Peers:
    """A running process of the peers' environment.

    Parameters
    ----------
    versions : dict
        Of the methods whose packages it has: each method with its package's version.
    folder : Path or None
        Of its files; None if it does not run.
    process : Popen or None
        The process.
    count : int
        Contests.
    """

    versions: dict[str, str]
    folder: Path | None = None
    process: subprocess.Popen[str] | None = None
    count: int = 0

    @classmethod
    @contextmanager
    def started(
        cls,
        python: Path | None,
        packages: Mapping[str, str],
        cells: Sequence[tuple[Contest, int, int]],
        rounds: int,
    ) -> Iterator[Peers]:
        """Start the process on all contests, each with its budget and seed.

        Parameters
        ----------
        python : Path or None
            Its interpreter; None starts nothing.
        packages : mapping of str to str
            The methods that are wanted, each with its package.
        cells : sequence of (Contest, int, int)
            Contests, budgets and seeds.
        rounds : int
            T.

        Raises
        ------
        DesignError
            The interpreter cannot be started.
        """
        there = {} if python is None else _versions(python, sorted({*packages.values()}))
        versions = {name: there[package] for name, package in packages.items() if package in there}
        if python is None or not versions:
            yield cls({})
            return
        with TemporaryDirectory() as name:
            folder = Path(name)
            for number, (contest, budget, seed) in enumerate(cells):
                stratum, labels = proportional(contest, budget)
                np.savez(
                    folder / f"{number}.npz",
                    losses=contest.losses,
                    predicted=contest.risk,
                    doubt=doubts(contest.risk),
                    stratum=stratum,
                    uniform=uniform_positions(contest, budget, rounds, seed),
                    stratified=positions(stratum, labels, rounds, seed),
                    numbers=np.array([budget, rounds, seed % 2**32, STRATA]),
                )
            words = [str(python), str(_SCRIPT), str(folder), *versions]
            with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                try:
                    yield cls(versions, folder, process, len(cells))
                finally:
                    process.kill()

    def results(self) -> Iterator[dict[str, PeerResult]]:
        """Wait for the process; what each method gave for each contest.

        Raises
        ------
        DesignError
            The process failed.
        """
        if self.process is None or self.folder is None:
            return
        told = self.process.communicate()[1]
        if self.process.returncode:
            last = told.strip().splitlines()[-1:] or ["no message"]
            raise DesignError(f"The peers' environment ended with an error: {last[0]}. Run make env-peers again.")
        for number in range(self.count):
            results = {}
            for name in self.versions:
                with np.load(self.folder / f"{number}.{name}.npz") as content:
                    lists = Lists(content["value"], content["low"], content["high"])
                    seconds, note = float(content["seconds"]), str(content["note"])
                results[name] = PeerResult(lists, lists.value.size, seconds, note)
            yield results


def _versions(python: Path, packages: Sequence[str]) -> dict[str, str]:
    """Versions of the packages that an environment has."""
    try:
        run = subprocess.run([str(python), str(_SCRIPT), *packages], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise DesignError(f"The peers' environment cannot be started: {python}. Run make env-peers.") from error
    return {name: version for name, version in json.loads(run.stdout).items() if version}
