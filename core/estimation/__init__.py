"""From labels to an estimate: mean, variance, interval, efficiency, contrasts, groups, waves."""

from .efficiency import Precision, TopUp, precision, top_up
from .groups import domains
from .intervals import Interval
from .mean import Estimate, Sample, sample, stratified, uniform
from .waves import Waves, waves

__all__ = [
    "Estimate",
    "Interval",
    "Precision",
    "Sample",
    "TopUp",
    "Waves",
    "domains",
    "precision",
    "sample",
    "stratified",
    "top_up",
    "uniform",
    "waves",
]
