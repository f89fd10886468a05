"""The body of a chat completion → its completions, their log-probabilities and usage; nothing else of it is kept."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...answers import parse
from ...answers.classes import verdict
from ...web import clean
from ..faults import TransientFault
from ..job.events import Event, Generation
from ..job.parameters import limits_in
from ..job.request import SampleRange
from ..job.source import Item
from ..job.spec import JobSpec

_YES_OR_NO = re.compile(r"\W*(yes|no)\W*", re.IGNORECASE)
# Bytes of a reply beside its tokens, of the text of a token, and of a log-probability, that of an alternative as well:
# several times what they usually take. If nothing limits the tokens, so many are thought of.
_FRAME, _TEXT, _LOGPROB = 16_000_000, 64, 448
_TOKENS = 8_192
# Beyond 0 a log-probability is none, but for the rounding of a server's numbers.
_ROUNDING = 0.01
# What reading numbers comes to if a server sends others. Its answer is paid for and kept, whatever they are.
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError)
_TURN_END = re.compile(r"<[^<>]*>\s*$")
_REASONING = re.compile(r"<(?P<close>/)?(?:think|thinking|reasoning)>", re.IGNORECASE)

Answers = dict[int, str | None]
"""Parsed answers of an item: sample → answer, None if there is none."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer.

    Parameters
    ----------
    completions : tuple of Generation
        At least one; each sample once, numbered in the request from 0, its answer not parsed yet.
    model : str
        The server's own name for what answered.
    prompt_tokens, completion_tokens : int
        Its usage; 0 if it does not say.
    estimated_tokens : int
        How many of them were counted here, because the server does not say.
    sums : tuple of float or None
        Of each completion Σ log p of all its tokens, those of its reasoning included, nats; None if there is none.
    opened : bool
        Whether a completion ends reasoning that it did not begin: the chat template begins it.
    """

    completions: tuple[Generation, ...]
    model: str
    prompt_tokens: int
    completion_tokens: int
    estimated_tokens: int = 0
    sums: tuple[float | None, ...] = ()
    opened: bool = False

    @property
    def filtered(self) -> bool:
        """Whether a content filter took a text away."""
        return any(completion.filtered for completion in self.completions)

    def event(self, item: Item, samples: SampleRange, answers: Answers, spec: JobSpec, thinks: bool = False) -> Event:
        """Return the new generations of an item as an event.

        Parameters
        ----------
        item : Item
            The item.
        samples : SampleRange
            The samples that were requested.
        answers : dict
            Sample → parsed answer of what the item has already; the new ones are added.
        spec : JobSpec
            The job: how many samples a complete item has, and by which rules they are read.
        thinks : bool
            Whether the model thinks first: what is cut before its reasoning ends is reasoning, even without a tag.
        """
        generations = []
        for place, completion in enumerate(self.completions):
            sample = samples.first + completion.sample
            if 0 <= completion.sample < samples.count and not completion.filtered and sample not in answers:
                if spec.rules == 1:
                    completion = _by_first_rules(completion, self.sums[place : place + 1])
                elif (thinks or self.opened) and completion.cut and completion.reasoning is None:
                    completion = _only_reasoning(completion)
                answers[sample] = _answer(completion, item, spec.rules)
                reported = samples.count == 1 and not self.estimated_tokens
                tokens = (reported and self.completion_tokens) or completion.tokens
                generations.append(replace(completion, sample=sample, answer=answers[sample], tokens=tokens))
        complete = bool(generations) and len(answers) == spec.sampling.k
        counts = tuple(sorted(Counter(answers.values()).values(), reverse=True)) if complete else None
        tokens_taken = (self.prompt_tokens, self.completion_tokens, self.estimated_tokens)
        key = None if item.pair is None else bytes.fromhex(item.id)
        return Event(item.position, generations, counts, None, *tokens_taken, key=key)


def _by_first_rules(completion: Generation, sums: Sequence[float | None]) -> Generation:
    """A completion with the log-probability of all its tokens."""
    total = sums[0] if sums else completion.logprob
    return replace(completion, logprob=total, token_logprob=total and total / (completion.tokens or 1))


def _only_reasoning(completion: Generation) -> Generation:
    return replace(completion, text="", reasoning=completion.text, answer=None, logprob=None, token_logprob=None)


def largest(body: Mapping[str, Any]) -> int:
    """The most bytes that an honest reply to a request may have, by its samples, token limit and log-probabilities."""
    tokens = max(limits_in(body), default=_TOKENS)
    # A chat asks for log-probabilities with true, and for a number of alternatives; a completion with that number.
    asked = body.get("logprobs") or 0
    alternatives = body.get("top_logprobs") if asked is True else asked
    shown = bool(asked) + (alternatives if isinstance(alternatives, int) else 0)
    return _FRAME + int(body.get("n", 1)) * tokens * (_TEXT + _LOGPROB * shown)


def read_reply(content: bytes, secrets: Iterable[str] = ()) -> Reply:
    """Read the body of an answer; ``secrets`` are kept out of errors.

    Raises
    ------
    TransientFault
        It is not JSON, no chat completion, has no completions, or reports an error although its status is 200.
    """
    try:
        body = _decoded(content)
    except (ValueError, RecursionError) as error:
        raise TransientFault("unreadable", "The server's answer is not valid JSON.") from error
    if isinstance(body, dict) and body.get("error") and not body.get("choices"):
        raise TransientFault("server error", f"The server failed ({clean(str(body['error']), secrets)}).")
    return reply_of(body)


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        # A whole number of thousands of digits, which Python does not read, is no reason to lose what else it says.
        return json.loads(content, parse_int=float)


def reply_of(body: Any) -> Reply:
    """Read an answer's body that is decoded already.

    Raises
    ------
    TransientFault
        It is no chat completion, or has no completions. Of several, those that are none are left out.
    """
    try:
        given = body["choices"]
        read = [one for place in range(len(given)) if (one := _readable(given[place], place)) is not None]
        completions = [one for one, _, _ in read]
        if given and not completions:
            raise TypeError
        numbers = {completion.sample for completion in completions}
        if len(numbers) < len(completions) or 0 not in numbers:
            # Some gateways number every choice 0, or begin at 1: their places tell them apart.
            completions = [replace(completion, sample=place) for place, completion in enumerate(completions)]
        reply = Reply(
            tuple(completions),
            _unicode(str(body.get("model") or ""))[:200],
            _count(body.get("usage"), "prompt_tokens"),
            _count(body.get("usage"), "completion_tokens"),
            sums=tuple(total for _, total, _ in read),
            opened=any(opened for _, _, opened in read),
        )
    except _MALFORMED as error:
        raise TransientFault("unreadable", "The server's answer is not a chat completion.") from error
    if not reply.completions:
        raise TransientFault("unreadable", "The server's answer has no completions.")
    return reply


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Split a text into what follows the model's reasoning, and the reasoning, None if there is none.

    A block that is closed but not opened (the prompt opened it) counts; one that is never closed leaves no answer.
    """
    tags = list(_REASONING.finditer(text)) if "<" in text else []
    if not tags:
        return text, None
    first, last = tags[0], tags[-1]
    if last["close"]:
        return text[last.end() :].lstrip("\n"), text[0 if first["close"] else first.end() : last.start()].strip()
    return "", text[first.end() :].strip()


