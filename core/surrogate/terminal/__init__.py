"""The commands of ``python -m core.surrogate``, by what they are about; `core.surrogate.cli` reads their words."""
