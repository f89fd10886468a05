"""What the options of several commands share."""

from __future__ import annotations

from cyclopts import Group, Parameter
from cyclopts.validators import mutually_exclusive

# One option, several values after it: --accuracy 0.7 0.85.
Several = Parameter(consume_multiple=True)
# How a result is printed, by default as text.
FORM = Group("Output", validator=mutually_exclusive)
