// The pool as dots, its strata, the labelled items lit; below it the intervals of two methods on one scale, and what
// is saved. With a slider beside it, all of that follows the slider while it moves.

const VIEWS = new WeakMap();
const MOVE_MS = 900, PLAY_MS = 9000;
// Room around the dots for those that are lit, which are larger.
const EDGE = 8;
// What else stands in the window where the dots fill it: title, buttons and text, on a phone in more rows.
const AROUND = 345, AROUND_ON_PHONE = 560, TALLEST = 640;
const ease = (t) => (t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2);

export default function (component) {
  const { data, parentElement } = component;
  let view = VIEWS.get(parentElement);
  if (!view) VIEWS.set(parentElement, (view = new View(parentElement)));
  view.show(data);
  return () => { view.close(); VIEWS.delete(parentElement); };
}

// A fixed order of the dots, the same at every visit.
function shuffled(count) {
  const order = Array.from({ length: count }, (_, i) => i);
  let seed = 20260722;
  for (let i = count - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = seed % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

// A lane with the half-width of another budget.
function around(lane, { half, texts }, place) {
  const middle = lane.value ?? 0;
  return { ...lane, low: middle - half[place], high: middle + half[place], text: texts[place] };
}

class View {
  constructor(parent) {
    this.host = parent.host ?? parent;
    this.root = add(parent, "div", { class: "figure stage" });
    this.canvas = add(this.root, "canvas", { role: "img" });
    this.under = add(this.root, "div", { class: "under" });
    this.key = add(this.root, "div", { class: "key" });
    this.result = add(this.root, "div", { class: "result" });
    this.lanes = add(add(this.result, "div"), "svg", { role: "img" });
    this.facts = add(this.result, "dl");
    this.player = new Player(this.root, "Labels", PLAY_MS, () => this.draw());
    this.again = add(this.player.bar, "button", { type: "button" }, "Another round");
    this.again.onclick = () => {
      this.round = (this.round + 1) % this.data.rounds.length;
      if (calm()) this.draw();
      else this.player.play(0);
    };
    this.sorted = 0;
    this.observer = new ResizeObserver(() => this.data && this.draw());
    this.observer.observe(this.root);
    this.follow = ({ detail: { parameter, values } }) => {
      if (!this.data || parameter !== this.data.slider || values[0] === this.turned) return;
      this.turned = values[0];
      if (this.data.moves[this.turned]) this.draw();
    };
    addEventListener("neyman-dial", this.follow);
  }

  // The budget of the slider, if it is known what that gives; else the one that the server drew.
  get budget() { return this.data.moves[this.turned] ? this.turned : this.data.budget; }

  close() {
    removeEventListener("neyman-dial", this.follow);
    this.observer.disconnect();
    cancelAnimationFrame(this.moving);
    this.player.stop();
  }

  show(data) {
    const before = this.data;
    this.data = data;
    this.turned ??= data.budget;
    const items = data.strata.reduce((sum, size) => sum + size, 0);
    if (!this.order || this.order.length !== items) this.order = shuffled(items);
    const goal = data.sorted ? 1 : 0;
    this.player.bar.hidden = !data.rounds;
    const fresh = data.rounds && (!before?.rounds || JSON.stringify(before.rounds) !== JSON.stringify(data.rounds));
    if (fresh) {
      this.round = 0;
      this.player.reset(data.rounds[0].lit.length);
    }
    if (!data.rounds) this.player.stop();
    this.words();
    cancelAnimationFrame(this.moving);
    if (!before || calm() || this.sorted === goal) {
      this.sorted = goal;
      this.draw();
      if (fresh && !calm()) this.player.play(0);
      return;
    }
    const start = performance.now(), from = this.sorted;
    const step = (now) => {
      const t = Math.min(1, (now - start) / MOVE_MS);
      this.sorted = from + (goal - from) * ease(t);
      this.draw();
      if (t < 1) this.moving = requestAnimationFrame(step);
      else if (fresh) this.player.play(0);
    };
    this.moving = requestAnimationFrame(step);
  }

  words() {
    const { data } = this;
    this.canvas.setAttribute("aria-label", data.alt);
    this.under.replaceChildren();
    for (const text of data.under) add(this.under, "span", {}, text);
    this.key.replaceChildren();
    for (const [kind, text] of data.key) add(this.key, "span", { class: kind }, text);
    // Beside a slider, the key stands between both ends.
    if (data.budget !== null && data.under.length === 3) this.under.replaceChild(this.key, this.under.children[1]);
    else this.under.after(this.key);
  }

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    this.dots(width, look(this.root), getComputedStyle(this.root));
    this.intervals(this.lanes.parentElement.clientWidth);
    this.saved();
    if (this.data.rounds) this.player.words();
    this.host.dataset.drawn = "true";
  }

  dots(width, text, style) {
    const { data, canvas } = this, phone = width < 480, least = phone ? 190 : 200, dense = devicePixelRatio || 1;
    const room = Math.min(innerHeight - (phone ? AROUND_ON_PHONE : AROUND), TALLEST);
    const height = data.tall ? Math.max(least, room) : least;
    if (canvas.width !== Math.round(width * dense) || canvas.height !== height * dense) {
      canvas.width = Math.round(width * dense);
      canvas.height = height * dense;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, width, height);
    context.translate(EDGE, EDGE);
    const { x, y, pitch } = this.places(width - 2 * EDGE, height - 2 * EDGE);
    const radius = Math.min(pitch * 0.36, 5);
    for (let shade = 0; shade < 10; shade++) {
      const strength = data.shaded ? 0.1 + 0.075 * shade : 0.28;
      context.fillStyle = `rgba(${text},${data.lit || data.rounds ? strength * 0.7 : strength})`;
      context.beginPath();
      for (let i = 0; i < x.length; i++) {
        if (Number(data.shades[i]) !== shade) continue;
        if (radius < 1.4) context.rect(x[i] - radius, y[i] - radius, 2 * radius, 2 * radius);
        else { context.moveTo(x[i] + radius, y[i]); context.arc(x[i], y[i], radius, 0, 7); }
      }
      context.fill();
    }
    const lit = data.rounds ? data.rounds[this.round].lit.slice(0, this.player.step) : (data.lit ?? []).slice(0, this.budget ?? undefined);
    const bright = Math.max(3.4, Math.min(pitch * 0.62, 7)), paper = style.getPropertyValue("--st-background-color");
    lit.forEach(([i, wrong], place) => {
      // The newest label stands out for a moment.
      const size = bright * (this.player.playing && place === lit.length - 1 ? 1.7 : 1);
      context.beginPath();
      if (wrong) {
        const d = size * 1.25;
        context.moveTo(x[i], y[i] - d); context.lineTo(x[i] + d, y[i]);
        context.lineTo(x[i], y[i] + d); context.lineTo(x[i] - d, y[i]); context.closePath();
      } else context.arc(x[i], y[i], size, 0, 7);
      context.fillStyle = style.getPropertyValue(wrong ? "--wrong" : "--right");
      context.lineWidth = 1.5;
      context.strokeStyle = paper;
      context.fill();
      context.stroke();
    });
  }

  // Where each dot stands: in the order of its stratum, in no order, or on the way between the two.
  places(width, height) {
    const { strata } = this.data, items = this.order.length;
    const gap = strata.length > 1 ? Math.max(2, Math.min(10, width / 90)) : 0, room = width - gap * (strata.length - 1);
    let pitch = Math.min(14, Math.sqrt((room * height) / items)), rows;
    const columns = () => strata.reduce((sum, size) => sum + Math.ceil(size / rows), 0);
    do { rows = Math.max(1, Math.floor(height / pitch)); } while (columns() * pitch > room && (pitch *= 0.985));
    const spare = (room - columns() * pitch) / strata.length, x = new Float32Array(items), y = new Float32Array(items);
    const wide = width / Math.ceil(items / rows);
    let left = 0, i = 0;
    for (const size of strata) {
      for (let j = 0; j < size; j++, i++) {
        const mixed = this.order[i], t = this.sorted;
        const x0 = (Math.floor(mixed / rows) + 0.5) * wide, x1 = left + spare / 2 + (Math.floor(j / rows) + 0.5) * pitch;
        x[i] = x0 + (x1 - x0) * t;
        y[i] = ((mixed % rows) + ((j % rows) - (mixed % rows)) * t + 0.5) * (height / rows);
      }
      left += Math.ceil(size / rows) * pitch + spare + gap;
    }
    return { x, y, pitch };
  }

  intervals(width) {
    const { data, lanes } = this;
    lanes.replaceChildren();
    const scaled = data.rounds ? data.rounds[this.round].axis : data.axis, moved = data.moves[this.budget];
    lanes.style.display = scaled ? "" : "none";
    if (!scaled) return;
    const row = 46, floor = row * data.lanes.length + 6, at = scale(scaled, 26, width);
    const height = floor + (scaled.truth === null ? 24 : 42);
    lanes.setAttribute("viewBox", `0 0 ${width} ${height}`);
    lanes.setAttribute("height", height);
    axis(lanes, scaled, at, width, floor, row);
    const said = [];
    data.lanes.forEach((lane, place) => {
      const shown = data.rounds ? this.frame(place) : moved ? around(lane, moved, place) : lane, y = row * place + 32;
      add(lanes, "text", { x: 0, y: row * place + 16 }, lane.name);
      const words = shown ? shown.text : "two labels in every stratum first";
      add(lanes, "text", { class: shown ? "number" : "soft", x: width, y: row * place + 16, "text-anchor": "end" }, words);
      said.push(`${lane.name}: ${words}`);
      if (!shown) return;
      const bar = { stroke: lane.colour, "stroke-width": 7, "stroke-linecap": "round" };
      add(lanes, "line", { ...bar, x1: at(shown.low), x2: at(shown.high), y1: y, y2: y });
      if (shown.value !== null) {
        const edge = { stroke: "var(--st-background-color)", "stroke-width": 2 };
        add(lanes, "circle", { ...edge, cx: at(shown.value), cy: y, r: 6.5, fill: lane.colour });
      }
    });
    lanes.setAttribute("aria-label", said.join("; "));
  }

  // Labels, money and hours that the budget saves.
  saved() {
    const facts = this.data.moves[this.budget]?.facts ?? [];
    this.facts.replaceChildren();
    for (const [number, name] of facts) {
      const row = add(this.facts, "div");
      add(row, "dd", {}, number);
      add(row, "dt", {}, name);
    }
  }

  // What a method says after so many labels of this round; null before every stratum has two.
  frame(place) {
    const { at, lanes, axis: { sign } } = this.data.rounds[this.round], step = at.findLastIndex((labels) => labels <= this.player.step);
    if (step < 0) return null;
    const [value, low, high] = lanes[place][step];
    const text = `${value.toFixed(1)}${sign}, from ${low.toFixed(1)} to ${high.toFixed(1)}`;
    return { value, low, high, text };
  }
}
