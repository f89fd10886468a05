"""Signals: what is known of each item before any label, in ascending order of risk."""

from core.signals.catalogue import SIGNALS, Signal, signal
from core.signals.entropy import agreement, predictive_entropy, self_consistency, semantic_entropy
from core.signals.past import past_results

__all__ = [
    "SIGNALS",
    "Signal",
    "agreement",
    "past_results",
    "predictive_entropy",
    "self_consistency",
    "semantic_entropy",
    "signal",
]
