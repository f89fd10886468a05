"""The manifest of a plan: everything needed to draw the same sample again, and to weight its labels.

Format ``neyman-plan/1``, JSON: plan_id · pool {digest, name, n_items} · design {all parameters} · versions · strata
[{stratum, se_low, se_high, items, consistency, labels, inclusion_probability}] · sample {n_labels, digest}.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import __version__
from core.design.design import Design, Plan, plan_id
from core.errors import DesignError, ManifestError
from core.stratification.profiles import Profile

FORMAT = "neyman-plan/1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A plan's parameters and the figures that prove a reproduction; ``document`` is the whole JSON object."""

    design: Design
    plan_id: str
    pool_digest: str
    sizes: tuple[int, ...]
    allocation: tuple[int, ...]
    sample_digest: str
    document: dict[str, Any]


def write(plan: Plan, pool_name: str, parser_versions: dict[str, str] | None = None) -> str:
    """The manifest as JSON text (UTF-8, two spaces' indent, keys in a fixed order).

    ``parser_versions``: version of each answer parser that made the classes (a changed rule changes the strata).
    """
    strata = plan.strata
    document = {
        "format": FORMAT,
        "plan_id": plan.plan_id,
        "pool": {"digest": plan.pool_digest, "name": pool_name, "n_items": strata.n_items},
        "design": asdict(plan.design),
        "versions": {
            "neyman": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "parsers": parser_versions or {},
        },
        "strata": [
            {
                "stratum": h,
                "se_low": _number(strata.low[h]),
                "se_high": _number(strata.high[h]),
                "items": int(strata.sizes[h]),
                "consistency": float(strata.consistency[h]),
                "labels": int(plan.allocation[h]),
                "inclusion_probability": float(plan.inclusion_probabilities[h]),
            }
            for h in range(strata.n_strata)
        ],
        "sample": {"n_labels": int(plan.ids.size), "digest": plan.sample_digest},
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read(text: str | bytes) -> Manifest:
    """Read a manifest.

    Raises
    ------
    ManifestError : not JSON, not a manifest of this format, a missing or impossible entry, or a plan id that does not
        belong to the parameters (the file was changed by hand).
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ManifestError(
            "The manifest is not JSON: use the file as it was downloaded with the label list."
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ManifestError(f"This is not a plan's manifest: a JSON object with “format”: “{FORMAT}” is expected.")
    try:
        known = {f.name for f in fields(Design)}
        parameters = document["design"]
        foreign = sorted(set(parameters) - known)
        if foreign:
            raise ManifestError(f"The manifest has parameters this version does not know: {', '.join(foreign)}.")
        design = Design(**parameters)
        found = Manifest(
            design,
            str(document["plan_id"]),
            str(document["pool"]["digest"]),
            tuple(int(row["items"]) for row in document["strata"]),
            tuple(int(row["labels"]) for row in document["strata"]),
            str(document["sample"]["digest"]),
            document,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ManifestError(f"The manifest is incomplete or damaged ({error}): download it again.") from error
    except DesignError as error:
        raise ManifestError(f"The manifest asks for something impossible: {error}") from error
    if plan_id(found.pool_digest, design) != found.plan_id:
        raise ManifestError(
            "The manifest was changed: its plan id does not belong to its parameters. Download it again."
        )
    return found


def reproduce(found: Manifest, pool_digest: str, ids: NDArray[np.object_], profile: Profile) -> Plan:
    """Draw the manifest's sample again from its pool and prove that it is the same.

    Raises
    ------
    ManifestError : another pool, or strata, allocation or sample differ (for instance by a changed answer parser).
    """
    if pool_digest != found.pool_digest:
        raise ManifestError(
            f"The manifest belongs to another pool (digest {found.pool_digest[:12]}…, not {pool_digest[:12]}…): "
            "load the pool it was made from."
        )
    plan = found.design.plan(pool_digest, ids, profile)
    same = (
        tuple(plan.strata.sizes.tolist()) == found.sizes
        and tuple(plan.allocation.tolist()) == found.allocation
        and plan.sample_digest == found.sample_digest
    )
    if not same:
        made = found.document.get("versions", {})
        raise ManifestError(f"The manifest's sample cannot be drawn again by this version (it was made by {made}).")
    return plan


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
