"""`neyman pool`: files of any shape to a pool."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from cyclopts import App, Parameter
from cyclopts.validators import Number

from ..archive import Archive
from ..errors import DesignError, PoolError, Problem
from ..labels.vocabulary import meanings_of
from ..pool.columns import COLUMNS, TARGETS
from ..pool.pool import Pool
from ..pool.problems import shown
from ..readers import read, read_or_shape
from ..readers.benchmarks import BENCHMARKS, BenchmarkChoices, read_benchmark
from ..readers.doubt import Doubt
from ..readers.field_map import OF_TARGETS, RIGHT, ROWS, SEVERAL, TEXT, WRONG, FieldMap, Paths
from ..readers.field_names import last_key
from ..readers.mapped import read_mapped
from ..readers.model_names import is_model
from ..readers.results import read_results
from ..readers.shape import Shape
from ..readers.tool_formats.mmlu_pro import mmlu_pro_agreement
from ..study.run_findings import runs
from ..surrogate import Store, forget_pool, pool_holdings
from ..words import listed
from ..words.console import emit
from ..words.documents import document

_USUAL = BenchmarkChoices()
# What several paths may make up.
_TOGETHER = SEVERAL | {"id", "model", "run"}
# So many targets are suggested.
_FEW = 4
# Fields that are guessed of a target.
_OUTCOMES = (TEXT, RIGHT, WRONG)
_WHERE = (
    f"Where a column is: {', '.join(COLUMNS)}. An empty path leaves it out. Of several paths of an id, such as "
    "--id subset,number, all together are the id. --answer-kind takes a path, or the kind itself, such as number."
)
app = App("pool", help="Turn files of any shape into a pool.")


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The options of a command that writes a pool.

    Parameters
    ----------
    name : str
        What the pool is called.
    out : path
        The Parquet file to write it to.
    json : bool
        Print one JSON object.
    """

    name: str | None = None
    out: Path | None = None
    json: bool = False

    def take(self, pool: Pool, before: Sequence[str] = ()) -> int:
        """Write the pool if it has a file, and print what is in it.

        Parameters
        ----------
        pool : Pool
            The pool.
        before : sequence of str
            Lines on how its file was read.
        """
        if self.out is not None:
            pool.write(self.out)
        if self.json:
            emit(document("neyman-pool/1", _facts(pool, self.out, before)), end="")
            return 0
        for line in before:
            emit(line)
        for note in pool.remarks:
            emit(note)
        if pool.account is not None:
            emit("\n".join([*pool.account.lines, *pool.account.differences]))
        for target in pool.targets:
            if (found := runs(pool, target)) is not None:
                emit("\n".join([f"{target}, {found.size}:", *(f"  {line}" for line in found.sentences())]))
        emit(pool)
        return 0


