"""A pool of items: its columns, its digest, its parsed answers, its images."""

from core.pool.images import ImageError, Picture, picture
from core.pool.origin import Origin
from core.pool.pool import ItemIds, Pool, Target
from core.pool.problems import shown
from core.pool.spellings import Spellings, spellings

__all__ = [
    "ImageError",
    "ItemIds",
    "Origin",
    "Picture",
    "Pool",
    "Spellings",
    "Target",
    "picture",
    "shown",
    "spellings",
]
