"""Signals: what is known of each item before any label, in ascending order of risk."""

from core.signals.catalogue import SIGNALS, Signal, signal
from core.signals.columns import numeric_columns
from core.signals.entropy import agreement, predictive_entropy, self_consistency, semantic_entropy
from core.signals.features import FEATURES, features
from core.signals.past import answered, past_models, past_results
from core.signals.quality import Worth, auroc, calibration, expected_error, worth
from core.signals.risk import RiskModel, default_model, fit, risk_model, train

__all__ = [
    "FEATURES",
    "SIGNALS",
    "RiskModel",
    "Signal",
    "Worth",
    "agreement",
    "answered",
    "auroc",
    "calibration",
    "default_model",
    "expected_error",
    "features",
    "fit",
    "numeric_columns",
    "past_models",
    "past_results",
    "predictive_entropy",
    "risk_model",
    "self_consistency",
    "semantic_entropy",
    "signal",
    "train",
    "worth",
]
