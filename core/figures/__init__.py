"""All figures, from tidy frames: plain dictionaries that Plotly draws on pages, and `prints` without a browser.

The face hands on its modules and loads none of them.
"""

__all__ = [
    "explore",
    "intervals",
    "lab",
    "planning",
    "plot",
    "prints",
    "strata",
    "style",
    "units",
]
