// The desk at which items are labelled. The next items lie here before they are needed, so that an answer shows the
// next one at once; answers wait in an outbox until the server says that they are saved. Every text is inserted as
// text, never as markup.

const RETRY = 1000; // ms until a busy server is tried again
const PATIENCE = 10000; // ms until what nobody has answered is sent again
const PASSAGE = 20000; // characters that are laid out together
const SHORT = 80; // characters of options that stand beside each other
const CHOICES = ".st-key-label-kind, .st-key-target, .st-key-annotator";
const ROOM = 0.5; // share of the window that options with their texts may take at its lower edge

// One desk a window. It outlives a visit of another page, so that nothing in the outbox is lost.
const desk = {
  root: null, send: null, timer: null, data: null, list: null, items: new Map(), current: null, drawn: null,
  outbox: [], saved: new Map(), serial: 0, history: [], whole: [], note: "", draft: "", before: null, message: "", problem: "", chosen: false, silent: false,
};

window.addEventListener("beforeunload", (event) => {
  if (desk.outbox.length) event.preventDefault();
});

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".desk");
  // A run that a newer one has overtaken, at a place of the page that is gone.
  if (!root?.isConnected) return undefined;
  const again = desk.root !== root;
  desk.root = root;
  desk.send = (value) => setTriggerValue("outbox", value);
  accept(data);
  draw(again);
  if (again && (desk.outbox.length || desk.silent)) transmit();
  window.addEventListener("keydown", pressed, true);
  window.addEventListener("resize", fit);
  return () => {
    // Streamlit cleans up after an overtaken run as well.
    if (desk.root !== root || root.isConnected) return;
    desk.root = null;
    clearTimeout(desk.timer);
    window.removeEventListener("keydown", pressed, true);
    window.removeEventListener("resize", fit);
  };
}

// What the server says: the next items, and what became of the answers.
function accept(data) {
  if (data.list !== desk.list) {
    Object.assign(desk, { list: data.list, items: new Map(), saved: new Map(), history: [], whole: [], current: null, note: "", before: null });
    desk.message = "";
    desk.chosen = release();
  }
  desk.data = data;
  for (const [id, item] of Object.entries(data.items)) desk.items.set(id, item);
  let answered = false;
  for (const op of [...desk.outbox]) {
    const reply = data.replies[op.n];
    if (!reply) continue;
    answered = true;
    if (reply.saved) {
      desk.outbox.splice(desk.outbox.indexOf(op), 1);
      if (op.undo) desk.saved.delete(op.item);
      else if (op.list === desk.list) desk.saved.set(op.item, op.n);
      if (reply.message) desk.message = reply.message;
    } else {
      Object.assign(op, reply);
    }
  }
  const failed = failure();
  if (failed && !failed.shown && desk.items.has(failed.item)) {
    failed.shown = true;
    show(failed.item, failed.note, failed.label ?? failed.status);
  }
  if (answered) {
    clearTimeout(desk.timer);
    const busy = desk.outbox.some((op) => op.busy);
    if ((desk.outbox.length || desk.silent) && !failed) desk.timer = setTimeout(transmit, busy ? RETRY : PATIENCE);
  }
  // While the page around the desk is drawn anew, nothing is sent: Streamlit would take the desk away for a moment.
  if (data.behind !== desk.silent) {
    desk.silent = data.behind;
    if (desk.silent || (desk.outbox.length && !failed)) transmit();
  }
  if (!failed && (desk.current === null || !desk.items.has(desk.current) || gone(desk.current))) next();
}

// Whoever has chosen what is asked, or given a name, goes on with the item: the keys are the answers' again.
function release() {
  const chosen = document.activeElement?.closest(CHOICES);
  if (chosen) document.activeElement.blur();
  return Boolean(chosen);
}

function failure() {
  return desk.outbox.find((op) => op.error);
}

// Whether the item on the desk was answered, and not brought back.
function gone(id) {
  return closed().has(id);
}

