"""Why a vLLM server ended, in one sentence, out of its log."""

from __future__ import annotations

import re
from pathlib import Path

from ...web import clean

_TAIL = 400_000

# Patterns and their sentences; the first that occurs in the log is the reason.
_REASONS = (
    (r"address already in use", "The port was taken by another program; start again."),
    (
        r"unrecognized arguments:.*|error: argument .*|error: the following arguments .*",
        "vLLM does not know an argument; correct it.",
    ),
    (r"gated repo.*|access to model .* is restricted", "Access to the model is restricted; set HF_TOKEN."),
    (
        r"is not a local folder and is not a valid model identifier.*|repository not found.*"
        r"|invalid repository id or local directory.*|repo id must .*|no such file or directory: .*config\.json.*",
        "There is no such model; check its name or folder.",
    ),
    (
        r"localentrynotfounderror.*|couldn't connect to.*|(?:cannot|can't) load the configuration of.*"
        r"|outgoing traffic has been disabled.*",
        "The model cannot be downloaded from the Hugging Face Hub here; give a folder that contains it.",
    ),
    (
        r"requires you to execute .*|trust_remote_code=True.*",
        "The model comes with its own code, which runs only with --trust-remote-code.",
    ),
    (
        r"model architectures? .* (?:are|is) not supported.*|has no vllm implementation.*",
        "vLLM does not support this model.",
    ),
    (
        r".*exceeds available .*blocks \(\d+\).*",
        "There is not enough memory for so many sequences at a time; lower --max-num-seqs, or raise --gpu-memory.",
    ),
    (
        r"to serve at least one request.*|larger than the available kv cache.*"
        r"|larger than the maximum number of tokens.*|greater than the derived max_model_len.*",
        "The model length is too large; lower --max-model-len.",
    ),
    (
        r".*out of memory.*|no available memory for the cache blocks.*"
        r"|.*is less than desired gpu memory utilization.*",
        "There is not enough memory for this model; lower --gpu-memory or --max-model-len, or quantise the model.",
    ),
    (
        r".*generator does not use offset",
        "On a CPU vLLM can fail if it gets a seed; leave the seed empty.",
    ),
    (
        r"failed to infer device type.*|no cuda gpus are available.*|found no nvidia driver.*|libcuda\.so.*"
        r"|device string must not be empty.*",
        "vLLM finds no GPU here; check nvidia-smi, or give the address of a server.",
    ),
)
_LAST_ERROR = re.compile(r"^(?:.*?\s)?([\w.]*(?:Error|Exception|Interrupt)\b: .+)$", re.MULTILINE)


def diagnosis(log: Path) -> str:
    """The reason as a sentence with vLLM's own words; if none is recognised, the last error of the log."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return "It left no log."
    for pattern, sentence in _REASONS:
        words = re.search(pattern, text, re.IGNORECASE)
        if words:
            return f"{sentence} vLLM says: {clean(words[0])}"
    errors = _LAST_ERROR.findall(text)
    # vLLM's last errors only say that a process ended; the one before them gives the cause.
    causes = [error for error in errors if "Engine core" not in error and "See root cause" not in error]
    if errors:
        return f"vLLM says: {clean((causes or errors)[-1])}"
    lines = [line for line in text.splitlines() if line.strip()]
    if lines:
        return f"The last line of its log: {clean(lines[-1])}"
    return "Its log is empty: it was killed, or ended at once."
