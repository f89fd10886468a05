"""`neyman study`: from logs to a list of samples to grade, and from their grades to the accuracy.

`neyman study list SURROGATE.eval TARGET.eval --labels 100 --out FOLDER` writes the plan, the list and, of an Inspect
log, the samples to grade. `neyman study estimate FOLDER GRADED` prints the estimate with its interval.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import pandas as pd
from cyclopts import App, Parameter

from .. import answers
from ..answers import PARSER_VERSION
from ..design import manifest
from ..design.design import Plan
from ..design.recommend import recommend
from ..estimation.intervals import Interval
from ..labels import requests
from ..labels.formats.inspect_log import to_log
from ..labels.formats.lists import to_csv
from ..labels.kinds import KINDS, PREFERENCE, RIGHT_WRONG, scored
from ..labels.model_pair import SHOWN
from ..labels.queues.assignment import Assignment
from ..labels.queues.services import SERVICES, Queue
from ..labels.queues.transfer import pull, push
from ..labels.target_commands import commands
from ..prospect import Prospect
from ..readers.option_orders import folded
from ..readers.results import read_outputs
from ..readers.tool_formats.inspect_eval import InspectLog
from ..report import everyday, promised, report_json, sections
from ..study.files import compared, labelled, request
from ..study.study import Study
from ..words import counted, shell_line, span, width
from ..words.console import count, emit
from ..words.documents import document
from ..words.scale import GradeScale
from .grading import LABELS, LIST, PLAN, POOL, SAMPLES, check_unfilled, drawn, labels_of, only_target, pool_of
from .options import meanings

_HELP = """Turn logs into a list of samples to grade, and their grades into the accuracy.

Between list and estimate, push sends the list to a running labelling tool, and pull fetches its labels. Addresses and
keys come from the environment: LABEL_STUDIO_URL, LABEL_STUDIO_API_KEY; ARGILLA_API_URL, ARGILLA_API_KEY; LANGFUSE_HOST,
LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY.
"""
_NO_RUNS = ("The pool has not several runs of an item of this target with right or wrong known of every item.",)
app = App("study", help=_HELP)


@app.command(name="list")
def list_samples(
    files: tuple[Path, ...],
    /,
    *,
    labels: int,
    out: Path,
    surrogate: tuple[str, ...] = (),
    target: str | None = None,
    against: str | None = None,
    scale: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Turn logs into a list of samples to grade.

    Parameters
    ----------
    files : path
        Logs of the surrogate and the target, or pools.
    labels : int
        How many samples to grade.
    out : path
        Folder for the plan, the pool and the list.
    surrogate : str
        A model whose samples are the generations; may be repeated.
    target : str
        The model to grade; it may be its own surrogate.
    against : str
        Another model: people say which of both answers is better, and the number is how often the target wins.
    scale : str
        The worst and the best grade that people can give, as 1-5 (default: they say right or wrong).
    seed : int
        Seed of the draw.
    json : bool
        Print one JSON object.
    """
    outputs = folded([read_outputs(path, str(path)) for path in files])
    pool, target, read_as = pool_of(outputs, surrogate, target, against)
    # Which items a model gets wrong says little of which answer is better.
    design = recommend(pool, labels, target if against is None else None)
    plan = design.draw(pool, seed=seed)
    check_unfilled(out / LIST)
    out.mkdir(parents=True, exist_ok=True)
    pool.write(out / POOL)
    (out / PLAN).write_text(manifest.write(plan, pool.name, dict(PARSER_VERSION)), encoding="utf-8")
    kind = RIGHT_WRONG.name
    frame = requests.request(plan, pool.items) if target is None else request(plan, kind, target, scale, against)
    (out / LIST).write_text(to_csv(frame), encoding="utf-8", newline="")
    logs = [log for path in files if (log := InspectLog.of(path)) is not None]
    next_step = (
        _to_run(plan, logs) if target is None else _to_grade(out, frame, target, logs, _answers_in(scale, against))
    )
    promise = None if against is not None else Prospect(pool, target, labels).promise
    said = [read_as, design.why, *([] if promise is None else [promise.sentence, promise.rests_on])]
    if json:
        facts = {
            "plan": plan.plan_id,
            "target": target,
            "items": pool.n_items,
            "labels": plan.ids.size,
            "seed": seed,
            "files": {name: str(out / name) for name in (PLAN, POOL, LIST, SAMPLES) if (out / name).exists()},
            "promise": None if promise is None else promise.summary_frame().to_dict("records")[0],
            "sentences": said,
            "next": next_step,
        }
        emit(document("neyman-list/1", facts), end="")
        return 0
    emit("\n".join([*said, repr(plan).splitlines()[0], "", *next_step]))
    emit(f"Then:\n  python -m neyman study estimate {shell_line([str(out)])} GRADED")
    return 0


