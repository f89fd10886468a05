"""How the report looks: on a screen in the colours of the system's theme, on paper on white with all folds open."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2937; --paper: #ffffff; --soft: #5b6472; --rule: #d7dbe1; --card: #f5f7fa;
  --accent: #0072b2; --wrong: #b3261e; --right: #00705a }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e5e7eb; --paper: #111827; --soft: #a3adbb; --rule: #374151; --card: #1b2433; --accent: #56b4e9;
    --wrong: #ff9d94; --right: #4fd1ae }
}
* { box-sizing: border-box }
body { font: 16px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 0 auto; padding: 1.4rem 1.2rem 3rem; overflow-wrap: break-word }
h1 { font-size: 1.5rem; line-height: 1.3; font-weight: 600; margin: 0 } h2 { font-size: 1.05rem; margin: 0 }
h3 { font-size: 1rem; margin: 0 } p { margin: .5rem 0 } a { color: var(--accent) }
.soft { color: var(--soft) } .small { font-size: .85rem }
.kicker { margin: 0 0 .8rem; font-size: .9rem; color: var(--soft) }
.answer { display: grid; grid-template-columns: auto 1fr; gap: 1.6rem; align-items: center }
.big { font-size: 3.6rem; font-weight: 650; line-height: 1; margin: 0; color: var(--accent); white-space: nowrap }
.limits { margin: .4rem 0 0; font-size: .9rem; color: var(--soft) }
.figure { margin: 1.2rem 0 .6rem }
.facts { display: grid; grid-template-columns: repeat(3, 1fr); gap: .8rem; margin: 0 }
.facts div { background: var(--card); border-radius: 8px; padding: .6rem .9rem }
dt { color: var(--soft); font-size: .85rem } dd { margin: 0 }
.facts .number { font-size: 1.3rem; font-weight: 600; line-height: 1.35 } .facts .note { font-size: .85rem }
.basis { font-size: .8rem; color: var(--soft); margin: .4rem 0 0 }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; margin-top: 1.1rem }
.sides h2 { margin-bottom: .3rem }
.sides ul { margin: 0; padding-left: 1.1rem } .sides li, .sides p { margin: 0 0 .3rem; font-size: .95rem }
.remark { border-left: 4px solid var(--accent); padding: .2rem .8rem; font-size: .95rem }
.folds { margin-top: 1.4rem }
details { border-top: 1px solid var(--rule) } .folds > details:last-child { border-bottom: 1px solid var(--rule) }
summary { cursor: pointer; padding: .6rem 0 } summary h2 { display: inline }
summary .soft { font-size: .9rem; margin-left: .6rem } details[open] { padding-bottom: 1rem }
details details { margin-left: 1rem } details details summary { padding: .3rem 0 }
.say { font-size: 1.05rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; margin: .6rem 0 }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top }
td { white-space: nowrap } td:first-child { white-space: normal }
th:first-child, td:first-child { text-align: left } .wide { overflow-x: auto }
.formulas td { text-align: left; white-space: normal } .formulas td:nth-child(2) { font-family: Georgia, serif }
svg { display: block; width: 100%; height: auto } svg.fluid { height: revert-layer; overflow: visible }
.scroll { overflow-x: auto; margin: .6rem 0 } .scroll svg { min-width: 36rem }
svg text { font: 14px system-ui, sans-serif; fill: var(--ink) }
svg text.small { font-size: 12px; fill: var(--soft) }
svg text.name { paint-order: stroke; stroke: var(--paper); stroke-width: 5px }
svg text.name.accent { font-weight: 600; fill: var(--accent) } svg line.grid { stroke: var(--rule); stroke-width: 1 }
svg line.accent { stroke: var(--accent); stroke-width: 3 } svg line.quiet { stroke: var(--soft); stroke-width: 3 }
svg line.bar { stroke-width: 6; stroke-linecap: round }
svg line.zero { stroke: var(--soft); stroke-width: 2; stroke-dasharray: 4 4 }
svg .accent { fill: var(--accent) } svg .quiet { fill: var(--soft) }
article { border-top: 1px solid var(--rule); padding: .7rem 0 } article:target { background: var(--card) }
article dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .4rem 0 0 }
.verdict { font-weight: 600; margin-left: .5rem } .wrong { color: var(--wrong) } .right { color: var(--right) }
.text { white-space: pre-wrap; margin: .4rem 0 }
ol.options { list-style: upper-alpha; margin: .3rem 0; padding-left: 1.8rem }
pre { white-space: pre-wrap; font-size: .75rem; border: 1px solid var(--rule); padding: .8rem }
@media (max-width: 40rem) {
  .answer, .facts, .sides { grid-template-columns: 1fr; gap: .7rem } h1 { font-size: 1.25rem } .big { font-size: 3rem }
  summary .soft { display: block; margin-left: 1.1rem }
}
@page { size: A4; margin: 14mm }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #444; --rule: #bbb; --card: #f3f4f6;
    --accent: #0072b2; --wrong: #b3261e; --right: #00705a }
  body { max-width: none; margin: 0; padding: 0; font-size: 10.5pt } a { color: inherit; text-decoration: none }
  h1 { font-size: 16pt } .facts { grid-template-columns: repeat(3, 1fr) } .sides { grid-template-columns: 1fr 1fr }
  .first { break-after: page } .first .items { display: none } .folds { margin: 0 }
  /* Paper cannot be unfolded, nor scrolled sideways. */
  details::details-content { content-visibility: visible; display: block; height: auto }
  summary { list-style: none; break-after: avoid } h3, .say { break-after: avoid }
  details details { margin-left: 0 } .listing { columns: 2; column-gap: 1.5rem }
  svg, tr, .remark, article { break-inside: avoid }
  pre { max-height: 24cm; overflow: hidden }
  .wide, .scroll { overflow: visible } .wide { break-inside: auto } table { font-size: 8.5pt }
  th, td { padding: .2rem .35rem } td:last-child { white-space: normal; overflow-wrap: normal }
  * { print-color-adjust: exact }
}
"""
# The recommended design has one colour everywhere (`core.figures.style`), lighter in the dark, where letters need it.
_RECOMMENDED = """:root { --accent: #a8389f }
@media screen and (prefers-color-scheme: dark) { :root { --accent: #e39adc } }
"""


def style(method: str) -> str:
    """The style sheet of a report, with the colour that the design’s method has on every page."""
    return _STYLE + (_RECOMMENDED if method == "recommended" else "")
