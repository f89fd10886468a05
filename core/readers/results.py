"""Files of results, of whatever tool: ``read_outputs`` reads one, ``read_results`` puts several together, pools too.

=============================  ===================================================================
MMLU-Pro results               ``mmlu_pro``: the published ``model_outputs_…zip`` files
lm-evaluation-harness samples  ``lm_eval``: ``samples_….jsonl``
promptfoo results              ``promptfoo``: JSON, JSON Lines and CSV
Inspect logs                   ``inspect_eval``: ``.eval`` and ``.json``
lighteval details              ``lighteval``: ``details_….parquet``
HELM scenario states           ``helm``: ``scenario_state.json``, or a zip of runs
OpenAI and vLLM batches        ``batch_output``: output, and requests, JSON Lines
OpenAI evals logs              ``openai_evals``: what ``oaieval`` records, JSON Lines
Langfuse exports               ``langfuse_export``: observations, traces, datasets, runs; JSON, JSON Lines, CSV
DeepEval test runs             ``deepeval``: ``.deepeval/.latest_test_run.json``
Ragas tables                   ``ragas``: ``result.to_pandas()``; CSV, JSON, JSON Lines, Parquet
HumanEval and EvalPlus         ``humaneval``: ``…_results.jsonl``, ``…_eval_results.json``, samples
SWE-bench reports              ``swe_bench``: ``<model>.<run>.json``, ``results.json``
BFCL                           ``bfcl``: ``…_result.json`` and ``…_score.json``, and the questions
MT-bench judgments             ``mt_bench``: of single answers and of pairs, JSON Lines
AlpacaEval annotations         ``alpaca_eval``: ``annotations.json``, ``model_outputs.json``
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

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from ..errors import PoolError, Problem
from ..files.open import Source, stem
from ..files.sniff import ZIP, Beginning
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..words import listed, shell_line
from .archive_files import Bundle
from .field_map import FieldMap
from .mapped import mapped_outputs, read_mapped
from .model_outputs import DECLARED, ModelOutputs, ResultsFormat, content_digest, outputs_of_pool, read_once
from .model_results import ModelResults, joined
from .native import is_pool, of_pool
from .option_orders import folded
from .own_totals import compared, with_right_shares
from .shape import Shape
from .totals import kind_of_totals, refuse_totals

_Content = TypeVar("_Content", bytes | Path, Source)
# The first that recognises a file reads it.
FORMATS: tuple[ResultsFormat, ...] = tuple(
    import_module(f".tool_formats.{module}", __package__).FORMAT for module in DECLARED.sections()
)
_WITH_TOTALS = "every_eval_ever records"


def recognised(source: Source, beginning: Beginning) -> ResultsFormat | None:
    """Return the format of results that a file has, None for any other; raises PoolError if it has totals alone."""
    known = format_of(beginning)
    if known is None and not is_pool(beginning):
        refuse_totals(source, beginning)
    return known


def format_of(beginning: Beginning) -> ResultsFormat | None:
    """Return the format of results that a file of this beginning has, None for any other."""
    return next((one for one in FORMATS if one.recognises(beginning)), None)


def read_outputs(
    content: bytes | Path | Source, file: str, maps: Mapping[str, FieldMap] = MappingProxyType({})
) -> ModelOutputs:
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
        reported = _reported(source, beginning)
        if reported is not None:
            return reported
        chosen = recognised(source, beginning)
        outputs = _of_items(source, beginning, maps) if chosen is None else chosen.read(source, beginning, problems)
        return replace(outputs, content=content_digest(source))
    except PoolError as error:
        named = [replace(problem, file=problem.file or file) for problem in error.problems]
        raise PoolError(named, error.total) from None


def read_results(
    files: Mapping[str, _Content],
    progress: Callable[[float], None] | None = None,
    read_one: Callable[[_Content, str], ModelOutputs] = read_outputs,
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
                problems.add(problem.message, problem.row, problem.field, problem.remedy, problem.file)
    problems.stop()
    outputs = {file: one for file, one in read.items() if one.refusal is None}
    if not outputs:
        refusals = {file: one.refusal for file, one in read.items() if one.refusal is not None}
        raise PoolError([replace(one, file=one.file or file) for file, one in refusals.items()])
    return _stated(joined(folded(read_once(outputs))), list(read.values()))


def _stated(results: ModelResults, files: Sequence[ModelOutputs]) -> ModelResults:
    """Say what is read as right, and compare the totals that the tools report."""
    return compared(with_right_shares(results, files), files)


def _reported(source: Source, beginning: Beginning) -> ModelOutputs | None:
    """Read the totals of a tool's run; None for any other file."""
    known = format_of(beginning)
    kind = kind_of_totals(beginning) if known is None or known.name == _WITH_TOTALS else None
    totals = kind.totals(source, beginning) if kind is not None else ()
    return ModelOutputs.of_totals(totals, kind.problem) if kind is not None and totals else None


