"""A target as its pool shows it before any label: by models whose outcomes are known, by answers, by a known part."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, expit, logit, ndtr, ndtri, stdtrit

from ..allocation.ways import RECOMMENDED, UNIFORM
from ..design.recommend import fine
from ..errors import DesignError, NeymanError
from ..pool.pool import Pool
from ..signals.entropy import share_agreeing
from ..signals.past import answered, nearest, past_losses, past_models
from ..signals.risk_transfer import Transfer
from ..simulation.exact import exact_mse, uniform_mse
from ..stratification.profiles import Outcome, outcome
from ..words import counted, per_cent, value
from .forecast import risks_of
from .knowledge import Sorted, along
from .prior import MOST_AUROC, Belief, Range
from .question import Question
from .sampling_frame import frame, layout

# Labels at which errors and savings of models are compared, or a third of a small pool.
LABELS = 100
# Models that designs are made for, the best first.
_MOST_MODELS, _MOST_AHEAD = 6, 3
# How far models of a pool lie apart, of accuracies on the logit and of AUROCs in standard deviations of the signal
# between right and wrong answers, and for how many models that counts; chosen on pools that were not the one that was
# forecast (docs/planning.md, 1).
_ACCURACIES, _AUROCS, _PRIOR_MODELS = 0.6, 0.35, 2.0
# If a signal is made of past models, the target has one more than each of these had: it is predicted better by so
# much over their number. A single model had none, and so another signal.
_GAIN, _OTHER_SIGNAL = 0.3, 0.5
_LEAST_SHARE, _LEAST_DISTANCE = 0.005, 0.02
_HALVINGS = 14
# Between a range's ends lies so much of Student's distribution; beyond each of them, half of the rest.
_WITHIN = 0.8
# On five pools, logits of accuracies lay so far above those of a share, and 80 % of a further pool's within the second
# number of that. The share is that of generations with the target's answer, or with the commonest one.
_AGREEMENT, _CONSISTENCY = (0.75, 1.15), (0.15, 1.25)
_LEAST_LIKE = 0.01
# Below this share the texts are written in different ways: they say nothing of the accuracy.
_COMPARABLE = 0.05
# What is believed otherwise counts as so many known outcomes, and the ends of a range hold 80 % of a distribution.
_PRIOR, _ENDS = 4.0, (0.1, 0.5, 0.9)
_Z = NormalDist().inv_cdf(_ENDS[2])
# On the scale of `_to_distance`: how far errors at other budgets lie from those of the AUROC that fits one budget.
_MODEL = 0.25
# Fewer wrong or right answers do not say how well a signal tells them apart.
_FEW = 10


@dataclass(frozen=True, slots=True)
class Record:
    """Accuracies and AUROCs of models with known outcomes, each as the target with the others as its past.

    Parameters
    ----------
    accuracies : tuple of float
        Of all of them.
    aurocs : tuple of float
        Of the best six's signals, as far as they have one: the AUROC with which the model of forecasts has the exact
        error of the recommended design.
    learned : bool
        Whether the target's own signal is made of their outcomes.
    ahead : tuple of float
        Of the best three, which a better target is the most like: each with only less accurate models as its past.
    """

    accuracies: tuple[float, ...]
    aurocs: tuple[float, ...]
    learned: bool
    ahead: tuple[float, ...] = ()

    @property
    def models(self) -> int:
        """The number of models."""
        return len(self.accuracies)

    @property
    def among(self) -> Belief:
        """80 % ranges of a model that is as likely to lie anywhere among these as each of them."""
        accuracy = _around(logit(np.clip(self.accuracies, _LEAST_SHARE, 1 - _LEAST_SHARE)), _ACCURACIES)
        return Belief(_ascending(expit, *accuracy), self._auroc(self.aurocs))

    @property
    def accuracy(self) -> Range:
        """Range of another model's accuracy: 10 % of the models `among` these lie below, of better ones 10 % above.

        The best of J values of a normal distribution leads the second by an exponential distance of mean s/√(2 ln J),
        about: so far another model may lead the best.
        """
        usual = self.among.accuracy
        if self.models == 1:
            return usual
        values = logit(np.clip(self.accuracies, _LEAST_SHARE, 1 - _LEAST_SHARE))
        lead = _deviation(values, _ACCURACIES) / math.sqrt(2 * math.log(self.models))
        end = values.max() - math.log((1 - _WITHIN) / 2) * lead
        return replace(usual, high=max(usual.high, float(expit(end))))

    @property
    def auroc(self) -> Range:
        """Range of the AUROC of its signal; below lie 10 % of the models `among` these, and of those ahead of them."""
        usual = self.among.auroc
        return replace(usual, low=min(usual.low, self._auroc(self.ahead).low)) if self.ahead else usual

    def _auroc(self, aurocs: tuple[float, ...]) -> Range:
        middle, reach = _around(_to_distance(aurocs), _AUROCS)
        if not self.learned:
            return _ascending(_to_auroc, middle, reach)
        alone = self.models == 1
        unlike = _OTHER_SIGNAL if alone else _GAIN / self.models
        reach = math.hypot(reach, _quantile(len(aurocs)) * unlike)
        return _ascending(_to_auroc, middle + (0.0 if alone else unlike), reach)

    def __repr__(self) -> str:
        accuracy, auroc = self.accuracy, self.auroc
        ranges = f"accuracy {accuracy.low:.2f} to {accuracy.high:.2f}, AUROC {auroc.low:.2f} to {auroc.high:.2f}"
        return f"Record of {counted(self.models, 'model')}: {ranges}"


@dataclass(frozen=True, slots=True)
class KnownPart:
    """The known outcomes of a target, if those of other items are not known.

    Parameters
    ----------
    target : str
        Its name.
    outcome : Outcome
        Of the known items.
    """

    target: str
    outcome: Outcome

    @property
    def ranks(self) -> bool:
        """Whether there are enough wrong and right answers to say how well a signal tells them apart."""
        wrong = float(self.outcome.losses.sum())
        return self.outcome.moments.binary and _FEW <= wrong <= self.outcome.losses.size - _FEW

    @property
    def said(self) -> str:
        """The number of known items, of all, in words."""
        return f"the {self.outcome.losses.size:,} of {self.outcome.n_items:,} items whose outcome is known"

    def sentence(self, assumed: bool) -> str:
        """Say what is known, and that figures of all items are forecasts, which may rest on it."""
        known, mean = self.outcome, self.outcome.moments.mean
        binary = known.moments.binary
        said = f"is right on {per_cent(1 - mean, 1)}" if binary else f"has a mean loss of {value(mean, False)} on those"
        kind = "" if binary else ", and speak of answers that are right or wrong"
        return (
            f"{self.target} {said} of the {counted(known.losses.size, 'item')} whose outcome is known, of "
            f"{known.n_items:,} in all. Figures here are forecasts for all {known.n_items:,}{kind}"
            f"{'; they take the others to be like the known ones' if assumed else ''}."
        )

    def accuracy(self, believed: Range) -> Range:
        """80 % range of the accuracy on all items, if the others are like the known ones.

        The posterior of the pool's share, Beta with the finite population's correction; ``believed`` is what is
        believed otherwise, and counts as four known outcomes.
        """
        known = self.outcome
        if not self.is_share:
            return believed
        # Of n known items of N, the variance of the mean is (1 − n/N) times that of n draws.
        weight = known.losses.size / max(1 - known.losses.size / known.n_items, 1e-9)
        right = 1 - known.moments.mean
        a, b = (
            weight * one + _PRIOR * two for one, two in ((right, believed.middle), (1 - right, 1 - believed.middle))
        )
        low, middle, high = (float(betaincinv(max(a, 1e-9), max(b, 1e-9), end)) for end in _ENDS)
        return Range(low, middle, high)

    def ranking(self, auroc: float, believed: Range, measured: bool) -> Range:
        """80 % range of the signal's AUROC: of the known items, joined with what is believed otherwise.

        ``auroc`` is the one with which the model of forecasts has the exact error of the design on these items. Both
        are normal on the scale u = √2 Φ⁻¹(AUROC), on which n₁ wrong and n₀ right answers of n have the variance
        (1 − n/N) (1/n₁ + 1/n₀ + u²/2n), about. What is ``measured`` on other models has that of its range, and an
        assumption that of two wrong and two right answers.
        """
        n, wrong = self.outcome.losses.size, float(self.outcome.losses.sum())
        low, middle, high, own = _to_distance((believed.low, believed.middle, believed.high, auroc))
        prior = ((high - low) / (2 * _Z)) ** 2 if measured else 4 / _PRIOR
        error = (1 - n / self.outcome.n_items) * (1 / wrong + 1 / (n - wrong) + own**2 / (2 * n))
        share = prior / (prior + error)
        at, reach = middle + share * (own - middle), _Z * math.hypot(math.sqrt(share * error), _MODEL)
        ends = ndtr(np.maximum([at - reach, at, at + reach], 0.0) / math.sqrt(2))
        return Range(*np.clip(ends, 0.5, MOST_AUROC).tolist())

    @property
    def is_share(self) -> bool:
        """Whether losses lie between 0 and 1, so that their mean stands for an accuracy."""
        losses = self.outcome.losses
        return bool(np.all((losses >= 0) & (losses <= 1)))


def known_items(pool: Pool, target: str, parser: str | None = None) -> Pool:
    """Make a pool of the items alone on which a target's outcome is known; ``parser`` as in `core.pool.Pool.losses`.

    Raises
    ------
    DesignError
        No loss is known.
    """
    known = np.isfinite(pool.losses(target, parser))
    if not known.any():
        raise DesignError(f"No outcome of “{target}” is known. Add its losses, or its answers and the truth.")
    return pool if known.all() else Pool(pool.name, pool.table.filter(pa.array(known)))


def record(pool: Pool, question: Question, own: Sorted, elsewhere: Transfer | None = None) -> Record | None:
    """Find out how the models with known outcomes would have fared; None if that is not known of any.

    Parameters
    ----------
    pool : Pool
        The pool. The losses of the question's target are never looked at.
    question : Question
        What the design rests on.
    own : Sorted
        The target's own design.
    elsewhere : Transfer, optional
        As in `core.prospect.knowledge.along`.
    """
    names = past_models(pool, question.target, question.past or None, question.parser)
    losses = past_losses(pool, question.target, names, question.parser) if names else np.empty((pool.n_items, 0))
    names = tuple(name for name, one in zip(names, losses.T, strict=True) if _is_verdict(one))
    if not names:
        return None
    losses = past_losses(pool, question.target, names, question.parser)
    scheme = own.design.scheme
    learned = not scheme.uniform and bool(scheme.past) and "past" in scheme.along.made_from
    means = np.nanmean(losses, axis=0)
    if pool.weights is not None:
        there, weights = ~np.isnan(losses), pool.weights[:, None]
        means = np.where(there, weights * losses, 0.0).sum(axis=0) / (there * weights).sum(axis=0)

    def fared(place: int, among: NDArray[np.bool_]) -> float:
        """The AUROC of a model with some of the others as its past; NaN if it has no answers, or too few are left."""
        past = () if question.past == () else tuple(np.array(names)[among & (np.arange(len(names)) != place)].tolist())
        asked = replace(question, target=names[place], past=past, accuracy=None)
        try:
            return as_good_as(along(pool, asked, elsewhere), losses[:, place])
        except NeymanError:
            return math.nan

    every = np.ones(len(names), dtype=bool)
    known = {
        place: auroc for place in nearest(losses, None, _MOST_MODELS) if not math.isnan(auroc := fared(place, every))
    }
    ahead = []
    for place in sorted(known, key=lambda place: float(means[place]))[:_MOST_AHEAD]:
        worse = means > means[place]
        # Of the best one all others are worse, and of some signals none is in the past.
        as_it_was = not learned or worse.sum() == len(names) - 1
        ahead.append(known[place] if as_it_was else fared(place, worse) if worse.any() else math.nan)
    led = tuple(one for one in ahead if not math.isnan(one))
    return Record(tuple((1 - means).tolist()), tuple(known.values()), learned, led) if known else None


def as_good_as(ordered: Sorted, losses: NDArray[np.float64]) -> float:
    """The AUROC with which a forecast has the design's exact error; NaN if it is Uniform or losses do not vary.

    Both are of a pool of the items alone whose losses are known. Of a whole pool the same labels are a smaller share:
    risky strata are then far from full, and the signal would seem to be better than it is.
    """
    # How well a signal ranks items has nothing to do with their weights.
    known = outcome(replace(ordered.profile, weight=None), losses)
    if ordered.design.scheme.uniform or known is None or known.moments.mean in (0.0, 1.0):
        return math.nan
    budget = max(1, min(LABELS, known.losses.size // 3))
    scheme = fine(ordered.design.scheme, budget, known.losses.size)
    strata = scheme.stratify(known.profile)
    exact = exact_mse(known.losses, known.profile.stratum(strata), scheme.allocate(strata, budget))
    relative = exact / uniform_mse(known.losses, budget)
    items = frame(known.losses.size, known.profile, None, ordered.design.scheme, "")
    cut, whole = layout(items, RECOMMENDED.name, budget), layout(items, UNIFORM.name, budget)
    low, high = 0.5, MOST_AUROC
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        p = risks_of(items, 1 - known.moments.mean, middle)
        low, high = (middle, high) if cut.mse(p) > relative * whole.mse(p) else (low, middle)
    return (low + high) / 2


def _around(values: NDArray[np.float64], usual: float) -> tuple[float, float]:
    """Mean of the values, and how far from it 80 % of further ones lie.

    The variance is estimated, from few models hardly better than it was known before: Student's distribution.
    """
    n = values.size
    return float(values.mean()), _quantile(n) * _deviation(values, usual) * math.sqrt(1 + 1 / n)


def _deviation(values: NDArray[np.float64], usual: float) -> float:
    """Standard deviation of the values, joined with the one that is usual."""
    squares = float(((values - values.mean()) ** 2).sum())
    return math.sqrt((_PRIOR_MODELS * usual**2 + squares) / (_PRIOR_MODELS + values.size - 1))


def _quantile(models: int) -> float:
    """Standard deviations from the middle to an end of the range that so many models leave."""
    return float(stdtrit(_PRIOR_MODELS + models - 1, (1 + _WITHIN) / 2))


def _to_distance(aurocs: ArrayLike) -> NDArray[np.float64]:
    """U = √2 Φ⁻¹(AUROC)."""
    return np.asarray(math.sqrt(2) * ndtri(np.clip(aurocs, 0.5, MOST_AUROC)))


def _to_auroc(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(ndtr(np.maximum(distance, _LEAST_DISTANCE) / math.sqrt(2)), 0.5, MOST_AUROC)


def _ascending(back: Callable[[NDArray[np.float64]], NDArray[np.float64]], middle: float, reach: float) -> Range:
    return Range(*(float(end) for end in back(np.array([middle - reach, middle, middle + reach]))))


def _is_verdict(losses: NDArray[np.float64]) -> bool:
    """Whether the known losses are 0 and 1."""
    known = losses[np.isfinite(losses)]
    return bool(known.size) and bool(np.isin(known, (0.0, 1.0)).all())


@dataclass(frozen=True, slots=True)
class Likeness:
    """A target's accuracy as answers let one assume it.

    Parameters
    ----------
    accuracy : Range
        Where it probably lies: an assumption that few pools bear out (docs/planning.md, 1).
    why : str
        What it follows from, in words.
    """

    accuracy: Range
    why: str


def likeness(pool: Pool, question: Question, own: Sorted) -> Likeness | None:
    """Return what answers let one assume; None without several generations of any item.

    None also if hardly a generation is the target's answer: sentences beside short answers, for example, are never
    equal however right they are.

    Parameters
    ----------
    pool : Pool
        The pool. No losses are looked at.
    question : Question
        Whose target may have answers.
    own : Sorted
        The target's own design.
    """
    if pool.n_generations < 2:
        return None
    target, parser = question.target, question.parser
    if target is not None and answered(pool, target, parser):
        shares = share_agreeing(pool.agreeing(target, parser), pool.class_counts(parser))
        if not np.isnan(shares).all() and np.nanmean(shares) < _COMPARABLE:
            return None
        return _likeness(shares, *_AGREEMENT, "of a cheap model’s answers are those of your model")
    return _likeness(own.profile.consistency, *_CONSISTENCY, "of a cheap model’s answers agree")


def _likeness(shares: NDArray[np.float64], above: float, reach: float, of: str) -> Likeness | None:
    # Items without an answer have no share.
    known = shares[~np.isnan(shares)]
    if not known.size:
        return None
    share = float(known.mean())
    middle = logit(np.clip(share, _LEAST_LIKE, 1 - _LEAST_LIKE)) + above
    low, centre, high = (float(end) for end in expit(np.array([middle - reach, middle, middle + reach])))
    return Likeness(Range(low, centre, high), f"since {per_cent(share)} {of}")
