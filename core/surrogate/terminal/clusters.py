"""The command for a Ray cluster."""

from __future__ import annotations

import argparse

from ...words.console import emit, say
from ..job.store import DONE_WITH_FAILURES, Store
from . import pools
from .status import STATUSES


def ray(options: argparse.Namespace, store: Store) -> int:
    """Generate on a Ray cluster."""
    from ..cluster import generate
    from ..places import Place

    spec, out = pools.spec_of(options, store), Place(options.out)
    report = generate(
        store,
        spec,
        out,
        workers=options.workers,
        address=options.address,
        most=options.samples,
        leave_out=options.leave_out,
    )
    emit(report)
    for reason, requests in report.reasons.most_common(5):
        emit(f"{requests:,} × {reason}")
    if report.complete < report.total:
        say("The same command asks for what is missing.")
        return STATUSES[DONE_WITH_FAILURES]
    return 0
