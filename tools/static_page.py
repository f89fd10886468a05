"""A page without a server: Plan and the figure of Explore on the two bundled pools, computed beforehand (`make site`).

Python in the browser (Pyodide) would need numpy, pandas and SciPy built for it, which no package registry has. So every
position of the page's sliders is computed here by `core`, and the page draws what is there: nothing in between.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment

from core.design import PAPER
from core.figures import explore, planning, prints
from core.figures.style import Figure
from core.pool import Pool
from core.prospect import Memo, Prospect
from core.readers import read
from pages.parts.app import state
from pages.parts.views import chart
from pages.parts.widgets import controls

STRATA, OFFSETS = (2, 3, 5, 7, 10), (0.0, 0.25, 0.75, 1.5, 5.0)
BUDGETS = (20, 50, 100, 200, 300, 500, 1000)
# Name in addresses and files → where it lies, its name, and the budget that is shown first.
POOLS = {
    "mmlu-pro": (state.PUBLISHED, state.PUBLISHED_NAME, state.PUBLISHED_BUDGET),
    "practice": (state.PRACTICE, state.PRACTICE_NAME, 100),
}
_HEIGHT = 360
_TEMPLATE = Path(__file__).with_suffix(".html")


def build(folder: Path, strata: Sequence[int] = STRATA, offsets: Sequence[float] = OFFSETS) -> None:
    """Write the page and all that it shows into a folder."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    shown, pictures = {}, {}
    for key, (path, name, budget) in POOLS.items():
        pool, memo = read(path, name), Memo()
        plan = dict(_planned(pool, memo))
        first = _explored(pool, memo, PAPER.n_strata, PAPER.offset)
        for n_strata in strata:
            for offset in offsets:
                content = json.dumps(_explored(pool, memo, n_strata, offset), separators=(",", ":"))
                (folder / "figures" / f"{key}-{n_strata}-{offset:g}.json").write_text(content, encoding="utf-8")
        shown[key] = {"name": name, "budget": budget, "plan": plan}
        pictures[key] = {
            "explore": prints.svg(first[budget]["figure"], "Squared error, by number of labels", (name,)),
            "plan": prints.svg(plan[budget]["figure"], "Half-width of the interval, by number of labels", (name,)),
        }
    settings = {
        "pools": shown,
        "strata": strata,
        "offsets": [f"{offset:g}" for offset in offsets],
        "budgets": BUDGETS,
        "paper": [PAPER.n_strata, f"{PAPER.offset:g}"],
    }
    page = Environment(autoescape=True).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    text = page.render(settings=settings, pictures=pictures, first=next(iter(POOLS)))
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "plotly.js").write_text(chart.slim(chart.original()), encoding="utf-8")


def _recommended(pool: Pool, memo: Memo, budget: int) -> Prospect:
    return Prospect(pool, next(iter(pool.targets)), budget, memo=memo)


def _planned(pool: Pool, memo: Memo) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the words and figures of page Plan at each budget."""
    for budget in BUDGETS:
        prospect = _recommended(pool, memo, budget)
        method, ranges = prospect.forecast_method, prospect.promise.ranges
        table = planning.planned(prospect.half_width_curve(), budget, method)
        figure = planning.half_widths(table, budget, None, _HEIGHT, method, ranges)
        yield budget, {"says": prospect.promise.sentence, "figure": figure}


def _explored(pool: Pool, memo: Memo, n_strata: int, offset: float) -> dict[int, dict[str, Any]]:
    """Return the words and figures of page Explore at each budget, with the sliders at these positions."""
    drawn = {}
    for budget in BUDGETS:
        recommended = _recommended(pool, memo, budget)
        scheme = replace(PAPER, n_strata=n_strata, offset=offset)
        settings = recommended.asking(replace(recommended.question, scheme=scheme))
        curve = settings.exact_curve(methods=tuple(dict.fromkeys((*settings.lines, recommended.method))))
        least = min(float(curve["relative_mse"].min()), settings.smallest_error(int(controls.STRATA.high)))
        names = {settings.method: "Paper’s design" if scheme == PAPER else "These settings"}
        figure: Figure = explore.relative_mse(curve, None, budget, least=least, names=names)
        drawn[budget] = {"says": recommended.promise.headline, "own": settings.promise.brief, "figure": figure}
    return drawn


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m tools.static_page", description="Write the page without a server.")
    parser.add_argument("folder", type=Path, help="where to write it")
    build(parser.parse_args().folder)