function closed() {
  // An order that is older than its replies still holds what they say is saved.
  const ids = new Set([...desk.saved].filter(([, n]) => n > desk.data.latest).map(([id]) => id));
  for (const op of desk.outbox) {
    if (op.list !== desk.list) continue;
    if (op.undo) ids.delete(op.item);
    else ids.add(op.item);
  }
  return ids;
}

function next() {
  const done = closed();
  const id = desk.data.order.find((one) => !done.has(one) && desk.items.has(one));
  const item = desk.items.get(id);
  show(id ?? null, item?.note ?? "", null);
}

function show(id, note, before) {
  Object.assign(desk, { current: id, note: note ?? "", draft: "", before: before ?? null, problem: "" });
}

function answer(label, status = "") {
  const item = desk.items.get(desk.current);
  if (!item) return;
  const failed = failure();
  desk.message = "";
  const op = { item: item.id, label, status, note: desk.note.trim(), was: item.was ?? null };
  if (failed) {
    // Another answer to the item that came back takes the place of the one that failed.
    Object.assign(failed, { label, status, note: op.note });
    const entry = desk.history.findLast((one) => one.item === item.id);
    if (entry) Object.assign(entry, { label, note: op.note });
    again();
  } else {
    desk.history.push({ item: item.id, label, note: op.note, was: op.was });
    if (label !== null) item.was = label;
    item.note = "";
    post(op);
  }
  if (!failed) {
    next();
    draw();
  }
}

function undo() {
  if (failure()) return;
  const last = desk.history.pop() ?? (desk.outbox.length ? null : desk.data.back);
  if (!last || !desk.items.has(last.item)) return;
  desk.data.back = null;
  desk.items.get(last.item).was = last.was ?? null;
  post({ item: last.item, undo: true, label: last.label, was: last.was ?? null });
  desk.message = "";
  show(last.item, last.note, last.label);
  draw();
}

function post(op) {
  desk.outbox.push({ ...op, n: ++desk.serial, list: desk.list });
  if (!desk.silent) transmit();
}

function transmit() {
  clearTimeout(desk.timer);
  if (!desk.root) return;
  const done = closed();
  const have = desk.data.order.filter((id) => desk.items.has(id) && !done.has(id));
  const ops = desk.outbox.map(({ n, list, item, label, status, note, was, undo }) =>
    ({ n, list, item, label, status, note, was, undo: Boolean(undo) }));
  desk.send({ list: desk.list, ops, have, whole: desk.whole, redraw: desk.silent, at: Date.now() });
  if (desk.outbox.length || desk.silent) desk.timer = setTimeout(transmit, PATIENCE);
}

function discard(op) {
  desk.outbox.splice(desk.outbox.indexOf(op), 1);
  desk.history = desk.history.filter((one) => one.item !== op.item);
  const item = desk.items.get(op.item);
  if (item) item.was = op.was;
  for (const other of desk.outbox) other.error = null;
  if (desk.outbox.length) transmit();
  show(op.item, "", null);
  draw();
}

function again() {
  for (const op of desk.outbox) op.error = op.busy = op.shown = null;
  next();
  transmit();
  draw();
}

// Keys: letters and digits of the answers, and s, u, g where no answer has them. While one types they belong to the text.
function actions() {
  const item = desk.items.get(desk.current);
  const keys = new Map();
  if (!item) return keys;
  for (const one of item.answers) {
    for (const key of one.keys) keys.set(key, () => answer(one.label));
  }
  for (const [key, action] of [["s", skip], ["u", undo], ["g", giveUp]]) {
    if (!keys.has(key) && !(item.field && !item.answers.length)) keys.set(key, action);
  }
  return keys;
}

const skip = () => answer(null, "skipped");
const giveUp = () => answer(null, "given up");

