"""Every page, opened cold at an address with its controls at other values than their defaults, shows these values."""

from __future__ import annotations

import shutil
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from core.archive import Archive
from core.readers import read
from core.study import Labelling, kept_plan
from pages.parts.app import state
from pages.parts.app.address import VERSION
from pages.parts.widgets.control import Control, Options
from pages.parts.widgets.every import EVERY
from tests.browser.conftest import settle, visit
from tests.browser.servers import Server
from tests.browser.test_accessibility import opened
from tests.compatibility import lists

# What each control of the page shows, by its label. A dial's number is in a field beside its slider.
SHOWN = """() => {
    const roots = [document], shown = {};
    for (const root of roots)
        for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot);
    const all = (what) => roots.flatMap((root) => [...root.querySelectorAll(what)]);
    const add = (label, text) => (shown[label] ??= []).push(text.trim());
    for (const input of all('input[aria-label], textarea[aria-label]')) {
        const tags = input.closest('[data-testid="stMultiSelectTagsContainer"]');
        add(input.ariaLabel, input.type === 'checkbox' ? String(input.checked) : tags ? tags.innerText : input.value);
    }
    for (const group of all('[role="radiogroup"]'))
        add(group.ariaLabel, group.querySelector('[data-selected="true"]')?.innerText ?? '');
    for (const tab of all('[role="tab"][aria-selected="true"]')) add('Part', tab.innerText);
    return shown;
}"""
POPOVER = '[data-testid="stMain"] [data-testid="stPopoverButton"]:not(:has-text("Download"))'
POPOVER_BODY = '[data-testid="stPopoverBody"]'
# Labels of controls on pages that call them otherwise: a list is also the choice of a design.
ALSO = {
    "design": ("Which list to draw",),
    "plan": ("Design",),
    "plan-part": ("Part",),
    "versions": ("Part",),
} | dict.fromkeys(("about", "contents", "detail", "judge-part", "list-detail"), ("Part",))
# Controls that are drawn only after something else was chosen or done.
ELSEWHERE = {
    "column",
    "known",
    "criterion",
    "judge-good-from",
    "most-bias",
    "known-outcomes",
    "lab-budget",
    "lab-question",
    "new-model",
    "pair",
    "pass-words",
}
ELSEWHERE |= {"known", "people", "read-as", "run"}
# Of two pages that have a control each, both may call it by another name.
CONTROLS: dict[str, list[Control]] = {}
for one in EVERY:
    CONTROLS.setdefault(one.key, []).append(one)
# Of the kept lists in `tests/compatibility/v4`, those that a page opens.
LISTS = ("two kinds", "scores")


class Link(NamedTuple):
    """A page, the parameters of its address, and its pool; ``{list}`` in one stands for the id of a kept list."""

    page: str
    query: dict[str, str | list[str]]
    pool: str = "today"


