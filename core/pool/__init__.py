"""A pool of items: its columns, its digest, its parsed answers, its images."""

from .account import FileAccount, Filled, LeftOut
from .compared import MOST_COMPARED, compared_targets, left_aside, with_targets
from .further_target import with_models
from .images import ImageError, Picture, picture
from .meanings import Meaning, meanings
from .origin import Origin
from .pool import ItemIds, Pool, Target
from .problems import shown
from .sequences import several
from .spellings import Spellings, spellings
from .tool_totals import ToolTotal
from .verdict_words import number_in
from .version_names import are_versions, named_versions, newest_first

__all__ = [
    "MOST_COMPARED",
    "FileAccount",
    "Filled",
    "ImageError",
    "ItemIds",
    "LeftOut",
    "Meaning",
    "Origin",
    "Picture",
    "Pool",
    "Spellings",
    "Target",
    "ToolTotal",
    "are_versions",
    "compared_targets",
    "left_aside",
    "meanings",
    "named_versions",
    "newest_first",
    "number_in",
    "picture",
    "several",
    "shown",
    "spellings",
    "with_models",
    "with_targets",
]
