"""Files of results, of whatever tool: ``read_outputs`` reads one, ``read_results`` puts several together, pools too.

=============================  ===================================================================
MMLU-Pro results               ``mmlu_pro``: the published ``model_outputs_…zip`` files
lm-evaluation-harness samples  ``lm_eval``: ``samples_….jsonl``
promptfoo results              ``promptfoo``: JSON, JSON Lines and CSV
Inspect logs                   ``inspect_log``: ``.eval`` and ``.json``
lighteval details              ``lighteval``: ``details_….parquet``
HELM scenario states           ``helm``: ``scenario_state.json``, or a zip of runs
OpenAI and vLLM batches        ``batch_output``: output, and requests, JSON Lines
Langfuse exports               ``langfuse``: observations, traces, datasets and their runs; JSON, JSON Lines, CSV
EvalScope                      ``evalscope``: reviews and predictions, JSON Lines
OpenCompass predictions        ``opencompass``: ``predictions/<model>/<dataset>.json``
every_eval_ever records        ``every_eval_ever``: ``…_samples.jsonl``
VLMEvalKit                     ``vlmevalkit``: predictions and judged results; XLSX, TSV, CSV, JSON
leaderboard tables             ``matrix``: items × models of ones and zeros, CSV
=============================  ===================================================================

    results = core.readers.read_results({path.name: path for path in folder.glob("*.zip")})
    split = results.default_split()
    pool = results.pool(split.committee, split.targets)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ..errors import PoolError, Problem
from ..pool.columns import TARGET_FIELDS, TARGETS
from ..pool.origin import Origin
from ..pool.pool import Pool
from ..pool.problems import Problems
from . import (
    batch_output,
    csv_table,
    evalscope,
    every_eval_ever,
    helm,
    inspect_log,
    json_lines,
    langfuse,
    lighteval,
    lm_eval,
    matrix,
    mmlu_pro,
    opencompass,
    parquet,
    promptfoo,
    vlmevalkit,
)
from .beginning import PARQUET, TABLE, Beginning
from .benchmarks import read_benchmark
from .benchmarks import recognised as recognised_benchmark
from .circular import folded
from .field_map import FieldMap
from .mapped import mapped_outputs, read_mapped
from .model_outputs import ModelOutputs, ResultsFormat, outputs_of_pool
from .model_results import ModelResults, joined
from .repeated import content_digest, read_once
from .shape import Shape
from .source import Source, stem
from .totals import refuse_totals

_OF_A_POOL = re.compile(rf"{TARGETS}|generations(:.+)?|generation_\d+|.+:({'|'.join(TARGET_FIELDS)})")
# The first that recognises a file reads it. Any zip that no other knows is taken for MMLU-Pro's, which says why not.
FORMATS: tuple[ResultsFormat, ...] = (
    lm_eval.FORMAT,
    promptfoo.FORMAT,
    inspect_log.FORMAT,
    lighteval.FORMAT,
    helm.FORMAT,
    batch_output.FORMAT,
    langfuse.FORMAT,
    evalscope.FORMAT,
    opencompass.FORMAT,
    every_eval_ever.FORMAT,
    vlmevalkit.FORMAT,
    matrix.FORMAT,
    mmlu_pro.FORMAT,
)


def recognised(source: Source, beginning: Beginning) -> ResultsFormat | None:
    """Return the format of results that a file has, None for any other; raises PoolError if it has totals alone."""
    known = next((one for one in FORMATS if one.recognises(beginning)), None)
    if known is None and not is_pool(beginning):
        refuse_totals(source, beginning)
    return known


def read_outputs(content: bytes | Path, file: str, maps: Mapping[str, FieldMap] = MappingProxyType({})) -> ModelOutputs:
    """Read one file of results, or a pool, whose generations and targets are such too.

    Parameters
    ----------
    content : bytes or Path
        The file's content or path.
    file : str
        The file's name, which may have the model's in it.
    maps : mapping of str to FieldMap
        For a file of no known format: maps by the digests of shapes (`core.readers.shape`).

    Returns
    -------
    ModelOutputs

    Raises
    ------
    PoolError
        The file holds neither; its name stands before each problem.
    """
    problems = Problems()
    try:
        source = Source.of(content, file)
        beginning = Beginning.of(source)
        chosen = recognised(source, beginning)
        outputs = _of_items(source, beginning, maps) if chosen is None else chosen.read(source, beginning, problems)
        return replace(outputs, content=content_digest(source))
    except PoolError as error:
        named = [replace(problem, message=f"{file}: {problem.message}") for problem in error.problems]
        raise PoolError(named, error.total) from None


def read_results(
    files: Mapping[str, bytes | Path],
    progress: Callable[[float], None] | None = None,
    read_one: Callable[[bytes | Path, str], ModelOutputs] = read_outputs,
) -> ModelResults:
    """Read result files of several models.

    Parameters
    ----------
    files : mapping of str to bytes or Path
        Content or path of each file by its name.
    progress : callable, optional
        Called after each file with the share of files read.
    read_one : callable
        Reads one of the files, in another process perhaps.

    Returns
    -------
    ModelResults

    Raises
    ------
    PoolError
        A file holds no results, two have the same model and items, or too many questions or answers differ.
    """
    problems = Problems()
    if not files:
        raise PoolError([Problem("there is no result file.", remedy="Choose at least one.")])
    read = dict[str, ModelOutputs]()
    for done, (file, content) in enumerate(files.items()):
        if progress is not None and done:
            progress(done / len(files))
        try:
            read[file] = _named(read_one(content, file), file if len(files) > 1 else "")
        except PoolError as error:
            for problem in error.problems:
                problems.add(problem.message, problem.row, problem.field, problem.remedy)
    problems.stop()
    return joined(folded(read_once(read)))


def _named(outputs: ModelOutputs, file: str) -> ModelOutputs:
    """Name the file in the account of what it holds."""
    return replace(outputs, account=outputs.account and outputs.account.of_file(file))


def _of_items(source: Source, beginning: Beginning, maps: Mapping[str, FieldMap]) -> ModelOutputs:
    """Read a pool, or a file of another shape by the map for it."""
    if is_pool(beginning):
        return outputs_of_pool(of_pool(source, beginning))
    content = source.path or source.data
    shape = Shape.of(content, source.name)
    if shape.digest in maps:
        fields = maps[shape.digest].named(shape.model)
        if fields.model:
            return mapped_outputs(content, fields, source.name)
        pool = read_mapped(content, fields, source.name)
        # Among other files' models, the samples are not those of the target.
        name = stem(source.name)
        return outputs_of_pool(replace(pool, name=f"{name} (samples)") if name in pool.targets else pool)
    if "id" in beginning.keys and shape.is_plain:
        return outputs_of_pool(of_pool(source, beginning))
    remedy = "Upload it alone first and say which field is what, or make a pool of it by python -m neyman pool map."
    raise PoolError([Problem("the file is in no known format.", remedy=remedy)])


def of_pool(source: Source, beginning: Beginning) -> Pool:
    """Read a native pool file, or a benchmark as its authors publish it."""
    benchmark = recognised_benchmark(beginning)
    if benchmark is not None:
        return read_benchmark(benchmark, [source])
    readers = {PARQUET: parquet.read, TABLE: csv_table.read}
    return replace(readers.get(beginning.container, json_lines.read)(source), origin=Origin("a Neyman pool"))


def is_pool(beginning: Beginning) -> bool:
    """Whether a file is a benchmark, or has ids and, under native names, generations or outcomes of targets."""
    native = "id" in beginning.keys and any(_OF_A_POOL.fullmatch(key) for key in beginning.keys)
    return native or recognised_benchmark(beginning) is not None


def pool_of(source: Source, beginning: Beginning, chosen: ResultsFormat) -> Pool:
    """Make the pool of one file of results, its models in their proposed roles."""
    joint = joined([chosen.read(source, beginning, Problems())])
    split = joint.default_split()
    pool = joint.pool(split.committee, split.targets, source.name)
    if split.committee:
        return pool
    several = f"The {len(split.targets)} models are targets, and each one’s results are past results for the others."
    note = "One model’s single answers are a target. Open it with others’ results to have a surrogate or a committee."
    note = several if len(split.targets) > 1 else note
    return replace(pool, notes=(*pool.notes, note))
