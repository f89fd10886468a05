"""The commands of ``neyman surrogate``.

    run       generate for a pool; the same command resumes an unfinished job
    resume    continue a job              stop      stop one
    list      all jobs                    show      one job, its failures and examples
    classes   group a pool's answers by meaning
    preview   the messages of an item, and what a run would take
    models    the models that a server offers
    install-vllm  vLLM for this machine's GPU, in NEYMAN_HOME
    profile   what the app needs of a folder of Parquet files, so that it opens at once
    export    the pool with a job's results, or these one row a generation
    ray       generate on a Ray cluster
    merge     combine the parts of one run, from stores and files
    batch     write request files and read results, or submit, poll and fetch them by OpenAI's Batch API

Jobs and pools are kept in NEYMAN_HOME (by default ~/.neyman). Exit status: 0 done, 1 an error, 2 wrong usage,
3 stopped, 4 done with failures, 5 paused. A command imports what it needs, because a worker is one of them and stays
small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from cyclopts import App, Parameter

from ..errors import NeymanError
from ..words.console import UsageError, answer, command, say
from .faults import ItemFault
from .terminal import batches, jobs, named_pool

_STATUS = "Exit status: 0 done, 1 an error, 2 wrong usage, 3 stopped, 4 done with failures, 5 paused."
_COMMANDS: tuple[Callable[..., int], ...] = (
    *(jobs.run, named_pool.preview, jobs.install_vllm, jobs.models, jobs.resume, jobs.classes, jobs.stop, jobs.show),
    *(named_pool.profile, named_pool.export, batches.ray, named_pool.merge),
)
_BATCHES: tuple[Callable[..., int], ...] = (batches.write, batches.submit, batches.poll, batches.fetch, batches.read)
# Of an option that is given twice, the last one holds: scripts add to the options that they share.
_REPEATED = Parameter(allow_repeating=True)


def main(words: Sequence[str]) -> int:
    """Run a command; return its exit status."""
    try:
        return answer(_app(), list(words))
    except UsageError as error:
        say(str(error))
        return 2
    except (NeymanError, ItemFault) as error:
        say(str(error))
    except OSError as error:
        place = "A file" if error.filename is None else f"“{error.filename}”"
        say(f"{place} cannot be used ({error.strerror or error}). Name another file or folder.")
    return 1


# Reading words leaves it as it is.
@cache
def _app() -> App:
    app = command("neyman surrogate", f"Run a surrogate, a target or a judge without the app. {_STATUS}", _REPEATED)
    batch = command("batch", "Write request files, read results.", _REPEATED)
    app.command(batch)
    app.command(jobs.listing, name="list")
    for run in _COMMANDS:
        app.command(run)
    for run in _BATCHES:
        batch.command(run)
    return app
