"""The command for a Ray cluster."""

from __future__ import annotations

import argparse

from core.surrogate.job.store import DONE_WITH_FAILURES, Store
from core.surrogate.terminal import pools
from core.surrogate.terminal.console import STATUSES, say


def ray(options: argparse.Namespace, store: Store) -> int:
    """Generate on a Ray cluster."""
    from core.surrogate.cluster import generate
    from core.surrogate.places import Place

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
    print(report)
    for reason, requests in report.reasons.most_common(5):
        print(f"{requests:,} × {reason}")
    if report.complete < report.total:
        say("The same command asks for what is missing.")
        return STATUSES[DONE_WITH_FAILURES]
    return 0
