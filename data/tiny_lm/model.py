"""The two models' shape and their tokenizer: one token per byte, four special tokens, a chat template.

Token ids 0 to 255 are the bytes themselves. A conversation is ``<|user|>question<|assistant|>answer<|end|>``; a system
message is left out, since the models never saw one. The tokenizer is saved as byte-level BPE without merges, the only
scheme that every loader of a Qwen2 model rebuilds without losing spaces. Qwen2's own loader adds ``<|endoftext|>``
where it is missing, so padding bears that name.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen2Config

SPECIAL = ("<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>")
PAD, USER, ASSISTANT, END = range(256, 260)
LONGEST = 256
CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{%- if message['role'] == 'user' %}{{ '<|user|>' + message['content'] }}"
    "{%- elif message['role'] == 'assistant' %}{{ '<|assistant|>' + message['content'] + '<|end|>' }}"
    "{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{%- endif %}"
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe of one model, its build and its training; ``steps`` are optimiser steps of ``batch`` tasks.

    The learning rate warms up, follows a half cosine of ``horizon`` steps, and in the last ``cooldown`` steps falls to
    zero in proportion to the steps left.
    """

    layers: int
    width: int
    hidden: int
    steps: int
    horizon: int
    cooldown: int
    batch: int
    learning_rate: float
    seed: int
    worked: bool


RECIPES = {
    "surrogate": Recipe(
        layers=2,
        width=128,
        hidden=384,
        steps=3600,
        horizon=3600,
        cooldown=1,
        batch=96,
        learning_rate=2e-3,
        seed=11,
        worked=False,
    ),
    "target": Recipe(
        layers=3,
        width=192,
        hidden=384,
        steps=2800,
        horizon=3600,
        cooldown=1200,
        batch=64,
        learning_rate=2e-3,
        seed=12,
        worked=True,
    ),
}


def config(recipe: Recipe) -> Qwen2Config:
    """The Qwen2 configuration of a recipe: heads of width 64, tied embeddings."""
    heads = recipe.width // 64
    return Qwen2Config(
        vocab_size=256 + len(SPECIAL),
        hidden_size=recipe.width,
        intermediate_size=recipe.hidden,
        num_hidden_layers=recipe.layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=END,
        pad_token_id=PAD,
    )


def generation_config() -> GenerationConfig:
    """The sampling that the pool was made with, as the served default."""
    return GenerationConfig(
        do_sample=True, temperature=0.7, top_p=0.8, top_k=20, eos_token_id=END, pad_token_id=PAD, max_new_tokens=192
    )


def prompt_ids(question: str) -> list[int]:
    """Token ids of a question as the models are asked it, the same as the chat template gives."""
    return [USER, *question.encode(), ASSISTANT]


def reply_ids(reply: str) -> list[int]:
    """Token ids of a reply with its end token."""
    return [*reply.encode(), END]


def byte_symbols() -> dict[str, int]:
    """Byte-level BPE's printable stand-in for each byte, mapped to the byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    moved = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(moved)}


def tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE with no merges: one token per byte, special tokens after them."""
    backend = Tokenizer(models.BPE(vocab=byte_symbols(), merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="<|end|>",
        pad_token="<|endoftext|>",
        model_max_length=LONGEST,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast
