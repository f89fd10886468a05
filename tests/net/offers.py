"""Lists of what the code offers: the controls of the pages, the options of the commands, and the public names."""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from cyclopts import App, Parameter

import core
import serve
from core import commands
from core.surrogate import cli
from pages.parts.widgets.every import EVERY
from tests.net.recording import one_line
from tests.test_structure import CORE, face

# Where something is in memory.
_PLACE = re.compile(r" at 0x[0-9a-f]+")


def controls() -> list[str]:
    """Every control with its parameter of the address, its default, and its options."""
    lines = []
    for one in EVERY:
        lines.append(f"{one.key}: {type(one).__name__} “{one.label}”, default {one.default!r}")
        lines += [f"{one.key}: default until version {last}: {value!r}" for last, value in one.earlier.items()]
        lines += [f"{one.key}: always in the address"] * one.always + [f"{one.key}: of the pool"] * one.of_pool
        for field in ("low", "high", "step", "whole", "options"):
            if getattr(one, field, None) not in (None, ()):
                lines.append(f"{one.key}: {field} {getattr(one, field)!r}")
        lines += [f"{one.key}: option {value!r} “{name}”" for value, name in getattr(one, "names", {}).items()]
        lines += [f"{one.key}: “{text}” means {value!r}" for text, value in getattr(one, "aliases", {}).items()]
    return sorted(map(one_line, lines))


def options() -> list[str]:
    """Every command with its options and their defaults."""
    apps = {("neyman",): commands._app(), ("neyman", "surrogate"): cli._app(), ("neyman", "serve"): serve._app()}
    return sorted(one_line(line) for name, app in apps.items() for line in _of_cyclopts(app, name))


def _of_cyclopts(app: App, name: tuple[str, ...]) -> Iterator[str]:
    for word in app:
        if not word.startswith("-") and word not in ("surrogate", "serve"):
            yield from _of_cyclopts(app[word], (*name, word))
    if app.default_command is None:
        return
    for one in app.assemble_argument_collection(default_parameter=Parameter(negative=())):
        if one.show:
            default = one.field_info.default
            said = "not set" if default is inspect.Parameter.empty else f"default {default!r}"
            said = "required" if one.required else said
            choices = f", of {' '.join(map(str, of))}" if (of := one.get_choices(force=True)) else ""
            yield f"{' '.join(name)} {' '.join(one.names)}: {said}{choices}"


def names() -> list[str]:
    """Every public name of the face and of the rooms of core, with its signature."""
    lines = []
    for name in (name for name in CORE if name.count(".") == 1):
        module = import_module(name)
        public = face(name.split(".")[1])
        if public is None:
            public = {one for one, value in vars(module).items() if getattr(value, "__module__", "") == name}
        for one in public:
            # A module of the room is there once it is imported.
            if not hasattr(module, one) and importlib.util.find_spec(f"{name}.{one}"):
                import_module(f"{name}.{one}")
        lines += _names_of(module, sorted(one for one in public if not one.startswith("_") and hasattr(module, one)))
    # Some of the face's names are rooms once they are loaded.
    return sorted(map(one_line, [*lines, *_names_of(core, core.__all__)]))


def _names_of(module: ModuleType, public: list[str]) -> Iterator[str]:
    for name in public:
        value, title = getattr(module, name), f"{module.__name__}.{name}"
        if isinstance(value, type):
            yield f"{title}: class{_signature(value)}"
            # Those of the face have theirs in the rooms.
            yield from () if module is core else _members(value, title)
        elif isinstance(value, ModuleType):
            yield f"{title}: module"
        elif callable(value):
            yield f"{title}: function{_signature(value)}"
        else:
            yield f"{title}: {type(value).__name__}"


def _members(kind: type, title: str) -> Iterator[str]:
    for base in kind.__mro__:
        if not base.__module__.startswith("core"):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or (base is not kind and name in vars(kind)):
                continue
            inner = getattr(value, "__func__", value)
            if inspect.isfunction(inner):
                yield f"{title}.{name}: method{_signature(inner)}"
            elif not inspect.isclass(inner):
                yield f"{title}.{name}: {'property' if hasattr(inner, '__get__') else 'value'}"


def _signature(value: Any) -> str:
    with suppress(ValueError, TypeError):
        return _PLACE.sub("", str(inspect.signature(value)))
    return "(…)"
