"""What lasts: pools, designs and labels in NEYMAN_HOME."""

from core.archive.archive import Archive
from core.archive.label_log import BY_HAND, Import, is_by_hand

__all__ = [
    "BY_HAND",
    "Archive",
    "Import",
    "is_by_hand",
]