function pressed(event) {
  const target = event.composedPath()[0];
  if (!desk.root || event.isComposing || document.querySelector('[role="dialog"]')) return;
  const ctrl = event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
  let action = null;
  if (ctrl && event.key === "ArrowDown") action = skip;
  else if (ctrl && event.key === "ArrowUp") action = undo;
  else if (event.ctrlKey || event.altKey || event.metaKey || typing(target)) return;
  else {
    const keys = desk.current === null ? new Map([["u", undo]]) : actions();
    const physical = /^(?:Key|Digit)(.)$/.exec(event.code)?.[1].toLowerCase();
    action = keys.get(event.key.toLowerCase()) ?? (/^[\x21-\x7e]$/.test(event.key) ? null : keys.get(physical));
  }
  if (event.repeat && (action || event.key === "Enter" || event.key === " ") && !typing(target)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  if (!action) {
    write(event, target);
    return;
  }
  // Streamlit has its own keys, such as c.
  event.preventDefault();
  event.stopImmediatePropagation();
  action();
}

// Where an answer is typed, what is typed nowhere else goes into its field, whatever has taken the cursor away.
function write(event, target) {
  const item = desk.items.get(desk.current);
  const nowhere = target === document.body || target === document.documentElement;
  if (!item?.field || item.answers.length || !nowhere) return;
  if (!/^[^\s]$/u.test(event.key) && !(event.key === "Enter" && desk.draft)) return;
  event.stopImmediatePropagation();
  desk.root.querySelector(".dock form input")?.focus({ preventScroll: true });
}

function typing(target) {
  return Boolean(target.matches?.('input, textarea, select, [contenteditable="true"], [role="combobox"], [role="option"]'));
}

// Drawing.
function el(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) node[name] = value;
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function draw(afresh = false) {
  if (!desk.root) return;
  if (afresh || !desk.root.firstChild) {
    desk.root.replaceChildren(
      el("div", { class: "progress" }), el("div", { class: "notice", role: "status" }),
      el("article", { class: "item" }), el("div", { class: "dock" }), el("div", { class: "queue" }), el("div", { class: "row" }),
    );
    desk.drawn = null;
  }
  const [progress, notice, article, dock, queue, more] = desk.root.children;
  drawProgress(progress);
  notice.replaceChildren(...(desk.message ? [el("p", { class: "message" }, desk.message)] : []));
  const item = desk.items.get(desk.current);
  const drawn = JSON.stringify([desk.list, desk.current, item?.hidden, item?.pictures?.length, item?.problems, desk.before, item ? "" : absence()]);
  if (drawn !== desk.drawn) {
    desk.drawn = drawn;
    const focused = desk.root.getRootNode().activeElement;
    const key = focused?.dataset?.key;
    drawItem(article, item);
    drawDock(dock, item);
    drawMore(more, item);
    fit();
    if (key) dock.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
    if (desk.root.dataset.item !== desk.current || desk.chosen) toTop();
    if (desk.chosen) typeAtOnce();
    desk.root.dataset.item = desk.current ?? "";
    desk.chosen = false;
  }
  for (const problem of desk.root.querySelectorAll(".problem")) problem.textContent = desk.problem;
  drawQueue(queue);
  desk.root.dataset.unsaved = desk.outbox.length;
}

// A new item begins at its beginning.
function toTop() {
  const top = desk.root.getBoundingClientRect().top;
  if (top < 0) desk.root.scrollIntoView({ block: "start" });
}

function drawProgress(box) {
  const { data } = desk;
  let done = data.done;
  for (const op of desk.outbox) {
    if (op.list === desk.list && op.label !== null) done += op.was !== null ? 0 : op.undo ? -1 : 1;
  }
  const text = `${done.toLocaleString("en")} of ${data.total.toLocaleString("en")} ${data.total === 1 ? "item" : "items"}`;
  const share = data.total ? Math.min(1, Math.max(0, done / data.total)) : 0;
  const bar = el("div", { class: "bar", role: "progressbar", "aria-label": "Labelled", "aria-valuemin": 0, "aria-valuemax": data.total, "aria-valuenow": done });
  const filled = el("div", { class: "filled" });
  filled.style.width = `${100 * share}%`;
  bar.append(filled);
  box.replaceChildren(
    el("div", { class: "count" }, el("span", { "aria-live": "polite" }, text), [untilEstimate(), data.pace].filter(Boolean).map((one) => ` · ${one}`).join(""),
      el("span", { class: "saved" }, desk.outbox.length ? "Saving …" : "All saved")),
    bar, data.lost ? el("p", { class: "quiet" }, data.lost) : "",
  );
}

// An estimate takes a label in each stratum; those that wait in the outbox count at once.
function untilEstimate() {
  const { waiting = 0, opening = [] } = desk.data;
  const brought = new Set();
  for (const op of desk.outbox) {
    if (op.list !== desk.list || !opening.includes(op.item)) continue;
    if (op.undo) brought.delete(op.item);
    else if (op.label !== null) brought.add(op.item);
  }
  const more = waiting - brought.size;
  return more > 0 ? `${more.toLocaleString("en")} more until the first estimate` : "";
}

// What stands in place of an item where there is none.
function absence() {
  if (desk.outbox.length) return "Saving the last answers …";
  return desk.data.left ? "Loading the next items …" : desk.data.over;
}

function drawItem(box, item) {
  if (!item) {
    const over = !desk.outbox.length && !desk.data.left;
    box.replaceChildren(el("p", { class: over ? "over" : "quiet" }, absence()));
    return;
  }
  const parts = [el("p", { class: "quiet name" }, `Item ${item.id}`)];
  if (item.prompt !== null) parts.push(passages(item.prompt));
  if (item.hidden) {
    const all = `(${item.hidden.toLocaleString("en")} more characters)`;
    parts.push(el("p", { class: "quiet" }, "The beginning is shown. ",
      el("button", { class: "plain", type: "button", onclick: () => { desk.whole = [item.id]; transmit(); } }, `Show all ${all}`)));
  }
  if (item.nothing) parts.push(el("p", { class: "quiet" }, item.nothing));
  for (const one of item.pictures) {
    const image = el("img", { src: one, alt: `A picture of item ${item.id}`, tabindex: 0, title: "Click to enlarge" });
    image.onclick = () => image.classList.toggle("large");
    image.onerror = () => image.replaceWith(el("p", { class: "message" }, "An image is damaged and not shown."));
    parts.push(image);
  }
  for (const problem of item.problems) parts.push(el("p", { class: "message" }, problem));
  for (const part of item.parts) {
    parts.push(el("section", { class: "part" }, el("p", { class: "quiet" }, part.title), part.text === null ? "" : passages(part.text)));
  }
  box.replaceChildren(...parts, el("div", { class: "options flowing" }));
}

// A browser lays out the passages near the screen only, so that even a text of megabytes is shown at once.
function passages(text) {
  const box = el("div", { class: "text" });
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PASSAGE, text.length);
    if (end < text.length) {
      const cut = Math.max(text.lastIndexOf("\n", end - 1), at) || end;
      end = cut > at ? cut + 1 : (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
    }
    box.append(el("div", { class: text.length > PASSAGE ? "passage" : "" }, text.slice(at, end)));
    at = end;
  }
  return box;
}

