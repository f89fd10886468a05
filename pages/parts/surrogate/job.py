"""One job on page Surrogate: how it goes while it runs, and what to do with it afterwards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.errors import NeymanError
from core.figures import strata
from core.pool import Pool
from core.signals import semantic_entropy
from core.stratification import value_counts
from core.surrogate import (
    ItemFault,
    JobProgress,
    Partitions,
    coverage,
    cut_in_reasoning,
    examples,
    failures,
    log_tail,
    partitions,
    pool_with,
    progress,
    resume,
    stop,
)
from core.words import counted, per_cent
from pages.parts.app import frame, session, state, visitor
from pages.parts.app.frame import step
from pages.parts.markup import plain
from pages.parts.surrogate import roles
from pages.parts.widgets.controls import RUN

_STATES = {
    "queued": "Starting",
    "running": "Running",
    "waiting": "Waiting for batch results",
    "done": "Done",
    "done with failures": "Done with failures",
    "stopped": "Stopped",
    "paused": "Paused",
    "failed": "Stopped by an error",
    "lost": "Lost: its worker has ended",
}
_NEXT = {
    "waiting": "When the batch is done, read its results with `python -m neyman surrogate batch read`.",
    "stopped": "The resumed run asks only for what is missing.",
    "paused": "Resume when the cause is gone. The run asks only for what is missing.",
    "failed": "Resume when the cause is gone. The run asks only for what is missing.",
    "lost": "The worker was killed, or its machine was restarted. The resumed run asks only for what is missing.",
}
_LOG_LINES = 40
_STARTING_LINES = 8
_STARTS = 4
_NEW_POOL = (
    "Label and Estimate know the answers already. This makes a separate pool, with separate lists, for Explore and Lab."
)


@dataclass(slots=True)
class Said:
    """Messages that the page gives once: what went wrong with a run, and what its answers brought."""

    problem: str = ""
    brought: str = ""


def choose(runs: Sequence[JobProgress]) -> JobProgress | None:
    """The job to show: the URL's, or the newest on this pool; None if there is none."""
    if not runs:
        return None
    names = {job.id: f"{_STATES[job.state]} · {job.spec.model} · {_purpose(job)} · {job.created}" for job in runs}
    if len(runs) == 1:
        return runs[0]
    chosen = RUN.of(names).draw()
    return next(job for job in runs if job.id == chosen)


def panel(pool: Pool, job: JobProgress) -> None:
    """JobProgress while it runs; results, reasons and the next step afterwards."""
    with st.container(border=True, key="job"):
        # The timer runs only while there is something to wait for.
        frame.fragment(_live, run_every="1s" if job.active else None)(pool, job.id, job.active)
        if not job.active:
            _afterwards(pool, job)
        if details := frame.panel("Settings and log", "details", "terminal"):
            with details:
                frame.fragment(_details, run_every="2s" if job.active else None)(job.id)


def _purpose(job: JobProgress) -> str:
    if job.spec.grouping is not None:
        return f"{job.spec.grouping.rule} meaning classes"
    if job.spec.judge is not None:
        return f"judge of “{job.spec.judge}”"
    if job.spec.target is None:
        return f"k = {job.spec.sampling.k}"
    return f"target “{job.spec.target}”" + ("" if job.spec.items is None else f", {job.total:,} items")


def _live(pool: Pool, job_id: str, was_active: bool) -> None:
    """Show the changing part of a running job; it holds no input but Stop."""
    job = progress(state.store(), job_id)
    if was_active and not job.active:
        st.rerun()
    frame.finding(_headline(job))
    st.progress(min(job.share, 1.0), text=_pace(job))
    if job.active and not job.generations:
        logs = [*job.server_logs[-1:], job.log]
        st.code(
            next(filter(None, (log_tail(log, _STARTING_LINES) for log in logs)), "…"), language=None, wrap_lines=True
        )
    if job.error and job.state == "paused":
        st.warning(plain(job.error), icon=":material/pause_circle:")
    elif job.error:
        st.error(plain(job.error), icon=":material/error:")
    cells = st.columns(4)
    what = _unit(job).capitalize()
    cells[0].metric(f"{what}s answered", f"{job.done:,}", border=True)
    cells[1].metric(f"{what}s failed", f"{job.failed:,}", border=True)
    cells[2].metric(
        "No answer found" if job.spec.grouping is None else "No verdict found",
        per_cent(job.unparsed_share, 1),
        border=True,
        help="Share of the generations.",
    )
    cells[3].metric(
        "Cut by the token limit",
        f"{job.truncated:,}",
        border=True,
        help="Generations, with those that vLLM ended because they repeat themselves.",
    )
    if job.active:
        st.button(
            "Stop",
            icon=":material/stop_circle:",
            on_click=frame.in_callback(stop),
            args=(state.store(), job.id),
            key="stop",
            disabled=job.stopping,
            help="Answers under way may still arrive for a minute. All are kept, and the run can be resumed.",
        )
    if job.spec.grouping is not None:
        if job.done and not job.active:
            roles.effect(state.store(), pool, job)
    elif job.done and (job.spec.target or job.spec.judge):
        _examples(pool, job.id)
    elif job.done:
        left, right = st.columns(2, gap="large")
        with left:
            _distribution(partitions(state.store(), job.id))
        with right:
            _examples(pool, job.id)


