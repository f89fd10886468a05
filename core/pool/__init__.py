"""A pool of items: its columns, its digest, its parsed answers, its images."""

from .images import ImageError, Picture, picture
from .origin import Origin
from .pool import ItemIds, Pool, Target
from .problems import shown
from .sequences import several
from .spellings import Spellings, spellings

__all__ = [
    "ImageError",
    "ItemIds",
    "Origin",
    "Picture",
    "Pool",
    "Spellings",
    "Target",
    "picture",
    "several",
    "shown",
    "spellings",
]
