"""The catalogue of what is compared, each method with its source; and peers' packages, run in their own environment.

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
import pandas as pd

from ... import lure
from ...allocation.ways import FROM_ANSWERS, FROM_PAST, FROM_SURROGATE, PROXY_NEYMAN, SE_LURE, UNIFORM
from ...bank.bank import Bank
from ...design.design import Design, Plan
from ...design.recommend import recommend
from ...design.scheme import PAPER
from ...errors import DesignError
from ...estimation.carried import AuditedStrata
from ...estimation.intervals import DEFAULT
from ...signals.entropy import semantic_entropy
from ...signals.past import answered
from ...simulation.replications import Samples
from ...words.catalogue import Catalogue
from . import predictions
from .predictions import STRATA, doubts, proportional, uniform_positions
from .simulated_lists import Contest, Floats, Lists, Simulate, positions, stratified_lists

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


def carried_rounds(
    plan: Plan,
    truth: Floats,
    rounds: int,
    rng: np.random.Generator,
    follows: bool = False,
    logged: int = 0,
    wrong: float = 0.0,
) -> pd.DataFrame:
    """Value and limits of simulated lists of a plan, which may carry verdicts over.

    Parameters
    ----------
    plan : Plan
        Of one wave.
    truth : (N,) float
        The target's losses, 0 or 1.
    rounds : int
        Lists.
    rng : Generator
        Of the draws.
    follows : bool
        Whether nothing is audited.
    logged : int
        Audits of earlier lists.
    wrong : float
        Share of the carried verdicts that was wrong there.

    Returns
    -------
    DataFrame
        One row a list: value, low, high.
    """
    carried, sizes, counts = plan.design.carried, plan.strata.sizes, plan.allocation
    ones = np.bincount(plan.stratum, weights=truth, minlength=sizes.size).astype(np.int64)
    n_open = sizes.size if carried is None else sizes.size - 1
    rest = slice(0, n_open)
    drawn = rng.hypergeometric(ones[rest], (sizes - ones)[rest], counts[rest], (rounds, n_open))
    squares = drawn * (counts[rest] - drawn) / np.maximum(counts[rest], 1)
    samples = Samples(counts[rest], sizes[rest], drawn / np.maximum(counts[rest], 1), squares)
    part = (
        samples.estimates(DEFAULT)
        if n_open
        else pd.DataFrame(dict.fromkeys(("value", "low", "high"), np.zeros(rounds)))
    )
    if carried is None:
        return part
    known, share = carried.known, float(carried.known.mean())
    values, audits = carried.values[known], int(counts[-1])
    gaps = truth[known] - values
    people = [int((gaps > 0).sum()), int((gaps < 0).sum())]
    people.append(int(known.sum()) - sum(people))
    found = rng.multivariate_hypergeometric(people, audits, rounds)
    earlier = rng.binomial(logged, wrong, rounds)
    # What the log found has the direction that the verdicts are wrong in.
    side = 0 if people[0] >= people[1] else 1
    up, down = (found[:, way] + (earlier if way == side else 0) for way in (0, 1))
    n = audits + logged
    exact = follows or audits == known.sum()
    if exact and not follows:
        up, down, n = found[:, 0], found[:, 1], audits
    shift = np.zeros(rounds) if follows else (up - down) / max(n, 1)
    value = values.sum() / truth.size + (1 - share) * part["value"].to_numpy() + share * shift
    if exact:
        low, high = (value + (1 - share) * (part[end] - part["value"]).to_numpy() for end in ("low", "high"))
    else:
        open_part = None
        if n_open:
            tallies = np.stack([counts[rest] - drawn, drawn], axis=-1).astype(np.float64)
            open_part = np.array([0.0, 1.0]), tallies, counts[rest], sizes[rest]
        strata = AuditedStrata(float(values.sum()), int(known.sum()), truth.size, logged > 0)
        limits = strata.limits(DEFAULT, n, up, down, open_part)
        low, high = np.minimum(limits.low, value), np.maximum(limits.high, value)
    return pd.DataFrame({"value": value, "low": low, "high": high}).clip(0.0, 1.0)


# Uniform, the paper's design, LURE, and Neyman's recommended design in each state of knowledge.

# LURE's share of Uniform in its draw.
CLIP = 0.1


def uniform(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """M items without replacement, and Neyman's interval."""
    whole = np.zeros(contest.losses.size, dtype=np.int64)
    return stratified_lists(contest.losses, whole, np.array([budget]), rounds, seed)


