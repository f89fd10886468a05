"""How families of models are to be sampled, as their model cards and generation settings say."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# Penalties are the paper's alone: the cards recommend none.
_NO_PENALTIES = {"presence_penalty": 0.0, "repetition_penalty": 1.0}


def _preset(temperature: float, top_p: float | None, top_k: int | None) -> Mapping[str, Any]:
    return MappingProxyType({"temperature": temperature, "top_p": top_p, "top_k": top_k, **_NO_PENALTIES})


PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "paper": MappingProxyType(
            {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "presence_penalty": 1.5, "repetition_penalty": 1.0}
        ),
        "qwen3": _preset(0.7, 0.8, 20),
        "qwen3-thinking": _preset(0.6, 0.95, 20),
        "llama3": _preset(0.6, 0.9, None),
        "gemma3": _preset(1.0, 0.95, 64),
        "mistral-small": _preset(0.15, None, None),
        "magistral": _preset(0.7, 0.95, None),
        "deepseek-r1": _preset(0.6, 0.95, None),
    }
)
"""Name → fields of :class:`core.surrogate.job.parameters.Sampling`.

==================  ===========  =====  =====  ================================================
preset              temperature  top_p  top_k  source
==================  ===========  =====  =====  ================================================
``paper``           0.7          0.8    20     docs/method.md, 2, with a presence penalty of 1.5
``qwen3``           0.7          0.8    20     model card of Qwen3, without thinking
``qwen3-thinking``  0.6          0.95   20     model card of Qwen3, thinking
``llama3``          0.6          0.9           generation settings of Llama 3.1 Instruct
``gemma3``          1.0          0.95   64     model card of Gemma 3
``mistral-small``   0.15                       model card of Mistral Small 3
``magistral``       0.7          0.95          model card of Magistral Small
``deepseek-r1``     0.6          0.95          model card of DeepSeek-R1
==================  ===========  =====  =====  ================================================
"""
