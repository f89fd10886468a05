// What the figures that play share: helpers, and a row of controls that walks through numbered steps.

const SVG = "http://www.w3.org/2000/svg";
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A new element; text is only ever set as text, whoever wrote it.
function add(parent, tag, attributes = {}, text = "") {
  const svg = tag === "svg" || parent.namespaceURI === SVG;
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return parent.appendChild(element);
}

// Red, green and blue of a colour as the browser writes it.
const parts = (colour) => (colour.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);

// Marks the figure as one on a dark page, where its text is light; returns the text's colour.
function look(root) {
  const text = parts(getComputedStyle(root).color);
  root.toggleAttribute("data-dark", text[0] + text[1] + text[2] > 384);
  return text;
}

// Where a number stands on an axis of this width.
const scale = ({ low, high }, inset, width) => (v) =>
  inset + ((Math.min(Math.max(v, low), high) - low) / (high - low)) * (width - 2 * inset);

// Ticks, and the broken line of the true value with its name: in each row below its words, HEAD high, through which
// no line goes.
const HEAD = 22;
function axis(svg, { ticks, truth, named }, at, width, floor, row) {
  const rows = Array.from({ length: Math.floor(floor / row) }, (_, i) => i);
  const upright = (x, end) =>
    rows.map((i) => `M${x} ${row * i + HEAD}V${i + 1 < rows.length ? row * (i + 1) : end}`).join("");
  for (const tick of width < 480 ? ticks.filter((_, i) => i % 2 === 0) : ticks) {
    add(svg, "path", { class: "grid", d: upright(at(tick.at), floor) });
    add(svg, "text", { class: "soft", x: at(tick.at), y: floor + 16, "text-anchor": "middle" }, tick.text);
  }
  if (truth === null) return;
  add(svg, "path", { class: "truth", d: upright(at(truth), floor + 24) });
  const anchor = at(truth) < 120 ? "start" : at(truth) > width - 120 ? "end" : "middle";
  add(svg, "text", { class: "soft", x: at(truth), y: floor + 37, "text-anchor": anchor }, named);
}

// Play, pause, and a slider over the steps 0 to `most`. Whoever wants no motion goes from the end to the beginning.
class Player {
  constructor(parent, noun, milliseconds, draw) {
    Object.assign(this, { noun, milliseconds, draw, step: 0, most: 0, playing: 0 });
    this.bar = add(parent, "div", { class: "play" });
    this.button = add(this.bar, "button", { type: "button" });
    this.slider = add(this.bar, "input", { type: "range", min: 0, step: 1, "aria-label": noun });
    this.count = add(this.bar, "output");
    this.button.onclick = () => (this.playing ? this.pause() : this.play());
    this.slider.oninput = () => { this.step = Number(this.slider.value); this.pause(); };
    // The arrow keys of the slider are not those of the page; Escape is.
    this.slider.onkeydown = (event) => { if (event.key !== "Escape") event.stopPropagation(); };
  }

  // The steps there are; at the end at first.
  reset(most) {
    const ended = this.step >= this.most;
    this.slider.max = this.most = most;
    this.step = ended ? most : Math.min(this.step, most);
  }

  play(from = this.step) {
    cancelAnimationFrame(this.playing);
    if (calm()) { this.step = this.step < this.most ? this.most : 0; return this.pause(); }
    const first = from >= this.most ? 0 : from;
    const start = performance.now() - (first / this.most) * this.milliseconds;
    const walk = (now) => {
      this.step = Math.max(0, Math.min(this.most, Math.floor(((now - start) / this.milliseconds) * this.most)));
      if (this.step >= this.most) return this.pause();
      this.playing = requestAnimationFrame(walk);
      this.draw();
    };
    this.playing = requestAnimationFrame(walk);
  }

  pause() {
    this.stop();
    this.draw();
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
  }

  words() {
    this.count.textContent = `${this.step.toLocaleString("en")} of ${this.most.toLocaleString("en")} ${this.noun.toLowerCase()}`;
    this.slider.value = this.step;
    this.slider.setAttribute("aria-valuetext", this.count.textContent);
    this.button.textContent = this.playing ? "Pause" : this.step >= this.most ? "Play again" : "Play";
  }
}
