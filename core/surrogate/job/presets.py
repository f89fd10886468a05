"""Sampling of families of models, as their model cards and generation settings say."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def _preset(
    temperature: float,
    top_p: float | None,
    top_k: int | None,
    presence_penalty: float = 0.0,
    thinking: str | None = None,
) -> Mapping[str, Any]:
    sampling = {"temperature": temperature, "top_p": top_p, "top_k": top_k}
    penalties = {"presence_penalty": presence_penalty, "repetition_penalty": 1.0}
    return MappingProxyType({**sampling, **penalties, "thinking": thinking})


PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "paper": _preset(0.7, 0.8, 20, 1.5),
        "qwen3.5": _preset(0.7, 0.8, 20, 1.5, "off"),
        "qwen3.5-thinking": _preset(1.0, 0.95, 20, 1.5, "on"),
        "qwen3": _preset(0.7, 0.8, 20, thinking="off"),
        "qwen3-thinking": _preset(0.6, 0.95, 20, thinking="on"),
        "llama3": _preset(0.6, 0.9, None),
        "gemma4": _preset(1.0, 0.95, 64, thinking="off"),
        "gemma4-thinking": _preset(1.0, 0.95, 64, thinking="on"),
        "gemma3": _preset(1.0, 0.95, 64),
        "mistral-small": _preset(0.15, None, None),
        "magistral": _preset(0.7, 0.95, None),
        "deepseek-r1": _preset(0.6, 0.95, None),
    }
)
"""Name → fields of :class:`core.surrogate.job.parameters.Sampling`.

====================  ===========  =====  =====  ========  ==================================================
preset                temperature  top_p  top_k  thinking  source
====================  ===========  =====  =====  ========  ==================================================
``paper``             0.7          0.8    20               docs/method.md, 2, with a presence penalty of 1.5
``qwen3.5``           0.7          0.8    20     off       model card of Qwen3.5, with the same penalty
``qwen3.5-thinking``  1.0          0.95   20     on        model card of Qwen3.5, with the same penalty
``qwen3``             0.7          0.8    20     off       model card of Qwen3
``qwen3-thinking``    0.6          0.95   20     on        model card of Qwen3
``llama3``            0.6          0.9                     generation settings of Llama 3.1 Instruct
``gemma4``            1.0          0.95   64     off       model card of Gemma 4
``gemma4-thinking``   1.0          0.95   64     on        model card of Gemma 4
``gemma3``            1.0          0.95   64               model card of Gemma 3
``mistral-small``     0.15                                 model card of Mistral Small 3
``magistral``         0.7          0.95                    model card of Magistral Small
``deepseek-r1``       0.6          0.95                    model card of DeepSeek-R1
====================  ===========  =====  =====  ========  ==================================================
"""
