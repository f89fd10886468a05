"""Lab's results kept between reruns: frames that take a while, by digests and small parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.design import Scheme
from core.figures import lab, style
from core.lab import (
    TABLES,
    Computation,
    Experiment,
    LabTable,
    Topic,
    ablations,
    across,
    across_tables,
    against,
    chosen,
    related,
)
from core.pool import MOST_COMPARED, Pool, left_aside
from core.words import PER_CENT, counted, grouped
from pages.parts import downloads
from pages.parts.app import frame, kept, state
from pages.parts.app.progress import Progress
from pages.parts.lab.settings import LabSettings, figure_budget
from pages.parts.markup import plain

_SHELF = "lab"


def computed(name: str, computation: Computation, experiment: Experiment) -> pd.DataFrame:
    """Return the frame of a computation, with a progress bar while it is made; read-only.

    Parameters
    ----------
    name : str
        The computation's own, for the cache.
    computation : Computation
        How the frame is made, and what it depends on.
    experiment : Experiment
        What it is made of.
    """
    parameters = (getattr(experiment, field) for field in computation.depends)
    key = (name, experiment.pool.digest, experiment.scheme.parser, *parameters)
    work = computation.work(experiment)
    return _once(key, lambda progress: computation.run(experiment, progress), computation.title, work, computation.unit)


def compared(current: Pool, parser: str | None) -> pd.DataFrame:
    """Return `core.lab.across.compare` of the current pool and the archive's, with a progress bar; read-only.

    Parameters
    ----------
    current : Pool
        The current pool.
    parser : str or None
        Answer kind of all pools.
    """
    targets = state.with_targets(current)
    number = sum(min(count, MOST_COMPARED) for count in targets.values())

    def make(progress: Progress) -> pd.DataFrame:
        pools = state.opened(current, targets)
        return across.compare(pools, scheme=Scheme(parser=parser), progress=progress)

    return _once(("across", parser, *targets), make, "Comparing the pools", number, "targets")


def _once(
    key: tuple[object, ...], make: Callable[[Progress], pd.DataFrame], title: str, work: int, unit: str
) -> pd.DataFrame:
    """Return the frame of a key, made with a progress bar if it is not kept."""
    frames = kept.memo().shelf(_SHELF)
    frame: pd.DataFrame | None = frames.get(key)
    if frame is None:
        with Progress(title, work, unit) as progress:
            frame = frames.put(key, make(progress))
    return frame


# Pixels of a figure of one pool, of which two stand beside each other on a narrow page and one on a phone.
_PANEL = 340
SCENARIO_TITLES = {one.name: one.title for one in against.SCENARIOS}
# What a cell begins with that holds a number, or a sign that there is none.
_NUMBER = re.compile(r"[\d–−<>≈]")
# Below each figure, and behind its question mark.
_LINES = "Lines through exact values."
_CAPTIONS = {
    "baselines": f"Below 100{PER_CENT}: fewer labels than Uniform for the same precision.",
    "ladder": "Each bar uses more information than the one above it.",
    "related": "Methods from elsewhere, to compare with.",
    "against": f"Left of 100{PER_CENT}: a smaller error than Uniform’s.",
    "savings": _LINES,
    "map": "Inside the line no simulation could tell a setting from the best.",
    "signals": f"Left of 100{PER_CENT} is better than Uniform.",
    "intervals": "You get the tilted model’s interval unless you choose another. “Recommended”: the recommended design "
    "with it. Bars: two standard errors of the simulation up and down.",
} | dict.fromkeys(TABLES, "Grey: what a simulation could not tell from the smallest.")
_MORE = {
    "baselines": _LINES,
    "ladder": "For more rungs, add the target’s answers, or outcomes of other models on the same items, to the pool.",
    "related": f"{_LINES} A judge’s verdicts are a column `judge`, 1 for right.",
    "against": "All methods know the same chances to fail, predicted from past results and answers; a bank also knows "
    "graded answers. Bars: one standard error up and down. Methods of other tools are plain versions here (“-like”); "
    "`neyman lab --against` uses their own packages, and adds FAQ and tinyBenchmarks, which take minutes.",
    "map": "Darkest: 1.25 times the smallest error, or more.",
    "signals": "Above: exact error after stratifying by the signal. Below: how well it ranks the items by loss. "
    "For more surrogates, add keys `generations:<name>` to the pool, lists like `generations`; for more signals, any "
    "numeric column.",
    "intervals": "Above the line an interval is right more often than it promises, and wider than it need be.",
} | dict.fromkeys(TABLES, f"{_LINES} The simulation has 3,000 trials.")


def section(topic: Topic, experiment: Experiment, settings: LabSettings) -> None:
    """One topic of the lab: the exact values at once, then the simulation if it is wanted."""
    # Controls of one figure stand below it, so that a phone shows the figure first.
    heading, chart, caption = st.empty(), st.empty(), st.empty()
    budget = experiment.budget
    # A choice of budgets is of no use if there is no figure at any of them.
    if topic.at_budget and (topic.name != "against" or _comparable(experiment)):
        budget = figure_budget(experiment.budgets, budget)
    # A table beside the paper's has no further budgets.
    if topic.at_budget or topic.published is None:
        experiment = replace(experiment, budget=budget, budgets=tuple(sorted({*experiment.budgets, budget})))
    if isinstance(topic.values, Computation):
        values = computed(topic.name, topic.values, experiment)
    else:
        values = topic.values(experiment)
    table = topic.table(experiment, values, None)
    with heading:
        _headline(table)
    known = not values.empty and ("relative_mse" not in values or bool(values["relative_mse"].notna().any()))
    simulation = topic.simulation if known and _simulated(topic, settings) else None
    if known:
        key = topic.name if simulation is None else f"{topic.name}-exact"
        _draw(chart, topic, experiment, values, None, key, table.finding)
    if simulation is not None:
        drawn = computed(f"{topic.name}-simulated", simulation, experiment)
        if drawn.empty:
            simulation = None
        else:
            table = topic.table(experiment, values, drawn)
            _draw(chart, topic, experiment, values, drawn, topic.name, table.finding)
    if known:
        said = [plain(table.remark), _MORE.get(topic.name, ""), "" if simulation is None else _bars(settings)]
        more = " ".join(filter(None, said))
        about = "all budgets" if topic.over_budgets else counted(budget, "label")
        caption.caption(f"{_CAPTIONS[topic.name]} The headline is about {about}.", help=more or None)
    if not table.cells.empty:
        _tables(table, None if topic.published is None else topic.published())
        _note(table.note)
    if topic.name == "related":
        with st.expander("GAT’s prompt", icon=":material/chat:"):
            st.code(related.prompt("{question}", "{answer}"), language=None, wrap_lines=True)


def _comparable(experiment: Experiment) -> bool:
    return against.comparable(experiment.pool, min(experiment.budgets), experiment.target)


def several_pools(current: Pool, parser: str | None) -> None:
    """Draw the current pool and those of the archive side by side, computed with a progress bar."""
    tables = across_tables(compared(current, parser))
    if not tables:
        st.info(
            "No target of your pools has a known outcome on enough items to compare designs on it.",
            icon=":material/info:",
        )
        return
    first, *others = tables
    _headline(first)
    panels = lab.across(first.rows)
    with st.container(horizontal=True):
        for place, panel in enumerate(panels):
            with st.container(width="stretch" if len(panels) == 1 else _PANEL, key=f"across-panel-{place}"):
                frame.chart(panel, f"across-{place}", first.finding)
    stored = state.archive().pools.listed()
    stored = stored[stored["digest"] != current.digest]
    counts = [(current.name, len(current.targets)), *zip(stored["name"], map(len, stored["targets"]), strict=True)]
    st.caption(
        plain(left_aside(counts)) or "The tables have every target.",
        help="Drawn are each pool’s first two targets; of more than four pools, the first target of each. Lines go "
        "through exact values, with at most a third of the items labelled.",
    )
    for table in others:
        st.markdown(f"**{table.title}**. {plain(table.finding)}")
        _table(table)
        _note(table.note)
    st.markdown(f"**{first.title}**")
    _table(first)
    _note(first.note)


def _headline(table: LabTable) -> None:
    """Draw the headline, with the rest of the finding behind its question mark."""
    frame.finding(plain(table.headline), plain(table.more))


def _note(text: str) -> None:
    """Draw how to read a table: the first sentence, and the others behind its question mark."""
    first, _, rest = text.partition(". ")
    st.caption(plain(first.removesuffix(".") + "."), help=plain(rest) or None)


def _simulated(topic: Topic, settings: LabSettings) -> bool:
    return settings.lure if topic.name in ("baselines", "related") else settings.simulate


def _bars(settings: LabSettings) -> str:
    return f"Bars: {settings.trials:,} simulated rounds of labelling each, one standard error up and down."


def _draw(
    place: DeltaGenerator,
    topic: Topic,
    experiment: Experiment,
    values: pd.DataFrame,
    drawn: pd.DataFrame | None,
    key: str,
    alt: str,
) -> None:
    with place:
        frame.chart(_figure(topic.name, experiment, values, drawn), key, alt)


def _figure(name: str, experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> style.Figure:
    scheme, budget = experiment.scheme, experiment.budget
    if name in TABLES:
        band = ablations.band(ablations.marked(values))
        return lab.ablation(values, chosen(name, scheme), band, drawn)
    draw: dict[str, Callable[[], style.Figure]] = {
        "baselines": lambda: lab.baselines(values, drawn),
        "ladder": lambda: lab.ladder(values, budget),
        "related": lambda: lab.baselines(values, drawn),
        "against": lambda: lab.against(values, SCENARIO_TITLES),
        "savings": lambda: lab.savings(values),
        "map": lambda: lab.heat_map(values, scheme.n_strata, scheme.offset),
        "signals": lambda: lab.signals(values, budget, experiment.recommended_error, experiment.target),
        "intervals": lambda: lab.coverage(values),
    }
    return draw[name]()


def _tables(table: LabTable, published: LabTable | None) -> None:
    """Draw the pool's table, the paper's beside it if there is room, else below."""
    if published is None:
        _table(table)
        return
    with st.container(horizontal=True, gap="small"):
        with st.container(width=_width(table)):
            st.markdown("**Your pool**")
            _table(table)
        with st.container(width=_width(published)):
            st.markdown("**As published**, on other pools")
            _table(published, export=False)
            _note(f"{published.headline} {published.note} {published.more}")


def _width(table: LabTable) -> int:
    """Pixels that a table needs; cells that hold a simulation are wide."""
    columns = table.cells.shape[1]
    if "simulated" in table.rows:
        return 160 * columns
    return 400 if columns <= 5 else 560 if columns <= 6 else 640


def _table(table: LabTable, export: bool = True) -> None:
    st.dataframe(
        table.cells.style.map(_colour).format(grouped),
        hide_index=True,
        column_config=_columns(table.cells),
        alt=f"{table.title}. {table.finding}",
    )
    if export:
        downloads.csv(f"{table.title} as CSV", lambda: downloads.as_csv(table.rows), f"neyman-lab-{table.name}.csv")


def _columns(cells: pd.DataFrame) -> dict[str, Any]:
    """Numbers to the right, also those with words after them; the first column in view while others scroll."""
    names = list(map(str, cells.columns))
    right = {name for name in names if all(_NUMBER.match(str(cell)) for cell in cells[name])}
    return {
        name: st.column_config.Column(alignment="right" if name in right else None, pinned=name == names[0])
        for name in names
    }


def _colour(cell: object) -> str:
    """Shade what the cell's own words say: letters of a colour would be too pale in one of the two themes."""
    text = str(cell)
    if "best" in text:
        return "background-color: rgba(0, 158, 115, 0.2); font-weight: 600"
    return "background-color: rgba(213, 94, 0, 0.2)" if "worst" in text else ""