def _to_run(plan: Plan, logs: Sequence[InspectLog]) -> list[str]:
    """Return how the target gets its answers to the listed samples, in lines of words."""
    task = logs[0].task if logs else None
    tools = commands([str(item) for item in plan.ids], plan.positions, task or "TASK")
    return ["Run the target on these samples:", f"  {tools[1 if logs else 0].line}"]


def _answers_in(scale: str | None, against: str | None) -> str:
    """Say what people write as labels."""
    if against is not None:
        return f"{', '.join(PREFERENCE.verdicts)}: which answer is better"
    return "right or wrong" if scale is None else f"grades from {GradeScale.of(scale)}"


def _to_grade(folder: Path, frame: pd.DataFrame, target: str, logs: Sequence[InspectLog], labels: str) -> list[str]:
    """Return how the listed samples get their grades, in lines; of an Inspect log, they are written beside the list."""
    by_hand = f"ill the column label of {folder / LIST} with {labels}."
    log = next((one for one in logs if one.model == target), None)
    if log is None or SHOWN[0] in frame.columns:
        return [f"F{by_hand}"]
    (folder / SAMPLES).write_text(to_log(log, frame), encoding="utf-8")
    words = ["inspect", "score", str(folder / SAMPLES), "--output-file", str(folder / "graded.json")]
    return ["Grade the samples:", f"  {shell_line(words)} --scorer SCORER", f"or f{by_hand}"]


