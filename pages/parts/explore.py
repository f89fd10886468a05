"""Page Explore's parts: the designs that it compares, the figure of their errors, and the tabs below it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from core.design import PAPER
from core.figures import explore, intervals, style, units
from core.prospect import Prospect
from core.simulation import findings
from core.stratification import STRATIFIERS, Outcome, merged_table
from core.words import PER_CENT, UNKNOWN, counted, first_sentence, per_cent
from pages.parts import downloads, guarded, race
from pages.parts.app import frame, kept, session
from pages.parts.markup import meanings, plain
from pages.parts.views import promises
from pages.parts.widgets import basis, controls, every

# Rows of the table of strata if there are more of them.
_ROWS = 5
# In pools of fewer items nobody overlooks it.
_SMALL = 300
_LINES = (
    "Lines are exact, from the closed form of the variance. An arrow says that one goes on above. The grey lines share "
    "the labels among the same strata by other rules. Oracle-Neyman also knows the target’s losses, which nobody does "
    "before labelling."
)
_JUMPS = "Lines go up and down in a small pool, since every number of labels has its own strata."
_WHOLE = f"%.0f{PER_CENT}%"
_bar, _number = st.column_config.ProgressColumn, st.column_config.NumberColumn


@dataclass(frozen=True, slots=True)
class Designs:
    """The designs compared, at one budget.

    Parameters
    ----------
    drawn : Prospect
        The design that the page is about, and that page Label draws.
    rules : Prospect or None
        That of the sliders, on whose strata all rules are compared; None for a pool without generations.
    recommended : Prospect
        The recommended one.
    trials : int
        Simulated rounds; 0 for none.
    """

    drawn: Prospect
    rules: Prospect | None
    recommended: Prospect
    trials: int

    @property
    def other(self) -> Prospect | None:
        """The design beside the drawn one, None if there is none."""
        other = self.rules if self.drawn.question.scheme is None and not self.drawn.question.gate else self.recommended
        return None if other is None or other.uniform or not other.is_exact else other

    @property
    def curve(self) -> pd.DataFrame:
        """Exact errors of all lines at one grid of budgets, as of `core.simulation.in_units`."""
        beside = self.recommended if self.rules is None else self.rules
        lines = dict.fromkeys((*beside.lines, self.recommended.method, self.drawn.method))
        return beside.exact_curve(methods=tuple(lines))

    def simulated(self) -> pd.DataFrame | None:
        """Errors of simulated rounds of the sliders' rules and of the drawn design, None for none."""
        fine = self.drawn if self.drawn.question.scheme is None else None
        shown = [one for one in (self.rules, fine) if one is not None]
        tables = [table for one in shown if (table := one.rounds(self.trials)) is not None]
        return pd.concat(tables, ignore_index=True) if tables else None


def touch() -> None:
    """Make the paper's design what the page is about; for a callback of its controls."""
    controls.DESIGN.set(controls.PAPERS)


def choose(recommended: Prospect, settings: Prospect | None) -> Prospect:
    """Draw the choice of the design that the page is about, with what each would give; return it."""
    gate = recommended.asking(replace(recommended.question, gate=True))
    offered = {controls.BEST: recommended, controls.PAPERS: settings, controls.GATE: gate}
    designs = {name: one for name, one in offered.items() if one is not None and one.budget >= one.least}
    control = controls.DESIGN.of({name: controls.DESIGN.names[name] for name in designs})
    return designs[control.draw_list([plain(one.promise.brief) for one in designs.values()])]


def findings_section(designs: Designs) -> None:
    """Draw the finding and the figure, or a forecast if no outcome is known, and what qualifies them."""
    drawn = designs.drawn
    promises.labelled(drawn)
    if designs.recommended.uniform:
        basis.nothing_known()
    if drawn.known is None:
        promises.part(drawn)
        _no_outcome(drawn)
        promises.section(drawn)
        guarded.warn(drawn.guard)
        return
    promised, gain, other = drawn.promise, drawn.gain, designs.other
    title = promised.title
    if gain is not None and not gain.nothing and not drawn.uniform:
        title = findings.comparison(gain, _called(drawn))
        if other is not None:
            title = findings.comparison(gain, _called(drawn), other.gain, _called(other, "one"))
    frame.finding(title, promised.headline)
    price = f"{counted(drawn.budget, 'label')}: {promised.payment.words}." if promised.payment.words else ""
    if words := f"{first_sentence(promised.headline)[1]} {price}".strip():
        st.markdown(plain(words), help=meanings(words))
    curve = designs.curve
    if curve["relative_mse"].notna().any():
        _figure(designs, curve, promised.headline)
    if promised.caveat:
        # Below the figure, which does not move when it comes and goes.
        st.warning(promised.caveat, icon=":material/balance:")
    guarded.warn(drawn.guard)


