"""Every page for everybody: drawn and fitting, axe-core's rules, contrast in both themes, and all of it by keyboard."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from core.archive import Archive
from core.design import Design, manifest
from core.judge import judge, judged
from core.labels import target_code
from core.readers import read
from core.report import report
from core.study import labelled
from tests.browser.conftest import (
    PAGES,
    PATIENCE,
    VIEWPORT,
    current_pool,
    figure,
    leave,
    move,
    problems,
    screenshot,
    settle,
    visit,
)
from tests.browser.test_address import budget, parameters
from tests.browser.test_look import beyond, not_dark, not_light, undescribed, undrawn
from tests.browser.test_walk import DEMO
from tests.conftest import ROOT

CREATED = "2026-01-01T00:00:00+00:00"
LLMBAR = ROOT / "data" / "llmbar.parquet"
NARROW = {"width": 768, "height": 900}
SERIOUS = {"serious", "critical"}
# The pages that have every kind of control among them: buttons, dials, boxes, numbers, switches and texts.
WALKED = ("", "plan", "explore")
# What is Streamlit's own and cannot be mended from here: the rule, a part of the selector, and why.
STREAMLITS: tuple[tuple[str, str, str], ...] = ()
# Rules that depend on colours; the others find the same in both themes.
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
NO_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
# Turns off the rules whose violations are not looked at.
LIGHT_RULES = """axe._audit.rules.filter(rule => ['minor', 'moderate'].includes(rule.impact))
    .forEach(rule => { rule.enabled = false; })"""

# Texts and their background, as they are painted: the colours of those ancestors in whose box the text stands.
# axe-core looks at no letter of an SVG.
CONTRASTS = """() => {
    const parse = colour => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return {rgb: [r, g, b], a};
    };
    const luminance = rgb => {
        const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const over = (front, back) => front.rgb.map((c, i) => front.a * c + (1 - front.a) * back[i]);
    const page = parse(getComputedStyle(document.querySelector('[data-testid="stApp"]') ?? document.body)
        .backgroundColor).rgb;
    const parent = e => e.parentElement ?? e.getRootNode().host;
    const behind = element => {
        const layers = [], own = element.getBoundingClientRect(), y = (own.top + own.bottom) / 2;
        for (let e = element; e; e = parent(e)) {
            const box = e.getBoundingClientRect();
            if (box.top <= y && y <= box.bottom) layers.push(parse(getComputedStyle(e).backgroundColor));
        }
        return layers.reverse().reduce((back, layer) => over(layer, back), page);
    };
    const opacity = e => { let all = 1; for (; e; e = parent(e)) all *= getComputedStyle(e).opacity; return all; };
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(e => [e, ...(e.shadowRoot ? every(e.shadowRoot) : [])]);
    return every(document).filter(e =>
        !e.closest('[disabled], [aria-disabled="true"], [aria-hidden="true"], style, script, title, .bartext')
        && e.getClientRects().length && e.getBoundingClientRect().bottom > 0
        && getComputedStyle(e).visibility === 'visible' && opacity(e) > 0
        && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    ).map(e => {
        const style = getComputedStyle(e), back = behind(e), size = parseFloat(style.fontSize);
        const colour = parse(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
        colour.a *= opacity(e);
        const [high, low] = [luminance(over(colour, back)), luminance(back)].sort((a, b) => b - a);
        const sign = !/[\\p{L}\\p{N}]/u.test(e.textContent);
        const large = sign || size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        return {text: e.textContent.trim().slice(0, 60), ratio: (high + 0.05) / (low + 0.05), least: large ? 3 : 4.5};
    });
}"""
DRAWN = """() => [...document.querySelectorAll('.neyman-chart')]
    .every(chart => chart.querySelector('.main-svg'))"""
# Notes everything that the Tab key must reach, in every shadow root, and how it looks; returns what it is.
CONTROLS = """() => {
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(e => [e, ...(e.shadowRoot ? every(e.shadowRoot) : [])]);
    const put_away = e => e && (e.closest('[inert], [aria-hidden="true"], details:not([open]) > :not(summary)')
        || put_away(e.getRootNode().host));
    const shown = e => e.getClientRects().length && getComputedStyle(e).visibility === 'visible' && !put_away(e);
    window.look = e => {
        const around = [e];
        for (let up = e.parentElement, i = 0; up && i < 3; up = up.parentElement, i++) around.push(up);
        const near = e.parentElement?.parentElement ?? e;
        return [...around, ...[...near.querySelectorAll('*')].slice(0, 60)].map(one => {
            const s = getComputedStyle(one);
            return [s.outlineStyle, s.outlineWidth, s.boxShadow, s.borderColor, s.backgroundColor].join();
        });
    };
    const stops = every(document).filter(e => e.tabIndex >= 0 && !e.disabled && shown(e)
        && e.matches('a[href], button, input, select, textarea, summary'));
    // Of choices beside each other, one is a stop, from which the arrows lead to the others.
    window.controls = stops
        .filter(e => !e.matches('[type="radio"]:not(:checked), [role="radio"][aria-checked="false"]'));
    // Where something has the focus already, as a field that one types in.
    for (let e = document.activeElement; e; e = e.shadowRoot?.activeElement) if (!e.shadowRoot) e.blur();
    window.looks = new Map(stops.map(e => [e, window.look(e)]));
    return window.controls.map(e => `${e.tagName.toLowerCase()} ${e.type ?? ''} ${
        e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent}`.slice(0, 60));
}"""
# What has the focus, in whichever shadow root: its place among the controls, and whether that can be seen.
FOCUSED = """() => {
    let focused = document.activeElement;
    while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    const choices = focused?.closest('[role="radiogroup"]'), own = window.controls.indexOf(focused);
    const place = own < 0 && choices ? window.controls.findIndex(e => choices.contains(e)) : own;
    const before = window.looks.get(focused) ?? [];
    return {place, seen: window.look(focused).some((now, i) => now !== before[i])};
}"""


def violations(page, where, **options):
    """What axe-core finds on a page, but for what is Streamlit's own."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
        page.evaluate(LIGHT_RULES)
    options = {"resultTypes": ["violations"], **options}
    violated = page.evaluate("options => axe.run(options).then(all => all.violations)", options)
    nodes = [(one, node) for one in violated if one["impact"] in SERIOUS for node in one["nodes"]]
    return [
        f"{where}: {one['id']}: {node['html'][:160]} at {node['target']}"
        for one, node in nodes
        if not any(rule == one["id"] and part in str(node["target"]) for rule, part, _ in STREAMLITS)
    ]


def faint(page, where):
    """Texts and signs with less contrast than WCAG's level AA demands (1.4.3 and 1.4.11)."""
    page.wait_for_function(DRAWN)
    page.evaluate("document.querySelector('[data-testid=\"stMain\"]')?.scrollTo(0, 0)")
    deadline = time.monotonic() + PATIENCE / 2000
    while True:
        contrasts = page.evaluate(CONTRASTS)
        few = [] if len(contrasts) > 12 else [f"{where}: only {len(contrasts)} texts"]
        faults = few + [f"{where}, faint: {text}" for text in contrasts if text["ratio"] < text["least"]]
        if not faults or time.monotonic() > deadline:
            return faults
        # A figure takes the theme's colours after the page around it has them.
        page.wait_for_timeout(250)


def opened(page):
    """Open every panel of the page."""
    closed = page.locator('[data-testid="stMain"] details:not([open]) > summary')
    while closed.count():
        closed.evaluate_all("all => all.forEach(summary => summary.click())")
        settle(page)


def everywhere(page, where, whole, narrow=False):
    """What is wrong in the theme in which the page stands, in the other one, in which it is left, and on a narrow page.

    Contrast is measured in both; axe-core measures it too on the whole, and looks at one theme if not.
    Streamlit can draw a figure in the theme before where theme and width change at the same moment.
    """
    themes = [("light", not_light), ("dark", not_dark)]
    if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"):
        themes.reverse()
    rules = [{}, COLOURS] if whole else [NO_CONTRAST, None]
    faults = []
    for (scheme, other_than), options in zip(themes, rules, strict=True):
        page.emulate_media(color_scheme=scheme)
        name = f"{where}, {scheme}"
        faults += [f"{name}: {problem}" for problem in problems(page, other_than)] + faint(page, name)
        faults += [] if options is None else violations(page, name, **options)
    if narrow:
        page.set_viewport_size(NARROW)
        faults += [f"{where}, narrow: {problem}" for problem in problems(page, beyond)]
    return faults


def drawn(page, path):
    """What is missing on a page, or does not fit; the budget of the first link is that of all."""
    expect(page).to_have_title(f"{PAGES[path]} · Neyman")
    expect(current_pool(page)).to_have_text("Practice pool")
    settle(page)
    assert parameters(page)["budget"] == "300", path
    if path in ("plan", "explore", "label"):
        expect(budget(page)).to_have_value("300")
    if not path:
        expect(page.locator('[data-testid="stMain"]')).to_contain_text("300 labels")
    if path == "explore":
        assert figure(page)
    name = path or "overview"
    faults = problems(page, undrawn, undescribed, beyond)
    screenshot(page, f"{name}-1280")
    return [f"{name}: {problem}" for problem in faults]


def kept(home):
    """A plan of the demo pool with the labels that its target really has; its study."""
    pool, archive = read(DEMO), Archive(home)
    target = next(iter(pool.targets))
    plan = Design(40, seed=3).draw(pool)
    verdicts = np.where(pool.losses(target)[plan.positions] > 0, "wrong", "right")
    rows = pd.DataFrame({"item_id": plan.ids, "label": verdicts, "annotator": "Ann"})
    archive.plans.save(plan.plan_id, manifest.write(plan, pool.name), pool.digest, CREATED)
    archive.labels.save(plan.plan_id, rows, CREATED, "csv", "right-wrong", target)
    return labelled(plan, rows, target, "right-wrong")


def judgement():
    """One of the bundled judges beside another, with people's verdicts on a list."""
    pool = read(LLMBAR)
    passes = dict(zip(pool.items.index, pool.items["people"] == "pass", strict=True))
    return judged(judge(pool, "GPT-4", 100, seed=1), passes, beside="PaLM2")


def escaped(page, path):
    """Where something has opened, Escape closes it: the demo, and what stands over the page."""
    if path == "?tour=4":
        page.get_by_role("slider", name="Labels").focus()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Show me how it works")).to_be_visible()
    if path == "plan":
        page.get_by_role("button", name="More inputs").press("Enter")
        expect(page.get_by_label("Currency", exact=True)).to_be_visible()
        # The run that the opening asks for is long where the details below are open.
        settle(page)
        page.keyboard.press("Escape")
        expect(page.get_by_label("Currency", exact=True)).to_have_count(0)


def passed(page, where):
    """What is wrong with the Tab key's way through a page: what it misses, its order, and where it does not show.

    A fault is one of the page where a second walk meets it too: the page may draw a control again during the first.
    """
    if not walked(page, where):
        return []
    settle(page)
    return walked(page, where)


def walked(page, where):
    """The faults that one walk with the Tab key meets."""
    controls = page.evaluate(CONTROLS)
    places, unseen = [], set()
    # Grids and scrolling texts are stops too.
    for _ in range(len(controls) + 30):
        page.keyboard.press("Tab")
        now = page.evaluate(FOCUSED)
        if not now["seen"]:
            # Some rings fade in.
            page.wait_for_timeout(300)
            now = page.evaluate(FOCUSED)
        if now["place"] in places:
            break
        if now["place"] >= 0:
            places.append(now["place"])
            unseen |= set() if now["seen"] else {now["place"]}
    first = places.index(min(places))
    ordered = places[first:] + places[:first]
    return [
        *(f"{where}, not reached: {name}" for place, name in enumerate(controls) if place not in places),
        *(f"{where}, no ring: {controls[place]}" for place in sorted(unseen)),
        *([] if ordered == sorted(ordered) else [f"{where}, order: {[controls[place] for place in ordered]}"]),
    ]


WHOLE = pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.trial)])


