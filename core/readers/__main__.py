"""Files of any shape to a pool, in one command.

`python -m core.readers map FILE --out pool.parquet` guesses the columns, says what it took for what, and writes the
pool; `--id`, `--prompt` … correct it. `python -m core.readers join FILE … --out pool.parquet` puts results together.
`python -m core.readers benchmark NAME FILE … --out pool.parquet` reads a benchmark as its authors publish it.
`python -m core.readers agreement FILE …` compares the official MMLU-Pro parser with the published answers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import NeymanError, PoolError, Problem
from ..pool.columns import COLUMNS, TARGET_FIELDS
from ..pool.pool import Pool
from .agreement import mmlu_pro_agreement
from .beginning import Beginning
from .benchmarks import BENCHMARKS, BenchmarkChoices, read_benchmark
from .field_map import RIGHT, SEVERAL, FieldMap, Paths, read_mapped
from .results import is_pool, of_pool, pool_of, read_results, recognised
from .shape import Shape
from .source import Source

_LISTED = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pool; return 0, or 2 after what is wrong on stderr."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "agreement":
            _print_agreement(options.files)
            return 0
        pool = _COMMANDS[options.command](options)
        if options.out is not None:
            pool.write(options.out)
    except PoolError as error:
        _print_problems(error)
        return 2
    except (NeymanError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for note in pool.notes:
        print(note)
    print(pool)
    return 0


def _print_problems(error: PoolError) -> None:
    """Print every problem, up to a screenful of them."""
    for problem in error.problems[:_LISTED]:
        print(problem, file=sys.stderr)
    if error.total > _LISTED:
        print(f"… and {error.total - _LISTED:,} more problems.", file=sys.stderr)


def _mapped(options: argparse.Namespace) -> Pool:
    given = {name: _paths(name, getattr(options, name)) for name in COLUMNS if getattr(options, name) is not None}
    corrections = (options.target, options.judge, options.column, options.model)
    if not given and not any(one not in (None, []) for one in corrections):
        pool = _known(Source.of(options.file, options.name))
        if pool is not None:
            print(f"Recognized as {pool.origin.format if pool.origin else 'a Neyman pool'}.")
            return pool
    guessed = Shape.of(options.file, options.name).guess
    fields: dict[str, Paths] = {**guessed.fields, **given}
    targets = _targets(options.target) if options.target else guessed.targets
    judges = guessed.judges if options.judge is None else tuple(path for path in options.judge if path)
    model = guessed.model if options.model is None else options.model
    given_fields = {name: path for name, path in fields.items() if path}
    mapping = FieldMap(given_fields, targets, tuple(options.column), judges, model)
    for name in mapping.fields:
        print(f"{name:12} {', '.join(mapping.parts(name))}")
    for model, paths in mapping.targets.items():
        print(f"target       {model}: {', '.join(f'{name} {path}' for name, path in paths.items())}")
    for path in mapping.judges:
        print(f"judge        {path}")
    if mapping.model:
        print(f"model        {mapping.model}")
    return read_mapped(options.file, mapping, options.name)


def _known(source: Source) -> Pool | None:
    """Read a file of a known format; None for any other."""
    beginning = Beginning.of(source)
    of_results = recognised(beginning)
    if of_results is not None:
        return pool_of(source, beginning, of_results)
    return of_pool(source, beginning) if is_pool(beginning) else None


def _print_agreement(files: Sequence[Path]) -> None:
    """Print the table in Markdown, shares in per cent."""
    table = mmlu_pro_agreement(files)
    print("| " + " | ".join(table.columns) + " |")
    print("|" + "---|" * len(table.columns))
    for row in table.itertuples(index=False):
        print("| " + " | ".join(f"{100 * cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")


def _paths(name: str, given: str) -> Paths:
    """Split the paths of a list at commas."""
    parts = tuple(part.strip() for part in given.split(","))
    return parts if name in SEVERAL and len(parts) > 1 else given


def _targets(given: Sequence[str]) -> dict[str, dict[str, str]]:
    """Read MODEL:FIELD=PATH."""
    targets: dict[str, dict[str, str]] = {}
    for one in given:
        left, equals, path = one.partition("=")
        model, colon, name = left.rpartition(":")
        if not (equals and colon and model and path and name in (*TARGET_FIELDS, RIGHT)):
            remedy = f"Write MODEL:FIELD=PATH with a field of {', '.join((*TARGET_FIELDS, RIGHT))}."
            raise PoolError([Problem(f"“{one}” does not say where a target's outcome is.", remedy=remedy)])
        targets.setdefault(model, {})[name] = path
    return targets


def _joined(options: argparse.Namespace) -> Pool:
    results = read_results({str(file): file for file in options.files})
    split = results.default_split()
    committee = options.surrogate or [name for name in split.committee if name not in (options.target or ())]
    targets = options.target or [name for name in split.targets if name not in committee]
    print(results.summary().to_string(index=False))
    return results.pool(committee, targets, options.name or Path(options.files[0]).stem)


def _benchmark(options: argparse.Namespace) -> Pool:
    benchmark = next(one for one in BENCHMARKS if one.name == options.benchmark)
    choices = BenchmarkChoices(options.errors, options.seed, options.circular)
    return read_benchmark(benchmark, options.files, choices, options.name)


_COMMANDS = {"map": _mapped, "join": _joined, "benchmark": _benchmark}


def _whole(text: str) -> int:
    """Read a whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.readers", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    mapped = commands.add_parser("map", help="a file of any shape; empty paths leave a guessed field out")
    mapped.add_argument("file", type=Path)
    for name in COLUMNS:
        mapped.add_argument(f"--{name.replace('_', '-')}", dest=name, metavar="PATH")
    mapped.add_argument("--target", action="append", default=[], metavar="MODEL:FIELD=PATH")
    mapped.add_argument("--judge", action="append", metavar="PATH", help="a number of another model, kept as a column")
    mapped.add_argument("--model", metavar="PATH", help="which model a row is about, where rows are about several")
    mapped.add_argument("--column", action="append", default=[], metavar="PATH")
    joined = commands.add_parser("join", help="results of several models, and pools, on the same items")
    joined.add_argument("files", type=Path, nargs="+")
    joined.add_argument("--surrogate", action="append", metavar="MODEL")
    joined.add_argument("--target", action="append", metavar="MODEL")
    agreement = commands.add_parser("agreement", help="the official MMLU-Pro parser beside the published answers")
    agreement.add_argument("files", type=Path, nargs="+")
    benchmark = commands.add_parser("benchmark", help="questions and answers as a benchmark's authors publish them")
    benchmark.add_argument("benchmark", choices=[one.name for one in BENCHMARKS])
    benchmark.add_argument("files", type=Path, nargs="+")
    usual = BenchmarkChoices()
    benchmark.add_argument("--errors", choices=("correct", "drop", "keep"), default=usual.errors, help="mmlu-redux")
    benchmark.add_argument("--seed", type=_whole, default=usual.seed, help="gpqa: of the order of the options")
    benchmark.add_argument("--circular", choices=("questions", "rows"), default=usual.circular, help="mmbench")
    for command in (mapped, joined, benchmark):
        command.add_argument("--name", help="what the pool is called")
        command.add_argument("--out", type=Path, metavar="POOL.parquet")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