def _called(design: Prospect, noun: str = "design") -> str:
    """Name of a design inside a sentence."""
    scheme = design.question.scheme
    if scheme is None:
        return f"the {noun} for a decision" if design.question.gate else f"the recommended {noun}"
    return "the paper’s design" if replace(scheme, parser=PAPER.parser) == PAPER else "these settings"


def _no_outcome(prospect: Prospect) -> None:
    """Say what is forecast without an outcome, what needs none, and how to see it exactly."""
    if prospect.part is not None:
        # Page Lab has nothing to compare if nothing is known of the items.
        if not prospect.uniform:
            frame.step("pages/lab.py", "See what is exact on the known items", ":material/science:")
        return
    seen = "choose a target with known results, or " if prospect.knowledge.past else ""
    st.info(
        "The file knows no outcome of your model (the target), so what the labels save is a forecast. To see an exact "
        f"gain, {seen}add to the file {promises.lacking(prospect.pool, prospect.question.target)}.",
        icon=":material/info:",
    )


# The figure, which keeps the setting before this one as a ghost.


@dataclass(slots=True)
class Ghosts:
    """The sliders' setting that is drawn, and the one before it: its words and its line."""

    subject: tuple[str, str | None] = ("", None)
    shown: tuple[tuple[str, ...], pd.DataFrame] | None = None
    before: tuple[tuple[str, ...], pd.DataFrame] | None = None


def _figure(designs: Designs, curve: pd.DataFrame, alt: str) -> None:
    drawn, trials = designs.drawn, designs.trials
    draw = partial(_errors, designs, curve, former=_former(designs, curve))
    place = st.empty() if drawn.is_slow(trials) else st.container()
    if drawn.is_slow(trials):
        # Simulating takes a while, so the lines are drawn first.
        with place:
            frame.chart(draw(None), "curve-exact", alt, False)
    simulated = drawn.rounds(trials)
    with place:
        frame.chart(draw(simulated), "curve", alt, button=False)
    mark = "" if simulated is None else "; the hollow mark is simulated"
    said = f"Lines are exact{mark}. Oracle-Neyman is the best that any rule could do with the sliders’ strata."
    if designs.rules is None:
        said = f"Lines are exact{mark}."
    rounds = "" if simulated is None else f"The mark: {trials:,} simulated rounds, with a bar of one standard error."
    low = units.unit(controls.UNIT.value, drawn.share).low
    jumps = _JUMPS if drawn.n_items < _SMALL else ""
    st.caption(said, help=" ".join(filter(None, (low, _LINES, rounds, jumps))))


def _errors(
    designs: Designs,
    curve: pd.DataFrame,
    simulated: pd.DataFrame | None,
    former: explore.Former | None = None,
) -> style.Figure:
    """The figure of the errors: the drawn design thick, the other one beside it."""
    drawn, rules = designs.drawn, designs.rules
    loud, names = [drawn.method, designs.recommended.method], {}
    least = float(curve["relative_mse"].min())
    if rules is not None:
        loud.append(rules.method)
        names[rules.method] = "Paper’s design" if _called(rules) == "the paper’s design" else "These settings"
        least = min(least, rules.smallest_error(int(controls.STRATA.high)))
    unit = units.unit(controls.UNIT.value, drawn.share)
    return explore.relative_mse(curve, simulated, drawn.budget, unit, former, least, loud, names)


