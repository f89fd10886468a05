"""A figure as an object that a notebook shows and that can be kept as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import DesignError
from ..words import notebook
from . import prints
from .style import ACCENT, Figure

# What a page's style sheet says elsewhere: a notebook's own ink on its own ground, whether that is light or dark.
_COLOURS = "--ink: currentColor; --soft: #7B8794; --rule: rgba(128, 128, 128, .35); --paper: transparent"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plot:
    """A figure with its title.

    Parameters
    ----------
    figure : Figure
        A Plotly dictionary, as `core.figures.prints` draws it: ``plotly.graph_objects.Figure(plot.figure)`` makes it
        interactive.
    title : str
        What it shows.
    notes : tuple of str
        Lines below the title.
    """

    figure: Figure
    title: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Plot “{self.title}”: show it in a notebook, or save(“plot.svg”)"

    def _repr_html_(self) -> str:
        """The figure in the notebook's own colours."""
        drawn = prints.inline(self.figure, " ".join([self.title, *self.notes]))
        return notebook.drawing(self.title, drawn, f"max-width: 760px; --accent: {ACCENT}; {_COLOURS}")

    def _repr_svg_(self) -> str:
        """The figure on white, with its title and its notes."""
        return prints.svg(self.figure, self.title, self.notes)

    def save(self, path: str | Path) -> Path:
        """Keep the figure as a file.

        Parameters
        ----------
        path : path
            Its ending says which: .svg, .pdf or .png.

        Raises
        ------
        DesignError
            Another ending.
        """
        kept = Path(path)
        ending = kept.suffix.lower()
        if ending == ".svg":
            kept.write_text(self._repr_svg_(), encoding="utf-8")
        elif ending in (".pdf", ".png"):
            write = prints.pdf if ending == ".pdf" else prints.png
            kept.write_bytes(write(self.figure, self.title, self.notes))
        else:
            raise DesignError(f"A figure is kept as .svg, .pdf or .png. Found “{kept.name}”.")
        return kept