def paper(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The paper's strata of semantic entropy with proxy-Neyman allocation, and Neyman's interval."""
    _need_generations(contest)
    return _of_plan(Design(budget, PAPER).draw(contest.pool, seed=0), contest, rounds, seed)


def se_lure(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """LURE with semantic entropy as its score."""
    _need_generations(contest)
    scores = semantic_entropy(contest.pool.classes())
    return Lists.bare(lure.estimates(contest.losses, scores, [budget], rounds, CLIP, seed)[:, 0])


def risk_lure(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """LURE with √p̂ as its score, the best one if p̂ is right: the root of the expected squared loss."""
    return Lists.bare(lure.estimates(contest.losses, np.sqrt(contest.risk), [budget], rounds, CLIP, seed)[:, 0])


def from_surrogate(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The recommended design with the surrogate's generations alone."""
    _need_generations(contest)
    return _of_plan(recommend(contest.pool, budget, None, ()).draw(contest.pool, seed=0), contest, rounds, seed)


def from_answers(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The recommended design with the target's answers beside them."""
    _need_generations(contest)
    if not answered(contest.pool, contest.target):
        raise DesignError(f"the pool has no answers of “{contest.target}”")
    design = recommend(contest.pool, budget, contest.target, ())
    return _of_plan(design.draw(contest.pool, seed=0), contest, rounds, seed)


def from_past(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The recommended design with past results too."""
    design = recommend(contest.pool, budget, contest.target, contest.past)
    return _of_plan(design.draw(contest.pool, seed=0), contest, rounds, seed)


def audited(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """With verdicts on equal answers of past models carried over, and half of the labels auditing them."""
    return _carried(contest, budget, rounds, seed, follows=False)


def carried(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """With verdicts carried over that follow from the answer, so that nothing is audited."""
    return _carried(contest, budget, rounds, seed, follows=True)


def _carried(contest: Contest, budget: int, rounds: int, seed: int, follows: bool) -> Lists:
    every = Bank.of(contest.pool)
    bank = every.without(~every.rows["model"].isin(contest.past).to_numpy())
    if not bank.lookup(contest.pool, contest.target).n_known:
        raise DesignError("no verdict is known")
    # Without carried verdicts where these would widen the interval.
    design = recommend(contest.pool, budget, contest.target, contest.past, bank=bank, follows=follows)
    plan = design.draw(contest.pool, seed=0)
    return Lists.of(carried_rounds(plan, contest.losses, rounds, np.random.default_rng(seed), follows))


def _of_plan(plan: Plan, contest: Contest, rounds: int, seed: int) -> Lists:
    return stratified_lists(contest.losses, plan.stratum, plan.allocation, rounds, seed)


def _need_generations(contest: Contest) -> None:
    if not contest.pool.n_generations:
        raise DesignError("the pool has no generations of a surrogate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A method of the comparison.

    Parameters
    ----------
    name : str
        In frames and on the command line; it never changes.
    title : str
        As people read it; "-like" says that it is not its authors' code.
    run : callable
        From a contest, a budget, a number of lists and a seed to the lists. It raises a DesignError if it does not
        apply.
    source : str
        Where it is described.
    package : str
        Its authors' package, which takes the place of ``run`` if the peers' environment has it; "" for none.
    ours : bool
        Whether it is Neyman's.
    slow : bool
        Whether it takes minutes on a large pool, however few the lists.
    aliases : tuple of str
        Earlier names.
    """

    name: str
    title: str
    run: Simulate
    source: str
    package: str = ""
    ours: bool = False
    slow: bool = False
    aliases: tuple[str, ...] = ()


_OURS = "docs/designs.md"
RIVALS: Catalogue[Rival] = Catalogue(
    "method",
    (
        Rival(name=UNIFORM.name, title="Uniform", run=uniform, source="docs/method.md, 3"),
        Rival(name=PROXY_NEYMAN.name, title="The paper’s", run=paper, source="docs/method.md, 2"),
        Rival(name=SE_LURE.name, title="SE-LURE", run=se_lure, source="Farquhar et al. 2021"),
        Rival(name="lure", title="LURE, score √p̂", run=risk_lure, source="Kossen et al. 2021"),
        Rival(
            name="ppi++",
            title="PPI++",
            run=predictions.ppi,
            source="Angelopoulos, Duchi & Zrnic 2023",
            package="ppi-python",
        ),
        Rival(
            name="stratified-ppi",
            title="Stratified PPI++",
            run=predictions.stratified_ppi,
            source="Fisch et al. 2024",
            package="glide-py",
        ),
        Rival(
            name="ssepy",
            title="ssepy, Neyman strata",
            run=predictions.ssepy_like,
            source="Fogliato et al. 2024",
            package="ssepy",
        ),
        Rival(name="aipw", title="AIPW, active", run=predictions.aipw, source="Zrnic & Candès 2024"),
        Rival(
            name="asi",
            title="ASI, active",
            run=predictions.asi,
            source="Zrnic & Candès 2024; Gligorić et al. 2025",
            package="glide-py",
        ),
        Rival(name="faq", title="FAQ-like", run=predictions.faq_like, source="Wu, Nair & Candès 2026", slow=True),
        Rival(
            name="anchors",
            title="tinyBenchmarks-like anchors",
            run=predictions.anchors,
            source="Polo et al. 2024",
            slow=True,
        ),
        Rival(
            name="p-irt", title="tinyBenchmarks-like p-IRT", run=predictions.p_irt, source="Polo et al. 2024", slow=True
        ),
        Rival(name=FROM_SURROGATE.name, title="Neyman: surrogate", run=from_surrogate, source=_OURS, ours=True),
        Rival(name=FROM_ANSWERS.name, title="Neyman: + answers", run=from_answers, source=_OURS, ours=True),
        Rival(name=FROM_PAST.name, title="Neyman: + past results", run=from_past, source=_OURS, ours=True),
        Rival(
            name="bank-audited",
            title="Neyman: + a bank, audited",
            run=audited,
            source="docs/versions.md, 2",
            ours=True,
        ),
        Rival(
            name="bank",
            title="Neyman: + a bank, verdicts follow (keyed items)",
            run=carried,
            source="docs/versions.md, 2",
            ours=True,
        ),
    ),
)
