"""Versions: whether a new version is worse, by the items alone whose answers differ."""

from core.gates import gate_of
from pages.parts.app import frame
from pages.parts.models.controls import SIDE_BY_SIDE, TABS
from pages.parts.plan import versions

pool = frame.frame("Versions", "is the new version worse?")
with frame.errors():
    versions.section(pool)
# A list of a gate: what it decides is all that it says.
if gate_of(pool) is None:
    frame.step("pages/models.py", "All versions side by side", ":material/view_list:", **{TABS.key: SIDE_BY_SIDE})
