"""From labels to an estimate: mean, variance, interval, efficiency, contrasts, groups, waves."""

from core.estimation.efficiency import Precision, TopUp, precision, top_up
from core.estimation.groups import domains
from core.estimation.guard import Guard, guard
from core.estimation.intervals import Interval
from core.estimation.mean import Estimate, Sample, sample, stratified, uniform
from core.estimation.waves import Waves, waves

__all__ = [
    "Estimate",
    "Guard",
    "Interval",
    "Precision",
    "Sample",
    "TopUp",
    "Waves",
    "domains",
    "guard",
    "precision",
    "sample",
    "stratified",
    "top_up",
    "uniform",
    "waves",
]
