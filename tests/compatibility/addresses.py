"""Addresses of every page in ``v1/`` and ``v3/``, as the pages write them and as people write them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from core import labels
from core.design import Plan
from core.pool import Pool
from tests.compatibility.exam import ALPHA, BETA, GAMMA, RICHER, at


def addresses(pool: Pool, blank: Pool, plans: dict[str, Plan]) -> list[str]:
    return [
        *_of_explore(pool),
        *_of_label(pool, plans),
        *_of_estimate(pool, plans),
        *_of_lab(pool),
        *_of_surrogate(pool, blank),
    ]


def of_the_third(pool: Pool, plans: dict[str, Plan]) -> list[str]:
    """Addresses with version 3, as its pages wrote them: options by the name that their box showed."""
    own: dict[str, Any] = {"v": 3, "pool": pool.digest[:16]}
    one, means, equal = (plans[name].plan_id for name in ("default", "k-means", "equal"))
    wave = {"label-kind": "Right or wrong", "seed": 5, "budget": 24, "waves": "true"}
    return [
        _link("explore", **own),
        _link("explore", **own, budget=30, target=BETA, simulate="false"),
        _link(
            "explore", **own, design="The paper’s", stratifier="k-means", strata=4, offset=0.3, budget=25, trials=500
        ),
        _link("explore", **own, design="For a decision", budget=24, target=ALPHA, parser="choice"),
        _link("explore", **own, target="A new model", past=BETA, budget=18),
        _link("label", **own, seed=7, budget=30, **{"label-kind": "The right answer"}),
        _link("label", **own, design="The paper’s", allocation="Uniform", seed=4, budget=15, target=BETA),
        _link("label", **own, target=ALPHA, **wave),
        _link("label", **own, design="gate", seed=9, budget=21, target=BETA, **{"label-kind": "A score, 0 to 1"}),
        _link("label", **own, design=one),
        _link("label", **own, design=one, budget=26, target=ALPHA, **{"label-kind": "Right or wrong"}),
        _link("label", **own, design=means, target=ALPHA, **{"label-kind": "score"}),
        _link("label", **own, design=equal, budget=30),
        _link("estimate", **own),
        _link("estimate", **own, plan=one, says="The right answer", target=ALPHA, confidence="90 %"),
        _link("estimate", **own, plan=one, says="Right or wrong", target=ALPHA, bar=75),
        _link("estimate", **own, plan=means, says="A score", target=ALPHA, interval="Student’s t"),
        _link("lab", **own, section="Allocation", target=BETA, **{"lab-budgets": "10,20", "lab-strata": 4}),
        _link("plan", **own, labels=40, price=3, believed=[60, 70]),
        _link(
            "plan",
            **own,
            **{"plan-for": "A new pool", "items": 500, "labels": 60},
            auroc="Hardly anything (weak, 0.56)",
        ),
        _link("plan", **own, question="How precise", points=8, target=ALPHA, bar=75, band=4),
        _link("plan", v=3, question="How much money", money=900, price=6),
        _link("plan", **own),
        _link("plan", v=3),
    ]


def _link(page: str, **query: Any) -> str:
    return f"{page}?{urlencode(query, doseq=True)}"


def _of_explore(pool: Pool) -> list[str]:
    exam = pool.digest[:16]
    return [
        _link("explore", pool=exam),
        _link(
            "explore",
            pool=exam,
            stratifier="k-means",
            strata=4,
            offset=0.3,
            budget=25,
            target=BETA,
            parser="choice",
            trials=500,
        ),
        _link("explore", pool=pool.digest, stratifier="Equal width", strata=3, budget=30, simulate="false"),
    ]


def _of_label(pool: Pool, plans: dict[str, Plan]) -> list[str]:
    exam = pool.digest[:16]
    one, means = (plans[name].plan_id for name in ("default", "k-means"))
    alpha = labels.target_code(ALPHA)

    def to_label(plan: str, asks: str, of: str = "", annotator: str = "Ann") -> str:
        query = {"only": "label", "plan": plan, "asks": asks, "pool": exam} | ({"of": of} if of else {})
        return _link("label", **query, annotator=annotator)

    return [
        _link("label", pool=exam),
        _link("label", pool=exam, budget=26, **{"label-kind": "gold"}),
        _link(
            "label",
            pool=exam,
            allocation="Proportional",
            stratifier="k-means",
            strata=4,
            seed=11,
            budget=18,
            target=ALPHA,
            **{"label-kind": "Right or wrong"},
        ),
        _link("label", pool=exam, allocation="uniform", seed=3, budget=15, target=BETA, **{"label-kind": "score"}),
        _link(
            "label",
            pool=exam,
            allocation="power",
            stratifier="quantile",
            strata=3,
            offset=0.3,
            parser="choice",
            budget=14,
        ),
        to_label(one, "gold"),
        to_label(one, "gold", annotator="Dora"),
        to_label(one, "right-wrong", alpha),
        to_label(means, "score", alpha, "Ben"),
    ]


def _of_estimate(pool: Pool, plans: dict[str, Plan]) -> list[str]:
    exam = pool.digest[:16]
    one, uniform, means, parser = (plans[name].plan_id for name in ("default", "uniform", "k-means", "parser"))
    return [
        _link("estimate", pool=exam),
        _link("estimate", pool=exam, plan=one, says="gold", target=ALPHA, compare=BETA),
        _link("estimate", pool=exam, plan=one, says="The right answer", target=ALPHA, positive="A"),
        _link("estimate", pool=exam, plan=one, says="right-wrong", target=ALPHA, confidence=90),
        _link("estimate", pool=exam, plan=one, says="Right or wrong", target=BETA, interval="Korn–Graubard"),
        _link("estimate", pool=exam, plan=uniform, says="right-wrong", target=BETA, confidence=0.99),
        _link("estimate", pool=exam, plan=means, says="score", target=ALPHA, **{"half-width": 10}),
        _link("estimate", pool=exam, plan=means, says="A score", target=ALPHA, unbounded="true"),
        _link("estimate", pool=exam, plan=parser, says="gold", target=GAMMA),
        _link("estimate", pool=exam, plan=parser, says="gold", target=ALPHA, **{"read-as": "own"}),
        _link("estimate", pool=plans[RICHER].pool_digest[:16], says="gold", target=ALPHA),
    ]


def _of_lab(pool: Pool) -> list[str]:
    exam = pool.digest[:16]
    return [
        _link("lab", pool=exam, section="Savings"),
        _link(
            "lab",
            pool=exam,
            section="Allocation",
            target=BETA,
            **{"lab-strata": 4, "lab-offset": 0.5, "lab-budgets": "10, 20", "lab-lure": "false", "lab-seed": 5},
        ),
        _link(
            "lab", pool=exam, section="H × δ map", **{"lab-budgets": "12,24", "lab-budget": 24, "lab-trials": "1,000"}
        ),
    ]


def _of_surrogate(pool: Pool, blank: Pool) -> list[str]:
    exam = pool.digest[:16]
    return [
        # The list of runs is in the address by what it shows.
        _link("surrogate", pool=blank.digest[:16], run=f"Stopped · m · k = 3 · {at(7)}"),
        _link("surrogate", pool=blank.digest[:16], run=f"Lost: its worker has ended · m · k = 4 · {at(7, 2)}"),
        _link("surrogate", pool=blank.digest[:16]),
        _link("surrogate", pool=exam),
    ]
