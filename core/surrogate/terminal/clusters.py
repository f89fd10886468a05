"""The command for a Ray cluster."""

from __future__ import annotations

from ...words.console import emit, say
from ..job.store import DONE_WITH_FAILURES
from . import pools
from .home import open_shard
from .options import JobOptions
from .status import STATUSES


def ray(
    *,
    pool: str,
    out: str,
    workers: int = 1,
    address: str | None = None,
    samples: int | None = None,
    leave_out: tuple[str, ...] = (),
    options: JobOptions | None = None,
) -> int:
    """Generate on a Ray cluster; repeated, it asks only for what is missing.

    Parameters
    ----------
    pool : str
        A pool's file, the beginning of a kept pool's digest, or an address (s3://…).
    out : str
        Folder for the rows that every node can reach, or an address (s3://…).
    workers : int
        Processes that ask, or copies of the model.
    address : str
        Address of the cluster (default: RAY_ADDRESS, or a new one on this machine).
    samples : int
        Most samples of one request (default: all).
    leave_out : str
        Parameter that is not sent; may be repeated.
    options : JobOptions
        What is asked.
    """
    from ..cluster import generate
    from ..places import Place

    asked = options or JobOptions()
    store = open_shard(asked.shard)
    spec = pools.spec_of(pool, asked, store)
    report = generate(store, spec, Place(out), workers=workers, address=address, most=samples, leave_out=leave_out)
    emit(report)
    for reason, requests in report.reasons.most_common(5):
        emit(f"{requests:,} × {reason}")
    if report.complete < report.total:
        say("The same command asks for what is missing.")
        return STATUSES[DONE_WITH_FAILURES]
    return 0
