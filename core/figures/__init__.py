"""All figures: Plotly for the pages, SVG for the report."""
