"""Metadata of the wheel: the versions of requirements.txt, as ranges; and what an index shows of it.

The checkout pins every version, since its tests speak of these. A wheel is installed beside other things: from the
tested version on, up to the next one that may change names (the next major; of 0.x the next minor). Of Streamlit the
next minor, because the app's server reaches into it.
"""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PIN = re.compile(r"(?P<name>[\w.-]+)(?P<extra>\[[\w,-]+\])?==(?P<version>[\d.]+\d)")
_TESTS = "# Tests:"
_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)]*\)\n\n", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")
# It installs the rest; no part of Neyman imports it.
_INSTALLER = "uv"
_REACHED_INTO = ("streamlit",)


class Dependencies(MetadataHookInterface):
    """The dependencies that pyproject.toml leaves to this file."""

    def update(self, metadata: dict[str, object]) -> None:
        """Write them."""
        root = Path(self.root)
        text = description((root / "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["dependencies"] = ranges((root / "requirements.txt").read_text(encoding="utf-8"))
        metadata["optional-dependencies"] = {
            name: ranges((root / "requirements" / f"{name}.txt").read_text(encoding="utf-8"))
            for name in ("cluster", "gpu")
        }


def description(readme: str) -> str:
    """The README without what leads into the checkout: an index has neither its pictures nor its documents."""
    return _LINK.sub(r"\1", _PICTURE.sub("", readme))


def ranges(requirements: str) -> list[str]:
    """The ranges of the pins before the part for tests."""
    pins = map(_PIN.match, requirements.split(_TESTS)[0].splitlines())
    return [_range(**pin.groupdict(default="")) for pin in pins if pin and pin["name"] != _INSTALLER]


def _range(name: str, extra: str, version: str) -> str:
    major, minor, *_ = version.split(".")
    narrow = major == "0" or name in _REACHED_INTO
    return f"{name}{extra}>={version},<{f'{major}.{int(minor) + 1}' if narrow else int(major) + 1}"
