"""From labels to an estimate: mean, variance, interval, efficiency, top-ups, contrasts, groups, waves."""

from .efficiency import Precision, precision
from .groups import domains
from .intervals import Interval
from .mean import Estimate, Sample, sample, stratified, uniform
from .top_ups import TopUp, top_up
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
