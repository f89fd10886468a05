"""`python -m core.study`, the earlier spelling of `neyman study`."""

import sys

if __name__ == "__main__":
    from ..commands import earlier

    sys.exit(earlier("study"))
