"""Controls of page Estimate alone: how labels and answers are read, and what is made of them."""

from __future__ import annotations

from dataclasses import replace

from core.labels import KINDS
from core.words import INTERVAL_NAMES, RECOMMENDED
from pages.parts.widgets.choices import Options
from pages.parts.widgets.control import Toggle
from pages.parts.widgets.controls import LABEL_KIND, OWN, PARSER
from pages.parts.widgets.numbers import Positive

# The same on page Estimate, which reads scores beyond 0 to 1 too.
SAYS = replace(
    LABEL_KIND,
    noun="kind of label",
    names={name: KINDS[name].loose_title for name in LABEL_KIND.names},
    aliases={title: name for name, title in LABEL_KIND.names.items()},
)
UNBOUNDED = Toggle(
    key="unbounded",
    label="Scores may lie outside 0 to 1",
    default=False,
    help="When off, a score outside 0 to 1 is treated as a slip and counts as missing.",
)
INTERVAL = Options(
    key="interval",
    label="Interval",
    noun="interval",
    default=RECOMMENDED[0],
    names={name: INTERVAL_NAMES[name] for name in (*RECOMMENDED, "korn-graubard")},
    help="The tilted model is the default. Korn–Graubard is there to compare: it can be too narrow where strata have "
    "few labels. Scores without bounds get Student’s t.",
    aliases={"Wilson": RECOMMENDED[0]},
)
READ_AS = Options(
    key="read-as",
    label="How the target’s answers are read",
    noun="way to read answers",
    default=OWN,
    names={**PARSER.names, OWN: "As the pool says"},
    help="How an answer is found in what the target wrote and compared with the right one. It may differ from the way "
    "the surrogate’s generations are read.",
)
POSITIVE = Options(
    key="positive",
    of_pool=True,
    label="Answer that counts as positive",
    noun="positive answer",
    default="",
    help="Precision: the share of the model’s positive answers that are right. Recall: the share of truly positive "
    "items that the model finds.",
)
HALF_WIDTH = Positive(
    key="half-width",
    label="Narrow the interval to ±",
    noun="half-width",
    help="Half the width of the interval. Leave empty to halve the present one.",
)
