"""`python -m core.archive`, the earlier spelling of `neyman home`."""

import sys

if __name__ == "__main__":
    from ..commands import earlier

    sys.exit(earlier("home"))
