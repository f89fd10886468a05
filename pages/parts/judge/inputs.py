"""Inputs of page Judge: whose verdicts, which list, what is believed, and what words of verdicts mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import streamlit as st

from core.design import Plan
from core.errors import DesignError, LabelError
from core.judge import (
    LEAST_BUDGET,
    Criterion,
    JudgeBelief,
    JudgeGrades,
    Judgement,
    JudgeVerdicts,
    KnownRates,
    column_of,
    follows_risk,
    graded,
    is_called_peoples,
    is_complete,
    is_of_people,
    judge,
    judged,
    judges,
    judging_of,
    keyed_targets,
    known_rates,
    labelling,
    own_mean,
    scored,
    scores,
    verdicts_of,
    words_given,
    words_to_ask,
    words_without_meaning,
)
from core.judge import verdicts as read_verdicts
from core.labels import MEANINGS, statement
from core.pool import Pool
from core.study import Study, kept_plan, kept_plans
from core.words import counted, listed, per_cent
from pages.parts import prospects
from pages.parts.app import frame, kept, session, state
from pages.parts.judge import example
from pages.parts.judge.controls import (
    BELIEVED_FAILS,
    BELIEVED_TNR,
    BELIEVED_TPR,
    BESIDE,
    CRITERIA,
    CRITERION,
    GOOD_FROM,
    GRADED,
    JUDGE,
    NO_PASS_WORD,
    PASS_FROM,
    PASS_WORDS,
    PEOPLE,
    scale_for,
)
from pages.parts.markup import plain
from pages.parts.views import verdicts
from pages.parts.widgets import controls
from pages.parts.widgets.control import panel
from pages.parts.widgets.numbers import Number

_AS_OF_A_JUDGE = dict(zip(MEANINGS, ("pass", "fail", "skip"), strict=True))


def remembered() -> dict[str, str]:
    """Return the remembered meanings of words, as a judge's words are given."""
    return {word: _AS_OF_A_JUDGE[meaning] for word, meaning in state.archive().words.all().items()}


def unknown(known: Pool, column: str, given: Mapping[str, str]) -> tuple[str, ...]:
    """Words of a column that nobody has given a meaning."""
    return tuple(word for word in words_without_meaning(known, column) if word not in given)


