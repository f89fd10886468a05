"""Pictures of a folder or of the pool, and items that show nothing."""

from __future__ import annotations

import base64
import io

from PIL import Image

from pages.parts.app import premises
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.desk import desk, label
from tests.pages.label.conftest import HERE, LABEL
from tests.pages.pools import pool


def png(size=(40, 30)):
    stream = io.BytesIO()
    Image.new("RGB", size, "blue").save(stream, "PNG")
    return stream.getvalue()


def shown(app):
    """The item that is shown."""
    given = desk(app)
    return given["items"][given["order"][0]]


def test_pictures_of_a_folder_are_shown_and_what_cannot_be_is_named(open_page, tmp_path):
    (tmp_path / "images" / "figs").mkdir(parents=True)
    (tmp_path / "images" / "figs" / "a.png").write_bytes(png())
    (tmp_path / "secret.png").write_bytes(png())
    inside = "data:image/png;base64," + base64.b64encode(png()).decode()
    images = [inside, "figs/a.png", "figs/none.png", "../secret.png", "https://example.org/a.png", "figs/a.png"]
    rows = [{"id": str(n), "image": images, "generations": ["1", "2"]} for n in range(4)]
    app = open_page(LABEL, pool(rows, "pictures"), budget=4, **HERE)
    assert len(shown(app)["pictures"]) == 1 and "folder" in shown(app)["problems"][0]
    app.text_input(key="images").input(str(tmp_path / "images"))
    run(app)
    assert len(shown(app)["pictures"]) == 3 and len(shown(app)["problems"]) == 3
    problems = "\n".join(shown(app)["problems"])
    assert problems == Saying("“figs/none.png”", "not shown") and problems == Saying("“../secret.png”", "not shown")
    assert "leaves the folder" in problems and "not fetched" in problems
    label(app, "Skip")
    assert len(shown(app)["pictures"]) == 3, "the folder is asked for once"


def test_strangers_name_no_folder_of_the_machine(open_page, neyman_home, monkeypatch):
    rows = [{"id": str(n), "image": "a.png", "generations": ["1", "2"]} for n in range(4)]
    monkeypatch.setattr(premises, "_here", premises.Public(root=neyman_home.parent))
    monkeypatch.setattr(premises.Public, "home", lambda public: neyman_home)
    app = open_page(LABEL, pool(rows, "pictures"), budget=4, **HERE)
    assert not [field for field in app.text_input if field.key == "images"]
    assert "folder of images is off" in " ".join(one.value for one in app.info)
    assert not shown(app)["pictures"] and not app.exception


def test_a_folder_is_not_asked_for_where_pictures_are_in_the_pool(open_page):
    inside = "data:image/png;base64," + base64.b64encode(png()).decode()
    rows = [{"id": str(n), "image": inside, "generations": ["1", "2"]} for n in range(4)]
    app = open_page(LABEL, pool(rows, "pictures"), budget=4, **HERE)
    assert not shown(app)["problems"] and not [field for field in app.text_input if field.key == "images"]


def test_a_folder_said_on_page_surrogate_holds_here(open_page, tmp_path):
    (tmp_path / "a.png").write_bytes(png())
    rows = [{"id": str(n), "prompt": "?", "image": "a.png", "generations": ["1", "2"]} for n in range(4)]
    app = open_page("pages/surrogate.py", pool(rows, "pictures"))
    app.text_input(key="images").input(str(tmp_path))
    run(app)
    app.query_params["part"] = "Label here"
    app.switch_page(LABEL)
    run(app)
    assert len(shown(app)["pictures"]) == 1 and not shown(app)["problems"], shown(app)


def test_an_item_without_prompt_and_image_says_so(open_page):
    rows = [{"id": str(n), "generations": ["1", "2"]} for n in range(4)]
    app = open_page(LABEL, pool(rows, "bare"), budget=4, **HERE)
    assert shown(app)["nothing"] == Saying("not part of this file")
