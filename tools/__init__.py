"""Tools of this repository that `make` calls."""
