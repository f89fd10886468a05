"""An example of a pool's file, for those who are about to make one."""

from __future__ import annotations

import streamlit as st

LINES = """\
{"id": "q1", "prompt": "2+2?", "answer": "4", "generations": ["4", "4", "5"], \
"targets": {"gpt": {"answer": "4"}}, "judge": "pass"}
{"id": "q2", "prompt": "7×8?", "answer": "56", "generations": ["56", "54", "63"], \
"targets": {"gpt": {"answer": "54"}}, "judge": "fail"}
"""
COLUMNS = """\
id,prompt,answer,generation_1,generation_2,generation_3,gpt:answer,judge
q1,2+2?,4,4,4,5,4,pass
q2,7×8?,56,56,54,63,54,fail
"""


def section() -> None:
    """Draw what goes into the file, folded away."""
    with st.popover("What goes into the file?", icon=":material/help:", type="tertiary"):
        st.markdown(
            "One item a line. Only `id` is required; the more of the others you have, the fewer labels you need.\n\n"
            "| Column | |\n|---|---|\n"
            "| `id` | the item’s name, unique |\n"
            "| `prompt`, `choices`, `group` | what people read, and what kind of item it is |\n"
            "| `generations` | answers of a cheap model (the surrogate), some for each item |\n"
            "| `targets` | your model’s answer to each item, if it has run |\n"
            "| `loss` in `targets` (CSV: `gpt:loss`) | people’s verdict on that answer: 0 right, 1 wrong |\n"
            "| `answer` | the right answer, if you know it |\n"
            "| `judge` | pass or fail, as an automatic grader (a judge) decided |\n\n"
            "You have no `generations`? Page Surrogate makes them from the prompts. You have a log of an evaluation? "
            "Upload it as your tool wrote it. A table with other columns? Upload it, and say which is what."
        )
        st.caption("JSON Lines")
        st.code(LINES, language="json", wrap_lines=True)
        st.caption("The same as CSV")
        st.code(COLUMNS, language=None, wrap_lines=True)