@app.command(name="map")
def map_fields(
    file: Path,
    /,
    *,
    target: tuple[str, ...] = (),
    judge: tuple[str, ...] | None = None,
    model: str | None = None,
    run: str | None = None,
    reviewer: str | None = None,
    column: tuple[str, ...] = (),
    keep_repeated_rows: bool = False,
    word: tuple[str, ...] = (),
    written: Written | None = None,
    **paths: Annotated[str, Parameter(help=_WHERE)],
) -> int:
    """Read a file of any shape as a pool: guess its fields, and say what was taken for what.

    Parameters
    ----------
    file : path
        JSON, CSV, Excel, Parquet, or a zip or folder of these.
    target : str
        MODEL:FIELD=PATH, a target’s outcome; may be repeated. FIELD is text, answer, loss, meaning, or a score: right
        if 1 means right there, wrong if 1 means wrong.
    judge : str
        Path of another model's number, such as a judge's score, kept as a column; may be repeated.
    model : str
        Path that says which model a row is about, if rows are about several; paths with commas between them, such as
        model,prompt_variant, if they name it together.
    run : str
        Path that numbers the runs (trials, attempts, epochs) of each item: the first counts; “order of rows” if none
        does. If a row has all runs of its item, the paths of their scores with commas between them.
    reviewer : str
        Path that says who gave the verdicts of a row, if each output has rows of several people or judges.
    column : str
        Path of another column to keep; may be repeated.
    keep_repeated_rows : bool
        Count each row as an item, even if it repeats another one (in a file without ids).
    word : str
        What a word in a score means, as solved=right, escalated=wrong or unclear=skip; may be repeated.
    written : Written
        What becomes of the pool.
    **paths : str
        Name of a column → its path.
    """
    written = written or Written()
    named = {name.replace("-", "_"): path for name, path in paths.items()}
    unknown = [name for name in named if name not in COLUMNS]
    if unknown:
        raise DesignError(f"There is no option --{unknown[0].replace('_', '-')}. The columns are {', '.join(COLUMNS)}.")
    given = {name: _paths(name, path) for name, path in named.items()}
    roles = (judge, model, run, reviewer)
    if not (given or target or column) and all(one is None for one in roles):
        read = read_or_shape(file, written.name)
        if isinstance(read, Pool):
            recognized = f"Recognized as {read.origin.format if read.origin else 'a Neyman pool'}."
            return written.take(read, [recognized])
    shape = Shape.of(file, written.name)
    guessed = shape.guess
    models = guessed.model if model is None else _paths("model", model)
    chosen = _targets(target)
    # What a person chooses takes a path from what was guessed.
    others = {*_parts(models), *(path for one in chosen.values() for path in one.values()), *(judge or ())}
    fields = {name: path for name, path in guessed.fields.items() if not {*guessed.parts(name)} <= others}
    of_fields = {part for path in given.values() for part in _parts(path)}
    of_targets = {
        name: {what: path for what, path in paths.items() if path not in of_fields}
        for name, paths in guessed.targets.items()
    }
    if "id" in fields:
        # The model of a row is no part of its item.
        parts = tuple(path for path in guessed.parts("id") if path not in _parts(models))
        fields["id"] = parts if len(parts) > 1 else parts[0]
    mapping = FieldMap(
        {name: path for name, path in {**fields, **given}.items() if path},
        chosen or {name: paths for name, paths in of_targets.items() if paths},
        column,
        guessed.judges if judge is None else tuple(path for path in judge if path),
        models,
        keep_repeated_rows,
        meanings_of(dict(one.rpartition("=")[::2] for one in word)),
        guessed.run if run is None else _paths("run", run),
        guessed.reviewer if reviewer is None else reviewer,
    )
    if run == ROWS and "generations" not in given:
        mapping = mapping.of_first_rows(shape.model)
    _check_doubts(shape.doubts, {*given, *(_OUTCOMES if target else ())}, [*mapping.paths(), *column], mapping.models)
    taken = mapping.paths()
    mapping = replace(mapping, columns=(*column, *(path for path in guessed.columns if path not in taken)))
    if mapping.is_empty and not given:
        names = ", ".join(shown(place.path, 30) for place in shape.places[:12])
        message = f"no field of this file looks like a question, an answer or a score; it has {names}."
        raise PoolError([Problem(message, remedy=_named(shape))])
    said = [*_mapping_lines(mapping), *filter(None, (mapping.lacks, *shape.remarks(mapping), shape.not_used(mapping)))]
    if not any({RIGHT, WRONG, "loss"} & paths.keys() for paths in mapping.targets.values()):
        optional = [one for one in shape.doubts if one.is_optional]
        said += [f"{one.sentence} (--target MODEL:{one.field}={one.candidates[0].path})" for one in optional]
    return written.take(read_mapped(file, mapping, written.name), said)


@app.command
def weigh(
    file: Path,
    /,
    *,
    column: str | None = None,
    share: tuple[str, ...] = (),
    group: str = "group",
    written: Written | None = None,
) -> int:
    """Give the items of a pool weights, such as their traffic: accuracies then count each item by its weight.

    Parameters
    ----------
    file : path
        The pool.
    column : str
        Column of the weights, numbers of at least 0; an item of weight 0 is left out.
    share : str
        GROUP=PERCENT, the share of a group in the whole, such as billing=40; may be repeated. The other groups have
        what is left, in proportion to their items.
    group : str
        Column of the groups.
    written : Written
        What becomes of the pool.
    """
    if (column is None) == (not share):
        raise DesignError("Give the weights by --column or by --share, such as --share billing=40.")
    shares = {name: _percent(one, number) for one in share for name, _, number in [one.rpartition("=")]}
    return (written or Written()).take(read(file, (written or Written()).name).weighted(column or shares, group))


