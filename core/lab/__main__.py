"""`python -m core.lab`, the earlier spelling of `neyman lab`."""

import sys

if __name__ == "__main__":
    from ..commands import earlier

    sys.exit(earlier("lab", switches={"--across": ["lab", "across"]}))
