"""What a home keeps of how its user works, from visit to visit: prices, and the pool that was chosen last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import HomeError
from .files import written

_FILE = "preferences.json"


@dataclass(frozen=True, slots=True)
class Preferences:
    """Names with their texts, in a file of NEYMAN_HOME.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    """

    folder: Path

    def all(self) -> dict[str, str]:
        """Return what is kept; nothing if the file is gone or cannot be read, which is no reason to stop."""
        try:
            kept = json.loads((self.folder / _FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(name): str(text) for name, text in kept.items()} if isinstance(kept, dict) else {}

    def save(self, changed: Mapping[str, str]) -> None:
        """Keep these texts beside the others; "" removes one.

        Raises
        ------
        HomeError
            The file cannot be written.
        """
        kept = {name: text for name, text in (self.all() | dict(changed)).items() if text}
        try:
            with written(self.folder / _FILE) as place:
                place.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
        except OSError as error:
            raise HomeError(f"“{self.folder / _FILE}” cannot be written: {error}.") from error