def _percent(given: str, number: str) -> float:
    try:
        return float(number.removesuffix("%"))
    except ValueError:
        raise DesignError(f"“{given}” is no share. Write GROUP=PERCENT, such as billing=40.") from None


@app.command
def join(
    files: tuple[Path, ...],
    /,
    *,
    surrogate: tuple[str, ...] = (),
    target: tuple[str, ...] = (),
    written: Written | None = None,
) -> int:
    """Join results of several models, and pools, on the same items.

    Parameters
    ----------
    files : path
        Logs of evaluation tools, published results, pools.
    surrogate : str
        A model whose answers are the generations; may be repeated.
    target : str
        A model to evaluate; may be repeated.
    written : Written
        What becomes of the pool.
    """
    written = written or Written()
    results = read_results({str(file): file for file in files})
    split = results.default_split()
    committee = list(surrogate) or [name for name in split.committee if name not in target]
    targets = list(target) or [name for name in split.targets if name not in committee]
    summary = results.summary().astype(object).fillna("–").to_string(index=False)
    return written.take(results.pool(committee, targets, written.name or files[0].stem), [summary])


@app.command
def benchmark(
    name: Annotated[str, Parameter(name="BENCHMARK", choices=[one.name for one in BENCHMARKS])],
    files: tuple[Path, ...],
    /,
    *,
    errors: Literal["correct", "drop", "keep"] = _USUAL.errors,
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = _USUAL.seed,
    circular: Literal["questions", "rows"] = _USUAL.circular,
    written: Written | None = None,
) -> int:
    """Read questions and answers as a benchmark’s authors publish them.

    Parameters
    ----------
    name : str
        The benchmark.
    files : path
        The files, as they are published.
    errors : str
        MMLU-Redux: what happens to questions with an error.
    seed : int
        GPQA: seed of the order of the options.
    circular : str
        MMBench: whether a question with its circular copies is one item, or every row is.
    written : Written
        What becomes of the pool.
    """
    written = written or Written()
    chosen = next(one for one in BENCHMARKS if one.name == name)
    return written.take(read_benchmark(chosen, files, BenchmarkChoices(errors, seed, circular), written.name))


