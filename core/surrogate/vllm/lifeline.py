"""Run a module that ends, with all its processes, when its worker is gone: ``python -P lifeline.py MODULE WORDS …``.

The worker holds the other end of a pipe open, whose number is in NEYMAN_LIFELINE. When the pipe closes, the worker has
ended, even by SIGKILL, and this process ends its whole group, which nothing else is in. It runs in vLLM's environment,
so it imports nothing but the standard library.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading


def main(module: str, words: list[str]) -> None:
    """Run ``module`` as ``python -m`` would, with the lifeline held."""
    pipe = int(os.environ.pop("NEYMAN_LIFELINE"))
    os.set_inheritable(pipe, False)
    threading.Thread(target=_hold, args=(pipe,), daemon=True).start()
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _hold(pipe: int) -> None:
    while os.read(pipe, 1):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