def _former(designs: Designs, curve: pd.DataFrame) -> explore.Former | None:
    """Return the sliders' setting before this one, on the same pool and target; note this one for the next."""
    drawn, ghosts = designs.drawn, session.held(Ghosts)
    if drawn.question.scheme is None:
        return None
    subject, words = (drawn.pool.digest, drawn.question.target), _words(drawn)
    if ghosts.shown is None or ghosts.subject != subject:
        ghosts.before = None
    elif ghosts.shown[0] != words:
        ghosts.before = ghosts.shown
    ghosts.subject, ghosts.shown = subject, (words, curve[curve["method"] == drawn.method])
    if ghosts.before is None:
        return None
    before, line = ghosts.before
    return explore.Former(", ".join(one for one in before if one not in words), line)


def _words(drawn: Prospect) -> tuple[str, ...]:
    """Each choice of a design in a few words, “H = 5”."""
    if drawn.uniform:
        return ("drawn uniformly",)
    scheme = drawn.question.scheme
    if scheme is None:
        return (f"{'for a decision' if drawn.question.gate else 'recommended'}, along {drawn.signal}",)
    by = f"δ = {scheme.offset:g}" if "offset" in scheme.rule.choices else scheme.rule.title
    return STRATIFIERS[scheme.stratifier].title, f"H = {scheme.n_strata}", by


# The tabs.


def details(designs: Designs) -> None:
    """Draw the tabs that have something to say, of which only the open one is made."""
    drawn, rules, recommended = designs.drawn, designs.rules, designs.recommended
    parts: dict[str, Callable[[], None]] = {}
    if not drawn.uniform:
        parts["strata"] = partial(_strata, drawn)
    if rules is not None and rules.known is not None and rules.is_exact:
        parts["map"] = partial(_map, rules, rules.known)
    if not recommended.uniform:
        parts["signals"] = partial(_signals, recommended)
    if race.possible(drawn):
        parts["race"] = partial(race.section, drawn)
    parts["numbers"] = partial(_numbers, designs)
    control = controls.DETAIL.of({name: controls.DETAIL.names[name] for name in parts})
    for tab, draw in zip(control.draw_tabs(), parts.values(), strict=True):
        if tab.open:
            with tab, frame.errors():
                draw()


def _strata(drawn: Prospect) -> None:
    """Draw the strata in a few rows, the labels of each as a bar; those that are alike are a sentence."""
    table, fine = drawn.table, drawn.strata.by_item
    if fine:
        said = findings.fine_finding(table, plain(drawn.signal))
    else:
        said = findings.strata_finding(table, drawn.scheme.n_strata)
    frame.finding(*first_sentence(said))
    if len(table) == 1:
        return
    shown = merged_table(table, _ROWS) if fine else table
    ranges = [_range(low, high) for low, high in zip(shown["se_low"], shown["se_high"], strict=True)]
    shown = downloads.in_per_cent(shown.assign(range=ranges), ["risk", *(["mean_loss"] * drawn.share)])
    # Bars of items and of labels are shares on one scale.
    most = max(shown["share_of_pool"].max(), shown["share_of_budget"].max())
    columns = {
        "range": st.column_config.TextColumn("Entropy" if "proxy" in table else "Signal", width=95),
        "risk": _bar("Predicted risk", format=_WHOLE, min_value=0, max_value=100, width=100),
        "mean_loss": _bar("Wrong", format=_WHOLE, min_value=0, max_value=100, width=100)
        if drawn.share
        else _number("Mean loss", format="%.3f", width=80),
        "items": _bar("Items N_h", format="localized", min_value=0, max_value=most * drawn.n_items, width=105),
        "labels": _bar("Labels m_h", format="localized", min_value=0, max_value=most * drawn.budget, width=95),
        "consistency": _number("p_h", format="%.2f", width=50, help="How often a cheap model agrees with itself."),
        "sd": _number("σ_h", format="%.2f", width=50, help="True spread of the losses: their standard deviation."),
    }
    st.dataframe(
        shown,
        hide_index=True,
        placeholder=UNKNOWN,
        column_order=[name for name in columns if name in shown and (name != "range" or "risk" not in shown)],
        column_config=columns,
        alt="One row a stratum, or several neighbouring ones: items, labels, spread.",
    )
    each = f"Each row: {-(-len(table) // _ROWS)} neighbouring strata. " if len(shown) < len(table) else ""
    st.caption(f"{each}A longer bar under “Labels” than under “Items” means denser labels.")


def _range(low: float, high: float) -> str:
    if math.isnan(low):
        return UNKNOWN
    return f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"