@app.command
def agreement(files: tuple[Path, ...], /) -> int:
    """Compare the official MMLU-Pro parser with the published answers, in a Markdown table in per cent.

    Parameters
    ----------
    files : path
        Zip files of MMLU-Pro’s published outputs.
    """
    table = mmlu_pro_agreement(files)
    emit("| " + " | ".join(table.columns) + " |")
    emit("|" + "---|" * len(table.columns))
    for row in table.itertuples(index=False):
        emit("| " + " | ".join(f"{100 * cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    return 0


@app.command
def forget(digest: str, /, *, home: Path | None = None, yes: bool = False) -> int:
    """Take a pool off the lists of a home, after saying what it holds; labels, plans and generations stay.

    Parameters
    ----------
    digest : str
        The pool's fingerprint, at least 8 digits, as in the address of the app.
    home : path
        NEYMAN_HOME; by default that of the environment, or ~/.neyman.
    yes : bool
        Do it; without, only what the pool holds is printed.
    """
    folder = home or Path(os.environ.get("NEYMAN_HOME") or "~/.neyman").expanduser()
    archive, store = Archive(folder), Store(folder)
    held = pool_holdings(archive, store, digest)
    emit(held.sentence)
    if not yes:
        emit("Repeat with --yes to take it off the lists.")
        return 0
    forget_pool(archive, store, digest)
    emit(f"{shown(held.name)} is off the lists.")
    return 0


def _named(shape: Shape) -> str:
    """Say how to name the fields of a file of which none is guessed: verdicts in columns of models are theirs."""
    verdicts = [place.path for place in shape.places if place.right and is_model(place.path)]
    targets = [shlex.join(["--target", f"{last_key(path)}:{RIGHT}={path}"]) for path in verdicts[:_FEW]]
    said = " ".join(targets) if targets else f"--target MODEL:{RIGHT}=PATH for verdicts"
    return f"Say which is which: --prompt PATH for questions, --target MODEL:{TEXT}=PATH for answers, {said}."


def _mapping_lines(mapping: FieldMap) -> list[str]:
    """Return which path each field comes from, a line each."""
    lines = [f"{name:12} {', '.join(mapping.parts(name))}" for name in mapping.fields]
    for model, paths in mapping.targets.items():
        said = (f"{name} {path}" + (f" (1 = {name})" if name in (RIGHT, WRONG) else "") for name, path in paths.items())
        lines.append(f"target       {model}: {', '.join(said)}")
    lines += [f"judge        {path}" for path in mapping.judges]
    lines += [f"kept         {path}" for path in mapping.columns if path not in mapping.judges]
    for name, parts in (("model", mapping.models), ("run", mapping.runs), ("reviewer", (mapping.reviewer,))):
        if any(parts):
            lines.append(f"{name:12} {', '.join(parts)}")
    return lines


def _facts(pool: Pool, out: Path | None, before: Sequence[str]) -> dict[str, object]:
    """Return what is in a pool, for a program."""
    losses = {name: known[~np.isnan(known)] for name in pool.targets for known in [pool.losses(name)]}
    return {
        "pool": pool.name,
        "digest": pool.digest,
        "file": None if out is None else str(out),
        "items": pool.n_items,
        "generations": pool.n_generations,
        "columns": [name for name in pool.source.column_names if name != TARGETS],
        "targets": [
            {"name": name, "known": known.size, "value": 1 - known.mean() if known.size else None}
            for name, known in losses.items()
        ],
        "reading": list(before),
        "remarks": list(pool.remarks),
        "account": [] if pool.account is None else [*pool.account.lines, *pool.account.differences],
    }


def _check_doubts(
    doubts: Sequence[Doubt], given: Collection[str], paths: Collection[str], models: Sequence[str]
) -> None:
    """Raise :class:`core.errors.PoolError` for each field of which it is not clear which path it is."""
    problems = []
    for one in doubts:
        option = f"--target MODEL:{one.field}" if one.field in _OUTCOMES else f"--{one.field}"
        if not one.is_settled(given, paths) and not one.is_optional:
            before = [*models] if one.field == "model" else []
            options = [f"{option}={','.join([*before, candidate.path])}" for candidate in one.candidates]
            first = one.candidates[0].path
            options = [f"--column={first}"] if one.field == "model" and "[" in first else options
            options += [f"--target MODEL:{TEXT}={first}"] * one.is_of_answers
            options += [f"--judge {first}"] * (bool(one.why) and one.field == RIGHT)
            remedy = f"Choose by one of {listed(options)}."
            remedy += f" For a target of each: {one.command}" if one.command else ""
            problems.append(Problem(one.sentence, field=one.field, remedy=remedy))
    if problems:
        raise PoolError(problems)


def _paths(name: str, given: str) -> Paths:
    """Split the paths of a list at commas."""
    parts = tuple(part.strip() for part in given.split(","))
    return parts if name in _TOGETHER and len(parts) > 1 else given


def _parts(paths: Paths) -> tuple[str, ...]:
    return (paths,) if isinstance(paths, str) else tuple(paths)


def _targets(given: Sequence[str]) -> dict[str, dict[str, str]]:
    """Read MODEL:FIELD=PATH."""
    targets: dict[str, dict[str, str]] = {}
    for one in given:
        left, equals, path = one.partition("=")
        model, colon, name = left.rpartition(":")
        if not (equals and colon and model and path and name in OF_TARGETS):
            remedy = f"Write MODEL:FIELD=PATH with a field of {', '.join(OF_TARGETS)}."
            raise PoolError([Problem(f"“{one}” does not say where a target's outcome is.", remedy=remedy)])
        targets.setdefault(model, {})[name] = path
    return targets
