"""Coroutines that run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def side_by_side(*coroutines: Coroutine[Any, Any, None], until: str) -> None:
    """Run coroutines side by side, then end those that are still running; raise what the first that failed raised.

    Parameters
    ----------
    *coroutines : coroutine
        What is run.
    until : {asyncio.FIRST_COMPLETED, asyncio.FIRST_EXCEPTION, asyncio.ALL_COMPLETED}
        How long: until one has ended, one has failed, or all have ended.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=until)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if task in ended and not task.cancelled() and (error := task.exception()):
            raise error
