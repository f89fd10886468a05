"""The page of methods shows what its CSV file holds."""

from __future__ import annotations

import pandas as pd

from tools.against import DOCS, END, START, main, written


def test_the_page_is_written_from_the_results(tmp_path) -> None:
    page, copy = (DOCS / "against.md").read_text(encoding="utf-8"), tmp_path / "against.md"
    assert page.split(START)[1].split(END)[0].strip() == written(pd.read_csv(DOCS / "against.csv"))
    copy.write_text(page.split(START)[0] + START + "earlier" + END + "after", encoding="utf-8")
    main(copy)
    assert copy.read_text(encoding="utf-8") == page.split(END)[0] + END + "after"
