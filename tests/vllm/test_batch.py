"""Our request file, answered by vLLM's own batch command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.pool import Pool
from core.surrogate.batch import create, write
from core.surrogate.batch_results import read as read_results
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from tests.vllm.conftest import ARGUMENTS, GPU_MEMORY, MODELS
from tests.vllm.runs import SAMPLING, spec_for


def test_vllms_own_batch_command_answers_our_request_file(
    store: Store, neyman_home: Path, demo: Pool, tmp_path: Path
) -> None:
    pytest.importorskip("vllm")
    small = Pool("demo", demo.table.slice(0, 12))
    model = str(MODELS / "surrogate")
    job = create(store, spec_for(small, neyman_home, model=model))
    (requests,) = write(store, job, tmp_path, "vllm")
    command = [sys.executable, "-m", "vllm.entrypoints.openai.run_batch", "-i", str(requests)]
    command += ["-o", str(tmp_path / "results.jsonl"), "--model", model, "--dtype", "float32", *ARGUMENTS]
    command += ["--gpu-memory-utilization", str(GPU_MEMORY)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    report = read_results(store, job, [tmp_path / "results.jsonl"])
    assert (report.stored, report.failed, report.missing_items) == (12, 0, 0)
    assert progress(store, job).state == "done"
    generated = pool_with(store, small, job)
    assert generated.n_generations == SAMPLING.k
    assert generated.logprobs is not None and (generated.logprobs < 0).mean() > 0.9
