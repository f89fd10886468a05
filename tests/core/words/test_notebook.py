"""What a notebook shows: objects as tables and figures in its own colours, with every foreign text escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import core as neyman
from core.errors import DesignError
from core.words import notebook
from tests.core.study.conftest import records, verdicts
from tests.core.study.examples import NASTY

POOL = neyman.Pool.from_records(records(), "two targets")
PLAN = neyman.Design(40, n_strata=4, seed=1).draw(POOL)
LIST = neyman.request(PLAN, "right-wrong", "one")


def study_of(labels: int) -> neyman.Study:
    """The study of the first labels of the list."""
    filled = LIST.head(labels)
    return neyman.labelled(PLAN, filled.assign(label=verdicts(POOL, filled["item_id"], "one")), "one")


class Page(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts += [data.strip()] if data.strip() else []


def shown(one: object) -> list[str]:
    """The texts that a notebook shows of an object, in its own colours."""
    html = one._repr_html_()
    assert "#" not in html.replace("&#", ""), "no colour of its own, which a dark notebook would hide"
    return Page(html).texts


def test_pool_plan_study_and_estimate_show_themselves() -> None:
    study = study_of(40)
    assert {"Pool “two targets”", "300", "one, two"} <= set(shown(POOL))
    assert shown(PLAN)[0] == f"Plan {PLAN.plan_id}: 40 of 300 items"
    assert Page(PLAN._repr_html_()).tags.count("tr") == 1 + PLAN.strata.n_strata
    assert shown(study)[0] == study.outcomes.line()
    estimate = study.estimate()
    assert shown(estimate)[0] == "Estimate of accuracy" and f"{estimate.value:.3f}" in shown(estimate)


def test_a_study_without_an_estimate_shows_what_waits() -> None:
    study = study_of(2)
    assert study.partial() is not None and repr(study.outcomes) == shown(study)[0]
    with pytest.raises(DesignError):
        study.plot()


def test_foreign_texts_are_escaped_and_long_tables_cut() -> None:
    frame = pd.DataFrame({NASTY: [NASTY, *map(str, range(40))], "n": range(1000, 1041)})
    page = Page(notebook.table(NASTY, frame, [NASTY]))
    assert "script" not in page.tags and page.texts.count(NASTY) == 4
    assert page.tags.count("tr") == 1 + 10 + 1 + 10 and "1,000" in page.texts
    assert "script" not in Page(notebook.pairs(NASTY, [(NASTY, NASTY)])).tags


def test_plots_are_shown_and_kept(tmp_path: Path) -> None:
    study = study_of(40)
    for plot in (PLAN.plot(), study.plot()):
        drawn = ET.fromstring(plot._repr_svg_())
        assert drawn.tag.endswith("svg") and plot.title in "".join(drawn.itertext())
        assert "var(--ink)" in plot._repr_html_() and "--ink: currentColor" in plot._repr_html_()
        assert plot.save(tmp_path / "plot.svg").read_text(encoding="utf-8") == plot._repr_svg_()
        assert plot.save(str(tmp_path / "plot.PNG")).read_bytes().startswith(b"\x89PNG")
        assert plot.save(tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF")
        with pytest.raises(DesignError, match="gif"):
            plot.save(tmp_path / "plot.gif")
    assert study.plot().title == study.outcomes.line()
