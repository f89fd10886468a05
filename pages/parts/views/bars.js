// The answer of a story with its bars on one scale; a bar may have an interval.

export default function ({ data, parentElement }) {
  const host = parentElement.host ?? parentElement;
  parentElement.querySelector(".story")?.remove();
  const root = add(parentElement, "div", { class: "figure story" });
  look(root);
  add(root, "p", {}, data.answer);
  for (const { name, text, share, colour, limits } of data.bars) {
    const row = add(root, "div");
    add(row, "span", {}, name);
    add(row, "b", {}, text);
    const bar = add(root, "div", { class: "bar", "aria-hidden": "true" });
    add(bar, "i", { style: `width: ${100 * share}%; background: ${colour}` });
    if (limits) add(bar, "i", { class: "limits", style: `left: ${100 * limits[0]}%; right: ${100 - 100 * limits[1]}%` });
  }
  host.dataset.drawn = "true";
}
