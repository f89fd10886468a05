"""Formats of tools, a module each: how a file is recognised, and how it is read."""
