"""Coroutines that run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

Work = Coroutine[Any, Any, None]


async def first_of(*coroutines: Work) -> None:
    """Run until one has ended, then end the others; raises what a failed one raised."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    _raise(task.exception() for task in ended if not task.cancelled())


async def all_of(coroutines: Iterable[Work]) -> None:
    """Run all to their ends; then raise what the first that failed raised."""
    _raise(await asyncio.gather(*coroutines, return_exceptions=True))


async def crew(*coroutines: Work) -> None:
    """Run all; the first failure ends the others at once and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


def _raise(results: Iterable[BaseException | None]) -> None:
    for result in results:
        if result is not None:
            raise result
