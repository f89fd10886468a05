"""The catalogue of what is compared: each method with its source, and whose code it is."""

from __future__ import annotations

from dataclasses import dataclass

from ...allocation.rules import PROXY_NEYMAN, UNIFORM
from ...allocation.ways import FROM_ANSWERS, FROM_PAST, FROM_SURROGATE, SE_LURE
from ...words.catalogue import Catalogue
from . import designs, factors, predictions
from .lists import Simulate


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
        Rival(name=UNIFORM.name, title="Uniform", run=designs.uniform, source="docs/method.md, 3"),
        Rival(name=PROXY_NEYMAN.name, title="The paper’s", run=designs.paper, source="docs/method.md, 2"),
        Rival(name=SE_LURE.name, title="SE-LURE", run=designs.se_lure, source="Farquhar et al. 2021"),
        Rival(name="lure", title="LURE, score √p̂", run=designs.risk_lure, source="Kossen et al. 2021"),
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
        Rival(name="faq", title="FAQ-like", run=factors.faq_like, source="Wu, Nair & Candès 2026", slow=True),
        Rival(
            name="anchors",
            title="tinyBenchmarks-like anchors",
            run=factors.anchors,
            source="Polo et al. 2024",
            slow=True,
        ),
        Rival(name="p-irt", title="tinyBenchmarks-like p-IRT", run=factors.p_irt, source="Polo et al. 2024", slow=True),
        Rival(name=FROM_SURROGATE.name, title="Neyman: surrogate", run=designs.from_surrogate, source=_OURS, ours=True),
        Rival(name=FROM_ANSWERS.name, title="Neyman: + answers", run=designs.from_answers, source=_OURS, ours=True),
        Rival(name=FROM_PAST.name, title="Neyman: + past results", run=designs.from_past, source=_OURS, ours=True),
        Rival(
            name="bank-audited",
            title="Neyman: + a bank, audited",
            run=designs.audited,
            source="docs/versions.md, 2",
            ours=True,
        ),
        Rival(
            name="bank",
            title="Neyman: + a bank, verdicts follow (keyed items)",
            run=designs.carried,
            source="docs/versions.md, 2",
            ours=True,
        ),
    ),
)
