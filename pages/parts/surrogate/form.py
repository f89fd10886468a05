"""The form for a new run on page Surrogate: model, where, k; everything else folded away."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.surrogate import (
    ANSWER_TOKENS,
    JUDGING,
    PRESETS,
    STANDARD,
    STANDARD_OF_BASE_MODELS,
    STANDARD_OF_JUDGES,
    THINKING_TOKENS,
    Connection,
    ItemFault,
    JobProgress,
    JobSpec,
    Prompting,
    Sampling,
    changes,
    command_line,
    gpus,
    preview,
    resume,
    serving_python,
    shots_of,
    start,
    vllm_version,
    workload,
)
from pages.parts import markup
from pages.parts.app import frame, session, state, visitor
from pages.parts.markup import plain
from pages.parts.surrogate import roles
from pages.parts.surrogate.roles import choose, purpose
from pages.parts.surrogate.server import KEEP, THINKING, Tested, addresses, button, get, models, results, server
from pages.parts.widgets.controls import RUN

_HERE, _SERVER = "here", "server"
_TINY = "data/tiny_lm/surrogate"
# Fields of the tiny model. To compile it, and to fill gigabytes of memory, takes longer than it gains.
_TINY_FIELDS = {
    "arguments": "--enforce-eager --kv-cache-memory-bytes 256M",
    "presence_penalty": 0.0,
    "max_tokens": 192,
    "template": "{question}",
}


@dataclass(frozen=True, slots=True)
class Machine:
    """The abilities of this machine, in words; ``ready``: vLLM is there."""

    label: str
    ready: bool
    gpu: bool


@st.cache_data(ttl=60, show_spinner="Looking for a GPU and vLLM …")
def _machine() -> Machine:
    version, cards = vllm_version(serving_python(state.store().folder)), gpus()
    if cards:
        label = f"This machine’s GPU: {cards[0].name}, {cards[0].free / 1024:.0f} GiB free"
    else:
        label = "This machine’s CPU (no GPU found)"
    return Machine(f"{label}, vLLM {version}" if version else label, version is not None, bool(cards))


@dataclass(slots=True)
class Started:
    """Why the last run did not start, and what stood in the fields before the tiny model."""

    problem: str = ""
    before_tiny: dict[str, Any] = field(default_factory=dict)


def form(pool: Pool, earlier: Sequence[JobProgress]) -> None:
    """Model, where, k; what it will take and Start; the rest under Sampling, Prompt and Server."""
    if earlier:
        st.header("New run")
    here = _machine()
    with frame.errors():
        role = choose(pool)
    columns = st.columns([2, 2, 1])
    with columns[1]:
        where = _where(here)
    with columns[0]:
        tested = session.held(Tested)
        single, tested.only_model = tested.only_model, None
        if single:
            session.show("model", single)
            _leave_tiny()
        model = st.text_input(
            "Model",
            key="model",
            persist_state="session",
            on_change=_leave_tiny,
            placeholder="Qwen/Qwen3.5-2B",
            help="Its name on the Hugging Face Hub, a folder, or as the server calls it.",
        ).strip()
        if where == _SERVER:
            models(addresses())
    with columns[2]:
        if role.target is None and role.judge is None and role.grouping is None:
            k = st.number_input("Answers to each item (k)", 1, 100, 10, key="k", persist_state="session")
        else:
            k = 1
            st.number_input("Answers to each item (k)", 1, 1, 1, key="k-target", disabled=True)
    if not here.ready and not session.widget("address"):
        get(here.gpu, _machine.clear)
    elif not here.gpu:
        _tiny(where)
    # Above the panels, though what they hold is part of what starts.
    begin = st.container()
    try:
        connection, serving = Connection(), None
        if role.grouping is None:
            sampling, prompting = _sampling(int(k), role.judge is not None), _prompting(pool, role.judge)
        else:
            sampling, prompting = roles.sampling(), roles.prompting(pool, role.grouping)
        connection, serving, prices = server(where == _HERE, model)
        spec = None
        if model:
            name = None if role.target is None else role.target or model
            spec = JobSpec(
                pool.digest,
                model,
                connection,
                serving,
                sampling,
                prompting,
                prices,
                name,
                role.items,
                judge=role.judge,
                grouping=role.grouping,
            )
            spec = _as_begun(spec, earlier)
        with begin:
            _start(pool, spec, connection, earlier, purpose(role))
    except NeymanError as error:
        with begin:
            frame.show_error(error)


def _as_begun(spec: JobSpec, earlier: Sequence[JobProgress]) -> JobSpec:
    """The run that an earlier version began with these settings and its own defaults; ``spec`` if there is none."""
    begun = {job.spec.key for job in earlier}
    given = {name for name in ("max_tokens", "thinking") if session.widget(name) is not None}
    return next((one for one in (spec, *spec.earlier(given)) if one.key in begun), spec)


def _where(here: Machine) -> str:
    options = [_HERE, _SERVER] if here.ready else [_SERVER]
    names = {_HERE: here.label, _SERVER: "A server’s address"}
    where = str(st.selectbox("Where", options, key="where", format_func=names.__getitem__, persist_state="session"))
    if where == _SERVER:
        st.text_area(
            "Address",
            key="address",
            height=68,
            persist_state="session",
            placeholder="https://api.openai.com/v1",
            help="Any server with OpenAI’s interface: vLLM, a cluster’s gateway, OpenAI. Several servers of the same "
            "model, one address per line, share the work; one that fails does not end the run. The key goes under "
            "“Server”.",
        )
    return where


def _tiny(where: str) -> None:
    """The bundled model, for a machine that has vLLM and no GPU."""
    if where == _HERE:
        st.button("Use the bundled tiny surrogate", icon=":material/toys:", on_click=_choose_tiny)
        st.caption("It runs on the CPU. It was trained for the practice pool’s tasks and knows nothing else.")


def _choose_tiny() -> None:
    _leave_tiny()
    session.held(Started).before_tiny = {name: session.widget(name) for name in _TINY_FIELDS}
    for name, value in {"model": _TINY, **_TINY_FIELDS}.items():
        session.show(name, value)


def _leave_tiny() -> None:
    """Give the next model what stood in the fields before the tiny one, if that was not changed since."""
    started = session.held(Started)
    stood, started.before_tiny = started.before_tiny, {}
    for name, before in stood.items():
        if session.widget(name) == _TINY_FIELDS[name]:
            session.forget(name)
            if before is not None:
                session.show(name, before)


_PRESETS = {
    "paper": "The paper’s",
    "qwen3.5": "Qwen3.5",
    "qwen3.5-thinking": "Qwen3.5, thinking",
    "qwen3": "Qwen3",
    "qwen3-thinking": "Qwen3, thinking",
    "llama3": "Llama 3",
    "gemma4": "Gemma 4",
    "gemma4-thinking": "Gemma 4, thinking",
    "gemma3": "Gemma 3",
    "mistral-small": "Mistral Small 3",
    "magistral": "Magistral",
    "deepseek-r1": "DeepSeek-R1",
}
# Fields of a preset, and what stands in their field on the page if it leaves one to the server.
_DECODING: dict[str, float] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "presence_penalty": 0.0,
    "repetition_penalty": 1.0,
}


def _set_preset() -> None:
    """Fill in what a preset says; every field can be changed afterwards."""
    chosen = PRESETS[session.widget("preset")]
    for name, neutral in _DECODING.items():
        session.show(name, neutral if chosen[name] is None else chosen[name])
    session.show("thinking", chosen["thinking"])


def _sampling(k: int, judging: bool) -> Sampling:
    # Set by presets and a button too, so the defaults are in the state and not in the widgets.
    for name in _DECODING:
        session.begin(name, PRESETS["paper"][name])
    with st.expander("Sampling", icon=":material/tune:"):
        cells = [*st.columns(5), *st.columns(4)]
        temperature = cells[0].number_input("Temperature", 0.0, 2.0, step=0.1, key="temperature", **KEEP)
        top_p = cells[1].number_input("top_p", 0.01, 1.0, step=0.05, key="top_p", **KEEP)
        top_k = cells[2].number_input("top_k (0: off)", 0, 1000, key="top_k", **KEEP)
        presence = cells[3].number_input("Presence penalty", -2.0, 2.0, step=0.1, key="presence_penalty", **KEEP)
        repetition = cells[4].number_input("Repetition penalty", 0.1, 2.0, step=0.05, key="repetition_penalty", **KEEP)
        thinking = cells[5].selectbox(
            "Thinking",
            list(THINKING),
            key="thinking",
            format_func=THINKING.__getitem__,
            help="Whether the model reasons before it answers (`enable_thinking` of its chat template). Qwen3.5 does "
            "so by default from 4B up. Its card has other settings for each: choose its preset.",
            **KEEP,
        )
        longest = cells[6].number_input(
            "Maximum tokens (0: the model’s limit)",
            0,
            1_000_000,
            None,
            key="max_tokens",
            placeholder=f"{THINKING_TOKENS if thinking == 'on' else ANSWER_TOKENS:,}",
            help="Of one answer, its reasoning included. A longer one is cut.",
            **KEEP,
        )
        logprobs = cells[7].toggle("Log-probabilities", True, key="logprobs", **KEEP)
        extra = cells[8].text_input("More fields (JSON)", "{}", key="extra", **KEEP)
        more = st.columns(2)
        more[0].selectbox(
            "Preset",
            list(_PRESETS),
            key="preset",
            format_func=_PRESETS.__getitem__,
            on_change=_set_preset,
            help="Fills in what the family’s model card recommends.",
            **KEEP,
        )
        seed = more[1].number_input(
            "Seed",
            0,
            2**31 - 1,
            None,
            key="run-seed",
            placeholder="none",
            help="Makes a run repeatable, and slower: a server that gets a seed samples request by request.",
            **KEEP,
        )
        repeated = st.toggle(
            "End an answer that repeats itself",
            True,
            key="repetition_detection",
            help="vLLM ends an answer that says the same 32 times in a row. Without it, such an answer runs up to the "
            "limit.",
            **KEEP,
        )
        st.caption("The defaults are the paper’s. What a server refuses is left out, recorded and shown.")
    limit = {} if longest is None else {"max_tokens": int(longest) or None}
    return Sampling(
        k,
        temperature,
        top_p,
        int(top_k) or None,
        presence,
        repetition,
        seed=seed,
        logprobs=logprobs,
        extra=JUDGING if judging and extra.strip() == "{}" else extra,
        thinking=thinking,
        repetition_detection=repeated,
        **limit,
    )


def _prompting(pool: Pool, judge: str | None) -> Prompting:
    panel = st.expander("Prompt", key="prompt-panel", on_change="rerun", icon=":material/chat:")
    with panel:
        system = st.text_area("System prompt", key="system", height=68, persist_state="session")
        session.begin("template", STANDARD)
        standard = _standard(judge)
        if session.widget("template") in _STANDARDS:
            session.show("template", standard)
        template = st.text_area(
            "Template",
            key="template",
            height=140,
            persist_state="session",
            help="{question}, {choices} and {instruction} are filled in; {instruction} follows how answers are read.",
        )
        images = ""
        if "image" in pool.source.column_names:
            images = st.text_input(
                "Folder that the images’ paths are relative to", key="images", persist_state="session"
            )
        kinds = st.columns(3)
        base = kinds[0].toggle(
            "Base model",
            key="base_model",
            help="It has no chat format: it continues a text, through the completions endpoint. Give it examples.",
            **KEEP,
        )
        letters = kinds[1].toggle(
            "Letters only",
            key="letters_only",
            help="Items with options are answered with a letter alone, which the server enforces (vLLM).",
            **KEEP,
        )
        file = kinds[2].file_uploader(
            "Examples", ("jsonl",), key="shots", help="Shown before each item: JSON Lines with prompt, answer, choices."
        )
        prompting = Prompting(
            system=system,
            template=None if template in _STANDARDS else template,
            images=images or None,
            shots=() if file is None else shots_of(file.getvalue().decode("utf-8-sig", "replace"), file.name),
            base_model=base,
            letters_only=letters,
        )
        if panel.open:
            row = int(st.number_input("Preview of item", 1, pool.n_items, 1, key="preview"))
            try:
                for number, message in enumerate(preview(pool, row - 1, prompting, judge)):
                    st.caption(str(message["role"]))
                    content = message["content"]
                    text = content if isinstance(content, str) else "\n".join(map(_part, content))
                    markup.show(text, f"preview-{row}-{number}")
            except ItemFault as error:
                st.warning(plain(str(error)), icon=":material/image_not_supported:")
    return prompting


_STANDARDS = (STANDARD, STANDARD_OF_BASE_MODELS, STANDARD_OF_JUDGES)


def _standard(judge: str | None) -> str:
    """The template of a run for which no other was typed."""
    if judge is not None:
        return STANDARD_OF_JUDGES
    return STANDARD_OF_BASE_MODELS if session.widget("base_model") else STANDARD


def _part(part: dict[str, object]) -> str:
    return str(part["text"]) if part["type"] == "text" else "[image]"


def _start(
    pool: Pool, spec: JobSpec | None, connection: Connection, earlier: Sequence[JobProgress], purpose: str
) -> None:
    missing = "Name a model to start." if spec is None else None
    resumed: JobProgress | None = None
    requests = 0
    if spec is not None and spec.serving is None and not spec.connection.base_urls:
        missing = "Give the server’s address to start."
    if spec is not None and not missing:
        expected = workload(pool, spec) if spec.grouping is None else roles.expected(pool, spec, earlier)
        requests = expected.requests
        test = "" if spec.serving is not None else "“Test connection” estimates the time. "
        st.caption(
            f"{purpose} {expected}. {test}What it will probably take, and the time, are known after the first 20 "
            f"{'items' if spec.grouping is None else 'comparisons'}."
        )
        for remark in spec.remarks():
            st.warning(plain(remark), icon=":material/rule:")
        with st.expander("The same on another machine", icon=":material/terminal:"):
            st.code(f"{command_line(spec, 'pool.parquet')} --out=made.parquet", language=None, wrap_lines=True)
            if spec.items is not None:
                st.caption("items.txt: the list that page Label gives as CSV or JSON Lines.")
            if spec.prompting.shots:
                st.caption("shots.jsonl: the examples, as you uploaded them.")
            st.download_button(
                "pool.parquet", lambda: _as_parquet(pool), "pool.parquet", on_click="ignore", icon=":material/download:"
            )
        same = [job for job in earlier if job.spec.key == spec.key]
        if same and not st.checkbox("Run it again", key="anew"):
            resumed = next((job for job in same if job.resumable), None)
            if resumed is None:
                missing = "You have done this run before. Tick the box to run it again."
    if resumed is not None and spec is not None:
        _changes(resumed.spec, spec)
    if not visitor.may_start():
        missing = visitor.REFUSAL
    with st.container(horizontal=True):
        st.button(
            "Start" if resumed is None else "Resume with these settings",
            type="primary",
            icon=":material/play_arrow:",
            disabled=bool(missing),
            on_click=_go,
            args=(pool, spec, resumed and resumed.id),
        )
        if session.widget("where") == _SERVER:
            button(pool, spec, connection)
    results(spec, connection, requests)
    if missing:
        st.caption(missing)
    started = session.held(Started)
    problem, started.problem = started.problem, ""
    if problem:
        st.error(plain(problem), icon=":material/error:")


def _changes(before: JobSpec, after: JobSpec) -> None:
    """Say that the same work waits to be resumed, and what would change."""
    changed = plain(", ".join(changes(before, after))) or "nothing"
    st.caption(f"The same run waits to be resumed: what was answered is kept. These settings change {changed}.")


def _as_parquet(pool: Pool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.parquet"
        pool.write(path)
        return path.read_bytes()


def _go(pool: Pool, spec: JobSpec, resumed: str | None) -> None:
    """Start or resume in a callback, so that a double click or a rerun cannot start it twice."""
    try:
        visitor.check_may_start()
        if resumed is None:
            state.archive().pools.save(pool, state.now())
            RUN.set(start(state.store(), spec, state.api_key()))
        else:
            resume(state.store(), resumed, state.api_key(), spec)
            RUN.set(resumed)
    except NeymanError as error:
        session.held(Started).problem = str(error)
    finally:
        session.show("api_key", "")