def _readable(choice: Any, place: int) -> tuple[Generation, float | None, bool] | None:
    """A completion, Σ log p of all its tokens, and whether the prompt opened its reasoning; None if it is none."""
    try:
        return _completion(choice, place)
    except _MALFORMED:
        return None


def _completion(choice: dict[str, Any], place: int) -> tuple[Generation, float | None, bool]:
    message = choice.get("message") or {"content": choice["text"]}
    text = message.get("content") or message.get("refusal") or ""
    if not isinstance(text, str):
        text = "".join(part.get("text") or "" for part in text)
    reasoning, opened = message.get("reasoning_content") or message.get("reasoning"), False
    if not isinstance(reasoning, str):
        first = _REASONING.search(text)
        opened = first is not None and first["close"] is not None
        text, reasoning = split_reasoning(text)
    finish, index = choice.get("finish_reason"), choice.get("index")
    tokens = _tokens(choice)
    spoken = tokens if reasoning is None else _after_reasoning(tokens, text)
    total = _sum(spoken)
    generation = Generation(
        index if isinstance(index, int) else place,
        _unicode(text),
        _probability(choice, None if reasoning is None else len(spoken)),
        None if reasoning is None else _unicode(reasoning),
        _unicode(finish)[:40] if isinstance(finish, str) else None,
        len(tokens) or None,
        total,
        None if total is None else total / len(spoken),
    )
    return generation, _sum(tokens), opened


