"""`python -m core.readers`, the earlier spelling of `neyman pool`."""

import sys

if __name__ == "__main__":
    from ..commands import earlier

    sys.exit(earlier("pool"))