def _named(outputs: ModelOutputs, file: str) -> ModelOutputs:
    """Name the file in the account of what it holds."""
    return replace(outputs, account=outputs.account and outputs.account.of_file(file))


def _of_items(source: Source, beginning: Beginning, maps: Mapping[str, FieldMap]) -> ModelOutputs:
    """Read a pool, or a file of another shape by the map for it."""
    if is_pool(beginning):
        return outputs_of_pool(of_pool(source, beginning))
    if beginning.container == ZIP:
        known = _known(Bundle.of(source, _is_known))
        if known.files:
            outputs = _of_bundle(known, maps).outputs()
            account = outputs.account and replace(outputs.account, skipped=known.skipped)
            return replace(outputs, account=account)
    shape = Shape.of(source)
    if shape.digest in maps:
        fields = maps[shape.digest].named(shape.model)
        if fields.model:
            return mapped_outputs(source, fields)
        pool = read_mapped(source, fields)
        # Among other files' models, the samples are not those of the target.
        name = stem(source.name)
        return outputs_of_pool(replace(pool, name=f"{name} (samples)") if name in pool.targets else pool)
    if "id" in beginning.keys and shape.is_plain:
        return outputs_of_pool(of_pool(source, beginning))
    name = source.name or "FILE"
    mapped = shell_line(["neyman", "pool", "map", name, "--out", f"{stem(name)}.parquet"])
    remedy = f"Upload it alone first and say which field is what, or make a pool of it, and read that: {mapped}"
    raise PoolError([Problem("the file is in no known format.", remedy=remedy)])


def pool_of(source: Source, beginning: Beginning, chosen: ResultsFormat) -> Pool:
    """Make the pool of one file of results, its models in their proposed roles."""
    outputs = chosen.read(source, beginning, Problems())
    if outputs.refusal is not None:
        raise PoolError([outputs.refusal])
    return _pool(_stated(joined([outputs]), [outputs]), source.name)


def pool_of_zip(source: Source) -> Pool | None:
    """Make the pool of all files in a zip that a tool wrote or that are pools; None if there is none.

    Raises
    ------
    PoolError
        The zip is damaged or too large, or one of its files has problems, which are listed with its name.
    """
    known = _known(Bundle.of(source, _is_known))
    if not known.files:
        return None
    if len(known.files) == 1 and is_pool(known.files[0].beginning):
        return _with_skipped(replace(of_pool(known.files[0].source, known.files[0].beginning), name=source.name), known)
    return _with_skipped(_pool(_of_bundle(known, {}), source.name), known)


def _pool(results: ModelResults, name: str) -> Pool:
    split = results.default_split()
    pool = results.usual_pool(name)
    scored = [model for model in split.committee if results.known(model)[1]]
    if scored and not pool.targets:
        note = (
            f"The runs of {listed([shown(model) for model in scored])} are samples of a surrogate. To test "
            f"{shown(scored[0])} itself, by its first run of each item, use neyman pool join FILE --target "
            f"{shlex.quote(scored[0])}."
        )
        return replace(pool, notes=(*pool.notes, note))
    if split.committee:
        return pool
    several = f"The {len(split.targets)} models are targets, and each one’s results are past results for the others."
    note = "One model’s single answers are a target. Open it with others’ results to have a surrogate or a committee."
    note = several if len(split.targets) > 1 else note
    return replace(pool, notes=(*pool.notes, note))


def _is_known(beginning: Beginning) -> bool:
    return format_of(beginning) is not None or is_pool(beginning) or kind_of_totals(beginning) is not None


def _known(bundle: Bundle) -> Bundle:
    """Keep the files of a zip that a tool wrote or that are pools."""
    return bundle.without([file.source.name for file in bundle.files if not _is_known(file.beginning)])


def _of_bundle(bundle: Bundle, maps: Mapping[str, FieldMap]) -> ModelResults:
    files = {file.source.name: file.source for file in bundle.files}
    return read_results(files, read_one=lambda source, name: read_outputs(source, name, maps))


def _with_skipped(pool: Pool, bundle: Bundle) -> Pool:
    """Name the files of a zip that are not read, in the account of the pool or else in a note."""
    if pool.account is None:
        return replace(pool, notes=(*pool.notes, *filter(None, [bundle.remark])))
    return replace(pool, account=replace(pool.account, skipped=(*pool.account.skipped, *bundle.skipped)))
