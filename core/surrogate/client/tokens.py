"""Rough numbers of tokens, without the model's tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..job.parameters import Prompting
from ..job.source import Item
from .prompting import messages

_BYTES_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 8


def rough_tokens(text: str) -> int:
    """Count the tokens of a text roughly, four bytes a token; at least one if there is any text."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def rough_prompt_tokens(chat: Sequence[Mapping[str, Any]]) -> int:
    """Count the tokens of messages roughly, without images."""
    return sum(rough_tokens(_text(message["content"])) + _TOKENS_PER_MESSAGE for message in chat)


def rough_body_tokens(body: Mapping[str, Any]) -> int:
    """Count the tokens of a request's prompt roughly, without images."""
    return rough_tokens(body["prompt"]) if "prompt" in body else rough_prompt_tokens(body["messages"])


def rough_item_tokens(item: Item, prompting: Prompting) -> int:
    """Count the tokens of an item's messages roughly, without images.

    Raises
    ------
    SurrogateError
        The template has no place for the question.
    """
    response = None if item.response is None else item.response or " ."
    bare = replace(item, prompt=item.prompt or " .", images=(), response=response)
    return rough_prompt_tokens(messages(bare, prompting))


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
