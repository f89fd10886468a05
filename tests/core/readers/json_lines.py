"""JSON Lines as tools write them."""

from __future__ import annotations

import json
from typing import Any


def lines(*values: Any) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()
