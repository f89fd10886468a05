"""Check what is installed: ``python -m tools.audit PIP_AUDIT``, run by ``make audit`` inside the app's environment.

Licences come from the packages themselves, known vulnerabilities from pip-audit, which asks a database on the network.
Exit status: 0 all is well, 1 something is wrong, 2 the database cannot be reached, so that vulnerabilities are unknown.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from typing import Any

# What may be used and passed on in any product: permissive licences, and the MPL, which binds changes to its files.
_ACCEPTED = re.compile(
    r"mit\b|(\d-clause )?bsd|apache|psf|isc\b|mozilla public license 2|mpl[- ]2|python software", re.I
)
_LONGEST_NAME = 60


def main(pip_audit: str) -> int:
    """Print both checks; return the exit status."""
    licences = {dist.metadata["Name"]: licence(dist) for dist in distributions()}
    foreign = {name: text for name, text in sorted(licences.items()) if not accepted(text)}
    print(f"Licences: {len(licences) - len(foreign)} of {len(licences)} packages have an accepted one.")
    for name, text in foreign.items():
        print(f"  {name}: {text or 'says no licence'}. Accept it in tools/audit.py, or replace the package.")
    run = subprocess.run(
        [pip_audit, "--path", sysconfig.get_path("purelib"), "--format=json", "--progress-spinner=off"],
        capture_output=True,
        text=True,
    )
    lines, status = vulnerabilities(run.stdout)
    print("\n".join(lines))
    return 1 if foreign else status


def licence(dist: Distribution) -> str:
    """Give the licence that a package names: as an expression, a short name, classifiers, or the title of its text."""
    name = dist.metadata.get("License-Expression") or dist.metadata.get("License") or ""
    classifiers = [one for one in dist.metadata.get_all("Classifier") or () if one.startswith("License ::")]
    if classifiers and (not name or len(name) > _LONGEST_NAME):
        return " OR ".join(one.rpartition(" :: ")[2] for one in classifiers)
    if not name and "License-File" in dist.metadata:
        name = dist.read_text(f"licenses/{dist.metadata['License-File']}") or ""
    return name.strip().partition("\n")[0]


def accepted(text: str) -> bool:
    """Whether one of the alternatives of a licence has accepted parts alone."""
    return any(
        all(_ACCEPTED.match(part.strip(" ()")) for part in re.split(r"\bAND\b|;", choice))
        for choice in re.split(r"\bOR\b", text)
    )


def vulnerabilities(report: str) -> tuple[list[str], int]:
    """Word the JSON of pip-audit, "" if it failed, as lines; with the exit status."""
    packages: Iterable[dict[str, Any]] = json.loads(report)["dependencies"] if report.strip() else ()
    checked = [package for package in packages if "vulns" in package]
    unknown = [package["name"] for package in packages if "vulns" not in package]
    lines = [
        f"  {package['name']} {package['version']}: {one['id']}"
        + (f", fixed in {', '.join(one['fix_versions'])}" if one["fix_versions"] else ", without a fix so far")
        for package in checked
        for one in package["vulns"]
    ]
    if not checked:
        sentence = "Vulnerabilities: the database cannot be reached, so nothing was checked. Try again with a network."
        return [sentence], 2
    lines.insert(0, f"Vulnerabilities: {len(lines)} known in {len(checked)} packages.")
    if unknown:
        lines.append(f"  The database does not know, so nothing was checked: {', '.join(unknown)}.")
    return lines, 1 if len(lines) - bool(unknown) > 1 else 2 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