@app.command
def estimate(
    folder: Path,
    files: tuple[Path, ...],
    /,
    *,
    scorer: str | None = None,
    target: str | None = None,
    against: str | None = None,
    kind: Annotated[str | None, Parameter(choices=list(KINDS))] = None,
    scale: str | None = None,
    at_least: float | None = None,
    confidence: float = 0.95,
    parser: Annotated[str | None, Parameter(choices=list(answers.KINDS))] = None,
    word: tuple[str, ...] = (),
    runs: bool = False,
    json: bool = False,
) -> int:
    """Turn grades into the accuracy with its interval.

    Parameters
    ----------
    folder : path
        The folder that `study list` wrote.
    files : path
        Graded logs of Inspect, or filled lists.
    scorer : str
        Whose scores count, if a log has several.
    target : str
        The model that was graded.
    against : str
        The model with which it was compared: labels say whose answer is better.
    kind : str
        What a label says.
    scale : str
        The worst and the best grade that people could give, as 1-5; labels are then grades.
    at_least : float
        Say also which share of the items has this grade or a better one (default: three quarters up the scale).
    confidence : float
        Confidence of the interval.
    parser : str
        How answers are read and compared with right answers (default: as the list says).
    word : str
        What a word in the files means, as richtig=right, falsch=wrong or partly=skip (no verdict); may be repeated.
    runs : bool
        Say what several graded runs of the target give: pass@k, pass^k, items that flip, and runs that an item needs.
    json : bool
        Print one JSON object: the report's, or what is provisional while strata wait for a label.
    """
    pool, plan = drawn(folder)
    returned = [labels_of(path, scorer) for path in files]
    interval = Interval(confidence=confidence)
    study = labelled(
        plan,
        returned,
        target or only_target(pool),
        kind,
        interval=interval,
        parser=parser,
        words=meanings(word),
        scale=scale,
        against=against,
    )
    study = Study(replace(study.labels, threshold=at_least))
    if (waiting := study.partial()) is not None and waiting.joined is not None:
        said = [
            sections.partial_headline(waiting),
            sections.reason(waiting),
            sections.partial_statement(waiting),
            *study.remarks,
        ]
        if json:
            facts = {
                "target": study.target,
                "provisional": asdict(waiting.joined),
                "begun": waiting.begun,
                "waiting": list(waiting.empty),
                "sentences": list(filter(None, said)),
            }
            emit(document("neyman-provisional/1", facts), end="")
        else:
            emit("\n".join(filter(None, said)))
        if not waiting.begun:
            return 0
    # The beginning of a list is no result: what follows says what it lacks.
    result = replace(study.result(), promise=promised(study))
    if json:
        emit(report_json(result, study.labels.provenance(), study.labels.rows, study.remarks), end="")
        return 0
    lines = [f"{study.target or 'The target'}: {result.line()}, ±{width(result.half_width, result.unit)}"]
    for row, more in zip(result.beside_uniform.to_dict("records"), ("", ", same number of labels"), strict=True):
        limits = "no interval yet" if math.isnan(row["low"]) else span(row["low"], row["high"], result.unit)
        lines.append(f"  {row['label'] + more:30} {limits}")
    said = [*lines, everyday.before_labels(result), result.estimate.warning, *study.remarks]
    if runs:
        said += _NO_RUNS if study.runs is None else study.runs.sentences()[1:]
    emit("\n".join(filter(None, said)))
    return 0


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions:
    """Where a list goes.

    Parameters
    ----------
    service : str
        The labelling tool.
    kind : str
        What a label says.
    scale : str
        The worst and the best grade, as 1-5: labels are then grades.
    target : str
        The model whose answers are judged.
    against : str
        The model with which it is compared: labels say whose answer is better.
    address : str
        Address of the server, instead of the one in the environment.
    project : str
        The project, dataset or annotation queue (default: named by the plan).
    """

    service: Annotated[str, Parameter(choices=list(SERVICES))]
    kind: Annotated[str, Parameter(choices=list(KINDS))] = "right-wrong"
    scale: str | None = None
    target: str | None = None
    against: str | None = None
    address: str | None = None
    project: str | None = None


@app.command(name="push")
def send(folder: Path, /, *, options: QueueOptions) -> int:
    """Send the list to a labelling tool; sent again, it adds only what is missing there.

    Parameters
    ----------
    folder : path
        The folder that `study list` wrote, or one with a manifest (plan.json) and its pool.parquet.
    options : QueueOptions
        Where the list goes.
    """

    def report(done: int, due: int) -> None:
        count(f"{done:,} of {counted(due, 'item')}", over=done >= due)

    pushed = push(*_assigned(folder, options), report)
    emit("\n".join([*pushed.sentences, f"Label at {pushed.url}"]))
    return 0


@app.command(name="pull")
def fetch(folder: Path, /, *, options: QueueOptions) -> int:
    """Fetch the labels of a list from a labelling tool.

    Parameters
    ----------
    folder : path
        The folder that `study list` wrote, or one with a manifest (plan.json) and its pool.parquet.
    options : QueueOptions
        Where the list went.
    """
    file = folder / LABELS
    file.write_bytes(pull(*_assigned(folder, options)))
    line = shell_line([str(folder), str(file)])
    emit(f"The labels are in {file}. Then:\n  python -m neyman study estimate {line}")
    return 0


def _assigned(folder: Path, options: QueueOptions) -> tuple[Queue, Assignment]:
    pool, plan = drawn(folder)
    kind, target = options.kind if options.scale is None else scored(options.scale), options.target
    if options.against is not None:
        kind, target = compared(pool, kind if kind != RIGHT_WRONG.name else None, target, options.against)
    listing = request(plan, kind, target or only_target(pool))
    assignment, service = Assignment(plan, listing, kind), SERVICES[options.service]
    address = options.address or os.environ.get(service.address_variable) or service.address
    keys = tuple(os.environ.get(variable, "").strip() for variable in service.keys)
    return Queue(options.service, address, options.project or assignment.name(), keys), assignment
