"""The types of what `neyman/__init__.py` hands on; a wheel has those of `neyman.core` here."""

from types import ModuleType

from core import *  # noqa: F403
from core import __version__ as __version__

def package() -> ModuleType: ...
