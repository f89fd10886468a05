"""All figures, from tidy frames: what Plotly draws on the pages, as plain dictionaries, and SVG for the report.

One style for both. The face hands on its modules and loads none of them.
"""

__all__ = ["explore", "intervals", "lab", "planning", "prints", "signal", "strata", "style", "svg", "units"]
