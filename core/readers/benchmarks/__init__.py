"""Benchmarks as their authors publish them: questions, options and right answers, without any model's outputs.

================  ======================================================================
``MMLU_PRO``      TIGER-Lab/MMLU-Pro
``MMLU_REDUX``    edinburgh-dawg/mmlu-redux and mmlu-redux-2.0
``GPQA``          Idavidrein/gpqa
``MMBENCH``       MMBench, a TSV of VLMEvalKit
================  ======================================================================

The pool's kind of answer is the benchmark's own, and its notes say what was chosen if the files leave a choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from ...errors import PoolError, Problem
from ...files.open import Source, stem
from ...files.sniff import Beginning
from ...pool.account import FileAccount
from ...pool.origin import Origin, filled
from ...pool.pool import Pool
from ...pool.problems import Problems, shown
from ...pool.records import Records
from ..file_rows import rows_of
from ..json_records import FileRow
from . import published
from .published import Benchmark, BenchmarkChoices, Rows

__all__ = ["BENCHMARKS", "Benchmark", "BenchmarkChoices", "read_benchmark", "recognised"]

BENCHMARKS: tuple[Benchmark, ...] = (published.MMLU_PRO, published.MMLU_REDUX, published.GPQA, published.MMBENCH)
_ARROW = b"\xff\xff\xff\xff"
# Names of files that say nothing of what is in them.
_UNNAMED = ("test", "train", "validation", "dev", "data", "pool", "0")


def recognised(beginning: Beginning) -> Benchmark | None:
    """Return the benchmark that a file is, None for any other."""
    return next((one for one in BENCHMARKS if one.recognises(beginning)), None)


def read_benchmark(
    benchmark: Benchmark,
    files: Sequence[Source | str | Path],
    choices: BenchmarkChoices | None = None,
    name: str | None = None,
) -> Pool:
    """Read the files of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        One of ``BENCHMARKS``.
    files : sequence of Source, str or Path
        Its files, such as one for each subject.
    choices : BenchmarkChoices, optional
        What the files leave open; by default the default of each.
    name : str, optional
        What the pool is called; by default as the benchmark, or as its file if that names a part of it.

    Returns
    -------
    Pool

    Raises
    ------
    PoolError
        With every problem of every file; or a file is not the benchmark's.
    """
    reader = benchmark.reader(choices or BenchmarkChoices())
    problems = Problems()
    records = Records(problems)
    refused, accounts, columns = list[Problem](), list[FileAccount | None](), dict[str, None]()
    sources = [file if isinstance(file, Source) else Source.of(file) for file in files]
    for source in sources:
        of_file = Problems()
        try:
            rows = _columns_noted(_rows(source, benchmark, of_file), columns)
            for row, record in reader.items(subject(source), rows, of_file):
                of_file.tally.take(row)
                records.add(row, record, len(record.get("image") or ""))
            of_file.stop()
            size = len(records) - sum(one.items for one in accounts if one is not None)
            account = of_file.tally.account(size)
            accounts.append(account and account.of_file(source.name if len(sources) > 1 else ""))
        except PoolError as error:
            label = f"{source.name}: " if len(sources) > 1 else ""
            refused += [replace(problem, message=f"{label}{problem.message}") for problem in error.problems]
    for problem in refused:
        problems.add(problem.message, problem.row, problem.field, problem.remedy)
    problems.stop()
    for note in (*reader.notes(), benchmark.unread(columns)):
        problems.note(note)
    part = _word(stem(sources[0].name)) if benchmark.has_parts and len(sources) == 1 else ""
    pool = Pool.from_loose(records.loose(), problems, name or part or benchmark.title)
    account = FileAccount.together(accounts, pool.n_items)
    account = account and account.with_filled(filled(pool.table, benchmark.fields))
    return replace(pool, origin=Origin(f"{benchmark.title}, as published", benchmark.fields), account=account)


def subject(source: Source) -> str:
    """Tell the subject from a file's name: “mmlu_anatomy.csv” and “anatomy/test-00000-of-00001.parquet” → “anatomy”."""
    names = [stem(source.name)]
    # A file that was uploaded has its name, and a path that says nothing.
    if source.path is not None and stem(source.path.name) == names[0]:
        names += [folder.name for folder in source.path.resolve().parents[:3]]
    return next((word for name in names if (word := _word(name))), names[0])


def _word(name: str) -> str:
    """Return what a file's or folder's name says, "" if it is a name for any data."""
    word = name.removesuffix(".arrow").partition("-00")[0]
    return "" if not word.strip("0") or word in _UNNAMED else word.removeprefix("mmlu_").removesuffix("_test")


def _rows(source: Source, benchmark: Benchmark, problems: Problems) -> Rows:
    is_arrow = _is_arrow(source)
    lacking = benchmark.needed - (_arrow_columns(source) if is_arrow else Beginning.of(source).keys)
    if lacking:
        message = f"the file is not {benchmark.title} as published: it lacks {', '.join(sorted(lacking))}."
        raise PoolError([Problem(message, remedy="Use the file as its authors published it.")])
    return problems.tally.records(_of_arrow(source)) if is_arrow else rows_of(source, problems)


def _columns_noted(rows: Rows, columns: dict[str, None]) -> Rows:
    """Pass rows on, and note the columns that have a value."""
    for row, values in rows:
        columns.update(dict.fromkeys(name for name, value in values.items() if value is not None))
        yield row, values


def _is_arrow(source: Source) -> bool:
    with source.raw() as file:
        return file.read(len(_ARROW)) == _ARROW


def _arrow_columns(source: Source) -> frozenset[str]:
    with _arrow_stream(source) as stream:
        return frozenset(stream.schema.names)


def _of_arrow(source: Source) -> Iterator[FileRow]:
    with _arrow_stream(source) as stream:
        yield from enumerate((row for batch in stream for row in batch.to_pylist()), start=1)


@contextmanager
def _arrow_stream(source: Source) -> Iterator[pa.ipc.RecordBatchStreamReader]:
    """Open the stream that ``datasets`` saves."""
    try:
        with source.raw() as file, pa.ipc.open_stream(file) as stream:
            yield stream
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"the Arrow file is damaged ({shown(str(error), 80)})."
        raise PoolError([Problem(message, remedy="Write or download it again.")]) from None
