"""Label: draw the items, and hand them out as a list with its manifest."""

import streamlit as st

from core import allocation, findings, labels, manifest
from core.answers import PARSER_VERSION
from core.design import Design
from core.errors import NeymanError
from core.profile import stratum_table
from pages.parts import calls, controls, downloads, frame, state

_SHOWN = 200

pool = frame.frame("Label")
frame.need_generations(pool)
left, right = st.columns([1, 3], gap="large")
with left:
    top = st.container()
    kind = controls.answer_kind()
with top, frame.errors():
    profile = calls.pool_profile(pool, kind)
    ids = pool.items.index.to_numpy(dtype=object)
    rule = controls.allocation()
    choice = controls.design(profile)
    controls.exact_budget(choice)
    design = Design(choice.budget, choice.n_strata, choice.stratifier, rule, choice.offset, controls.seed(), kind)
    plan = design.plan(pool.digest, ids, profile)

request = labels.request(plan, pool.items)
document = manifest.write(plan, pool.name, dict(PARSER_VERSION))


def keep() -> None:
    """A list that is handed out is kept, so that its labels can be weighted when they come back."""
    state.archive().save_design(plan.plan_id, document, pool.digest, state.now())


with right:
    st.markdown(f"##### {findings.request_finding(plan)}")
    downloads.request(request, plan.plan_id, keep, document)
    cut = "cut anywhere" if plan.strata.n_strata == 1 else f"cut anywhere after the first {plan.strata.n_strata} items"
    st.caption(
        "Write into the column “label” what the annotator finds: the right answer, or whether the target’s answer is "
        f"right (1) or wrong (0). Work the list off from the top: {cut}, what is done is a valid sample, and a larger "
        "budget only adds items at the end. Strata, entropy and model answers are left out because they would sway the "
        "annotators. Keep the manifest: it reproduces the list and holds the weights. In the CSV, text that a "
        "spreadsheet runs as a formula starts with an apostrophe; JSON Lines is the lossless form."
    )
    shown = request.head(_SHOWN)
    st.dataframe(shown, hide_index=True, column_config={"plan_id": None}, alt="The items to label, in order.")
    if len(request) > _SHOWN:
        st.caption(f"The first {_SHOWN} of {len(request):,} are shown; the files hold all.")
    st.markdown("**Where they come from**")
    proxy = allocation.bernoulli_proxy(plan.strata.consistency, choice.offset)
    st.dataframe(
        stratum_table(plan.strata, plan.allocation, proxy),
        hide_index=True,
        column_config=downloads.STRATA_COLUMNS,
        alt="Each stratum's size, labels and inclusion probability.",
    )

again = st.expander("Reproduce a list from its manifest", key="reproduce", on_change="rerun", icon=":material/replay:")
if again.open:
    with again:
        given = st.file_uploader("Manifest (JSON)", ["json"], key="manifest")
        if given is not None:
            try:
                found = manifest.read(given.getvalue())
                own = calls.pool_profile(pool, found.design.parser)
                drawn = manifest.reproduce(found, pool.digest, ids, own)
            except NeymanError as error:
                frame.show_error(error)
            else:
                st.success(
                    f"The same {drawn.ids.size:,} items, in the same order, as when plan {drawn.plan_id} was made.",
                    icon=":material/check_circle:",
                )
                downloads.request(labels.request(drawn, pool.items), drawn.plan_id)
