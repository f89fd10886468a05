"""Limits by tilting: a mean is inside unless the labels would be surprising if it were the true one.

The working model (`core.estimation.working_model`) is tilted until its mean is μ, along the direction that costs least
information; "surprising" is a tail of α/2 by the saddlepoint. K(t) = Σ m'_h log E exp(t u_h ℓ) is the cumulant function
of the sample's mean in units of w̄; with ρ the observed position and K'(s) = ρ, a limit is the mean at the t with

    ω = √(2 (K(t) − K(s) − (t − s) ρ)),  υ = sinh(κ₀ |t − s|)/κ₀ · √K''(s),  r* = ω + log(υ/ω)/ω = z_{1−α/2}.

Source: Lugannani & Rice 1980; Barndorff-Nielsen 1986; Daniels 1987 (lattices); DiCiccio & Romano 1990.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from .working_model import Laws, WorkingModel

Array = NDArray[np.float64]

# The least step of a scale that counts, also for losses on none.
LEAST_STEP = 0.25
_ROUNDS = 60
# Below this relative step, one more step of Newton's method is exact to a millionth of it.
_NEAR = 1e-6
# Of limits that are sought value by value.
_CLOSE = 1e-9
_LONGEST = 20.0
# Strata of all samples, up to which calls cost more than numbers do.
_FEW = 4096
_LEAST, _TINY, _TINY_STEP, _LARGEST = 1e-12, 1e-300, 1e-6, 600.0


def limits(
    model: WorkingModel, confidence: float = 0.95, step: ArrayLike = 1.0, continuity: float = 0.5
) -> tuple[Array, Array]:
    """Return the lower and upper limits of the mean of each sample, (R,) each.

    Parameters
    ----------
    model : WorkingModel
        Of losses in [0, 1].
    confidence : float
        In (0, 1), of both sides together.
    step : float or (R,) float
        The step of the scale: 1 for losses of 0 and 1, ½ for differences of such mapped to [0, 1]; at least ¼, also for
        losses on no scale.
    continuity : float
        Share of a step by which the estimate is moved away from the limit; ½ is that of a lattice.
    """
    half = np.broadcast_to(np.maximum(step, LEAST_STEP) / 2, model.position.shape)
    z = float(ndtri(0.5 + confidence / 2))
    # An upper limit is the lower one of the mirror image. Of few samples both are found at once.
    if model.steps.size <= _FEW:
        low, high = np.split(_lower(model.mirrored(), z, np.concatenate([half, half]), continuity), 2)
    else:
        low, high = (_lower(one, z, half, continuity) for one in (model, model.mirror()))
    return model.base + low, model.base + model.rest - high


def surprise(model: WorkingModel, mean: ArrayLike, step: ArrayLike = 1.0) -> Array:
    """Return r* of the labels if the mean were this one, (R,): above z_{1−α}, a chance below α to lie so high.

    Parameters
    ----------
    model : WorkingModel
        Of losses in [0, 1]; of its mirror image, labels that lie low are surprising.
    mean : float or (R,) float
        The mean that is asked about.
    step : float or (R,) float
        As in `limits`.

    Returns
    -------
    (R,) float
        −∞ where the labels lie no higher than the mean, ∞ where the mean is impossible.
    """
    half = np.broadcast_to(np.maximum(step, LEAST_STEP) / 2, model.position.shape)
    target = model.position - half * model.correction
    part = np.broadcast_to((np.asarray(mean) - model.base) / model.unit, target.shape)
    # At the labels' own position r* is 0/0.
    above = (target > _LEAST) & (part < target * (1 - _TINY_STEP))
    result = np.where(above | (part < -_CLOSE), np.inf, -np.inf)
    inside = above & (part > _LEAST)
    if inside.any():
        some = model if inside.all() else model.rows(inside)
        (s, laws), (t, _) = _observed(some, target[inside]), _observed(some, part[inside])
        distance = s - t
        growth, _, _ = laws.descend(-distance[:, None] * some.steps)
        root = np.sqrt(some.total(some.steps**2 * laws.spread))
        omega, upsilon = _roots(some.total(growth), root, distance, target[inside], half[inside])
        result[inside] = omega + np.log(upsilon / omega) / omega
    return result


def roots(beyond: Callable[[Array], Array], inside: Array, outside: Array, cut: float) -> Array:
    """Return where each of R parameters begins to lie outside its limits, (R,), by the Illinois method.

    Parameters
    ----------
    beyond : callable
        From parameters (R,) to how far r* lies above that of a limit; negative inside.
    inside, outside : (R,) float
        A parameter that is inside, such as the estimate, and the farthest one that there is.
    cut : float
        The most that ``beyond`` counts, either way.
    """
    inside, outside = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    near, far = np.full(inside.shape, -cut), np.full(inside.shape, cut)
    moved = np.zeros(inside.shape)
    for _ in range(_ROUNDS):
        theta = inside + (outside - inside) * near / (near - far)
        here = np.clip(beyond(theta), -cut, cut)
        outward = here < 0
        # An end that stays twice counts half.
        half = np.where(moved == np.where(outward, 1, -1), 0.5, 1.0)
        near, far = np.where(outward, here, near * half), np.where(outward, far * half, here)
        inside, outside = np.where(outward, theta, inside), np.where(outward, outside, theta)
        moved = np.where(outward, 1, -1)
        if ((np.abs(outside - inside) < _CLOSE) | (np.abs(here) < _CLOSE)).all():
            break
    return np.asarray(theta)


def _lower(model: WorkingModel, z: float, half: Array, continuity: float) -> Array:
    """Return the lower limit without the share of full strata, (R,)."""
    target = model.position - 2 * half * continuity * model.correction
    inside = target > _LEAST
    low = np.zeros_like(target)
    if inside.any():
        some = model if inside.all() else model.rows(inside)
        low[inside] = some.unit * _surprising(some, _observed(some, target[inside])[1], target[inside], z, half[inside])
    return low


def _observed(model: WorkingModel, target: Array) -> tuple[Array, Laws]:
    """Return the s with K'(s) = ρ and the laws there, by Newton's method on the logit scale, where K' bends least."""
    aim, squares = np.log(target) - np.log(model.span - target), model.steps**2
    s, below, above = np.zeros_like(target), np.full_like(target, -np.inf), np.full_like(target, np.inf)
    last = np.full_like(target, np.inf)
    for _ in range(_ROUNDS):
        laws = model.laws.tilt(s[:, None] * model.steps)
        # With gains in place of losses the distance to the other end is no difference of large numbers.
        slope, gap = model.total(model.steps * laws.mean), model.total(model.steps * laws.gain)
        distance = aim - np.log(slope) + np.log(gap)
        below, above = np.where(distance > 0, s, below), np.where(distance > 0, above, s)
        move = distance * slope * gap / (model.total(squares * laws.spread) * model.span)
        done = np.abs(move) <= _NEAR * np.maximum(1.0, np.abs(s))
        following = s + np.clip(move, -_LONGEST, _LONGEST)
        # Between steps of very different sizes Newton's method jumps to and fro; the range is halved there.
        faster = (np.abs(distance) <= last / 2) | np.isinf(above - below)
        between, last = done | (faster & (following > below) & (following < above)), np.abs(distance)
        s = np.where(between, following, (below + above) / 2)
        if done.all():
            break
    return s, model.laws.tilt(s[:, None] * model.steps)


