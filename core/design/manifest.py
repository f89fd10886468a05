"""The manifest of a plan: everything needed to draw the same sample again, and to weight its labels.

Format ``neyman-plan/2``, JSON: plan_id · pool {digest, items (digest of the items), name, n_items} · design {budget,
seed, scheme {…}} · versions · strata [{stratum, se_low, se_high, items, consistency, labels, inclusion_probability}] ·
strata_digest (of the stratum of every item) · stratum_of_items (of designs whose strata split items of equal signal:
zlib, base64) · stratum_as_read (the same of other designs, as answers were read then) · sample {n_labels, digest} ·
earlier (of the second of two waves: the manifest of the first).

Format ``neyman-plan/1`` is read as well. Its design is flat, and it names the pool by the digest of its whole content,
which changes with every generation and target, instead of the digests of its items and strata.
"""

from __future__ import annotations

import base64
import json
import platform
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import __version__
from ..answers import PARSER_VERSION
from ..errors import DesignError, LabelError, ManifestError
from ..files.jsontext import BadJson, decode
from ..pool.pool import Pool
from ..pool.records import MAX_ITEMS
from ..stratification.profiles import Profile, Stratification
from ..words.scale import GradeScale
from .design import Design, Plan, drawn
from .judging import Criterion, Judging
from .known_verdicts import Carried
from .plan_ids import FIRST_CHOICES, first_plan_id, plan_id
from .scheme import PAPER, Scheme, pool_profile, weighted_as

FORMAT = "neyman-plan/2"
FIRST_FORMAT = "neyman-plan/1"
# Choices that are names of a catalogue: an earlier version may have written an earlier name.
_NAMED = ("signal", "stratifier", "allocation")
_LARGEST = 64 * 1024**2


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """A manifest's contents, checked as far as it can be without the pool.

    Parameters
    ----------
    design : Design
        The design, with its seed.
    plan_id : str
        The plan's name.
    pool_digest : str or None
        Digest of the pool's whole content when the plan was drawn; None if it was drawn from a profile alone.
    items_digest : str or None
        Digest of the pool's items; None in ``neyman-plan/1`` unless `read` was given it.
    strata : Stratification
        The H strata, as if each were a single value of the signal.
    strata_digest : str or None
        Digest of the stratum of every item; None in ``neyman-plan/1``.
    allocation : tuple of int
        (H,) labels of each stratum.
    sample_digest : str
        Digest of the sampled ids in labelling order.
    document : dict
        The whole JSON object.
    earlier : Manifest or None
        Manifest of the first wave, if this is the second.
    """

    design: Design
    plan_id: str
    pool_digest: str | None
    items_digest: str | None
    strata: Stratification
    strata_digest: str | None
    allocation: tuple[int, ...]
    sample_digest: str
    document: dict[str, Any]
    earlier: Manifest | None = None

    @property
    def n_labels(self) -> int:
        """Labels of the plan: the budget, or those of the first wave."""
        return sum(self.allocation)

    @property
    def stratum(self) -> NDArray[np.int64] | None:
        """Stratum of every item, (N,), if the manifest holds it."""
        packed = self.document.get("stratum_of_items")
        return None if packed is None else _unpacked(str(packed))

    @property
    def stratum_as_read(self) -> NDArray[np.int64] | None:
        """Stratum of every item as its answers were read then, (N,), if the manifest holds it."""
        packed = self.document.get("stratum_as_read")
        return None if packed is None else _unpacked(str(packed))

    @property
    def earlier_rules(self) -> dict[str, str]:
        """Answer kinds whose rules have changed since, with the version that the plan was drawn under."""
        versions = dict(self.document.get("versions", {}).get("parsers") or {})
        return {kind: str(one) for kind, one in versions.items() if str(one) != PARSER_VERSION.get(kind, one)}


