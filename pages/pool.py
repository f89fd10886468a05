"""Pool: choose a pool, and see what is in it."""

import streamlit as st

from core.figures import strata
from core.gates import gate_of
from core.simulation import findings
from core.stratification import value_counts
from core.words import first_sentence, per_cent
from pages.parts import prospects
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.pool import bank, browse, parsers, recognized, upload
from pages.parts.views import promises, verdicts
from pages.parts.widgets import controls

pool = frame.frame("Pool", about="The items that your model (the target) is tested on, with all that is known of them.")
with frame.errors():
    upload.chooser(pool)

# All that takes long comes first: until it is there, the page shows the pool before with its own name.
with frame.errors():
    kind = controls.current_parser() if pool.n_generations else None
    profile = prospects.profile(pool, kind) if pool.n_generations else None
    report = pool.parse_report(kind)
prospect = None if gate_of(pool) is not None else recognized.prospect_of(pool)
why = recognized.judged(pool) if prospect is None or prospect.uniform else prospect.why
finding = findings.pool_finding(pool, profile, why)

st.header("What is in it")
st.caption(plain(pool.name), help=f"Fingerprint of its contents: {pool.digest[:12]}")
said = st.container()
recognized.section(pool)
for note in pool.remarks:
    st.info(plain(note), icon=":material/info:")
parsers.earlier_rules(pool)
parsers.judge(pool)
with st.columns([1, 2])[0]:
    if pool.n_generations:
        controls.parser()
if prospect is not None:
    with said:
        promises.labelled(prospect)
frame.headline(plain(finding))
share = per_cent(pool.unparsed_share(kind), 1)
with st.container(horizontal=True):
    st.metric("Items", f"{pool.n_items:,}", border=True)
    st.metric("Cheap model’s answers", f"{pool.n_generations}", border=True)
    st.metric("Groups", f"{pool.n_groups:,}" if pool.n_groups else "none", border=True)
    st.metric("Models tested", f"{len(pool.targets)}", border=True)
    st.metric("No answer", share, border=True, help="Share of the surrogate’s texts in which no answer was found.")

if profile is not None:
    parsers.hint(pool, profile, kind)
recognized.savings(prospect)
recognized.onward(pool, prospect)

st.header("In detail")
if profile is not None:
    left, right = st.columns(2, gap="large")
    with left:
        first, rest = first_sentence(findings.signal_finding(profile.signal))
        st.markdown(f"**Semantic entropy: {first.removesuffix('.')}**", help=rest or None)
        table = value_counts(profile.signal)
        frame.chart(
            strata.distribution(table["value"].tolist(), table["items"].tolist(), "Semantic entropy (nats)", 0.0),
            "entropy",
            "Share of items at each value of semantic entropy; items at 0 highlighted.",
        )
    with right:
        st.markdown(f"**Self-consistency: {findings.consistency_finding(profile.consistency)}**")
        table = value_counts(profile.consistency)
        frame.chart(
            strata.distribution(
                table["value"].tolist(), table["items"].tolist(), "Share of the most frequent answer", 1.0
            ),
            "consistency",
            "Share of items at each value of self-consistency; full agreement highlighted.",
        )

if prospect is not None:
    verdicts.section(pool, prospect.question)
bank.section(pool)
parsers.section(pool, profile, kind)
browse.groups(pool, profile, kind)
browse.report(report)
browse.items(pool, profile, kind)
bank.forget_section(pool)
