"""A pool of items: its columns, its digest, its parsed answers, its images."""

from ..words.verdict_words import number_in
from .account import FileAccount, Filled, LeftOut, ToolTotal
from .images import ImageError, Picture, picture
from .origin import Origin
from .pool import ItemIds, Pool, Target
from .problems import shown
from .spellings import Meaning, Spellings, meanings, spellings
from .stored import several
from .target_sets import (
    MOST_COMPARED,
    ModelPair,
    are_versions,
    compared_targets,
    left_aside,
    named_versions,
    newest_first,
    with_models,
    with_targets,
)

__all__ = [
    "MOST_COMPARED",
    "FileAccount",
    "Filled",
    "ImageError",
    "ItemIds",
    "LeftOut",
    "Meaning",
    "ModelPair",
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