def _headline(job: JobProgress) -> str:
    items = f"{job.done:,} of {job.total:,} {_unit(job)}s"
    phase = f" ({plain(job.phase.rstrip('.'))})" if job.phase and job.active else ""
    now = "Stopping" if job.stopping else _STATES[job.state]
    return f"{now}{phase}: {plain(job.spec.target or job.spec.model)} has answered {items}"


def _pace(job: JobProgress) -> str:
    parts = [f"{job.share:.0%}"]
    if job.item_rate > 0:
        parts.append(f"{job.item_rate:,.1f} {_unit(job)}s/s · {job.token_rate:,.0f} tokens/s")
    if job.seconds_left is not None:
        parts.append(f"{_duration(job.seconds_left)} left")
    counted = " (counted here: the server does not report them)" if job.estimated_tokens else ""
    parts.append(f"{job.completion_tokens:,} tokens written{counted}")
    if job.active and job.expected_tokens is not None:
        parts.append(f"about {job.expected_tokens:,.0f} in all")
    if job.cost is not None:
        expected = job.expected_cost if job.active else None
        whole = "" if expected is None else f", about {expected:,.4g} in all"
        parts.append(f"cost so far {job.cost:,.4g}{whole}")
    if job.retries:
        parts.append(f"{job.retries:,} requests repeated")
    return " · ".join(parts)


def _distribution(answers: Partitions) -> None:
    """Semantic entropy of the items done so far."""
    if not answers.items.any():
        return
    table = value_counts(semantic_entropy(answers.classes), answers.items)
    st.markdown(f"**All answers agree on {per_cent(answers.agreeing)} of the items so far**")
    shown = table["value"].tolist(), table["items"].tolist()
    figure = strata.distribution(*shown, "Semantic entropy (nats)", 0.0)
    frame.chart(figure, "running-entropy", "Share of the items done at each value of semantic entropy.")


def _examples(pool: Pool, job_id: str) -> None:
    """The three items finished last, one generation each."""
    st.markdown("**Latest answers**")
    for example in examples(state.store(), job_id):
        prompt = pool.rows([example.position])["prompt"].iloc[0] if "prompt" in pool.item_columns else ""
        generation = example.generations[0] if example.generations else None
        st.caption(plain(str(prompt)[:160]))
        if generation is not None:
            st.text(generation.text[:400])
            answer = "no answer found" if generation.answer is None else f"read as {generation.answer}"
            st.caption(plain(answer))