@WHOLE
def test_every_page_is_drawn_and_fits_and_is_for_everybody(start_server, new_page, whole):
    """On an app of which no other test has kept anything, whose first address is opened in the dark.

    Links lead from each page to the next, which is met in the theme in which the one before was left.
    """
    app, page = start_server(), new_page(color_scheme="dark")
    visit(page, f"{app.url}/?v=4&budget=300")
    rows = problems(page, not_dark)
    for path in PAGES:
        if path:
            sidebar = page.locator('[data-testid="stSidebar"]')
            page.set_viewport_size(VIEWPORT)
            # At once, so that the page before is not drawn again in this width.
            sidebar.get_by_role("link", name=PAGES[path], exact=True).dispatch_event("click")
        rows += drawn(page, path)
        if path == "explore":
            opened(page)
        if whole or path in WALKED:
            rows += passed(page, path or "overview")
        if path != "lab":
            opened(page)
        rows += everywhere(page, path or "overview", whole, narrow=True)
        screenshot(page, f"{path or 'overview'}-768")
        escaped(page, path)
    leave(page)
    app.stop()
    assert rows == []


@WHOLE
def test_what_an_address_opens_on_a_page_is_for_everybody(server, page, whole):
    """The tour, the desk, an estimate, the verdict on a judge, and an annotator's page."""
    study, rows = kept(server.home), []
    answers_of = f"of={target_code(study.labels.judged)}&annotator=Bob"
    of_pool = f"pool={study.labels.origin.digest[:16]}"
    alone = f"label?only=label&{of_pool}&plan={study.plan.plan_id}&asks=right-wrong&{answers_of}"
    desk = "label?part=Label+here&says=right-wrong"
    verdicts = f"judge?pool={read(LLMBAR).digest[:16]}&judge=GPT-4&people=people&beside=PaLM2&budget=100&seed=1"
    for path in ("?tour=4", desk, f"estimate?plan={study.plan.plan_id}", verdicts, alone):
        (visit if path == "?tour=4" else move)(page, f"{server.url}/{path}")
        expect(page).to_have_title(f"{PAGES[path.partition('?')[0]]} · Neyman")
        expect(page.get_by_test_id("stSidebar")).to_have_count(int(path != alone))
        rows += passed(page, path) if path in ("?tour=4", desk) else []
        # The annotator's page has the same desk.
        if whole or path != desk:
            opened(page)
            rows += everywhere(page, path, whole)
        escaped(page, path)
    assert rows == []


@WHOLE
def test_a_report_is_for_everybody(page, tmp_path, whole):
    rows, options = [], {} if whole else NO_CONTRAST
    for name, result in (("report", kept(tmp_path)), ("report of a judge", judgement())):
        page.emulate_media(media="screen")
        page.goto(report(result, tmp_path / f"{name}.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        rows += violations(page, name, **options) + faint(page, name)
        page.emulate_media(media="print")
        rows += faint(page, f"{name}, printed")
    assert rows == []