PRICES = {"currency": "CHF", "price": "1.5", "minutes": "3"}
GOLD = {"plan": "{two kinds}", "label-kind": "gold", "target": "v2"}
LINKS = (
    Link("", PRICES),
    Link(
        "plan",
        {
            "question": "half-width",
            "points": "7.5",
            "target": "other",
            "believed": ["55", "65"],
            "auroc": "strong",
            "confidence": "0.9",
            "bar": "71",
            "band": "3.5",
            "chance": "0.95",
            "plan-part": "Ship or hold",
            "run-price": "0.25",
            "tokens": "900",
            "token-price": "2.5",
            **PRICES,
        },
    ),
    Link(
        "versions",
        {"gate-old": "v1", "gate-new": "other", "margin": "4.5", "looks": "any", "verdicts": "follows"},
    ),
    Link("models", {"versions": "Compare two models", "agreement": "77", "difference": "6.5", "targets": "3"}),
    Link(
        "models",
        {
            "models": ["v1", "other"],
            "within": "2.5",
            "label-waves": "2",
            "confidence": "0.9",
            "chance": "0.95",
            "contest-seed": "4",
            "versions": "In CI",
        },
    ),
    Link("plan", {"plan-for": "none", "items": "700", "question": "money", "money": "1234", **PRICES}),
    Link("pool", {"parser": "text", "contents": "answers"}),
    Link("explore", {"detail": "numbers"}),
    Link(
        "explore",
        {
            "design": "paper",
            "allocation": "power",
            "stratifier": "k-means",
            "strata": "4",
            "offset": "0.3",
            "budget": "40",
            "target": "other",
            "parser": "text",
            "simulate": "false",
            "unit": "points",
        },
    ),
    Link(
        "explore",
        {
            "signal": "past-results",
            "past": ["v1"],
            "accuracy": "61",
            "target": "other",
            "trials": "500",
        },
    ),
    Link(
        "label",
        {
            "design": "paper",
            "allocation": "proportional",
            "stratifier": "quantile",
            "strata": "3",
            "offset": "0.4",
            "budget": "35",
            "target": "other",
            "label-kind": "score",
            "parser": "text",
            "seed": "77",
        },
    ),
    Link("explore", {"floor": "0.25", "target": "v2"}),
    Link("label", {"budget": "33", "target": "other", "waves": "true", "seed": "5"}),
    Link("label", {"budget": "31", "target": "v2", "known-verdicts": "follows", "seed": "6", "list-detail": "known"}),
    Link(
        "label",
        {"plan": "{two kinds}", "label-kind": "right-wrong", "target": "v2", "part": "Label here", "annotator": "Ann"},
    ),
    Link(
        "estimate",
        {
            **GOLD,
            "compare": "v1",
            "interval": "korn-graubard",
            "confidence": "0.8",
            "positive": "B",
            "about": "metrics",
        },
    ),
    Link("estimate", {**GOLD, "bar": "72", "band": "2.5", "about": "decide"}),
    Link("estimate", {**GOLD, "half-width": "6", "about": "precision"}),
    Link("estimate", {"plan": "{scores}", "label-kind": "score", "target": "v2", "unbounded": "true"}),
    Link(
        "judge",
        {
            "judge": "safe",
            "pass-from": "4",
            "criteria": ["judge"],
            "graded": "v2",
            "budget": "33",
            "seed": "8",
            "least-tpr": "85",
            "least-tnr": "75",
        },
    ),
    Link("judge", {"judge": "safe", "judge-scale": "1-5"}),
    Link(
        "judge",
        {
            "judge-part": "labels",
            "beside": "people",
            "believed-tpr": "88",
            "believed-tnr": "66",
            "believed-fails": "31",
        },
        "EVOUNA",
    ),
    Link(
        "lab",
        {
            "target": "other",
            "parser": "text",
            "section": "Strata and offset",
            "lab-stratifier": "k-means",
            "lab-strata": "4",
            "lab-offset": "0.5",
            "lab-lure": "false",
            "lab-simulate": "true",
            "lab-trials": "300",
            "lab-clip": "0.25",
            "lab-seed": "9",
            "lab-budgets": "12, 24",
        },
    ),
    Link("estimate", {"plan": "{scores}", "label-kind": "score:0-10", "target": "v2", "at-least": "6"}),
    Link("label", {"budget": "32", "label-kind": "preference", "target": "v2", "against": "other", "seed": "7"}),
    Link("surrogate", {}),
)


