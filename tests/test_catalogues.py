"""Catalogues: each thing is declared once, completely, and everybody who asks of one reads it there."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from core.allocation import METHODS, RULES, WAYS
from core.design import ALLOCATIONS, Design, Plan, Scheme, recommend
from core.errors import DesignError, LabelError
from core.figures.style import METHOD_STYLES
from core.lab import across, settings
from core.lab.signals_compared import compare, signals
from core.labels import KINDS, canonical, export
from core.pool import Pool
from core.prospect import Prospect, Question
from core.report.everyday import procedure
from core.report.sentences import method as method_sentences
from core.signals import SIGNALS, USUAL, Given, Signal, entries, offered, signal
from core.stratification import METHODS as CUTS
from core.stratification import STRATIFIERS
from core.study import Study, labelled, request
from core.words.catalogue import Catalogue
from pages.parts.widgets import controls
from tests.test_structure import SOURCES, nodes, tree
from tools import tables

CATALOGUES: dict[str, Catalogue] = {"signal": SIGNALS, "method": WAYS, "stratifier": STRATIFIERS, "kind": KINDS}
NAMES = {
    what: {name for entry in one.entries for name in (entry.name, *entry.aliases)} for what, one in CATALOGUES.items()
}
# Where entries are declared.
HOMES = ("core.allocation.ways", "core.allocation.ways", "core.labels.kinds", "core.stratification.cuts")

TRULY_EMPTY = {"aliases", "made_from", "needs", "choices", "verdicts", "losses", "scale", "rung", "why", "order", "cut"}
N = 40


def rows() -> Iterator[dict[str, Any]]:
    """A pool that has what every signal needs."""
    rng = np.random.default_rng(3)
    for n in range(N):
        letters = ["ABCD"[c] for c in rng.integers(0, 1 + n % 4, 5)]
        outcomes = {name: {"answer": "AB"[n % 2], "loss": float(rng.random() < 0.3)} for name in ("a", "b")}
        yield {
            "id": f"q{n}",
            "prompt": f"How many are {n} and {n}?",
            "generations": letters,
            "logprobs": (-rng.random(5)).tolist(),
            "token_logprobs": (-rng.random(5)).tolist(),
            "targets": {"new": {"answer": "ABCD"[n % 3], "loss": float(n % 3 == 0)}, **outcomes},
            "judge": n % 4 / 4 + rng.random() / 10,
            "group": "uvw"[n % 3],
        }


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.from_records(rows(), "everything")


def scheme_of(one: Signal, **more: object) -> Scheme:
    column = "judge" if one.of_column else None
    return Scheme(one.name, target="new", column=column, n_strata=4, **more)


def study_of(plan: Plan) -> Study:
    sheet = request(plan, "right-wrong", target="new").assign(label="right")
    return labelled(plan, sheet.to_csv(index=False).encode(), target="new")


# ── what an entry says ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("what", CATALOGUES)
def test_an_entry_says_everything(what: str) -> None:
    for entry in CATALOGUES[what].entries:
        values = {field.name: getattr(entry, field.name) for field in fields(entry)}
        missing = [name for name, value in values.items() if value in (None, "", ()) and name not in TRULY_EMPTY]
        assert missing == [], entry.name
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", entry.name)
    titles = [entry.title for entry in CATALOGUES[what].entries]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("what", CATALOGUES)
def test_an_unknown_name_lists_the_choices(what: str) -> None:
    error = LabelError if what == "kind" else DesignError
    with pytest.raises(error, match="called “nothing”") as caught:
        CATALOGUES[what]["nothing"]
    assert f"Choose one of {', '.join(CATALOGUES[what])}." in str(caught.value)


@pytest.mark.parametrize("home", HOMES)
def test_whatever_is_declared_where_entries_are_is_in_its_catalogue(home: str) -> None:
    kinds = {
        type(entry): {id(one) for one in catalogue.entries}
        for catalogue in CATALOGUES.values()
        for entry in catalogue.entries
    }
    declared = {name: value for name, value in vars(importlib.import_module(home)).items() if type(value) in kinds}
    assert declared
    assert [name for name, value in declared.items() if id(value) not in kinds[type(value)]] == []


def test_two_entries_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two entries"):
        Catalogue("signal", [*SIGNALS.entries, SIGNALS["risk"]])


def test_a_signal_says_what_the_order_of_recommendation_needs() -> None:
    choices = {field.name for field in fields(Scheme)}
    places = [one.order for one in SIGNALS.entries if one.order is not None]
    assert sorted(set(places)) == sorted(places) == places
    for one in SIGNALS.entries:
        assert set(one.needs) <= set(one.made_from) <= choices and one.usual in USUAL
        assert (one.why is None) <= (one.order is None)
        assert not one.of_surrogate or one.made_from == ()


def test_every_declaration_is_a_signal_under_its_own_name() -> None:
    declared = {name for name, one in vars(entries).items() if isinstance(one, Signal)}
    assert declared == {name.upper().replace("-", "_") for name in SIGNALS}


# ── who reads it ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_goes_all_the_way(pool: Pool, name: str) -> None:
    """There, read, previewed, drawn, forecast, compared, reported, and everywhere under its own words."""
    one = SIGNALS[name]
    given = Given("new", column="judge" if one.of_column else None)
    assert one.there(pool, given) and not one.there(Pool.from_records([{"id": "a"}]), Given("new"))
    known = one.read(pool, given)
    assert known.name == name and known.how.endswith(".") and known.values.shape == (N,)
    prospect = Prospect(pool, "new", 12, Question("new", signal=name, column=given.column))
    assert name in prospect.knowledge.signals and one.said(given.column) == prospect.signal
    assert (given.column or one.noun) in prospect.signals["signal"].tolist()
    assert prospect.belief.auroc.low >= 0.5 and prospect.promise.sentence
    plan = Design(12, scheme_of(one), seed=0).draw(pool)
    assert plan.design.scheme.relevant() == plan.design.scheme.relevant().relevant()
    result = study_of(plan).result()
    assert f"strata by {one.said(given.column)}" in method_sentences(result)[0]
    assert one.said_plainly(given.column) in procedure(result, None) and "None" not in procedure(result, None)


def test_lab_compares_every_signal_that_is_there(pool: Pool) -> None:
    table = compare(pool, signals(pool, targets=["new"]), ["new"], [12])
    there = {given.column or one.name for one, given in offered(pool, Given("new"))}
    assert set(table["signal"]) == there >= {*SIGNALS, "judge"} - {"column"} and "None" not in "".join(table["label"])


# Pools that know less and less, down to nothing.
LESS: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (
    lambda row: row,
    lambda row: row | {"targets": {"a": row["targets"]["a"], "new": {"loss": 0.0}}},
    lambda row: row | {"targets": {"new": {"answer": "A"}}},
    lambda row: row | {"targets": {"new": {"loss": 0.0}}},
    lambda row: {"id": row["id"], "group": row["group"], "targets": {"new": {"loss": 0.0}}},
    lambda row: {"id": row["id"], "targets": {"new": {"loss": 0.0}}},
)


@pytest.mark.parametrize("less", LESS)
def test_recommendation_takes_the_first_signal_that_is_there(less: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    pool = Pool.from_records(map(less, rows()))
    there = [one for one in SIGNALS.entries if one.order is not None and one.there(pool, Given("new"))]
    design = recommend(pool, 12, "new")
    assert design.why.endswith(".") and design.scheme.uniform == (not there)
    assert design.scheme.uniform or design.scheme.signal == there[0].name


@pytest.mark.parametrize("name", METHODS)
def test_a_rule_goes_all_the_way(pool: Pool, name: str) -> None:
    rule, scheme = RULES[name], Scheme(allocation=name, n_strata=3)
    assert rule is scheme.rule and (name in ALLOCATIONS) == rule.feasible
    prospect = Prospect(pool, "new", 12, Question("new", scheme=Scheme(n_strata=3)))
    assert name in set(prospect.curve()["method"])
    assert rule.whole or name in [variant.key for variant in settings.variants("allocation")]
    if rule.feasible:
        plan = Design(12, scheme, seed=0).draw(pool)
        assert plan.allocation.sum() == 12 and plan.strata.n_strata == (1 if rule.whole else 3)
        assert set(rule.choices) <= {field.name for field in fields(Scheme)}
        said = " ".join(method_sentences(study_of(plan).result()))
        assert (f"“{rule.title}” says: {rule.about}" in said) == (not rule.whole)
    else:
        with pytest.raises(DesignError, match="needs the losses"):
            Design(12, scheme)


def test_figures_and_lab_know_every_method() -> None:
    assert set(METHOD_STYLES) == set(WAYS) and all(METHOD_STYLES[name].label == WAYS[name].title for name in WAYS)
    assert set(across.METHODS) <= set(WAYS)


@pytest.mark.parametrize("name", STRATIFIERS)
def test_a_stratifier_goes_all_the_way(pool: Pool, name: str) -> None:
    plan = Design(12, Scheme(stratifier=name, n_strata=3), seed=0).draw(pool)
    assert plan.ids.size == 12 and plan.design.scheme.relevant().stratifier == name
    assert (name in CUTS) == (STRATIFIERS[name].cut is not None)
    assert f"“{STRATIFIERS[name].title}” says: {STRATIFIERS[name].about}" in " ".join(
        method_sentences(study_of(plan).result())
    )
    assert name not in CUTS or name in [variant.key for variant in settings.variants("stratifier")]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_of_label_goes_all_the_way(pool: Pool, name: str) -> None:
    kind = KINDS[name]
    label = next(iter(kind.verdicts), "0.5" if kind.averaged else "A")
    assert canonical(label, name) is not None and kind.measure in ("accuracy", "score", "win rate")
    plan = Design(12, seed=0).draw(pool)
    list_of_kind = request(plan, name, target="new", against="a" if kind.compares else None)
    assert ("target_answer" in list_of_kind, "first_answer" in list_of_kind) == (
        kind.judges and not kind.compares,
        kind.compares,
    )
    for tool in ("csv", "xlsx", "label-studio", "argilla", "prodigy"):
        assert export(list_of_kind, tool, name)
    study = labelled(plan, list_of_kind.assign(label=label).to_csv(index=False).encode(), kind=name, target="new")
    assert kind.done in procedure(study.result(), study.labels.provenance())


# ── aliases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_earlier_names_are_read_and_never_written(pool: Pool) -> None:
    for one in SIGNALS.entries:
        for alias in one.aliases:
            assert Scheme(alias) == Scheme(one.name) and Scheme(alias).signal == one.name
            assert signal(pool, alias).name == one.name and alias not in SIGNALS
    assert Scheme("weighted-semantic-entropy").signal == "likelihood-entropy"
    offered_here = replace(controls.SIGNAL, names={name: SIGNALS[name].title for name in SIGNALS})
    for alias, name in SIGNALS.aliases.items():
        assert offered_here.option(alias) == name and controls.SIGNAL.option(alias) is None


# ── nobody else keeps a list ────────────────────────────────────────────────────────────────────────────────────────


# The names in the code of what is declared, such as `EQUAL.name`.
CONSTANTS = {
    name: entry.name
    for home in HOMES
    for name, entry in vars(importlib.import_module(home)).items()
    if any(entry is one for catalogue in CATALOGUES.values() for one in catalogue.entries)
}
# Whoever says fewer than two of a catalogue has no list of them. No name is part of a longer word.
WORDS = re.compile(r"[\w-]+")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Match)


def said(text: str) -> bool:
    """Whether two names of a catalogue stand in a text, wherever that is."""
    found = {CONSTANTS.get(word, word) for word in WORDS.findall(text)}
    return any(len(names & found) > 1 for names in NAMES.values())


def words(given: Iterable[ast.expr]) -> set[str]:
    return {node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def keys(node: ast.Dict) -> set[str]:
    """What a dictionary is keyed by, also by names such as `EQUAL.name` and `EQUAL.title`."""
    given = [key for key in node.keys if key is not None]
    named = [key.value for key in given if isinstance(key, ast.Attribute) and key.attr in ("name", "title")]
    declared = {CONSTANTS.get(getattr(one, "id", getattr(one, "attr", "")), "") for one in named}
    return words(given) | declared - {""}


def compared(code: Iterable[ast.AST]) -> set[str]:
    """What something is compared with."""
    given = list(code)
    sides = [side for node in given if isinstance(node, ast.Compare) for side in (node.left, *node.comparators)]
    return words((*sides, *(node.value for node in given if isinstance(node, ast.MatchValue))))


def outside(code: ast.AST) -> Iterator[ast.AST]:
    """What a module says outside its functions."""
    for node in ast.iter_child_nodes(code):
        if not isinstance(node, SCOPES):
            yield node
            yield from outside(node)


def stored(code: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """Keys under which something is stored in the same place, with the line of the first."""
    places: dict[str, list[ast.Subscript]] = {}
    for node in nodes(code):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            places.setdefault(ast.unparse(node.value), []).append(node)
    yield from ((found[0].lineno, words(node.slice for node in found)) for found in places.values())


def lists(code: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """Words that stand together: keys of a dictionary, elements of a collection, what a function compares with."""
    faces = {
        id(node.value)
        for node in nodes(code)
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)
    }
    yield from stored(code)
    yield 1, compared(outside(code))
    for node in nodes(code):
        if isinstance(node, ast.Dict):
            yield node.lineno, keys(node)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set) and id(node) not in faces:
            yield node.lineno, words(node.elts)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict":
            yield node.lineno, {given.arg for given in node.keywords if given.arg}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            yield node.lineno, {word for text in words([node.func.value]) for word in re.split(r"[\s,]+", text)}
        elif isinstance(node, SCOPES):
            yield getattr(node, "lineno", 1), compared(ast.walk(node))


def own_lists(code: ast.AST) -> list[tuple[int, set[str]]]:
    return [(line, both) for line, said in lists(code) for names in NAMES.values() if len(both := names & said) > 1]


@pytest.mark.parametrize(
    ("code", "is_one"),
    [
        ("x = {'agreement': 1, 'past-results': 2}", True),
        ("x = ('equal', 'power')", True),
        ("x = {'equal', 'proxy-neyman'}", True),
        ("x = dict.fromkeys(['gold', 'score'])", True),
        ("def f(x):\n    if x == 'agreement':\n        return 1\n    return 2 if x == 'column' else 3", True),
        ("x = {EQUAL.name: 1, allocation.POWER.name: 2}", True),
        ("x = {rule.name: rule for rule in RULES.entries}", False),
        ("x = dict(agreement=1, column=2)", True),
        ("x['agreement'] = 1\nx['column'] = 2", True),
        ("x['agreement'] = 1\ny['column'] = 2", False),
        ("x = 'equal power'.split()", True),
        ("y = 1 if x == 'agreement' else 2 if x == 'column' else 3", True),
        ("f = lambda x: 1 if x == 'agreement' else 2 if x == 'column' else 3", True),
        ("match x:\n    case 'gold':\n        y = 1\n    case 'score':\n        y = 2", True),
        ("def f(x):\n    return x == 'agreement'", False),
        ("__all__ = ['equal', 'power']", False),
        ("x = {'accuracy': 1, 'score': 2}", False),
    ],
)
def test_a_list_of_one_s_own_is_found(code: str, is_one: bool) -> None:
    assert bool(own_lists(ast.parse(code))) == is_one
    assert said(code) or not is_one


def test_nobody_else_keeps_a_list_of_their_names() -> None:
    # What the paper printed of its own methods; nothing that is declared later has a place there.
    printed = "core.lab.baselines"
    readers = (
        (name, path)
        for name, path in SOURCES.items()
        if name.split(".")[0] != "data"
        and name not in (*HOMES, printed)
        and not name.startswith("core.signals.entries")
        and said(path.read_text(encoding="utf-8"))
    )
    assert {name: own for name, path in readers if (own := own_lists(tree(path)))} == {}


# ── documentation ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_documents_list_what_the_catalogues_have() -> None:
    for page, header, table in tables.tables():
        text = (tables.DOCS / page).read_text(encoding="utf-8")
        assert tables.written(text, header, table) == text, "run python -m tools.tables"