// What stays in view: the answers, and the ways not to answer.
function drawDock(box, item) {
  const keys = item ? actions() : new Map([["u", undo]]);
  const typed = Boolean(item?.field) && !item.answers.length;
  const parts = item ? [el("p", { class: "quiet" }, desk.data.question)] : [];
  if (item?.answers.length) {
    const short = item.answers.reduce((sum, one) => sum + one.title.length, 0) <= SHORT;
    parts.push(el("div", { class: short ? "options short" : "options" }, ...item.answers.map((one) => option(one))));
  }
  if (desk.before !== null) parts.push(el("p", { class: "quiet" }, `Your answer: ${desk.before}`));
  const row = el("div", { class: "row" });
  if (item) row.append(button("Skip", skip, typed ? "Ctrl ↓" : keys.get("s") === skip ? "S" : "", "The item comes again at the end."));
  if (desk.history.length || desk.data.back) row.append(button("Undo", undo, typed ? "Ctrl ↑" : keys.get("u") === undo ? "U" : ""));
  if (item) {
    row.append(button("Give up", giveUp, keys.get("g") === giveUp ? "G" : "",
      "The item never gets a label. The next one of its stratum takes its place, at the end of the list."));
  }
  const form = box.querySelector("form");
  if (typed && form?.dataset.kind === item.field.title) {
    // The field in which one types keeps the cursor.
    form.querySelector("input").value = desk.draft;
    for (const child of [...box.children]) if (child !== form) child.remove();
    for (const part of parts) box.insertBefore(part, form);
    box.append(row);
  } else {
    box.replaceChildren(...parts, ...(typed ? [field(item)] : []), row);
    typeAtOnce();
  }
}

