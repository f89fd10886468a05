"""An item and its settings → the messages a model is sent, and the parameters that its server takes.

A template is a text with the fields {question}, {choices} and {instruction}; each is filled in once, and braces in a
prompt stay unchanged. A paragraph whose fields are all empty is left out, so that one template serves items with and
without options.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

from ..faults import ItemFault, ParameterFault, SurrogateError
from ..job.parameters import STANDARD_OF_BASE_MODELS, Prompting, Shot
from ..job.request import RequestFormat, SampleRange
from ..job.source import LETTERS, STANDARD_OF_PAIRS, Item
from ..job.spec import JobSpec
from .replies import Reply

STANDARD = "{question}\n\n{choices}\n\n{instruction}"

_LETTER_ALONE = "Answer with the letter of the right option alone."
_BETWEEN_SHOTS = "\n\n\n"
STANDARD_OF_JUDGES = (
    "{question}\n\n{choices}\n\nA model answered:\n\n{response}\n\n"
    "Is this answer correct? End with one word, Yes or No."
)
_FIELD = re.compile(r"\{(question|choices|instruction|response)\}")
_PAIR_FIELD = re.compile(r"\{(question|first|second)\}")
_REASON = "Think step by step, then"
_LETTER = f"{_REASON} give the letter of the right option. End with"
_LETTER_LINE = f"{_LETTER} a line “Answer: X”, where X is that letter."

INSTRUCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "as-is": "",
        "open": "",
        "text": f"{_REASON} end with a line “Answer: …” that holds the answer and nothing else.",
        "number": f"{_REASON} end with a line “Answer: …” that holds the number and nothing else.",
        "choice": _LETTER_LINE,
        "mmlu-pro": f"{_LETTER} “the answer is (X)”, where X is that letter.",
        "mmlu-redux": _LETTER_LINE,
        "gpqa": _LETTER_LINE,
        "mmbench": _LETTER_ALONE,
    }
)

Message = dict[str, Any]


def messages(item: Item, prompting: Prompting) -> list[Message]:
    """The chat messages for an item: the system prompt, the examples, then the question, its images before it.

    A base model gets one message: the text that it continues.

    Raises
    ------
    ItemFault
        The item has no prompt, or an image that cannot be sent.
    SurrogateError
        The template has no place for the question.
    """
    if not item.prompt.strip() and not item.images:
        raise ItemFault("no prompt", "The item has no prompt.")
    if item.response is not None and not item.response.strip():
        raise ItemFault("no prompt", "The target has not answered the item, so there is nothing to judge.")
    content: str | list[dict[str, Any]] = question(item, prompting)
    examples = [(question(_as_item(shot, item), prompting), shot.answer) for shot in prompting.shots]
    if prompting.base_model:
        if item.images:
            raise ItemFault("image", "A base model continues a text, and the item has an image.")
        system = [prompting.system] if prompting.system.strip() else []
        texts = [f"{prompt} {answer.strip()}" for prompt, answer in examples]
        return [{"role": "user", "content": _BETWEEN_SHOTS.join([*system, *texts, str(content)])}]
    if item.images:
        urls = [data_url(image, prompting) for image in item.images]
        images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        content = [*images, {"type": "text", "text": content}]
    turns: list[Message] = [{"role": "system", "content": prompting.system}] if prompting.system.strip() else []
    for prompt, answer in examples:
        turns += [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
    return [*turns, {"role": "user", "content": content}]


def _as_item(shot: Shot, item: Item) -> Item:
    """An example as an item of the same kind."""
    return replace(item, prompt=shot.prompt, choices=shot.choices, images=())


def data_url(image: str, prompting: Prompting) -> str:
    """Read an image (a path, data URL or base64 text) as a data URL, the form in which a server takes it.

    Raises
    ------
    ItemFault
        It cannot be read, is of another kind, or is too large.
    """
    # The pool's room takes more memory than a worker; most items have no image.
    from ...pool.images import ImageError, picture

    try:
        return picture(image, prompting.images, prompting.max_image_megabytes, prompting.max_image_side).data_url
    except ImageError as error:
        raise ItemFault("image", str(error), error.final) from error


def abridged(chat: Sequence[Message]) -> list[Message]:
    """The messages as they can be shown: of an image's data only its kind and size."""
    return [
        message
        if isinstance(message["content"], str)
        else message | {"content": [_abridged(part) for part in message["content"]]}
        for message in chat
    ]


def question(item: Item, prompting: Prompting) -> str:
    """The text of the user's message.

    Raises
    ------
    SurrogateError
        The template has no place for the question, or for one of the answers to compare.
    """
    if item.pair is not None:
        return _comparison(item, prompting, *item.pair)
    judging = item.response is not None and prompting.template is None
    standard = STANDARD_OF_JUDGES if judging else template_of(prompting)
    template = dict(prompting.templates).get(item.kind, standard)
    if "{question}" not in template:
        raise SurrogateError("The template has no {question}: every item would be asked the same.")
    fields = {
        "question": item.prompt,
        "choices": _lettered(item.choices),
        "response": item.response or "",
        "instruction": _LETTER_ALONE if prompting.letters_only and item.letters else INSTRUCTIONS.get(item.kind, ""),
    }
    return _filled(template, fields, _FIELD)


