"""Jobs' parameters of every kind, under the name of what is special about each."""

from __future__ import annotations

from core.surrogate.job.parameters import Connection, Prices, Prompting, Sampling, Serving
from core.surrogate.job.spec import JobSpec, Shard

DIGEST = "0123456789abcdef" * 4
SPECS = {
    "plain": JobSpec(DIGEST, "m", Connection(("http://127.0.0.1:1/v1",))),
    "served": JobSpec(
        DIGEST,
        "Qwen/Qwen3-8B",
        serving=Serving("Qwen/Qwen3-8B", 2, 4, "bfloat16", "fp8", 8192, 0.5, True, ("--enforce-eager", "a b", "$(x)")),
    ),
    "renamed": JobSpec(DIGEST, "short", serving=Serving("/models/some model")),
    "sampling": JobSpec(DIGEST, "m", sampling=Sampling(5, None, 1.0, None, 0.0, None, 64, 9, False, '{"min_p": 0.05}')),
    "prompting": JobSpec(
        DIGEST,
        "m",
        prompting=Prompting(
            "Be\nbrief; 'no' \"quotes\"", "{question} $HOME", (("number", "--{question}\n=1"),), "/img", 5.0, 99
        ),
    ),
    "thinking": JobSpec(
        DIGEST, "m", sampling=Sampling(thinking="on", repetition_detection=False), serving=Serving("m", max_num_seqs=64)
    ),
    "answering at once": JobSpec(DIGEST, "m", sampling=Sampling(thinking="off", max_tokens=None)),
    "target": JobSpec(DIGEST, "m", sampling=Sampling(k=1), target="-odd name=", items=("a", "b")),
    "shard": JobSpec(DIGEST, "m", shard=Shard(3, 8)),
    "patient": JobSpec(DIGEST, "m", Connection((), 7, 1.5, 3, 0.0, 9.0, "MY_KEY"), prices=Prices(0.1, 2.5)),
}
