"""What a server really takes: the first item is sent with all parameters, then without exactly what was refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.surrogate.client.prompting import Message
from core.surrogate.client.replies import Reply
from core.surrogate.client.retries import RetryingClient
from core.surrogate.faults import ItemFault, ParameterFault
from core.surrogate.job.request import RequestFormat, SampleRange
from core.surrogate.job.spec import JobSpec


async def probe(
    client: RetryingClient, spec: JobSpec, messages: Sequence[Message], position: int
) -> tuple[RequestFormat, SampleRange, Reply]:
    """Ask the item at ``position`` for all its samples, and once more without each thing that is refused.

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
    form = RequestFormat.complete(spec.sampling)
    while True:
        samples = form.ranges(spec.sampling.k)[0]
        try:
            reply = await client.complete(form.body(spec, messages, position, samples))
        except ParameterFault as fault:
            fewer = form.without(fault.reasons)
            if replace(fewer, dropped=form.dropped) == form:
                raise refusal(fault) from None
            form = fewer
        else:
            return _as_answered(form, samples, reply), samples, reply


def refusal(fault: ParameterFault) -> ItemFault:
    """The fault of an item whose request is refused although nothing more can be left out."""
    return ItemFault("refused", f"The server refuses the item ({next(iter(fault.reasons.values()))}).", final=False)


def _as_answered(form: RequestFormat, samples: SampleRange, reply: Reply) -> RequestFormat:
    """Note what the server took without complaint but ignored."""
    if form.together and len(reply.completions) == 1 < samples.count:
        reason = f"The server gave one completion instead of {samples.count}."
        form = replace(form, together=False, dropped={**form.dropped, "n": reason})
    if form.parameters.get("logprobs") and all(completion.logprob is None for completion in reply.completions):
        form = replace(form, dropped={**form.dropped, "logprobs": "The server gave no log-probabilities."})
    return form
