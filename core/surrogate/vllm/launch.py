"""The command that starts a vLLM server, and the means of this machine to serve a model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from ..job.parameters import Serving
from ..job.spec import JobSpec, named_arguments

PYTHON_VARIABLE = "NEYMAN_VLLM_PYTHON"
_LOOK_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics card.

    Parameters
    ----------
    name : str
        As its driver calls it.
    free, total : int
        Memory, MiB.
    """

    name: str
    free: int
    total: int


def gpus() -> tuple[Gpu, ...]:
    """List the NVIDIA GPUs that this user sees; none if the driver's tool is missing or fails."""
    query = ["nvidia-smi", "--query-gpu=name,memory.free,memory.total", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, timeout=_LOOK_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    cards = re.finditer(r"^(.+?), *(\d+), *(\d+) *$", listed, re.MULTILINE)
    return tuple(Gpu(card[1].strip(), int(card[2]), int(card[3])) for card in cards)


def vllm_python() -> str:
    """The interpreter that runs vLLM: NEYMAN_VLLM_PYTHON, or else the one that runs this."""
    return os.environ.get(PYTHON_VARIABLE) or sys.executable


@dataclass(frozen=True, slots=True)
class Vllm:
    """vLLM as an environment has it.

    Parameters
    ----------
    python : str
        The interpreter of the environment.
    version : str
        Its version.
    has_launcher : bool
        Whether it has the module that starts a server since 0.32.
    """

    python: str
    version: str
    has_launcher: bool


def installed_vllm(python: str | None = None) -> Vllm | None:
    """Return what vLLM the environment of an interpreter has (None: :func:`vllm_python`); None if it has none.

    vLLM itself is not imported, which would take many seconds.
    """
    code = """
import importlib.metadata as metadata, importlib.util as util, pathlib
found = util.find_spec("vllm")
if found:
    names = metadata.packages_distributions().get("vllm")
    entry = pathlib.Path("entrypoints", "launchers", "api_server", "entry.py")
    print(metadata.version(names[0]) if names else "unknown")
    print(any((folder / entry).exists() for folder in map(pathlib.Path, found.submodule_search_locations or ())))
"""
    python = python or vllm_python()
    # -P: a folder called vllm where this is started is not the package.
    command = [python, "-P", "-c", code]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    return Vllm(python, said[0], said[1] == "True") if len(said) == 2 else None


def vllm_version(python: str | None = None) -> str | None:
    """Return the version of an environment's vLLM, as :func:`installed_vllm` finds it; None if there is none."""
    vllm = installed_vllm(python)
    return None if vllm is None else vllm.version


# The module that starts a server, and the one of versions before 0.32, which newer ones have for a while yet.
_LAUNCHER, _SHIM = "vllm.entrypoints.launchers.api_server.entry", "vllm.entrypoints.openai.api_server"
# Models whose reasoning vLLM can tell apart, by their names, and its parsers; the first that fits counts.
_PARSERS = (
    (re.compile(r"deepseek-?r1", re.IGNORECASE), "deepseek_r1"),
    (re.compile(r"qwen-?3", re.IGNORECASE), "qwen3"),
    (re.compile(r"gemma-?4", re.IGNORECASE), "gemma4"),
    (re.compile(r"magistral", re.IGNORECASE), "mistral"),
)
_SEQUENCES = "--max-num-seqs"
_TOO_MANY = re.compile(r"max_num_seqs \(\d+\) exceeds available [^(\n]*blocks \((\d+)\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Purpose:
    """The purpose of a server, as far as its command depends on it.

    Parameters
    ----------
    thinking : bool
        Whether thinking is on. vLLM then separates reasoning from answers. It takes a text in which the reasoning
        never ends as reasoning alone, so a model that does not think would lose every answer.
    text_only : bool
        Whether no item has an image, so that the parts of the model for images need no memory.
    plain : bool
        Whether vLLM takes no sampling settings from the model's files for those that a request leaves out.
    """

    thinking: bool = False
    text_only: bool = False
    plain: bool = True

    @classmethod
    def of(cls, spec: JobSpec, text_only: bool) -> Purpose:
        """Return the purpose for which a job starts a server."""
        return cls(spec.sampling.thinking == "on", text_only, spec.rules > 1)


def command(serving: Serving, vllm: Vllm, port: int, purpose: Purpose = Purpose()) -> list[str]:
    """The command that starts the server; the key is not on it."""
    # An absolute path, because the server is started in another folder.
    model = str(Path(serving.model).resolve()) if Path(serving.model).is_dir() else serving.model
    options: dict[str, object] = {
        "--model": model,
        "--served-model-name": serving.model,
        "--host": "127.0.0.1",
        "--port": port,
        "--tensor-parallel-size": serving.tensor_parallel,
        "--data-parallel-size": serving.data_parallel if serving.data_parallel > 1 else None,
        "--revision": serving.revision,
        "--dtype": serving.dtype,
        "--quantization": serving.quantization,
        "--max-model-len": serving.max_model_length,
        "--gpu-memory-utilization": serving.gpu_memory,
        _SEQUENCES: serving.max_num_seqs,
        "--generation-config": "vllm" if purpose.plain else None,
        # Parsers of earlier versions take a text without an end of the reasoning for an answer.
        "--reasoning-parser": reasoning_parser(serving.model) if purpose.thinking and vllm.has_launcher else None,
    }
    words = [vllm.python, "-P", "-m", _LAUNCHER if vllm.has_launcher else _SHIM]
    for name, value in options.items():
        words += [] if value is None else [name, str(value)]
    words += ["--language-model-only"] if purpose.text_only and vllm.has_launcher else []
    # The last of two counts: the user's arguments come last.
    return [*words, *(["--trust-remote-code"] if serving.trust_remote_code else []), *serving.arguments]


def reasoning_parser(model: str) -> str | None:
    """Return the name of vLLM's parser for the reasoning of a model, a name on the Hub or a folder; None: unknown."""
    name = Path(model).name
    return next((parser for pattern, parser in _PARSERS if pattern.search(name)), None)


def with_fewer_sequences(serving: Serving, log: str) -> Serving | None:
    """Return what is served with as many sequences at a time as vLLM says it has room for; None if it says nothing."""
    named = _TOO_MANY.search(log)
    if named is None or int(named[1]) < 1:
        return None
    kept = tuple(word for name, _, words in named_arguments(serving.arguments) if name != _SEQUENCES for word in words)
    return replace(serving, max_num_seqs=int(named[1]), arguments=kept)
