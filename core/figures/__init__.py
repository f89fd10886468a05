"""All figures, from tidy frames: Plotly for the pages, SVG for the report, one style for both.

The face hands on its modules and loads none of them: the report draws without Plotly.
"""

__all__ = ["explore", "intervals", "lab", "planning", "prints", "signal", "strata", "style", "svg", "units"]