def write(plan: Plan, pool_name: str, parser_versions: dict[str, str] | None = None) -> str:
    """Write the manifest of a plan; one that was reproduced keeps the manifest that it came with.

    Parameters
    ----------
    plan : Plan
        The plan.
    pool_name : str
        What people call its pool.
    parser_versions : dict, optional
        Version of each answer parser that made the classes: a changed rule changes the strata.

    Returns
    -------
    str
        JSON, UTF-8, two spaces' indent, keys in a fixed order.
    """
    rows = plan.summary_frame().to_dict("records")
    document = plan.document or {
        "format": FORMAT,
        "plan_id": plan.plan_id,
        "pool": {
            "digest": None if plan.pool is None else plan.pool.digest,
            "items": plan.items_digest,
            "name": pool_name,
            "n_items": plan.strata.n_items,
        },
        "design": _parameters(plan.design),
        "versions": {
            "neyman": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "parsers": parser_versions or {},
        },
        "strata": [{name: None if pd.isna(value) else value for name, value in row.items()} for row in rows],
        "strata_digest": plan.strata_digest,
        # Strata that depend on more than generations are kept, so that the sample can be drawn when that has changed.
        **({"stratum_of_items": _packed(plan.stratum)} if plan.strata.by_item else {}),
        # Others follow from the answers, but other rules for reading them may make other strata.
        **({} if plan.strata.by_item or not parser_versions else {"stratum_as_read": _packed(plan.stratum)}),
        "sample": {"n_labels": int(plan.ids.size), "digest": plan.sample_digest},
        **({} if plan.earlier is None else {"earlier": json.loads(write(plan.earlier, pool_name, parser_versions))}),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


# Pages read all manifests of a pool with every click.
@lru_cache(maxsize=2000)
def read(text: str | bytes, items_digest: str | None = None) -> Manifest:
    """Read a manifest.

    Parameters
    ----------
    text : str or bytes
        JSON of either format.
    items_digest : str, optional
        `Pool.items_digest` of the pool that a ``neyman-plan/1`` manifest names, if it is known. Without it such a
        manifest is accepted for a pool with exactly the same content alone.

    Raises
    ------
    ManifestError
        Not JSON, not a manifest of these formats, a missing or impossible entry, or a plan id that does not belong to
        the parameters (the file was changed by hand).
    """
    if len(text) > _LARGEST:
        raise ManifestError(
            f"The manifest is larger than {_LARGEST // 1024**2} MiB. Use the file as it was downloaded."
        )
    try:
        document = decode(text if isinstance(text, str) else text.decode())
    except (BadJson, UnicodeDecodeError) as error:
        reason = error.message if isinstance(error, BadJson) else "it is not UTF-8."
        raise ManifestError(
            f"The manifest cannot be read: {reason} Use the file as it was downloaded with the label list."
        ) from error
    form = document.get("format") if isinstance(document, dict) else None
    if form not in (FORMAT, FIRST_FORMAT):
        raise ManifestError(f"This is not the manifest of a plan: its “format” must be “{FORMAT}” or “{FIRST_FORMAT}”.")
    try:
        manifest = _read(document, form == FIRST_FORMAT, items_digest)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ManifestError(f"The manifest is incomplete or damaged ({error}). Download it again.") from error
    except (DesignError, LabelError) as error:
        raise ManifestError(f"The manifest has an impossible design. {error}") from error
    if _expected_id(manifest) != manifest.plan_id:
        raise ManifestError(
            "The manifest was changed: its plan id does not belong to its parameters. Download it again."
        )
    return manifest


def intact(texts: Iterable[str], items_digest: str | None = None) -> list[Manifest]:
    """Read manifests as `read`, without those that are damaged."""
    manifests = []
    for text in texts:
        with suppress(ManifestError):
            manifests.append(read(text, items_digest))
    return manifests


def reproduce(
    manifest: Manifest, pool: Pool, profile: Profile | None = None, stratum: NDArray[np.int64] | None = None
) -> Plan:
    """Draw the manifest's sample again and prove that it is the same.

    Parameters
    ----------
    manifest : Manifest
        The manifest.
    pool : Pool
        A pool with the same items.
    profile : Profile, optional
        Of the pool under the scheme's parser, if it is known already.
    stratum : (N,) int, optional
        Stratum of every item as the plan was drawn. With it the pool may have got other generations since, or none.

    Raises
    ------
    ManifestError
        The pool has other items, or strata, allocation or sample differ (for instance by a changed answer parser).
    """
    _check_items(manifest, pool)
    if stratum is None:
        stratum = manifest.stratum
    if stratum is None:
        design = manifest.design
        known = pool_profile(pool, design.scheme, design.risk) if profile is None else profile
        plan = manifest.design.plan(pool.items_digest, pool.ids, weighted_as(known, design.weights))
    else:
        sizes = np.bincount(stratum, minlength=manifest.strata.n_strata)
        if len(stratum) != pool.n_items or not np.array_equal(sizes, manifest.strata.sizes):
            raise ManifestError("The kept strata are not those of the manifest. Draw the plan again from its pool.")
        first = None if manifest.earlier is None else reproduce(manifest.earlier, pool)
        plan = drawn(manifest.design, pool.items_digest, pool.ids, manifest.strata, stratum, earlier=first)
    if _is_same(plan, manifest):
        return replace(plan, plan_id=manifest.plan_id, pool=pool, document=manifest.document)
    as_read = manifest.stratum_as_read if stratum is None and manifest.earlier_rules else None
    if as_read is not None:
        return reproduce(manifest, pool, stratum=as_read)
    rules = ", ".join(f"{kind} {one}" for kind, one in manifest.earlier_rules.items())
    remedy = (
        f" Answers were read by earlier rules ({rules}): open the list in the home or the bundle that it belongs to."
    )
    raise ManifestError(
        "This version cannot draw the sample of the manifest again. These versions made it: "
        f"{manifest.document.get('versions', {})}.{remedy if rules else ''}"
    )


def _is_same(plan: Plan, manifest: Manifest) -> bool:
    """Whether a plan has the strata, the allocation and the sample of a manifest."""
    return (
        np.array_equal(plan.strata.sizes, manifest.strata.sizes)
        and tuple(plan.allocation.tolist()) == manifest.allocation
        and plan.sample_digest == manifest.sample_digest
        and manifest.strata_digest in (None, plan.strata_digest)
    )


def _read(document: Mapping[str, Any], first: bool, items_digest: str | None) -> Manifest:
    pool, rows = document["pool"], document["strata"]
    design = _design(document["design"], first)
    strata = Stratification(
        np.arange(len(rows)),
        np.array([int(row["items"]) for row in rows], dtype=np.int64),
        np.array([float(row["consistency"]) for row in rows]),
        np.array([_limit(row["se_low"]) for row in rows]),
        np.array([_limit(row["se_high"]) for row in rows]),
        by_item="stratum_of_items" in document,
    )
    return Manifest(
        design,
        str(document["plan_id"]),
        None if pool["digest"] is None else str(pool["digest"]),
        items_digest if first else str(pool["items"]),
        strata,
        None if first else str(document["strata_digest"]),
        tuple(int(row["labels"]) for row in rows),
        str(document["sample"]["digest"]),
        dict(document),
        read(json.dumps(document["earlier"]), items_digest) if "earlier" in document else None,
    )


def _parameters(design: Design) -> dict[str, object]:
    """A design's choices; those that came after the first version stand there only if they say something."""
    choices = asdict(design.scheme)
    scheme = {n: choice for n, choice in choices.items() if n in FIRST_CHOICES or choice != getattr(PAPER, n)}
    more = {name: choice for name in ("risk", "why", "weights") if (choice := getattr(design, name))}
    carried = {} if design.carried is None else {"carried": asdict(design.carried)}
    judging = {} if design.judging is None else {"judging": design.judging.facts}
    return {"budget": design.budget, "scheme": scheme, "seed": design.seed} | more | carried | judging


def _design(parameters: Mapping[str, Any], first: bool) -> Design:
    scheme = {name: value for name, value in parameters.items() if name not in ("budget", "seed")}
    if not first:
        _check_names({f.name for f in fields(Design)}, parameters)
        scheme = parameters["scheme"]
    _check_names({f.name for f in fields(Scheme)}, scheme)
    # A manifest without a seed would draw another sample each time.
    seed = parameters["seed"]
    if seed is None:
        raise DesignError("The seed is missing.")
    risk = parameters.get("risk")
    carried = None if "carried" not in parameters else _carried(parameters["carried"])
    judging = None if "judging" not in parameters else _judging(parameters["judging"])
    why = str(parameters.get("why", ""))
    weights = parameters.get("weights")
    return Design(parameters["budget"], Scheme(**scheme), seed, risk, why, carried, judging, weights)


def _judging(said: Mapping[str, Any]) -> Judging:
    threshold = said["threshold"]
    score = None if threshold is None else float(threshold)
    criteria = tuple(
        Criterion(
            str(one["name"]),
            str(one["column"]),
            str(one["rubric"]),
            None if one["threshold"] is None else float(one["threshold"]),
            None if one["passing"] is None else tuple(map(str, one["passing"])),
        )
        for one in said.get("criteria", ())
    )
    ends = said.get("scale")
    scale = None if ends is None else GradeScale(float(ends["low"]), float(ends["high"]))
    return Judging(str(said["judge"]), int(said["failing"]), score, str(said["target"]), criteria, scale)


def _carried(said: Mapping[str, Any]) -> Carried:
    # Here, so that reading a manifest does not wait for SciPy.
    from ..estimation.carried import Audit

    log = said["log"]
    audit = None if log is None else Audit(int(log["n"]), float(log["up"]), float(log["down"]))
    return Carried(tuple(said["losses"]), bool(said["follows"]), audit)


def _check_names(known: set[str], parameters: Mapping[str, Any]) -> None:
    foreign = sorted(set(parameters) - known)
    if foreign:
        raise ManifestError(f"The manifest has parameters that this version does not know: {', '.join(foreign)}.")


def _expected_id(manifest: Manifest) -> str:
    first, scheme = manifest.strata_digest is None, manifest.design.scheme
    written = manifest.document["design"] if first else manifest.document["design"]["scheme"]
    spelled = {name: said for name in _NAMED if (said := written.get(name)) not in (None, getattr(scheme, name))}
    if manifest.strata_digest is None:
        return first_plan_id(str(manifest.pool_digest), manifest.design, spelled)
    earlier = None if manifest.earlier is None else manifest.earlier.plan_id
    return plan_id(str(manifest.items_digest), manifest.strata_digest, manifest.design, earlier, spelled)


def _check_items(manifest: Manifest, pool: Pool) -> None:
    by_items = manifest.items_digest is not None and manifest.items_digest == pool.items_digest
    if not by_items and manifest.pool_digest != pool.digest:
        expected, given = (
            (manifest.pool_digest, pool.digest)
            if manifest.items_digest is None
            else (manifest.items_digest, pool.items_digest)
        )
        raise ManifestError(
            f"The manifest belongs to another pool (digest {str(expected)[:12]}…, not {given[:12]}…). Load the pool "
            "that it was made from."
        )


def _packed(stratum: NDArray[np.int64]) -> str:
    return base64.b64encode(zlib.compress(stratum.astype("<u2").tobytes(), 9)).decode()


def _unpacked(text: str) -> NDArray[np.int64]:
    try:
        # A few bytes of a file that was changed may stand for any number of items.
        numbers = zlib.decompressobj().decompress(base64.b64decode(text), 2 * MAX_ITEMS)
        return np.frombuffer(numbers, dtype="<u2").astype(np.int64)
    except (ValueError, zlib.error) as error:
        raise ManifestError(f"The strata of the manifest are damaged ({error}). Download it again.") from error


def _limit(value: float | None) -> float:
    """A limit of a stratum; None if no item of the stratum has a signal."""
    return float("nan") if value is None else float(value)