def _comparison(item: Item, prompting: Prompting, first: str, second: str) -> str:
    """The question whether one answer to an item entails another."""
    template = prompting.template or STANDARD_OF_PAIRS
    fields = {"question": item.prompt, "first": first, "second": second}
    missing = [f"{{{name}}}" for name in fields if f"{{{name}}}" not in template]
    if missing:
        raise SurrogateError(f"The template has no {missing[0]}. Use {{question}}, {{first}} and {{second}} in it.")
    return _filled(template, fields, _PAIR_FIELD)


def _filled(template: str, fields: Mapping[str, str], field: re.Pattern[str]) -> str:
    """A template with its fields; paragraphs whose fields are all empty are left out."""
    paragraphs = []
    for paragraph in template.split("\n\n"):
        names = field.findall(paragraph)
        if not names or any(fields[name] for name in names):
            paragraphs.append(field.sub(lambda match: fields[match[1]], paragraph))
    return "\n\n".join(paragraphs)


def template_of(prompting: Prompting) -> str:
    """The template of all answer kinds without a separate one."""
    standard = STANDARD_OF_BASE_MODELS if prompting.base_model else STANDARD
    return standard if prompting.template is None else prompting.template


def _abridged(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] != "image_url":
        return part
    kind, _, data = part["image_url"]["url"].partition(",")
    return part | {"image_url": {"url": f"{kind},… ({len(data) * 3 // 4:,} bytes)"}}


def _lettered(choices: tuple[str, ...]) -> str:
    """Options a line each, “A. …”; beyond Z they are numbered."""
    marks = LETTERS if len(choices) <= len(LETTERS) else [str(n) for n in range(1, len(choices) + 1)]
    return "\n".join(f"{mark}. {choice}" for mark, choice in zip(marks, choices, strict=False))


# Rough numbers of tokens, without the model's tokenizer.

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


_IGNORED = "The server takes it, but answers something else."


class Completing(Protocol):
    """Whatever sends a request."""

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request."""


async def probe(
    client: Completing,
    spec: JobSpec,
    form: RequestFormat,
    messages: Sequence[Message],
    item: Item,
    present: Collection[int] = (),
) -> tuple[RequestFormat, SampleRange, Reply]:
    """Ask an item for what it lacks, and once more without each thing that is refused.

    Parameters
    ----------
    client, spec
        Whom to ask, and the job.
    form : RequestFormat
        What is sent first.
    messages, item
        The item, and its chat.
    present : collection of int
        Samples that the item has already, at most all but one.

    Returns
    -------
    tuple of RequestFormat, SampleRange, Reply
        What is sent from now on, the samples that were requested, and the answer.

    Raises
    ------
    ItemFault
        The item cannot be answered, or is refused with every parameter left out.
    SurrogateError
        No request will succeed.
    """
    has_room = True
    while True:
        samples = form.ranges(spec.sampling.k, present)[0]
        asked = form if has_room else form.unlimited()
        try:
            reply = await client.complete(asked.body(spec, messages, item, samples))
        except ItemFault as fault:
            # Only this item leaves no room for the limit: the others keep it.
            if fault.kind != "no room" or not has_room:
                raise
            has_room = False
        except ParameterFault as fault:
            fewer = form.without(fault.reasons)
            if replace(fewer, dropped=form.dropped) == form:
                reason = next(iter(fault.reasons.values()))
                raise ItemFault("refused", f"The server refuses the item ({reason}).", final=False) from None
            form = fewer
        else:
            if not is_guided(form, spec, item, reply):
                form = form.without({form.guide or "": _IGNORED})
                continue
            return _as_answered(form, samples, reply), samples, reply


def is_guided(form: RequestFormat, spec: JobSpec, item: Item, reply: Reply) -> bool:
    """Whether every answer is one of those that the server was told to choose from, if it was told any."""
    letters = form.letters(spec, item)
    return not letters or all(
        one.filtered or one.cut_in_reasoning or one.text.strip() in letters for one in reply.completions
    )


def _as_answered(form: RequestFormat, samples: SampleRange, reply: Reply) -> RequestFormat:
    """Note what the server took without complaint but ignored."""
    if len(reply.completions) == 1 < samples.count:
        reason = f"The server gave one completion instead of {samples.count}."
        form = replace(form, most=1, dropped={**form.dropped, "n": reason})
    answered = any(not completion.filtered for completion in reply.completions)
    if form.parameters.get("logprobs") and answered and all(total is None for total in reply.sums):
        form = replace(form, dropped={**form.dropped, "logprobs": "The server gave no log-probabilities."})
    return form
