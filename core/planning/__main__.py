"""`python -m core.planning`, the earlier spelling of `neyman plan`."""

import sys

if __name__ == "__main__":
    from ..commands import earlier

    sys.exit(earlier("plan", switches={"--check": ["check"]}))
