// A number, or two that are the ends of a range: one value, which a slider and a field show alike.

const DIALS = new WeakMap();
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
const MARK = `<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"
  stroke-linecap="round" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="M9.1 9a3 3 0 0 1 5.8 1c0 2-3 3-3 3"/>
  <path d="M12 17h0"/></svg>`;

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  let dial = DIALS.get(parentElement);
  if (!dial) DIALS.set(parentElement, (dial = new Dial(parentElement, data)));
  dial.report = (value) => setStateValue("turned", value);
  dial.show(data);
  return () => { dial.root.remove(); DIALS.delete(parentElement); };
}

function add(parent, tag, attributes = {}, text = "") {
  const element = parent.appendChild(document.createElement(tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

class Dial {
  constructor(parent, { values, label, help, ends }) {
    Object.assign(this, { values, sent: 0, heard: 0, units: [] });
    this.root = add(parent, "div", { class: "dial", role: "group", "aria-label": label });
    const head = add(this.root, "div", { class: "head" });
    this.name = add(head, "label", { for: "slide-0" });
    if (help) this.tip(head, label);
    const row = add(this.root, "div", { class: "row" }), two = values.length > 1;
    this.track = add(row, "div", { class: "track", ...(two && { "data-two": "" }) });
    const fields = two ? add(this.root, "div", { class: "row" }) : row;
    const named = two ? ends.map((end) => `${label}, ${end}`) : [label];
    this.slides = named.map((name, end) => this.slide(name, end));
    this.fields = named.map((name, end) => this.field(fields, two ? name : `${name}, exactly`, two ? ends[end] : "", end));
    this.word = add(this.root, "p", { class: "word", role: "status" });
  }

  slide(name, end) {
    const input = add(this.track, "input", { type: "range", id: `slide-${end}`, "aria-label": name });
    input.addEventListener("input", () => this.turn(end, this.stops(end)[Number(input.value)]));
    input.addEventListener("keydown", (event) => this.step(event, end));
    return input;
  }

  field(parent, name, end, place) {
    const box = add(parent, "span", { class: "field" }, end);
    const input = add(box, "input", { type: "number", "aria-label": name });
    this.units.push(add(box, "span", { "aria-hidden": "true" }));
    // What is being typed stays until it is done, whatever the server says.
    input.addEventListener("input", () => (input.dataset.typing = ""));
    input.addEventListener("change", () => this.type(input, place));
    input.addEventListener("blur", () => { delete input.dataset.typing; this.paint(); });
    input.addEventListener("keydown", (event) => event.key === "Enter" && input.select());
    return input;
  }

  // What the question mark says, over everything else, while the mouse or the focus is on it.
  tip(head, label) {
    const mark = add(head, "button", { type: "button", class: "help", "aria-label": `Help for ${label}`, "aria-describedby": "tip" });
    mark.innerHTML = MARK;
    this.help = add(this.root, "div", { class: "tip", id: "tip", role: "tooltip", popover: "manual" });
    const show = () => {
      this.help.showPopover();
      const at = mark.getBoundingClientRect(), box = this.help.getBoundingClientRect();
      this.help.style.left = `${Math.max(8, Math.min(at.right - box.width, innerWidth - box.width - 8))}px`;
      this.help.style.top = `${at.top > box.height + 12 ? at.top - box.height - 4 : at.bottom + 4}px`;
    };
    for (const event of ["mouseenter", "focus"]) mark.addEventListener(event, show);
    for (const event of ["mouseleave", "blur"]) mark.addEventListener(event, () => this.help.hidePopover());
    mark.addEventListener("keydown", ({ key }) => key === "Escape" && this.help.hidePopover());
  }

  // What the server has, once it has heard the latest; it hears of one value at a time, and of the last one in the end.
  show(data) {
    this.data = data;
    this.heard = Math.max(this.heard, data.heard);
    this.sent = Math.max(this.sent, data.heard);
    if (this.heard === this.sent) {
      if (this.waits) return this.send();
      this.values = data.values;
      this.told = String(this.values);
    }
    this.paint();
  }

  // The steps, with the number that stands between two of them.
  stops(end) {
    return [...new Set([...this.data.stops, this.values[end]])].sort((a, b) => a - b);
  }

  step(event, end) {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const stops = this.stops(end), way = Math.abs(by) === 10 ? Math.sign(by) * Math.max(1, Math.round(stops.length / 10)) : by;
    const place = Math.max(0, Math.min(stops.indexOf(this.values[end]) + way, stops.length - 1));
    if (stops[place] !== this.values[end]) this.turn(end, stops[place]);
  }

  type(input, end) {
    delete input.dataset.typing;
    const { low, high, whole } = this.data, given = input.value === "" ? NaN : Number(input.value);
    if (Number.isNaN(given)) return this.paint();
    const number = Math.max(low, Math.min(whole ? Math.round(given) : given, high));
    const word = given < low ? `At least ${low.toLocaleString("en")}.` : given > high ? `At most ${high.toLocaleString("en")}.` : "";
    this.turn(end, number, word);
  }

  // An end that passes the other one takes it along.
  turn(end, value, word = "") {
    this.values = this.values.map((other, place) => (place === end ? value : Math[end ? "min" : "max"](other, value)));
    this.word.textContent = word;
    this.paint();
    this.waits = this.heard < this.sent;
    if (!this.waits) this.send();
  }

  send() {
    this.waits = false;
    if (String(this.values) === this.told) return;
    this.told = String(this.values);
    this.address();
    this.report({ values: this.values, number: (this.sent += 1) });
  }

  // The place in the address, so that Back leads to the page before and not to the last step.
  address() {
    const { parameter, left_out } = this.data, url = new URL(location.href), parts = new Map();
    for (const name of url.searchParams.keys()) parts.set(name, url.searchParams.getAll(name));
    if (JSON.stringify(this.values) === JSON.stringify(left_out)) parts.delete(parameter);
    else parts.set(parameter, this.values.map(String));
    url.search = new URLSearchParams([...parts].flatMap(([name, texts]) => texts.map((text) => [name, text])));
    history.replaceState(history.state, "", url);
  }

  paint() {
    const { label, help, unit, low, high, step } = this.data, shares = [];
    this.name.textContent = label;
    if (this.help && this.help.textContent !== help) this.help.textContent = help;
    this.values.forEach((value, end) => {
      const stops = this.stops(end), slide = this.slides[end], field = this.fields[end];
      Object.assign(slide, { min: 0, max: stops.length - 1, step: 1, value: stops.indexOf(value) });
      slide.setAttribute("aria-valuetext", `${value.toLocaleString("en", { maximumFractionDigits: 6 })}${unit}`);
      Object.assign(field, { min: low, max: high, step });
      if (!("typing" in field.dataset) && (Number(field.value) !== value || field.value === "")) field.value = value;
      this.units[end].textContent = unit;
      shares.push(stops.indexOf(value) / (stops.length - 1 || 1));
    });
    // The thumb's middle stays half its width inside.
    const at = (share) => `calc(.5rem + (100% - 1rem) * ${share})`;
    this.track.style.setProperty("--from", shares.length > 1 ? at(shares[0]) : "0%");
    this.track.style.setProperty("--to", at(shares.at(-1)));
    // Figures that can follow a slider while it moves do so.
    dispatchEvent(new CustomEvent("neyman-dial", { detail: { parameter: this.data.parameter, values: this.values } }));
  }
}
