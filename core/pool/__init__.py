"""A pool of items: its columns, its digest, its parsed answers, its images."""

from .account import FileAccount, Filled, LeftOut
from .further_target import with_models
from .images import ImageError, Picture, picture
from .meanings import Meaning, meanings
from .origin import Origin
from .pool import ItemIds, Pool, Target
from .problems import shown
from .sequences import several
from .spellings import Spellings, spellings
from .tool_totals import ToolTotal
from .version_names import are_versions, named_versions, newest_first

__all__ = [
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
    "meanings",
    "named_versions",
    "newest_first",
    "picture",
    "several",
    "shown",
    "spellings",
    "with_models",
]
