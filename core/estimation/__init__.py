"""From labels to an estimate: mean, variance, interval, efficiency, contrasts, groups, waves."""

from core.estimation.efficiency import Precision, TopUp, precision, top_up
from core.estimation.groups import domains
from core.estimation.intervals import Interval
from core.estimation.mean import Estimate, Sample, sample, stratified, uniform
from core.estimation.waves import Waves, waves

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
