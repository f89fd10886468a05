"""Display of objects in a notebook: a small table in the notebook's own letters and colours, light or dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from jinja2 import Template

# Tables of a notebook are read, not searched: of longer ones the first and the last rows stand.
_MOST_ROWS = 20
# Lines are of the notebook's own colour, so that they are seen in its dark theme too.
_PAGE = """
<div style="font-variant-numeric: tabular-nums">
<div><strong>{{ title }}</strong></div>
{% for note in notes %}
<div style="opacity: .75">{{ note }}</div>
{% endfor %}
{% if rows %}
<table style="margin: .5em 0; border-collapse: collapse; color: inherit">
{% if head %}
<thead><tr style="border-bottom: 1px solid currentColor; background: none">
{% for name in head %}
<th style="padding: .2em .8em; text-align: {{ sides[loop.index0] }}">{{ name }}</th>
{% endfor %}
</tr></thead>
{% endif %}
<tbody>
{% for row in rows %}
<tr style="background: none">
{% for cell in row %}
<td style="padding: .2em .8em; text-align: {{ sides[loop.index0] }}">{{ cell }}</td>
{% endfor %}
</tr>
{% endfor %}
</tbody></table>
{% endif %}
</div>
"""

_FIGURE = """
<div style="{{ style }}">
<div><strong>{{ title }}</strong></div>
{{ figure | safe }}
</div>
"""


def table(title: str, frame: pd.DataFrame | None = None, notes: Sequence[str] = ()) -> str:
    """Write an object as HTML; every text is escaped.

    Parameters
    ----------
    title : str
        What it is, in a line.
    frame : DataFrame, optional
        Its numbers. Of more than 20 rows the first and the last ten are shown.
    notes : sequence of str
        Lines below the title.
    """
    shown = pd.DataFrame() if frame is None else frame
    rows = [[_written(value) for value in row] for row in shown.itertuples(index=False, name=None)]
    if len(rows) > _MOST_ROWS:
        half = _MOST_ROWS // 2
        rows = [*rows[:half], ["…"] * shown.shape[1], *rows[-half:]]
    sides = ["right" if pd.api.types.is_numeric_dtype(kind) else "left" for kind in shown.dtypes]
    return _template().render(title=title, notes=notes, head=list(map(str, shown.columns)), rows=rows, sides=sides)


def pairs(title: str, facts: Iterable[tuple[str, str]]) -> str:
    """Write an object as HTML, a row for each fact: its name and what it is."""
    frame = pd.DataFrame(list(facts), columns=["", " "])
    rows = frame.to_numpy().tolist()
    return _template().render(title=title, notes=(), head=(), rows=rows, sides=["left", "left"])


def _written(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}".replace("-", "−")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def drawing(title: str, figure: str, style: str) -> str:
    """Write a figure as HTML under its title.

    Parameters
    ----------
    title : str
        What it shows; it is escaped.
    figure : str
        SVG of `core.figures.prints.inline`, which escapes every text.
    style : str
        Of the figure's surroundings.
    """
    return _template(_FIGURE).render(title=title, figure=figure, style=style)


@cache
def _template(page: str = _PAGE) -> Template:
    # Here, so that no script waits for it that shows nothing.
    from jinja2 import Environment, StrictUndefined

    rules = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return rules.from_string(page.lstrip())