@pytest.fixture(scope="module")
def names(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Ids of the kept lists, which are put into the app's home with their pool and labels, and digests of the pools."""
    home = tmp_path_factory.mktemp("today") / "home"
    shutil.copytree(lists.HOME, home)
    before, now = Archive(home), Archive(server.home)
    ids = {"EVOUNA": read(state.EVOUNA, state.EVOUNA_NAME).digest[:16]}
    for name in LISTS:
        about = lists.known()["plans"][name]
        pool = before.pools.load(about["pool"])
        now.pools.save(pool, lists.NOW)
        plan = kept_plan(before, about["plan_id"], pool)
        for kind in ("gold", "right-wrong", "score"):
            record = Labelling.load(before, plan, pool, kind, None if kind == "gold" else "v2")
            rows = record.relevant[["item_id", "annotator", "label", "note", "status"]]
            if len(rows):
                record.save(now, rows, "csv", lists.NOW)
        ids |= {name: plan.plan_id, "today": pool.digest[:16]}
    return ids


def texts(key: str, given: str | list[str]) -> set[str]:
    """Return the texts that controls of this key may show for a value of the address."""
    several = [given] if isinstance(given, str) else given
    said = set(several) if len(several) == 1 else {"\n".join(several)}
    for control in CONTROLS[key]:
        value = control.value_of(several)
        if isinstance(control, Options) and value is not None:
            said.add(control.text(value))
    return {plainly(one) for one in said}


def is_said(key: str, given: str | list[str], text: str) -> bool:
    """Whether a text on the page says a value: a list is named by what it holds, and the beginning of its id."""
    if key == "plan":
        return given[:6] in text
    return not {text, text.split("\n")[0]}.isdisjoint(texts(key, given))


def plainly(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("-", " ").casefold()


def unsaid(shown: dict[str, list[str]], query: dict[str, str | list[str]]) -> list[str]:
    """The parameters whose control does not show their value, with what it shows."""
    faults = []
    for key, given in query.items():
        beginnings = (*(one.label for one in CONTROLS[key]), *ALSO.get(key, ()))
        found = [plainly(text) for label, said in shown.items() if label.startswith(beginnings) for text in said]
        ends = given if isinstance(given, list) and len(found) > 1 else [given]
        if not all(any(is_said(key, end, text) for text in found) for end in ends):
            faults.append(f"{key}={given}: {found}")
    return faults


def test_every_control_is_in_an_address() -> None:
    given = {key for link in LINKS for key in link.query}
    assert given == CONTROLS.keys() - ELSEWHERE


@pytest.mark.parametrize("number", range(len(LINKS)), ids=lambda number: f"{LINKS[number].page or 'overview'}-{number}")
def test_a_page_opened_cold_shows_what_its_address_says(
    page: Page, server: Server, names: dict[str, str], number: int
) -> None:
    link = LINKS[number]
    query = {key: names[value[1:-1]] if str(value)[0] == "{" else value for key, value in link.query.items()}
    address = urlencode({"v": VERSION, "pool": names[link.pool], **query}, doseq=True)
    visit(page, f"{server.url}/{link.page}?{address}")
    shown: dict[str, list[str]] = {}
    for place in range(page.locator(POPOVER).count()):
        page.locator(POPOVER).nth(place).click()
        expect(page.locator(POPOVER_BODY)).to_be_visible()
        settle(page)
        shown |= page.evaluate(SHOWN)
        page.keyboard.press("Escape")
        expect(page.locator(POPOVER_BODY)).to_have_count(0)
    opened(page)
    assert unsaid(shown | page.evaluate(SHOWN), query) == []


def test_a_panel_that_is_opened_after_a_further_run_shows_what_the_address_says(
    page: Page, server: Server, names: dict[str, str]
) -> None:
    """Its fields reach the browser's screen only now; what the first run set has passed."""
    query = {"run-price": "0.25", "tokens": "900", "token-price": "2.5", **PRICES}
    visit(page, f"{server.url}/plan?{urlencode({'v': VERSION, 'pool': names['today'], **query})}")
    price = page.get_by_label("Price per label").first
    price.fill("2")
    price.press("Enter")
    settle(page)
    page.locator(POPOVER).first.click()
    expect(page.locator(POPOVER_BODY)).to_be_visible()
    settle(page)
    assert unsaid(page.evaluate(SHOWN), query | {"price": "2"}) == []
