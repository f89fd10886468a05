"""The types of `neyman/__init__.py` in a wheel, where they stand as `neyman/__init__.pyi`."""

from types import ModuleType

from .core import *  # noqa: F403
from .core import __version__ as __version__

def package() -> ModuleType: ...
