"""How charts are shown: one button, to save the picture, so that the keyboard passes them in one step."""

from __future__ import annotations

CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
