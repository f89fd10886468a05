"""Before labels: what is asked of a pool, what is known of it, the design that follows, and what it promises."""

from .decisions import Differing, EarlyGate, Finding, GatePromise, KnownPair, PairPromise
from .dots import Dots
from .fact import PoolFact
from .knowledge import Knowledge
from .memo import BoundedCache, Memo
from .promise import Promise
from .proposal import KEPT
from .prospect import Prospect
from .question import ELSEWHERE, Pilot, Question

__all__ = [
    "ELSEWHERE",
    "KEPT",
    "BoundedCache",
    "Differing",
    "Dots",
    "EarlyGate",
    "Finding",
    "GatePromise",
    "Knowledge",
    "KnownPair",
    "Memo",
    "PairPromise",
    "Pilot",
    "PoolFact",
    "Promise",
    "Prospect",
    "Question",
]