def section(known: Pool, judge: str, unread: Mapping[str, tuple[str, ...]]) -> None:
    """Draw how words of people's columns were read, and ask for those that nobody has given a meaning.

    Parameters
    ----------
    known : Pool
        The pool.
    judge : str
        The judge, whose words are given elsewhere.
    unread : mapping of str to tuple of str
        Columns with words to be asked for.
    """
    peoples = [one for one in judges(known) if is_called_peoples(known, one) and one not in (judge, *unread)]
    said = state.archive().words.all()
    recalled = tuple(one._replace(meaning=said[one.word]) for one in words_to_ask(known, peoples) if one.word in said)
    if recalled:
        verdicts.read_as(statement(recalled, "no verdict"), [one.word for one in recalled])
    if not unread:
        return
    left = dict.fromkeys(word for of_column in unread.values() for word in of_column)
    whose = f"{listed([f'“{one}”' for one in unread])} {'has' if len(unread) == 1 else 'have'}"
    title = f"{whose} words that Neyman does not know: {listed([f'“{word}”' for word in left])}"
    with st.expander(plain(title), icon=":material/translate:"):
        verdicts.ask([one for one in words_to_ask(known, unread) if one.word in left], whose, "No verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeList:
    """A list that checks a judge, as a page asks about it.

    Parameters
    ----------
    pool, known : Pool
        The pool that lists belong to, and the same with the answers of targets that were run since.
    plan : Plan
        The list.
    graded : tuple of str
        Models of which the judge may have graded any; () if that is said.
    to_label : int
        Items of the list without a label.
    offered : tuple of str
        Columns that may hold people's verdicts, if none is chosen.
    """

    pool: Pool
    known: Pool
    plan: Plan
    graded: tuple[str, ...]
    to_label: int
    offered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GradesQuestion(JudgeList):
    """A question about a judge that grades.

    Parameters
    ----------
    result : JudgeGrades or None
        What the labels say; None before there are enough.
    """

    result: JudgeGrades | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion(JudgeList):
    """A question about a judge that passes and fails.

    Parameters
    ----------
    verdicts : JudgeVerdicts
        What the judge says of every item.
    usual : JudgeBelief
        What is believed of the judge if nobody says otherwise.
    judgement : Judgement or None
        What the labels say, of several criteria on the one that is shown; None before the first ones.
    criteria : mapping of str to Judgement
        The same on each of several criteria that have labels.
    rates : tuple of KnownRates
        What the pool says of the judge already: one, or one for each model that it may have graded.
    unread : mapping of str to tuple of str
        Columns that are called as people's, with their words that nobody has given a meaning.
    """

    verdicts: JudgeVerdicts
    usual: JudgeBelief
    judgement: Judgement | None
    criteria: Mapping[str, Judgement]
    rates: tuple[KnownRates, ...]
    unread: Mapping[str, tuple[str, ...]]

    @property
    def is_known(self) -> bool:
        """Whether the pool says of every item how good the judge is."""
        return len(self.rates) == 1 and self.rates[0].complete

    @property
    def beliefs(self) -> tuple[Number, Number]:
        """Controls of what is believed of the judge, which begin with what is usually believed, in whole per cent."""
        usual = ((BELIEVED_TPR, self.usual.tpr), (BELIEVED_TNR, self.usual.tnr))
        tpr, tnr = (replace(one, default=max(one.low, float(round(100 * share)))) for one, share in usual)
        return tpr, tnr

    @property
    def belief(self) -> JudgeBelief:
        """The belief about the judge: what the pool says of every item, or else what somebody said."""
        if self.is_known:
            return self.usual
        tpr, tnr = (one.value / 100 for one in self.beliefs)
        fails = BELIEVED_FAILS.value
        return JudgeBelief(tpr, tnr, self.usual.fails if fails is None else fails / 100, self.usual.risk)


def there(known: Pool) -> bool:
    """Say what a judge's column is if the pool has none, with the way to a pool that has; whether it has one."""
    if known.n_items < LEAST_BUDGET:
        st.info(f"A judge is checked on at least {LEAST_BUDGET} items.", icon=":material/info:")
        return False
    if judges(known):
        return True
    st.info(
        "This pool has no judge. A judge is a column with a verdict on a model’s output to every item: pass and fail, "
        "1 and 0, or a score. An evaluation log with outputs and a grader’s scores has one too.",
        icon=":material/info:",
    )
    frame.next_step("pages/pool.py", "Bring a file with a judge’s verdicts", ":material/database:")
    return False


def draw(pool: Pool, known: Pool) -> JudgeQuestion | GradesQuestion:
    """Draw the controls; return what they ask."""
    begun = _begun(pool)
    if begun is None:
        make = _asked(pool, known)
    else:
        judging = judging_of(begun)
        names = [f"“{one.name}”" for one in judging.criteria]
        whose = f"Criteria {listed(names)}" if len(names) > 1 else f"Judge “{judging.judge}”"
        st.caption(
            plain(f"{whose}, {counted(begun.ids.size, 'label')}, seed {begun.seed}. Labelling has begun on this list.")
        )
        st.button("Make a new list", key="new-judge-list", icon=":material/add:", on_click=_new_list)
    with panel("Settings", "judge-settings", icon=":material/tune:", width="stretch"):
        said, plan = make() if begun is None else _read_again(begun)
        judging = judging_of(plan)
        if said is None:
            return _grades_question(pool, known, plan)
        # What a person said of a judge's words holds for people's too; what was said of people's comes first.
        given = words_given(known, said)
        words = given | remembered()
        others = [one for one in (*judges(known), *scored(known)) if one != said.judge and scores(known, one) is None]
        unread = {one: unknown(known, one, words) for one in others}
        columns = {one: f"Column {column_of(known, one)}" for one in others if not unread[one]}
        people = PEOPLE.with_more(columns).draw() if columns else ""
        beside = _beside(known, {said.judge, people, *(one.column for one in judging.criteria)}, given)
    several = [one.name for one in judging.criteria] if len(judging.criteria) > 1 else []
    shown = CRITERION.of({one: one for one in several}).draw() if several else None
    rates = () if example.is_story(pool) else _rates(known, said, people, judging.target, words)
    offered = () if people else tuple(one for one in columns if is_of_people(known, one))
    judged_by = partial(_judgement, plan, known, people, words, beside)
    results = {one: judged_by(one) for one in several}
    result = results[shown] if shown else judged_by(None)
    models = () if judging.target else _gradable(known, said.judge)
    usual = JudgeBelief(risk=follows_risk(plan))
    usual = rates[0].belief(usual) if len(rates) == 1 else usual
    known_of = {name: one for name, one in results.items() if one is not None}
    unread = {one: left for one, left in unread.items() if left and is_called_peoples(known, one)}
    to_label = 0 if result is not None and people else plan.ids.size
    if begun is not None and to_label:
        # Labels that say nothing of the judge yet count here too.
        study = Study(labelling(state.archive(), begun, known, shown)) if result is None else result.study
        to_label -= len(study.labels.labelled & {*map(str, plan.ids)})
    return JudgeQuestion(
        pool=pool,
        known=known,
        verdicts=said,
        plan=plan,
        usual=usual,
        judgement=result,
        criteria=known_of,
        rates=rates,
        offered=offered,
        unread=unread,
        graded=models,
        to_label=to_label,
    )


def _read_again(plan: Plan) -> tuple[JudgeVerdicts | None, Plan]:
    """Return the verdicts that a list was drawn from, None of grades, and the list."""
    return (verdicts_of(plan) if judging_of(plan).scale is None else None), plan


def _grades_question(pool: Pool, known: Pool, plan: Plan) -> GradesQuestion:
    judging, plan = judging_of(plan), replace(plan, pool=known)
    study, result = Study(labelling(state.archive(), plan, known)), None
    if study.labels.labelled:
        try:
            result = graded(plan, study, at_least=GOOD_FROM.value)
        except (DesignError, LabelError) as error:
            st.info(plain(str(error)), icon=":material/hourglass:")
    to_label = plan.ids.size - len(study.labels.labelled & {*map(str, plan.ids)})
    models = () if judging.target else _gradable(known, judging.judge)
    return GradesQuestion(pool=pool, known=known, plan=plan, graded=models, to_label=to_label, result=result)


def _rates(
    known: Pool, said: JudgeVerdicts, people: str, target: str, words: Mapping[str, str]
) -> tuple[KnownRates, ...]:
    """Return the judge's rates that the pool gives: by the column of people's verdicts, or else by right answers."""
    keyed = [one for one in keyed_targets(known) if one != said.judge and target in ("", one)]
    beside = [people] if people in (*known.item_columns, *known.targets) else keyed
    key = ("rates", known.digest, said.judge, said.threshold, said.n_fail, *beside, *words.items())
    found = kept.once("judges", key, lambda: [known_rates(known, said, one, words) for one in beside])
    return tuple(filter(None, found))


def _asked(pool: Pool, known: Pool) -> Callable[[], tuple[JudgeVerdicts | None, Plan]]:
    """Draw the judge and the size of its list; return what draws the rest, and makes the list."""
    name = JUDGE.of({one: one for one in judges(known)}).draw()
    threshold, ends = None, scores(known, name)
    if ends is not None and (scale := scale_for(*ends).draw()):
        return _list_of_grades(pool, known, name, scale)
    if ends is not None:
        threshold = PASS_FROM.draw(f"{ends[0]:g} to {ends[1]:g}")
        if threshold is None:
            st.info(
                f"Scores from {ends[0]:g} to {ends[1]:g}. Set the score from which the judge passes, or choose grades."
            )
            st.stop()
    words = _words(known, name)
    try:
        said = read_verdicts(known, name, threshold, words)
    except DesignError as error:
        # Another judge may be chosen above.
        st.info(plain(str(error)), icon=":material/info:")
        st.stop()
    by_weight = "" if known.weights is None else ", by weight"
    passes = per_cent(said.pass_rate(known.weights), 1)
    st.caption(plain(f"It passes {passes} of {counted(pool.n_items, 'item')}{by_weight}."))
    budget = controls.budget(min(LEAST_BUDGET, pool.n_items), pool.n_items)
    criteria = _criteria(known, name, threshold, words)

    def make() -> tuple[JudgeVerdicts | None, Plan]:
        gradable = {one: one for one in _gradable(known, name)}
        graded = (gradable and GRADED.with_more(gradable).draw()) or None
        seed = controls.SEED.draw(prospects.first_seed(pool))
        key = (known.digest, name, budget, seed, threshold, criteria, graded, *words.items())
        draw = partial(judge, known, criteria or name, budget, seed=seed, words=words, target=graded)
        plan = kept.once("judges", key, lambda: draw(threshold=None if criteria else threshold))
        return (verdicts_of(plan) if criteria else said), replace(plan, pool=pool)

    return make


def _list_of_grades(pool: Pool, known: Pool, name: str, scale: str) -> Callable[[], tuple[None, Plan]]:
    """Draw the size of a list of a judge that grades; return what draws the rest, and makes the list."""
    try:
        mean = own_mean(known, name, scale)
    except DesignError as error:
        st.info(plain(str(error)), icon=":material/info:")
        st.stop()
    st.caption(plain(f"It grades {mean:.2f} on average on {counted(pool.n_items, 'item')}."))
    budget = controls.budget(min(LEAST_BUDGET, pool.n_items), pool.n_items)

    def make() -> tuple[None, Plan]:
        models = {one: one for one in _gradable(known, name)}
        target = (models and GRADED.with_more(models).draw()) or None
        seed = controls.SEED.draw(prospects.first_seed(pool))
        draw = partial(judge, known, name, budget, seed=seed, target=target, scale=scale)
        return None, replace(kept.once("judges", (known.digest, name, budget, seed, target, scale), draw), pool=pool)

    return make


def _criteria(known: Pool, name: str, threshold: float | None, words: Mapping[str, str]) -> tuple[Criterion, ...]:
    """Draw further criteria, and rubrics; () for the judge's verdicts alone, without a rubric."""
    others = [one for one in judges(known) if one != name and may_be_peoples(known, one) and is_complete(known, one)]
    # Several criteria and judges on one list count every item once.
    others = others if known.weights is None else []
    with st.expander("Criteria and rubrics", icon=":material/rule:"):
        st.caption("What people read beside each item. With several criteria, they press one key for each.")
        chosen = (CRITERIA.draw(others, "No other criterion") if others else None) or ()
        rubrics = {
            one: st.text_area(
                f"“{plain(one)}” passes if …", key=f"rubric-{one}", max_chars=1000, persist_state="session"
            )
            for one in (name, *chosen)
        }
    if not chosen and not rubrics[name].strip():
        return ()
    passing = tuple(word for word, meaning in words.items() if meaning == "pass") if words else None
    first = Criterion.of(name, rubrics[name].strip(), threshold, passing)
    return (first, *(Criterion.of(one, rubrics[one].strip()) for one in chosen))


def _words(known: Pool, name: str) -> dict[str, str]:
    """Ask what words of a judge mean that say neither pass nor fail; end the page until somebody has said so."""
    unknown = words_without_meaning(known, name)
    if not unknown:
        return {}
    passing = PASS_WORDS.draw((*unknown, NO_PASS_WORD), "Choose words")
    if passing is None:
        texts = listed([f"“{word}”" for word in unknown])
        st.info(plain(f"“{name}” holds {texts}. Say which of them mean pass; all others then mean fail."))
        st.stop()
    return {word: "pass" if word in passing else "fail" for word in unknown}


def _gradable(known: Pool, name: str) -> tuple[str, ...]:
    """Several models with answers, of which a judge may have graded any; () if there is nothing to choose."""
    there = known.targets.answered
    return there if len(there) > 1 and name not in known.targets else ()


def _beside(known: Pool, taken: Collection[str], words: Mapping[str, str]) -> JudgeVerdicts | None:
    """Draw which other judge is compared; None for none."""
    free = [one for one in judges(known) if one not in taken] if known.weights is None else []
    others = [one for one in free if may_be_peoples(known, one, words) and is_complete(known, one, words)]
    name = BESIDE.with_more({one: one for one in others}).draw() if others else ""
    if not name:
        return None
    try:
        key = ("beside", known.digest, name, *words.items())
        return kept.once("judges", key, lambda: read_verdicts(known, name, words=words))
    except DesignError as error:
        st.caption(plain(str(error)))
        return None


def may_be_peoples(known: Pool, column: str, words: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Whether a column holds verdicts that need no further meaning."""
    return scores(known, column) is None and not unknown(known, column, words)


def _judgement(
    plan: Plan,
    known: Pool,
    people: str,
    words: Mapping[str, str],
    beside: JudgeVerdicts | None,
    criterion: str | None,
) -> Judgement | None:
    """Return the judgement by the labels of the list; None if there are none."""
    plan = replace(plan, pool=known)
    # People's verdicts on some items are no list: nobody knows how likely each of them was to be chosen.
    if people and is_complete(known, people, words):
        other = "" if beside is None else beside.judge
        key = ("people", known.digest, plan.plan_id, people, other, criterion, *words.items())
        said = partial(read_verdicts, known, people, words=words)
        return kept.once("judges", key, lambda: _from_column(plan, known, said(), beside, criterion))
    archive = state.archive()
    study = Study(labelling(archive, plan, known, criterion))
    if not study.labels.labelled:
        return None
    try:
        return judged(plan, study, beside=beside, criterion=criterion)
    except LabelError as error:
        st.info(plain(str(error)), icon=":material/hourglass:")
        return None


def _from_column(
    plan: Plan, known: Pool, said: JudgeVerdicts, beside: JudgeVerdicts | None, criterion: str | None
) -> Judgement:
    labels = dict(zip(known.items.index.tolist(), (~said.fails).tolist(), strict=True))
    return judged(plan, labels, beside=beside, criterion=criterion)


def _begun(pool: Pool) -> Plan | None:
    """The list of the address, or else the one with the newest label, if its labels have begun."""
    archive = state.archive()
    ours = [one for one in kept_plans(archive, pool) if one.design.judging is not None]
    given = controls.PLAN.address
    found = next((one for one in ours if one.plan_id == given), None)
    if found is None and ours and given is None and JUDGE.address is None and not prospects.seed_is_chosen(pool):
        found = ours[0]
    return None if found is None else kept_plan(archive, found.plan_id, pool)


def _new_list() -> None:
    """Ask for a list with another seed; the labels stay with the list they were given to."""
    session.write({controls.PLAN.key: None} | controls.SEED.another())
