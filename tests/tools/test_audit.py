"""What the audit says of licences and vulnerabilities."""

from __future__ import annotations

import json
from email.message import Message
from importlib.metadata import distributions
from types import SimpleNamespace

import pytest

from tools import audit


def package(name, *ids):
    return {"name": name, "version": "1.0", "vulns": [{"id": one, "fix_versions": ["1.1"]} for one in ids]}


def report(*packages):
    return json.dumps({"dependencies": list(packages)})


SKIPPED = {"name": "offline", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.mark.parametrize("given", ["", report(SKIPPED), report(SKIPPED, SKIPPED)])
def test_a_database_out_of_reach_is_said_and_is_no_success(given):
    (line,), status = audit.vulnerabilities(given)
    assert "cannot be reached" in line and status == 2


def test_vulnerabilities_are_listed_with_their_fix():
    lines, status = audit.vulnerabilities(report(package("good"), package("bad", "CVE-1", "CVE-2")))
    assert status == 1 and lines[0].startswith("Vulnerabilities: 2 known in 2 packages")
    assert [line.split()[2:] for line in lines[1:]] == [
        ["CVE-1,", "fixed", "in", "1.1"],
        ["CVE-2,", "fixed", "in", "1.1"],
    ]


def test_what_the_database_does_not_know_is_named_and_is_no_success():
    lines, status = audit.vulnerabilities(report(package("good"), SKIPPED))
    assert status == 2 and "offline" in lines[-1]
    assert audit.vulnerabilities(report(package("good"), package("better")))[1] == 0
    assert audit.vulnerabilities(report(package("bad", "CVE-1"), SKIPPED))[1] == 1


@pytest.mark.parametrize(
    ("text", "whether"),
    [
        ("MIT", True),
        ("3-Clause BSD License", True),
        ("Apache-2.0 OR BSD-2-Clause", True),
        ("GPL-3.0 OR MIT", True),
        ("MIT AND PSF-2.0", True),
        ("MIT AND GPL-3.0", False),
        ("Apache Software License; MIT License", True),
        ("GNU General Public License v3 (GPLv3)", False),
        ("Submitted for review", False),
        ("", False),
    ],
)
def test_permissive_licences_are_accepted(text, whether):
    assert audit.accepted(text) is whether


def test_a_long_licence_text_gives_way_to_the_classifier():
    metadata = Message()
    metadata["License"] = "Copyright of somebody. " * 9
    assert audit.licence(SimpleNamespace(metadata=metadata)).startswith("Copyright")
    metadata["Classifier"] = "License :: OSI Approved :: BSD License"
    assert audit.licence(SimpleNamespace(metadata=metadata)) == "BSD License"


def test_a_package_that_names_no_licence_has_a_text_with_a_title():
    metadata = Message()
    metadata["License-File"] = "COPYING"
    texts = {"licenses/COPYING": "\nMIT License\n\nCopyright of somebody."}
    assert audit.licence(SimpleNamespace(metadata=metadata, read_text=texts.get)) == "MIT License"
    assert audit.licence(SimpleNamespace(metadata=metadata, read_text={}.get)) == ""


def test_what_is_installed_here_may_be_used():
    named = {dist.metadata["Name"]: audit.licence(dist) for dist in distributions()}
    assert {name: text for name, text in named.items() if not audit.accepted(text)} == {}