def _map(rules: Prospect, known: Outcome) -> None:
    """Draw the error for each H and δ; a click sets the sliders."""
    # Loaded where it is needed: it is large.
    from core.figures import lab
    from core.lab import TOPICS, Computation, Experiment

    topic = next(one for one in TOPICS if one.name == "map")
    assert not isinstance(topic.values, Computation)
    scheme, budget = rules.scheme, rules.budget
    key = ("Explore's map", rules.pool.digest, rules.question.target, replace(scheme, n_strata=2, offset=0), budget)
    experiment = Experiment(rules, known, (budget,), budget, scheme)
    values = kept.once("lab", key, partial(topic.values, experiment))
    table = topic.table(experiment, values, None)
    frame.finding(plain(table.headline), plain(f"{table.more} {table.note}"))
    if values["relative_mse"].notna().any():
        drawn = lab.heat_map(values, scheme.n_strata, scheme.offset)
        frame.chart(drawn, "map", table.finding, button=False, then=_set)
        st.caption("Click a cell to set H and δ. Inside the line no simulation could tell a setting from the best.")


def _set(n_strata: object, offset: object) -> None:
    """Set the sliders to a cell of the map, which the browser names."""
    given = ((controls.STRATA, str(n_strata)), (controls.OFFSET, str(offset)))
    if all(control.reads(text) for control, text in given):
        values = {control.key: control.value_of([text]) for control, text in given}
        every.choose(values | {controls.DESIGN.key: controls.PAPERS})


def _signals(recommended: Prospect) -> None:
    """Rank the signals by the error that each promises, and say how well the recommended one ranks the items."""
    table = recommended.signals
    best = table.iloc[0]
    frame.finding(plain(f"Sorting by {best['signal']} promises {per_cent(best['error'])} of Uniform’s error"))
    ranked = table.rename(columns={"signal": "label", "error": "value"})
    frame.chart(
        intervals.estimates(ranked, compared=True), "worth", "The expected error of each signal, with its range."
    )
    st.caption(f"Expected squared error before any label, Uniform = 100{PER_CENT}, with its range.")
    if recommended.known is not None and recommended.whole.scheme.along.ordered and recommended.strata.by_item:
        words = recommended.quality.finding
        st.markdown(plain(words), help=meanings(words))
    columns = {
        "signal": st.column_config.TextColumn("Signal"),
        "why": st.column_config.TextColumn("What this rests on"),
        "how": st.column_config.TextColumn("How it is made"),
    }
    st.dataframe(
        downloads.in_per_cent(table, ["error", "low", "high"]),
        hide_index=True,
        column_order=list(columns),
        column_config=columns,
        alt="What the error of each signal rests on, and how the signal is made.",
    )


def _numbers(designs: Designs) -> None:
    """Draw the numbers behind the figure as tables, with the files of both."""
    drawn = designs.drawn
    if drawn.known is not None:
        curve, simulated, words = designs.curve, designs.simulated(), _words(drawn)
        if curve["relative_mse"].notna().any():
            unit = units.unit(controls.UNIT.value, drawn.share)
            rounds = f" The point: {designs.trials:,} simulated rounds, seed 0, with a bar of one standard error."
            downloads.figure(
                "curve",
                partial(_errors, designs, curve, simulated),
                f"{unit.title[0].upper()}{unit.title[1:]}, by number of labels",
                (
                    downloads.subject(drawn.pool, drawn.question.target),
                    f"Design: {', '.join(words)} · M = {counted(drawn.budget, 'label')}",
                    f"Lines: exact, without a seed.{rounds if designs.trials else ''}",
                ),
                downloads.slug("neyman", drawn.pool.name, *words, f"M{drawn.budget}", controls.UNIT.value),
                partial(_data, drawn, curve, simulated),
            )
        downloads.errors(curve, simulated)
    downloads.strata(drawn.table, drawn.known is not None and drawn.share)


def _data(drawn: Prospect, curve: pd.DataFrame, simulated: pd.DataFrame | None) -> pd.DataFrame:
    """The figure's numbers, each row with what it rests on."""
    parts = [curve.assign(kind="exact")]
    if simulated is not None:
        parts.append(simulated.assign(kind="simulated", seed=0))
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(pool=drawn.pool.name, target=drawn.question.target, design=", ".join(_words(drawn)))
