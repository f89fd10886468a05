"""The parameters that a server takes: an item is sent with all of them, then without exactly what was refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ..faults import ItemFault, ParameterFault
from ..job.request import RequestFormat, SampleRange
from ..job.source import Item
from ..job.spec import JobSpec
from .prompting import Message
from .replies import Reply

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
