// A figure, drawn by plotly.js in a place whose height does not change; each new one takes the place of the one before.

const CHARTS = new WeakMap();
const READER = new TextDecoder();
const EXPAND = {
  width: 24, height: 24,
  path: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let chart = CHARTS.get(parentElement);
  if (!chart) CHARTS.set(parentElement, (chart = new Chart(parentElement)));
  chart.report = (at) => setTriggerValue("clicked", at);
  chart.show(READER.decode(data));
  return () => { chart.close(); CHARTS.delete(parentElement); };
}

// plotly.js, once a page; the document may have asked for it already.
function plotly(address) {
  window.neymanPlotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    const app = document.querySelector('script[src*="/static/js/index."]');
    const url = new URL(address, app ? new URL("../../", app.src) : document.baseURI).href;
    const asked = [...document.scripts].find(({ src }) => src === url);
    const script = asked ?? Object.assign(document.createElement("script"), { src: url, async: true });
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => {
      script.remove();
      window.neymanPlotly = undefined;
      reject(new Error("plotly.js could not be loaded."));
    });
    if (!asked) document.head.append(script);
  });
  return window.neymanPlotly;
}

// Until the next frame stands and nothing else is to do, or a second has passed; Safari only knows frames.
async function painted() {
  await new Promise(requestAnimationFrame);
  const idle = window.requestIdleCallback ?? requestAnimationFrame;
  await new Promise((done) => idle(done, { timeout: 1000 }));
}

class Chart {
  constructor(parent) {
    this.root = document.createElement("div");
    this.root.className = "neyman-chart";
    this.root.setAttribute("role", "figure");
    parent.append(this.root);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.root);
  }

  show(sent) {
    if (sent !== this.sent) {
      this.sent = sent;
      this.given = JSON.parse(sent);
      this.root.setAttribute("aria-label", this.given.alt);
      this.drawn = "";
    }
    this.draw();
  }

  // While a window is dragged or the sidebar opens, every frame has another width: it is drawn again for the last one.
  resized() {
    clearTimeout(this.resizing);
    this.resizing = setTimeout(() => this.draw(), this.place ? 100 : 0);
  }

  close() {
    this.closed = true;
    this.observer.disconnect();
    clearTimeout(this.resizing);
    this.root.remove();
    if (!this.drawing) this.purge();
  }

  // Not while Plotly draws, which would go on with what is gone.
  purge() {
    if (this.place) window.Plotly.purge(this.place);
  }

  // One drawing at a time, and the latest figure last.
  async draw() {
    if (this.drawing) return void (this.again = true);
    this.drawing = true;
    try {
      const Plotly = await plotly(this.given.plotly);
      // What is in sight is painted before what is further down.
      if (this.root.getBoundingClientRect().top > innerHeight) await painted();
      do {
        this.again = false;
        await this.react(Plotly);
      } while (this.again && !this.closed);
    } finally {
      this.drawing = false;
      if (this.closed) this.purge();
    }
  }

  async react(Plotly) {
    const { figure, button, name } = this.given, full = document.fullscreenElement === this.root;
    const style = getComputedStyle(this.root), width = this.root.clientWidth - 2 * parseFloat(style.paddingLeft);
    if (this.closed || width <= 0) return;
    const height = full ? this.root.clientHeight - 2 * parseFloat(style.paddingTop) : figure.layout.height;
    const look = template(style), wanted = `${width} ${height} ${JSON.stringify(look)}`;
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    const first = !this.place;
    this.place ??= this.root.appendChild(document.createElement("div"));
    // Plotly writes into what it is given, and keeps it.
    const { data, layout } = structuredClone(figure);
    Object.assign(layout, { width, height, template: look });
    await Plotly.react(this.place, data, layout, this.config(button, name));
    if (first && this.given.clicks) this.place.on("plotly_click", ({ points: [{ x, y }] }) => this.report([x, y]));
  }

  config(button, name) {
    const keys = [["toImage"]];
    if (document.fullscreenEnabled) {
      const click = () => (document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen());
      keys[0].push({ name: "fullscreen", title: "Full screen", icon: EXPAND, click });
    }
    const saved = { filename: name, scale: 3 };
    if (!button) return { displayModeBar: false };
    return { displaylogo: false, modeBarButtons: keys, toImageButtonOptions: saved };
  }
}

// Streamlit's colours and letters, as its own charts have them.
function template(style) {
  const of = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const text = of("text-color"), back = of("background-color"), grid = of("border-color-light"), family = of("font");
  const small = { color: text, family, size: 12 }, scale = of("chart-sequential-colors").split(",");
  const axis = {
    gridcolor: grid, zerolinecolor: grid, tickcolor: grid, tickfont: small, automargin: true, minor: { gridcolor: grid },
  };
  const title = { font: { ...small, size: 14 } };
  return {
    data: {
      scatter: [{ type: "scatter", marker: { line: { width: 0 } } }],
      heatmap: [{ type: "heatmap", colorscale: scale.map((colour, i) => [i / (scale.length - 1), colour]) }],
    },
    layout: {
      font: small, colorway: of("chart-categorical-colors").split(","), paper_bgcolor: back, plot_bgcolor: back,
      margin: { l: 0, r: 0, pad: 8 },
      xaxis: { ...axis, showgrid: false, zeroline: false, title: { ...title, standoff: 20 } },
      yaxis: { ...axis, ticklabelposition: "outside", title: { ...title, standoff: 24 } },
      legend: { valign: "top", borderwidth: 0, font: small },
      hoverlabel: { bgcolor: back, bordercolor: of("border-color"), font: small },
    },
  };
}