// The field to type in has the cursor, unless the keyboard is somewhere else.
function typeAtOnce() {
  if (document.activeElement?.matches(":focus-visible")) return;
  desk.root.querySelector(".dock form input")?.focus({ preventScroll: true });
}

// What is rarely needed: another answer than those to choose from, and a note.
function drawMore(box, item) {
  if (!item) {
    box.replaceChildren();
    return;
  }
  const note = el("input", { class: "note", "aria-label": "Note", placeholder: "Note (optional)", maxlength: 500 });
  note.value = desk.note;
  note.oninput = () => { desk.note = note.value; };
  box.replaceChildren(...(item.field && item.answers.length ? [field(item)] : []), note);
}

function option(one) {
  const chosen = desk.before !== null && one.label === desk.before;
  return el("button", { class: chosen ? "option chosen" : "option", type: "button", "data-key": one.label, "aria-pressed": chosen ? "true" : null,
    "aria-keyshortcuts": one.keys.join(" "), onclick: () => answer(one.label) },
    el("kbd", {}, one.badge), el("span", { class: "words" }, one.title));
}

function button(title, action, key, help = null) {
  return el("button", { class: "action", type: "button", title: help, onclick: action }, title, key ? el("kbd", { "aria-hidden": "true" }, key) : null);
}

function field(item) {
  const { title, score } = item.field;
  const input = el("input", { "aria-label": title, placeholder: `${title}: Enter keeps it`, maxlength: 2000, inputmode: score ? "decimal" : null });
  input.value = desk.draft;
  input.oninput = () => { desk.draft = input.value; };
  const form = el("form", { class: "row", "data-kind": title }, input, el("button", { class: "action", type: "submit" }, "Keep"), el("p", { class: "problem", role: "alert" }));
  form.onsubmit = (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const now = desk.items.get(desk.current);
    if (!text || !now) return;
    if (score) {
      const number = Number(text.replace(",", "."));
      if (!(number >= 0 && number <= 1)) {
        desk.problem = "A score is a number from 0 to 1.";
        draw();
        return;
      }
      answer(String(number));
    } else {
      if (now.answers.length) input.blur();
      answer(text);
    }
  };
  return form;
}

function drawQueue(box) {
  const failed = failure();
  const waiting = desk.outbox.map((op) => {
    const what = op.undo ? "undo" : op.label ?? op.status;
    return el("li", {}, `${op.item}: ${what.length > 60 ? `${what.slice(0, 60)} …` : what}`);
  });
  const parts = [];
  if (failed) {
    parts.push(el("p", { class: "failed", role: "alert" }, `Not saved. ${failed.error}`),
      el("div", { class: "row" }, button("Save again", again, ""), button("Discard", () => discard(failed), "")));
  } else if (desk.outbox.some((op) => op.busy)) {
    parts.push(el("p", { class: "message", role: "status" }, "Busy, saving again …"));
  }
  if (waiting.length) parts.push(el("p", { class: "quiet" }, "Not saved yet"), el("ul", {}, ...waiting));
  box.replaceChildren(...parts);
}

// Options with their texts stand at the lower edge of the window where half of it holds them; else with the item, and
// their letters alone at the edge.
function fit() {
  if (!desk.root) return;
  const item = desk.items.get(desk.current);
  const flowing = desk.root.querySelector(".flowing");
  const docked = desk.root.querySelector(".dock .options");
  if (!item || !flowing || !docked) return;
  docked.classList.remove("letters");
  flowing.replaceChildren();
  if (docked.getBoundingClientRect().height > ROOM * window.innerHeight) {
    docked.classList.add("letters");
    flowing.replaceChildren(...item.answers.map((one) => option(one)));
  }
}
