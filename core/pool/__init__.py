"""A pool of items: its columns, its digest, its parsed answers, its images."""

from core.pool.images import ImageError, Picture, picture
from core.pool.pool import ItemIds, Pool, Target
from core.pool.problems import shown

__all__ = [
    "ImageError",
    "ItemIds",
    "Picture",
    "Pool",
    "Target",
    "picture",
    "shown",
]