def _surprising(model: WorkingModel, laws: Laws, target: Array, z: float, half: Array) -> Array:
    """Return K'(t) at the t = s − d with r* = z, (R,), from the laws at s."""
    squares = model.steps**2
    root = np.sqrt(model.total(squares * laws.spread))
    near, far = np.zeros_like(target), np.full_like(target, np.inf)
    distance = z / root
    for _ in range(_ROUNDS):
        growth, mean, spread = laws.descend(-distance[:, None] * model.steps)
        omega, upsilon = _roots(model.total(growth), root, distance, target, half)
        ratio = np.log(upsilon / omega)
        slope = model.total(model.steps * mean)
        # Very near the labels' own position ω is rounding; the range is halved there.
        with np.errstate(over="ignore", invalid="ignore"):
            surprise = omega + ratio / omega
            faster = (target - slope) / omega
            rate = faster + (half / np.tanh(half * distance) - faster / omega) / omega - ratio * faster / omega**2
        near = np.where(surprise < z, np.maximum(near, distance), near)
        far = np.where(surprise < z, far, np.minimum(far, distance))
        move = (z - surprise) / np.where((rate > 0) & np.isfinite(rate), rate, root)
        # Labels that are surprising at once leave no limit but their own position.
        at_once = far <= _TINY_STEP / root
        done = (np.abs(move) <= _NEAR * distance) | at_once
        if done.all():
            # One more step of Newton's method, of which the slope follows to the first order.
            return slope - np.where(at_once, 0.0, move) * model.total(squares * spread)
        following = distance + move
        following = np.where(np.isinf(far), np.minimum(following, 2 * distance), following)
        within = (following > near) & (following < far)
        halved = np.where(np.isinf(far), 2 * distance, (near + far) / 2)
        distance = np.where(done, distance, np.where(within, following, halved))
    return slope


def _roots(growth: Array, root: Array, distance: Array, target: Array, half: Array) -> tuple[Array, Array]:
    """Return ω and υ at t = s − d, (R,) each, from K(t) − K(s) and √K''(s)."""
    omega = np.sqrt(np.maximum(2 * (growth + distance * target), _TINY))
    return omega, np.sinh(np.minimum(half * distance, _LARGEST)) / half * root
