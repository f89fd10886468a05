"""Pages of the site that `make docs` builds and that lie elsewhere: README, changelog, reference. A hook of MkDocs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
# Where a document of the checkout stands in the site.
_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "data/README.md": "data.md",
}
_LINK = re.compile(r"\]\(([^):#]+)(#[^)]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that do not lie in docs/."""
    from mkdocs.structure.files import File

    for source, page in _PAGES.items():
        text = (_ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_linked(text, Path(source).parent)))
    files.append(File.generated(config, "reference.md", content=_reference()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead from a document of docs/ to a page that does not lie there."""
    generated = {*_PAGES.values(), "reference.md"}
    return markdown if page.file.src_uri in generated else _linked(markdown, Path("docs"))


def _linked(text: str, folder: Path) -> str:
    """A text that lies in a folder of the checkout, with links as the site has them; without those that it lacks."""

    def link(match: re.Match[str]) -> str:
        target = (_ROOT / folder / match[1]).resolve()
        if not target.is_relative_to(_ROOT):
            return match[0]
        place = target.relative_to(_ROOT).as_posix()
        page = _PAGES.get(place) or place.removeprefix("docs/")
        return f"]({page}{match[2] or ''})" if place in _PAGES or place.startswith("docs/") else "](index.md)"

    return _LINK.sub(link, text)


def _reference() -> str:
    """The names on the face of the package, each with its docstring."""
    import core

    names = [f"::: core.{room}.{name}" for name, room in core._ROOMS.items()]
    return "# Reference\n\nWhat `import neyman` offers.\n\n" + "\n\n".join(names) + "\n"
