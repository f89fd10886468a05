"""A pool of items: its columns, its digest, its parsed answers, its images."""

from .account import FileAccount, Filled, LeftOut
from .images import ImageError, Picture, picture
from .meanings import Meaning, meanings
from .origin import Origin
from .pool import ItemIds, Pool, Target
from .problems import shown
from .sequences import several
from .spellings import Spellings, spellings
from .tool_totals import ToolTotal

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
    "meanings",
    "picture",
    "several",
    "shown",
    "spellings",
]
