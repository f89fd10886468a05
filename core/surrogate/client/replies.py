"""The body of a chat completion → its choices, their log-probabilities and its usage; nothing else of it is kept."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.surrogate.faults import Trouble, clean

_REASONING = re.compile(r"<(?P<close>/)?(?:think|thinking|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the n completions of a request; ``index`` 0 … n−1."""

    index: int
    text: str
    reasoning: str | None
    finish: str | None
    tokens: int | None
    logprob: float | None
    token_logprob: float | None

    @property
    def filtered(self) -> bool:
        """Whether a content filter took the text away."""
        return self.finish == "content_filter" and not self.text


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered; ``model`` is its own name for what answered."""

    choices: tuple[Choice, ...]
    model: str
    prompt_tokens: int
    completion_tokens: int


def read_reply(content: bytes, secrets: Iterable[str] = ()) -> Reply:
    """Read the body of an answer; ``secrets`` are kept out of errors.

    Raises
    ------
    Trouble : it is not JSON, or no chat completion, or has no choices, or tells an error although its status is 200.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Trouble("unreadable", "The server's answer is not valid JSON.") from error
    if isinstance(body, dict) and body.get("error") and not body.get("choices"):
        raise Trouble("server error", f"The server failed ({clean(str(body['error']), secrets)}).")
    return reply_of(body)


def reply_of(body: Any) -> Reply:
    """Read an answer's body that is decoded already.

    Raises
    ------
    Trouble : it is no chat completion, or has no choices.
    """
    try:
        usage = body.get("usage") or {}
        found = [_choice(choice, place) for place, choice in enumerate(body["choices"])]
        reply = Reply(
            tuple({choice.index: choice for choice in found}.values()),
            _unicode(str(body.get("model") or ""))[:200],
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Trouble("unreadable", "The server's answer is not a chat completion.") from error
    if not reply.choices:
        raise Trouble("unreadable", "The server's answer has no choices.")
    return reply


def split_reasoning(text: str) -> tuple[str, str | None]:
    """What a model says after its reasoning, and the reasoning, None where there is none.

    A block that is closed but not opened (the prompt opened it) counts; one that is never closed leaves no answer.
    """
    tags = list(_REASONING.finditer(text)) if "<" in text else []
    if not tags:
        return text, None
    last = tags[-1]
    if last["close"]:
        first = tags[0]
        return text[last.end() :].lstrip("\n"), text[0 if first["close"] else first.end() : last.start()].strip()
    return "", text[tags[0].end() :].strip()


def _choice(choice: dict[str, Any], place: int) -> Choice:
    message = choice["message"]
    text = message.get("content") or message.get("refusal") or ""
    if not isinstance(text, str):
        text = "".join(part.get("text") or "" for part in text)
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if not isinstance(reasoning, str):
        text, reasoning = split_reasoning(text)
    tokens = (choice.get("logprobs") or {}).get("content") or ()
    total = math.fsum(token["logprob"] for token in tokens) if tokens else None
    finish = choice.get("finish_reason")
    if total is not None and not math.isfinite(total):
        total = None
    return Choice(
        int(choice.get("index", place)),
        _unicode(text),
        None if reasoning is None else _unicode(reasoning),
        _unicode(finish)[:40] if isinstance(finish, str) else None,
        len(tokens) or None,
        total,
        None if total is None else total / len(tokens),
    )


def _count(number: Any) -> int:
    """A number of tokens, 0 where none is told; bounded by what a database holds."""
    return min(max(int(number or 0), 0), 2**40)


def _unicode(text: str) -> str:
    """``text`` with half surrogate pairs replaced: JSON may hold them, a database may not."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
