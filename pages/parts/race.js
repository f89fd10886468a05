// Two methods draw sample after sample: a histogram of each one's estimates grows around the true value.

const VIEWS = new WeakMap();
const PLAY_MS = 15000;
const ROW = 118;

export default function (component) {
  const { data, parentElement } = component;
  let view = VIEWS.get(parentElement);
  if (!view) VIEWS.set(parentElement, (view = new Race(parentElement)));
  view.show(data);
  return () => { view.close(); VIEWS.delete(parentElement); };
}

class Race {
  constructor(parent) {
    this.host = parent.host ?? parent;
    this.root = add(parent, "div", { class: "figure" });
    this.svg = add(this.root, "svg", { role: "img" });
    this.player = new Player(this.root, "Rounds", PLAY_MS, () => this.draw());
    this.observer = new ResizeObserver(() => this.data && this.draw());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    this.player.stop();
  }

  show(data) {
    const first = !this.data;
    this.data = data;
    // The scale is that of the end, so that nothing moves but the bars.
    this.most = Math.max(...data.methods.map(({ bins }) => Math.max(...this.counted(bins, bins.length))));
    this.player.reset(data.methods[0].bins.length);
    this.draw();
    if (first && !calm()) this.player.play(0);
  }

  counted(bins, rounds) {
    const counts = new Array(this.data.count).fill(0);
    for (let i = 0; i < rounds; i++) counts[bins[i]]++;
    return counts;
  }

  draw() {
    const width = this.root.clientWidth, { svg, data } = this, step = this.player.step;
    if (!width) return;
    look(this.root);
    svg.replaceChildren();
    const floor = ROW * data.methods.length, height = floor + 42, at = scale(data.axis, 26, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const [left, right] = [at(data.near[0]), at(data.near[1])];
    add(svg, "rect", { x: left, y: 0, width: right - left, height: floor, fill: "var(--soft)", "fill-opacity": 0.13 });
    axis(svg, data.axis, at, width, floor, ROW);
    const said = data.methods.map((method, row) => this.row(method, row, at, width, step));
    svg.setAttribute("aria-label", said.join("; "));
    this.player.words();
    this.host.dataset.drawn = "true";
  }

  row({ name, colour, bins, inside }, row, at, width, step) {
    const { svg, data } = this, base = ROW * (row + 1), tall = (ROW - HEAD - 8) / this.most;
    const thick = at(data.start + data.wide) - at(data.start);
    this.counted(bins, step).forEach((count, bin) => {
      if (!count) return;
      const x = at(data.start + bin * data.wide), newest = this.player.playing && bins[step - 1] === bin;
      const bar = { x, y: base - count * tall, width: Math.max(1, thick - 1), height: count * tall, fill: colour };
      add(svg, "rect", { ...bar, "fill-opacity": newest ? 1 : 0.8 });
    });
    add(svg, "line", { class: "grid", x1: 0, x2: width, y1: base, y2: base });
    add(svg, "text", { x: 0, y: ROW * row + 16 }, name);
    let near = 0;
    for (let i = 0; i < step; i++) near += inside[i] === "1";
    const words = step ? `${Math.round((100 * near) / step)} % ${data.within}` : "";
    add(svg, "text", { class: "number", x: width, y: ROW * row + 16, "text-anchor": "end" }, words);
    return `${name}: ${words}`;
  }
}
