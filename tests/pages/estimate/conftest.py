"""A pool with two targets, plans on it with kept labels, and what page Estimate says, in plain text."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from core.archive import Archive
from core.design import manifest
from core.words import SPACE
from tests.pages import pools
from tests.pages.conftest import run
from tests.pages.pools import LETTERS, pool, records

ESTIMATE = "pages/estimate.py"
# The headline of a result, which is not provisional.
RESULT = re.compile(
    r"## (?:“.*”|The model) (?:gets (?P<share>(?!about).*?) right|has a mean score of (?P<score>(?!about).*?))"
    r"(?: \((?P<limits>[^()]* to [^()]*)\))?$"
)
FIRST, SECOND = "2026-01-02T00:00:00+00:00", "2026-01-03T00:00:00+00:00"


def two_targets(n_items: int = 120, unasked=()):
    """A pool of `asked`."""
    return pool(partly_answered(n_items, unasked), "two targets")


def partly_answered(n_items: int = 120, unasked=()):
    """Letters A to C; “one” is right more often than “two”, and leaves some answers out; “two” was not asked all."""
    rng = np.random.default_rng(2)
    rows = []
    for number, row in enumerate(records(n_items, target=None)):
        truth = LETTERS[number % 3]
        said = {
            name: truth if rng.random() < share else LETTERS[int(rng.integers(0, 4))]
            for name, share in (("one", 0.8), ("two", 0.4))
        }
        one = {"text": "no idea"} if number % 11 == 0 else {"answer": said["one"]}
        targets = {"one": one} if row["id"] in unasked else {"one": one, "two": {"answer": said["two"]}}
        rows.append({**row, "answer": truth, "answer_kind": "choice", "choices": list("wxyz"), "targets": targets})
    return rows


def plan_of(questions, budget, **more):
    plan, _ = pools.plan_of(questions, budget, **more)
    return plan, plan.stratum


def keep(home, questions, plan, given, kind, target="", created=FIRST, annotator="Ann"):
    """Keep labels, a dict by item id, as page Label does."""
    archive = Archive(home)
    archive.plans.save(plan.plan_id, manifest.write(plan, questions.name), questions.digest, created)
    rows = pd.DataFrame({"item_id": list(given), "label": list(given.values()), "annotator": annotator})
    archive.labels.save(plan.plan_id, rows, created, "csv", kind, target)


def gold(questions, ids):
    return dict(zip(map(str, ids), questions.items["answer"].loc[list(ids)], strict=True))


def judged(questions, ids, target):
    losses = questions.losses(target)[questions.items.index.get_indexer(list(ids))]
    return {str(item): "wrong" if loss else "right" for item, loss in zip(ids, losses, strict=True)}


def bare(words):
    return str(words).replace("\\", "").replace("\u2060", "").replace(SPACE, " ")


def press(app, label):
    next(button for button in app.button if bare(button.label) == label).click()
    return run(app)


def text(app):
    elements = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.header, *app.subheader]
    return bare("\n".join(str(e.value) for e in elements))


def headline(app):
    """The finding above the figure: the number with its interval; "" if there is no result."""
    found = [bare(one.value).removeprefix("## ") for one in app.markdown if RESULT.match(bare(one.value))]
    return found[0] if found else ""


def headline_number(app):
    """The number in the headline; "" if there is no result."""
    found = RESULT.match(f"## {headline(app)}")
    return (found["share"] or found["score"]).strip() if found else ""


def headline_limits(app):
    """The interval in the headline; "" if it has none."""
    found = RESULT.match(f"## {headline(app)}")
    return (found["limits"] or "").strip() if found else ""
