"""The best of K models by few labels: multiple comparisons with the best, in waves (docs/models.md)."""

from .choice import DECIDED, LOOKS, UNDECIDED, Best, Standing, best
from .contest import Course, InterimLook, ModelContest, SelectionRule, Wave, planned
from .kept_waves import in_words, keep, with_kept
from .sample_size import SampleSize, likely_losses, sample_size

__all__ = [
    "DECIDED",
    "LOOKS",
    "UNDECIDED",
    "Best",
    "Course",
    "InterimLook",
    "ModelContest",
    "SampleSize",
    "SelectionRule",
    "Standing",
    "Wave",
    "best",
    "in_words",
    "keep",
    "likely_losses",
    "planned",
    "sample_size",
    "with_kept",
]
