"""Limits by tilting: a mean is inside unless the labels would be surprising if it were the true one.

The working model (`core.estimation.working_model`) is tilted until its mean is μ, along the direction that costs least
information; "surprising" is a tail of α/2 by the saddlepoint. K(t) = Σ m'_h log E exp(t u_h ℓ) is the cumulant function
of the sample's mean in units of w̄; with ρ the observed position and K'(s) = ρ, a limit is the mean at the t with

    ω = √(2 (K(t) − K(s) − (t − s) ρ)),  υ = sinh(κ₀ |t − s|)/κ₀ · √K''(s),  r* = ω + log(υ/ω)/ω = z_{1−α/2}.

Source: Lugannani & Rice 1980; Barndorff-Nielsen 1986; Daniels 1987 (lattices); DiCiccio & Romano 1990.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .working_model import Laws, WorkingModel

Array = NDArray[np.float64]

_ROUNDS = 60
_PRECISION = 1e-10
_LONGEST = 20.0
_LEAST, _TINY, _TINY_STEP, _LARGEST = 1e-12, 1e-300, 1e-6, 600.0


def limits(
    model: WorkingModel, confidence: float = 0.95, step: float = 1.0, continuity: float = 0.5
) -> tuple[Array, Array]:
    """Return the lower and upper limits of the mean of each sample, (R,) each.

    Parameters
    ----------
    model : WorkingModel
        Of losses in [0, 1].
    confidence : float
        In (0, 1), of both sides together.
    step : float
        The step of the scale: 1 for losses of 0 and 1, ½ for differences of such mapped to [0, 1]; at least ¼, also for
        losses on no scale.
    continuity : float
        Share of a step by which the estimate is moved away from the limit; ½ is that of a lattice.
    """
    half = max(step, 0.25) / 2
    z = float(ndtri(0.5 + confidence / 2))
    low = _lower(model, z, half, continuity)
    high = model.rest - _lower(model.mirror(), z, half, continuity)
    return model.base + low, model.base + high


def _lower(model: WorkingModel, z: float, half: float, continuity: float) -> Array:
    """Return the lower limit without the share of full strata, (R,)."""
    target = model.position - 2 * half * continuity * model.correction
    inside = target > _LEAST
    low = np.zeros_like(target)
    if inside.any():
        some = model if inside.all() else model.rows(inside)
        low[inside] = some.unit * _surprising(some, _observed(some, target[inside]), target[inside], z, half)
    return low


def _slope(model: WorkingModel, laws: Laws) -> Array:
    """Return K' of tilted laws, (R,)."""
    return np.asarray((model.steps * laws.mean) @ model.draws)


def _curvature(model: WorkingModel, laws: Laws) -> Array:
    """Return K'' of tilted laws, (R,)."""
    return np.asarray((model.steps**2 * laws.spread) @ model.draws)


def _observed(model: WorkingModel, target: Array) -> Laws:
    """Tilt the laws until K'(s) = ρ, by Newton's method on the logit scale, on which K' is nearly a line."""
    aim = np.log(target) - np.log(model.span - target)
    s, below, above = np.zeros_like(target), np.full_like(target, -np.inf), np.full_like(target, np.inf)
    for _ in range(_ROUNDS):
        laws = model.laws.tilt(s[:, None] * model.steps)
        # With gains in place of losses the distance to the other end is no difference of large numbers.
        slope, gap = _slope(model, laws), _slope(model, laws.mirror())
        distance = aim - np.log(slope) + np.log(gap)
        below, above = np.where(distance > 0, s, below), np.where(distance > 0, above, s)
        move = distance * slope * gap / (_curvature(model, laws) * model.span)
        done = np.abs(move) <= _PRECISION * np.maximum(1.0, np.abs(s))
        if done.all():
            break
        following = s + np.clip(move, -_LONGEST, _LONGEST)
        between = done | ((following > below) & (following < above))
        s = np.where(between, following, (below + above) / 2)
    return laws


def _surprising(model: WorkingModel, laws: Laws, target: Array, z: float, half: float) -> Array:
    """Return K'(t) at the t = s − d with r* = z, (R,), from the laws at s."""
    root = np.sqrt(_curvature(model, laws))
    near, far = np.zeros_like(target), np.full_like(target, np.inf)
    distance = z / root
    for _ in range(_ROUNDS):
        by = -distance[:, None] * model.steps
        omega = np.sqrt(np.maximum(2 * (laws.growth(by) @ model.draws + distance * target), _TINY))
        upsilon = np.sinh(np.minimum(half * distance, _LARGEST)) / half * root
        ratio = np.log(upsilon / omega)
        surprise = omega + ratio / omega
        slope = _slope(model, laws.tilt(by))
        faster = (target - slope) / omega
        rate = faster + (half / np.tanh(half * distance) - faster / omega) / omega - ratio * faster / omega**2
        near = np.where(surprise < z, np.maximum(near, distance), near)
        far = np.where(surprise < z, far, np.minimum(far, distance))
        move = (z - surprise) / np.where(rate > 0, rate, root)
        # Labels that are surprising at once leave no limit but their own position.
        done = (np.abs(move) <= _PRECISION * distance) | (far <= _TINY_STEP / root)
        if done.all():
            break
        following = distance + move
        between = done | ((following > near) & (following < far))
        distance = np.where(between, following, np.where(np.isinf(far), 2 * distance, (near + far) / 2))
    return slope
