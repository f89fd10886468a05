"""The commands of ``neyman surrogate``, by what they are about; `core.surrogate.cli` reads their words."""