def _tokens(choice: Mapping[str, Any]) -> list[tuple[str, float]]:
    """A completion's tokens and their log-probabilities; empty if the server gives none, or gives them out of order."""
    try:
        logprobs = choice.get("logprobs") or {}
        if content := logprobs.get("content") or ():
            return [(_text(token.get("token")), float(token["logprob"])) for token in content]
        values = [float(one) for one in logprobs.get("token_logprobs") or ()]
        return list(zip(map(_text, logprobs.get("tokens") or [""] * len(values)), values, strict=True))
    except _MALFORMED:
        return []


def _text(token: Any) -> str:
    return token if isinstance(token, str) else ""


def _after_reasoning(tokens: Sequence[tuple[str, float]], text: str) -> list[tuple[str, float]]:
    """The tokens of what a model says after its reasoning; empty if it says nothing, or they cannot be told apart."""
    said = "".join(token for token, _ in tokens)
    ends = [tag.end() for tag in _REASONING.finditer(said) if tag["close"]]
    # A server that keeps reasoning apart may leave out its tags; what ends the turn is in no text.
    start = ends[-1] if ends else _TURN_END.sub("", said).rfind(text.strip())
    if start < 0 or not text.strip():
        return []
    place, spoken = 0, []
    for token, logprob in tokens:
        if place >= start:
            spoken.append((token, logprob))
        place += len(token)
    return spoken


def _sum(tokens: Sequence[tuple[str, float]]) -> float | None:
    """The sum of log-probabilities; None if there are none, or what they sum to is no log-probability."""
    try:
        total = math.fsum(logprob for _, logprob in tokens)
    except (ValueError, OverflowError):
        return None
    return total if tokens and math.isfinite(total) and total < _ROUNDING * len(tokens) else None


def _probability(choice: Mapping[str, Any], spoken: int | None) -> str | None:
    """P(yes) ÷ (P(yes) + P(no)) where the last yes or no of the answer is said; None if neither is said.

    Parameters
    ----------
    choice : mapping
        The completion.
    spoken : int or None
        How many tokens the answer has, the last ones; None: all, because there is no reasoning.
    """
    try:
        content = (choice.get("logprobs") or {}).get("content") or ()
        content = content if spoken is None else content[len(content) - spoken :]
        if not content or not content[-1].get("top_logprobs"):
            return None
        token = next((token for token in reversed(content) if _YES_OR_NO.fullmatch(token["token"])), None)
        if token is None:
            return None
        shares = {"yes": 0.0, "no": 0.0}
        for other in token["top_logprobs"]:
            if word := _YES_OR_NO.fullmatch(other["token"]):
                shares[word[1].lower()] += math.exp(other["logprob"])
        total = sum(shares.values())
        return f"{shares['yes'] / total:.6f}" if 0 < total < math.inf else None
    except _MALFORMED:
        return None


def _verdict(text: str) -> str | None:
    """1 or 0 by the last yes or no of a judge's words; None if there is neither."""
    words = re.findall(r"\b(yes|no)\b", text, re.IGNORECASE)
    return None if not words else str(int(words[-1].lower() == "yes"))


def _answer(completion: Generation, item: Item, rules: int) -> str | None:
    """Parse a completion: the item's answer, a judge's verdict on one, or whether one answer entails another."""
    if rules > 1 and completion.cut_in_reasoning:
        return None
    if item.pair is not None:
        return verdict(completion.text)
    if item.response is not None:
        return completion.answer or _verdict(completion.text)
    return parse(completion.text, item.kind, item.choices or None)


def _count(usage: Any, name: str) -> int:
    """A number of tokens, 0 if none is given; bounded by what a database stores."""
    try:
        return min(max(int(usage[name]), 0), 2**40)
    except _MALFORMED:
        return 0


def _unicode(text: str) -> str:
    """``text`` with half surrogate pairs replaced: JSON may contain them, a database may not."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
