"""Active testing of language models: which few items of a pool to label, and what accuracy follows from the labels."""

__version__ = "0.1.0"
