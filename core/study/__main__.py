"""From logs to a list of samples to grade, and from their grades to the accuracy: two commands.

`python -m core.study list SURROGATE.eval TARGET.eval --labels 100 --out FOLDER` writes the plan, the list and, of an
Inspect log, the samples to grade. `python -m core.study estimate FOLDER GRADED` prints the estimate with its interval.

Between them, `push FOLDER --service label-studio` sends the list to a running labelling tool and `pull FOLDER` with the
same arguments fetches its labels. Addresses and keys come from the environment: LABEL_STUDIO_URL, LABEL_STUDIO_API_KEY;
ARGILLA_API_URL, ARGILLA_API_KEY; LANGFUSE_HOST, LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..answers import PARSER_VERSION
from ..design import manifest
from ..design.design import Plan
from ..design.recommend import recommend
from ..errors import LabelError, NeymanError, PoolError
from ..estimation.intervals import Interval
from ..labels.formats.inspect_log import to_log
from ..labels.formats.lists import to_csv
from ..labels.kinds import KINDS
from ..labels.queues.assignment import Assignment
from ..labels.queues.services import SERVICES, Queue
from ..labels.queues.transfer import pull, push
from ..labels.reader import read as read_labels
from ..labels.requests import request as listed_items
from ..labels.target_commands import commands
from ..pool.pool import Pool
from ..readers import read
from ..readers.circular import folded
from ..readers.inspect_samples import InspectLog
from ..readers.model_outputs import ModelOutputs
from ..readers.model_results import ModelResults, joined
from ..readers.results import read_outputs
from ..words import counted, listed, shell_line, span, width
from .files import labelled, request
from .study import Study

_MODEL = "model"
PLAN, POOL, LIST, SAMPLES, LABELS = "plan.json", "pool.parquet", "list.csv", "samples.json", "labels.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 after one sentence on stderr where the user must put something right."""
    options = _parser().parse_args(arguments)
    try:
        print(_COMMANDS[options.command](options))
    except (NeymanError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _list(options: argparse.Namespace) -> str:
    outputs = folded([read_outputs(path, str(path)) for path in options.files])
    pool, target, read_as = _pool(outputs, options.surrogate or (), options.target)
    design = recommend(pool, options.labels, target)
    plan = design.draw(pool, seed=options.seed)
    folder: Path = options.out
    _check_unfilled(folder / LIST)
    folder.mkdir(parents=True, exist_ok=True)
    pool.write(folder / POOL)
    (folder / PLAN).write_text(manifest.write(plan, pool.name, dict(PARSER_VERSION)), encoding="utf-8")
    frame = listed_items(plan, pool.items) if target is None else request(plan, "right-wrong", target)
    (folder / LIST).write_text(to_csv(frame), encoding="utf-8", newline="")
    lines = [read_as, design.why, repr(plan).splitlines()[0], ""]
    if target is None:
        log = next((log for path in options.files if (log := InspectLog.of(path)) is not None), None)
        tools = commands([str(item) for item in plan.ids], plan.positions, (log and log.task) or "TASK")
        lines += ["Run the target on these samples:", f"  {tools[1 if log else 0].line}"]
    else:
        log = next(
            (one for path in options.files if (one := InspectLog.of(path)) is not None and one.model == target), None
        )
        lines.append(f"Fill the column label of {folder / LIST} with right or wrong.")
        if log is not None:
            (folder / SAMPLES).write_text(to_log(log, frame), encoding="utf-8")
            words = ["inspect", "score", str(folder / SAMPLES), "--output-file", str(folder / "graded.json")]
            lines[-1:] = ["Grade the samples:", f"  {shell_line(words)} --scorer SCORER", f"or f{lines[-1][1:]}"]
    lines += ["Then:", f"  python -m core.study estimate {shell_line([str(folder)])} GRADED"]
    return "\n".join(lines)


def _check_unfilled(path: Path) -> None:
    """Raise `core.errors.LabelError` where a list of this name has labels, which a new one would replace."""
    if path.exists() and read_labels(path.read_bytes(), path.name).rows["label"].notna().any():
        raise LabelError(f"{path} has labels. Choose another folder, or move it away.")


def _pool(
    outputs: Sequence[ModelOutputs], surrogates: Sequence[str], target: str | None
) -> tuple[Pool, str | None, str]:
    """Join the files to a pool; return it with its target, and a sentence about both."""
    results = joined(outputs)
    split = results.default_split()
    committee = list(surrogates) or [name for name in split.committee if name != target]
    if target is None:
        free = [name for name in split.targets if name not in committee]
        if len(free) > 1:
            raise PoolError(f"There are several targets: {', '.join(free)}. Name one with --target.")
        if not free and len(committee) > 1 and not surrogates:
            raise PoolError(f"{listed(committee)} have several samples. Name the target or the surrogates.")
        target = free[0] if free else None
    if target is not None and (not committee or target in committee):
        # A model that is its own surrogate: all its samples on one side, the first of them on the other.
        results, committee = _beside_itself(outputs, target)
    others = [name for name in results.models if name not in committee and name != target]
    pool = results.pool(committee, [*others, *([target] if target else [])])
    samples = counted(pool.n_generations, "sample")
    said = f"{counted(pool.n_items, 'item')}: surrogate {', '.join(committee) or 'none'} ({samples} an item)"
    return pool, target, f"{said}, target {target or 'not run yet'}."


def _beside_itself(outputs: Sequence[ModelOutputs], target: str) -> tuple[ModelResults, list[str]]:
    twin = f"{target} (all samples)"
    if not any(target in pc.unique(one.table.column(_MODEL)).to_pylist() for one in outputs):
        raise PoolError(f"There are no results of “{target}”. Name a model of the files.")
    copies = []
    for one in outputs:
        rows = one.table.filter(pc.equal(one.table.column(_MODEL), target))
        place = rows.column_names.index(_MODEL)
        copies.append(ModelOutputs(rows.set_column(place, _MODEL, pa.array([twin] * len(rows), pa.string()))))
    return joined([*outputs, *(copy for copy in copies if copy.table.num_rows)]), [twin]


def _estimate(options: argparse.Namespace) -> str:
    study = _graded(options)
    result = study.result()
    lines = [f"{study.target or 'The target'}: {result.line()}, ±{width(result.half_width, result.bounded)}"]
    for label, one in (("This design", result.estimate), ("Uniform, as many labels", result.precision.uniform)):
        limits = span(one.low, one.high, result.bounded) if one.has_interval else "no interval yet"
        lines.append(f"  {label:24} {limits}")
    return "\n".join([*lines, *study.left_out])


def _graded(options: argparse.Namespace) -> Study:
    pool, plan = _drawn(options.folder)
    frames = []
    for path in options.files:
        file = read_labels(path.read_bytes(), path.name)
        rows = file.rows if options.scorer is None else file.rows[file.rows["annotator"] == options.scorer]
        scorers = sorted(set(file.rows["annotator"]) - {""})
        if file.source == "inspect" and (rows.empty or rows["annotator"].replace("", None).nunique() > 1):
            raise LabelError(f"{path.name} has scores of {', '.join(scorers) or 'no scorer'}. Choose with --scorer.")
        frames.append(rows)
    target = options.target or _only_target(pool)
    return labelled(plan, frames, target, options.kind, interval=Interval(confidence=options.confidence))


def _push(options: argparse.Namespace) -> str:
    def report(done: int, due: int) -> None:
        print(f"\r{done:,} of {counted(due, 'item')}", end="" if done < due else "\n", file=sys.stderr, flush=True)

    pushed = push(*_assigned(options), report)
    return "\n".join([*pushed.sentences, f"Label at {pushed.url}"])


def _pull(options: argparse.Namespace) -> str:
    file = options.folder / LABELS
    file.write_bytes(pull(*_assigned(options)))
    line = shell_line([str(options.folder), str(file)])
    return f"The labels are in {file}. Then:\n  python -m core.study estimate {line}"


def _assigned(options: argparse.Namespace) -> tuple[Queue, Assignment]:
    pool, plan = _drawn(options.folder)
    listing = request(plan, options.kind, options.target or _only_target(pool))
    assignment, service = Assignment(plan, listing, options.kind), SERVICES[options.service]
    address = options.address or os.environ.get(service.address_variable) or service.address
    keys = tuple(os.environ.get(variable, "").strip() for variable in service.keys)
    return Queue(options.service, address, options.project or assignment.name(), keys), assignment


def _drawn(folder: Path) -> tuple[Pool, Plan]:
    pool = read(folder / POOL)
    return pool, manifest.reproduce(manifest.read((folder / PLAN).read_bytes()), pool)


def _only_target(pool: Pool) -> str | None:
    return next(iter(pool.targets)) if len(pool.targets) == 1 else None


_COMMANDS = {"list": _list, "push": _push, "pull": _pull, "estimate": _estimate}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.study", description=__doc__)
    todo = parser.add_subparsers(dest="command", required=True)
    listing = todo.add_parser("list", help="logs to a list of samples to grade")
    listing.add_argument("files", type=Path, nargs="+", help="logs of the surrogate and the target, or pools")
    listing.add_argument("--labels", type=int, required=True, metavar="M", help="how many samples to grade")
    listing.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    listing.add_argument("--surrogate", action="append", metavar="MODEL")
    listing.add_argument("--target", metavar="MODEL", help="also a model that is its own surrogate")
    listing.add_argument("--seed", type=int, default=0)
    estimate = todo.add_parser("estimate", help="grades to the accuracy with its interval")
    estimate.add_argument("folder", type=Path, help="what list wrote")
    estimate.add_argument("files", type=Path, nargs="+", help="graded logs of Inspect, or filled lists")
    estimate.add_argument("--scorer", metavar="NAME", help="whose scores count, where a log has several")
    estimate.add_argument("--target", metavar="MODEL")
    estimate.add_argument("--kind", choices=KINDS)
    estimate.add_argument("--confidence", type=float, default=0.95)
    sent = todo.add_parser("push", help="the list to a labelling tool; again, only what is missing there")
    fetched = todo.add_parser("pull", help="its labels back")
    for one in (sent, fetched):
        one.add_argument("folder", type=Path, help="what list wrote, or a manifest as plan.json with its pool.parquet")
        one.add_argument("--service", required=True, choices=list(SERVICES))
        one.add_argument("--kind", default="right-wrong", choices=KINDS, help="what a label says")
        one.add_argument("--target", metavar="MODEL", help="whose answers are judged")
        one.add_argument("--address", help="of the server, instead of the one in the environment")
        one.add_argument("--project", help="the project, dataset or annotation queue (default: named by the plan)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
