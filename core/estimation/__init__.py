"""From labels to an estimate: mean, variance, interval, efficiency, top-ups, contrasts, groups, waves."""

from .groups import domains
from .intervals import Interval
from .mean import Estimate, Sample, sample, stratified, uniform
from .top_ups import TopUp, top_up

__all__ = [
    "Estimate",
    "Interval",
    "Sample",
    "TopUp",
    "domains",
    "sample",
    "stratified",
    "top_up",
    "uniform",
]
