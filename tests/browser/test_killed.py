"""Kills of the app at random moments while two people label with both kinds of label: nothing confirmed is lost.

`make trials` kills forty times, `make test` once, while each labels with another kind; both print the figures. By
itself, with KILLS and SEED of the environment: `python -m pytest tests/browser/test_killed.py -m trial`.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from core.archive import Archive
from core.pool import Pool
from tests.browser.conftest import FAILED, PATIENCE, emptied, profiles, visit
from tests.browser.desks import Mortal
from tests.browser.test_label import CREATED

KILLS, SEED = int(os.environ.get("KILLS", "40")), int(os.environ.get("SEED", "0"))
# One kind after the other: what is asked of the same list changes while labels of the other kind may wait.
QUESTIONS = {"right-wrong": "Right+or+wrong", "gold": "The+right+answer"}
KEYS = {"right-wrong": "10", "gold": "abcd"}
MOST = 6
# What the desk has given, and what of it is still unsaved by its own account, at one moment.
LOOK = """desk => ({
    item: desk.querySelector('.name')?.textContent.replace('Item ', '') ?? '',
    asks: desk.querySelector('.dock p')?.textContent ?? '',
    unsaved: [...desk.querySelectorAll('.queue li')].map(e => e.textContent.split(': ')[0]),
    shut: document.querySelector('[role="dialog"]') !== null})"""


def questions(kills: int) -> Pool:
    """More than two people can label between so many kills."""
    return Pool.from_records(
        [
            {
                "id": f"q{n}",
                "prompt": f"Which is the letter of {n}?\nA. this\nB. that\nC. both\nD. neither",
                "answer": "ABCD"[n % 4],
                "generations": [*"ABCD", "ABCD"[n % 3]],
                "targets": {"one": {"answer": "A"}},
            }
            for n in range(40 + 12 * kills)
        ],
        "Killed",
    )


class Person:
    """Somebody who labels one list as two kinds, and remembers what the desk said of each label.

    Parameters
    ----------
    page : Page
        Their tab.
    name : str
        Their name.
    url : str
        Address of the list.
    """

    def __init__(self, page: Page, name: str, url: str) -> None:
        self.page, self.name, self.url = page, name, url
        self.given: dict[tuple[str, str, str], str] = {}
        self.shown: set[tuple[str, str, str]] = set()
        self.kind = ""

    def open(self, kind: str) -> None:
        """Open the list with a question, as a reload does."""
        self.kind = kind
        visit(self.page, f"{self.url}&label-kind={QUESTIONS[kind]}&annotator={self.name}")
        expect(self.page.locator(".desk .dock p").first).to_be_visible()

    def look(self) -> dict[str, Any]:
        """The desk at this moment."""
        # Through the locator, which finds the desk in its shadow root.
        return self.page.locator(".desk").evaluate(LOOK)

    def give(self, moments: random.Random) -> None:
        """Answer the item at the desk."""
        look = self.look()
        if look["shut"]:
            self.page.keyboard.press("Escape")
            return
        if not look["item"] or not look["asks"]:
            return
        kind = "gold" if "right answer" in look["asks"] else "right-wrong"
        key = moments.choice(KEYS[kind])
        self.page.keyboard.press(key)
        label = {"1": "right", "0": "wrong"}.get(key, key.upper())
        after = self.look()
        if look["item"] in after["unsaved"] or look["item"] != after["item"]:
            self.given[look["item"], kind, self.name] = label
            self.shown.discard((look["item"], kind, self.name))

    def note(self) -> None:
        """Remember what the desk shows as saved: what was given and does not wait."""
        unsaved = set(self.look()["unsaved"])
        self.shown |= {key for key in self.given if key[0] not in unsaved}


@pytest.fixture
def two(browser: Browser, request: pytest.FixtureRequest) -> Iterator[list[BrowserContext]]:
    """Two profiles whose consoles may speak of a server that is gone."""
    expect.set_options(timeout=PATIENCE)
    contexts = profiles(browser, 2)
    yield contexts
    if request.node.stash.get(FAILED, True):
        for context in contexts:
            context.close()


@pytest.mark.parametrize("kills", [1, pytest.param(KILLS, marks=pytest.mark.trial)])
def test_no_confirmed_label_is_lost_and_none_is_shown_as_saved_that_is_not(
    tmp_path: Path, two: list[BrowserContext], kills: int, capsys: pytest.CaptureFixture[str]
) -> None:
    moments, app, pool = random.Random(SEED), Mortal(tmp_path), questions(kills)
    Archive(app.home).pools.save(pool, CREATED)
    query = f"pool={pool.digest[:16]}&part=Label+here&budget={len(pool.items) - 20}&seed=3&target=one"
    people = []
    for context, name, kind in zip(two, ("Ann", "Ben"), QUESTIONS, strict=True):
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        people.append(Person(page, name, f"{app.server.url}/label?{query}"))
        people[-1].open(kind)
    lost, wrong = set[tuple[str, str, str]](), set[tuple[str, str, str]]()
    for kill in range(kills):
        for _ in range(moments.randint(1, MOST)):
            for person in people:
                person.give(moments)
            people[0].page.wait_for_timeout(moments.choice([0, 20, 60, 300]))
        for person in people:
            person.note()
        app.kill()
        shown = set[tuple[str, str, str]]().union(*(person.shown for person in people))
        kept = app.kept()
        given = {key: label for person in people for key, label in person.given.items()}
        wrong |= {key for key in shown if kept.get(key) != given[key]}
        # While the app is gone, they label on.
        for _ in range(moments.randint(1, 3)):
            for person in people:
                person.give(moments)
        app.start()
        for person in people:
            if kill == 0:
                person.open(next(kind for kind in QUESTIONS if kind != person.kind))
            elif moments.random() < 0.5:
                person.open(moments.choice(list(QUESTIONS)))
            elif moments.random() < 0.3:
                person.page.reload()
        for person in people:
            expect(person.page.locator(".saved")).to_have_text(re.compile("All saved"))
            person.note()
        kept = app.kept()
        given = {key: label for person in people for key, label in person.given.items()}
        lost |= {key for key, label in given.items() if kept.get(key) != label}
    app.server.stop()
    for context in two:
        emptied(context, [app.server.url])
    by = Counter((kind, name) for _, kind, name in kept)
    shown = set[tuple[str, str, str]]().union(*(person.shown for person in people))
    with capsys.disabled():
        print(
            f"\n{kills} kills, {len(given)} labels {dict(by)}, {len(shown)} of them shown as saved: "
            f"{len(lost)} lost, {len(wrong)} shown as saved that were not."
        )
    # At least one label a person and a kill, and of each kind: less would prove nothing.
    assert len(shown) >= 2 * kills and {kind for kind, _ in by} == {*QUESTIONS}
    assert all(by[kind, person.name] >= kills // 2 for kind in QUESTIONS for person in people)
    assert lost == set() and wrong == set()
