"""Signals: what is known of each item before any label, in ascending order of risk."""

from .column_values import numeric_columns
from .entries import SIGNALS, offered, signal
from .entropy import agreement, mean_entropy, predictive_entropy, self_consistency, semantic_entropy
from .features import FEATURES, features
from .past import answered, past_models, past_results
from .quality import Quality, auroc, auroc_error, calibration, quality
from .risk import RiskModel, default_model, fit, risk_model, train
from .risk_transfer import Transfer, transfer
from .signal import USUAL, Given, Signal, SignalReading
from .worth import Worth, expected_error, worth

__all__ = [
    "FEATURES",
    "SIGNALS",
    "USUAL",
    "Given",
    "Quality",
    "RiskModel",
    "Signal",
    "SignalReading",
    "Transfer",
    "Worth",
    "agreement",
    "answered",
    "auroc",
    "auroc_error",
    "calibration",
    "default_model",
    "expected_error",
    "features",
    "fit",
    "mean_entropy",
    "numeric_columns",
    "offered",
    "past_models",
    "past_results",
    "predictive_entropy",
    "quality",
    "risk_model",
    "self_consistency",
    "semantic_entropy",
    "signal",
    "train",
    "transfer",
    "worth",
]