def _afterwards(pool: Pool, job: JobProgress) -> None:
    if text := _next(job):
        st.caption(text)
    if job.truncated and (cut := cut_in_reasoning(state.store(), job.id)):
        st.warning(
            f"The token limit cut {counted(cut, 'generation')} inside the reasoning: they count as no answer. For a "
            "new run, raise the maximum tokens or turn thinking off under Sampling.",
            icon=":material/content_cut:",
        )
    with st.container(horizontal=True):
        if job.done and job.spec.target:
            step("pages/label.py", "Label with these answers", ":material/checklist:")
            step("pages/estimate.py", "Estimate from the labels", ":material/analytics:")
        if job.done:
            what = "verdicts" if job.spec.judge else "answers" if job.spec.target else "generations"
            what = "meaning classes" if job.spec.grouping else what
            st.button(
                f"Put the {what} into the pool",
                help=_NEW_POOL if job.spec.target else None,
                type="secondary" if job.spec.target else "primary",
                icon=":material/input:",
                on_click=_into_pool,
                args=(pool, job.id),
            )
        if (job.resumable or job.failed) and job.spec.serving is None and visitor.may_start():
            st.text_input("API key, to resume", type="password", key="resume_key", help="For this run’s own server.")
        if job.resumable:
            st.button(
                "Resume",
                icon=":material/play_arrow:",
                disabled=not visitor.may_start(),
                help=None if visitor.may_start() else visitor.REFUSAL,
                on_click=_resume,
                args=(job.id,),
            )
    said = session.held(Said)
    problem, said.problem = said.problem, ""
    if problem:
        st.error(plain(problem), icon=":material/error:")
    failed = failures(state.store(), job.id)
    if failed:
        kinds = ", ".join(f"{count.items:,} {count.kind}" for count in job.failure_counts)
        reasons = st.expander(f"Why {_items(job, job.failed)} failed: {kinds}", icon=":material/report:")
        # A comparison has no name but its number.
        names = pool.ids if job.spec.grouping is None else range(1, job.total + 1)
        rows = [
            {_unit(job): names[item.position], "reason": item.failure.kind, "what happened": item.failure.message}
            for item in failed
        ]
        reasons.dataframe(rows, hide_index=True, alt=f"What could not be answered, one {_unit(job)} a row, and why.")
        if job.failed > len(failed):
            reasons.caption(f"The first {len(failed):,} of {job.failed:,} are shown.")
        with reasons.container(horizontal=True):
            for count in job.failure_counts:
                if count.final:
                    st.button(
                        f"Ask {_items(job, count.items)} again: {count.kind}",
                        key=f"retry-{count.kind}",
                        icon=":material/replay:",
                        disabled=not visitor.may_start(),
                        on_click=_resume,
                        args=(job.id, count.kind),
                        help="Resume skips them, because the server would refuse them again.",
                    )


def _next(job: JobProgress) -> str:
    """Return the next steps for a job that no worker runs."""
    if job.retryable and job.state == "done with failures":
        final = job.failed - job.retryable
        rest = f" The other {final:,} failed for good; below you can ask them again." if final else ""
        return f"Resume asks {_items(job, job.retryable)} again that failed for a passing reason.{rest}"
    if job.failed and job.state == "done with failures":
        return f"{_items(job, job.failed).capitalize()} failed for good. Below you can see why, and ask them again."
    return _NEXT.get(job.state, "")


def _unit(job: JobProgress) -> str:
    """Return the unit that a job is asked about, one at a time."""
    return "item" if job.spec.grouping is None else "comparison"


def _items(job: JobProgress, number: int) -> str:
    return counted(number, _unit(job))


def _details(job_id: str) -> None:
    job = progress(state.store(), job_id)
    if job.request is not None:
        k, most = job.spec.sampling.k, job.request.most
        samples = "all samples" if most >= k else f"{most} samples" if most > 1 else "one sample"
        st.caption(f"Really sent ({samples} in a request):")
        st.code(json.dumps(dict(job.request.parameters), indent=1), language=None, wrap_lines=True)
        for name, reason in job.request.dropped.items():
            st.caption(plain(f"Not sent, because the server refuses it: {name} ({reason})"))
    if job.versions:
        st.caption(plain(f"Server: {job.server_model or ''}, versions {json.dumps(dict(job.versions))}"))
    starts = enumerate(job.server_logs, start=1)
    titles = [(f"Log of the server, start {start} of {len(job.server_logs)}", path) for start, path in starts]
    for title, path in (("Log", job.log), *titles[-_STARTS:]):
        if path.exists():
            st.caption(title)
            st.code(log_tail(path, _LOG_LINES), language=None, wrap_lines=True)


def _resume(job_id: str, failed: str | None = None) -> None:
    """Resume a job; ask the items again that failed for good in one way, if it is named."""
    try:
        visitor.check_may_start()
        if failed is not None:
            state.store().retry_failed(job_id, failed)
        resume(state.store(), job_id, state.api_key("resume_key"))
    except NeymanError as error:
        session.held(Said).problem = str(error)
    finally:
        session.show("resume_key", "")


def _into_pool(pool: Pool, job_id: str) -> None:
    try:
        state.choose(pool_with(state.store(), pool, job_id))
        job = progress(state.store(), job_id)
        session.held(Said).brought = (
            str(coverage(state.store(), job_id))
            if job.spec.grouping is None
            else f"they are grouped by meaning, from {job.done:,} comparisons"
        )
    except (NeymanError, ItemFault) as error:
        session.held(Said).problem = str(error)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"
