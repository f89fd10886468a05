// The desk at which items are labelled. The next items lie here before they are needed, so that an answer shows the
// next one at once. Answers wait in an outbox, and in the browser's storage, until the server says that they are saved;
// each says where it belongs. Every text is inserted as text, never as markup.

const RETRY = 1000; // ms until a busy server is tried again
const PATIENCE = 2000; // ms until what nobody has answered is sent again, at first
const LEAVING = 4000; // ms that a link has to lead to its page, during which nothing is sent
const LONGEST = 8000; // … and at last
const LATE = 10000; // ms from which on a label is called not saved
const RUNNING = 30000; // ms that a page may take to be drawn
const STORED = "neyman-label:"; // what the names of stored labels begin with
const PASSAGE = 20000; // characters that are laid out together
const SHORT = 80; // characters of options that stand beside each other
const CHOICES = ".st-key-label-kind, .st-key-target, .st-key-annotator";
const ROOM = 0.5; // share of the window that options with their texts may take at its lower edge
const KINDS = { gold: "right answer", "right-wrong": "right or wrong", score: "score", preference: "which is better" };
const COLUMNS = ["item_id", "label", "annotator", "plan_id", "note", "status", "kind", "answers_of"];

// One desk a window. It outlives a visit of another page, so that nothing in the outbox is lost.
const desk = {
  root: null, send: null, timer: null, clock: null, leaves: 0, tries: 0, woken: false, data: null, list: null, to: null, person: null, session: null,
  items: new Map(), current: null, drawn: null, outbox: [], forgetful: false, saved: new Set(), serial: 0,
  history: [], whole: [], note: "", draft: "", said: [], before: null, message: "", told: 0, problem: "", chosen: false, silent: false, bare: false,
};

// Nothing is lost that is stored, but it reaches the app only once somebody comes back.
window.addEventListener("beforeunload", (event) => {
  if (desk.forgetful ? desk.outbox.length : mine().some((op) => op.to === desk.to || !op.error)) event.preventDefault();
});

// Streamlit forgets which page a link leads to if a message of this page follows before that page stands.
const leaves = () => { desk.leaves = Date.now() + LEAVING; };
window.addEventListener("popstate", leaves);
window.addEventListener("click", (event) => {
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button;
  if (!elsewhere && event.target.closest?.('[data-testid^="stPageLink"]')) leaves();
}, true);

// Pages without a desk ask whether one is needed.
window.neymanWaiting = () => desk.outbox.length > 0;

// Another tab has sent what was stored, or discarded it.
window.addEventListener("storage", ({ key, newValue }) => {
  if (newValue !== null || !key?.startsWith(STORED)) return;
  desk.outbox = desk.outbox.filter((op) => STORED + op.id !== key);
  draw();
});

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".desk");
  // A run that a newer one has overtaken, at a place of the page that is gone.
  if (!root?.isConnected) return undefined;
  const again = desk.root !== root;
  if (again) desk.leaves = 0;
  desk.root = root;
  desk.send = (value) => setTriggerValue("outbox", value);
  accept(data);
  draw(again);
  if (again && (desk.outbox.length || desk.silent)) transmit();
  else if (desk.outbox.length && !desk.timer) transmit();
  window.addEventListener("keydown", pressed, true);
  window.addEventListener("resize", fit);
  return () => {
    // Streamlit cleans up after an overtaken run as well.
    if (desk.root !== root || root.isConnected) return;
    desk.root = null;
    pause();
    window.removeEventListener("keydown", pressed, true);
    window.removeEventListener("resize", fit);
  };
}

// What the server says: the next items, and what became of the answers.
function accept(data) {
  const renewed = desk.session !== data.session || desk.woken;
  Object.assign(desk, { session: data.session, woken: false });
  if (data.person !== desk.person) {
    desk.person = data.person;
    adopt();
  }
  if (data.list && data.list !== desk.list) {
    Object.assign(desk, { list: data.list, items: new Map(), saved: new Set(), history: [], whole: [], current: null, note: "", before: null });
    desk.message = "";
    desk.chosen = release();
  }
  desk.data = data;
  desk.to = data.to;
  for (const [id, item] of Object.entries(data.items ?? {})) desk.items.set(id, item);
  let answered = false;
  const messages = [];
  for (const op of [...desk.outbox]) {
    const reply = data.replies[op.id];
    if (!reply) continue;
    answered = true;
    if (reply.saved) {
      remove(op);
      if (op.undo) desk.saved.delete(op.item);
      else if (op.to === desk.to) desk.saved.add(op.item);
      if (reply.message) messages.push(reply.message);
    } else {
      Object.assign(op, reply);
    }
  }
  if (messages.length) tell(messages.join(" "));
  // An order that is older than its replies still holds what they say is saved.
  if (data.fresh) desk.saved.clear();
  const failed = failure();
  if (failed && !failed.shown && desk.items.has(failed.item)) {
    failed.shown = true;
    show(failed.item, failed.note, failed.label ?? failed.status);
  }
  if (answered) {
    pause();
    desk.tries = 0;
    const busy = desk.outbox.some((op) => op.busy);
    if (sendable().length || desk.silent) wait(busy ? RETRY : PATIENCE);
  } else if (renewed && sendable().length) {
    transmit();
  }
  // While the page around the desk is redrawn, nothing is sent: Streamlit would take the desk away for a moment.
  if (Boolean(data.behind) !== desk.silent) {
    desk.silent = Boolean(data.behind);
    if (desk.silent || sendable().length) transmit();
  }
  if (data.list && !failed && (desk.current === null || !desk.items.has(desk.current) || gone(desk.current))) next();
  // After a visit of another list the server still takes the items of this one to be here.
  const due = (data.order ?? []).filter((id) => !gone(id));
  const bare = due.length > 0 && !due.some((id) => desk.items.has(id));
  if (bare && !desk.bare && !desk.silent) transmit();
  desk.bare = bare;
}

// What waits in this browser, of whatever list, since the page was left or the app was restarted. Each label says whose it
// is, so that of others it is sent, too, and not shown.
function adopt() {
  const found = [];
  try {
    for (let place = 0; place < localStorage.length; place++) {
      const name = localStorage.key(place);
      if (name.startsWith(STORED)) found.push(JSON.parse(localStorage.getItem(name)));
    }
    localStorage.setItem(`${STORED}?`, "null");
    localStorage.removeItem(`${STORED}?`);
    desk.forgetful = false;
  } catch {
    desk.forgetful = true;
  }
  const known = new Set(desk.outbox.map((op) => op.id));
  found.sort((one, other) => one.given - other.given || one.n - other.n);
  for (const op of found) {
    if (op && !known.has(op.id)) desk.outbox.push({ ...op, since: Date.now() });
  }
}

function keep(op) {
  const { id, n, given, to, item, label, status, note, was, undo, codes } = op;
  try {
    localStorage.setItem(STORED + id, JSON.stringify({ id, n, given, to, item, label, status, note, was, undo: Boolean(undo), codes }));
  } catch {
    // Full, or forbidden: what waits lives as long as this page.
    desk.forgetful = true;
  }
}

function remove(op) {
  desk.outbox.splice(desk.outbox.indexOf(op), 1);
  forget(op.id);
}

function forget(id) {
  try {
    localStorage.removeItem(STORED + id);
  } catch {
    desk.forgetful = true;
  }
}

function place(op) {
  const [pool, plan, kind, target, person] = JSON.parse(op.to);
  return { pool, plan, kind, target, person };
}

// Pages that are not served over https have no randomUUID.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Whoever has chosen what is asked, or given a name, goes on with the item: the keys are the answers' again.
function release() {
  const chosen = document.activeElement?.closest(CHOICES);
  if (chosen) document.activeElement.blur();
  return Boolean(chosen);
}

function failure() {
  return desk.outbox.find((op) => op.error && op.to === desk.to);
}

// What follows a step of the same list that failed waits with it.
function stuck(op) {
  return desk.outbox.some((other) => other.error && other.to === op.to);
}

function sendable() {
  return desk.outbox.filter((op) => !stuck(op));
}

function late(op) {
  return stuck(op) || Date.now() - op.since >= LATE;
}

// Whether the item on the desk was answered, and not brought back.
function gone(id) {
  return closed().has(id);
}

function closed() {
  const ids = new Set(desk.saved);
  for (const op of desk.outbox) {
    if (op.to !== desk.to) continue;
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
  Object.assign(desk, { current: id, note: note ?? "", draft: "", said: [], before: before ?? null, problem: "" });
}

// What a label was left out for is read by nobody who goes on at once: it stays for a while.
function tell(message) {
  Object.assign(desk, { message, told: Date.now() });
}

function untell() {
  if (Date.now() - desk.told > LATE) desk.message = "";
}

function answer(label, status = "") {
  const item = desk.items.get(desk.current);
  if (!item) return;
  const failed = failure();
  untell();
  if (label !== null && several()) {
    // One key for each criterion; together they are one label, which is sent once all are there.
    desk.said.push(label);
    if (desk.said.length < criteria().length) {
      draw();
      return;
    }
    label = desk.said.join(" ");
  }
  const op = { item: item.id, label, status, note: desk.note.trim(), was: item.was ?? null };
  if (several()) op.codes = criteria().map((one) => one.code);
  if (failed) {
    // Another answer to the item that came back takes the place of the one that failed.
    forget(failed.id);
    Object.assign(failed, { id: newId(), label, status, note: op.note });
    keep(failed);
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
  if (desk.said.length) {
    desk.said.pop();
    draw();
    return;
  }
  const last = desk.history.pop() ?? (desk.outbox.length ? null : desk.data.back);
  if (!last || !desk.items.has(last.item)) return;
  desk.data.back = null;
  desk.items.get(last.item).was = last.was ?? null;
  post({ item: last.item, undo: true, label: last.label, was: last.was ?? null });
  untell();
  show(last.item, last.note, last.label);
  draw();
}

function criteria() {
  return desk.data.criteria ?? [];
}

function several() {
  return criteria().length > 1;
}

function post(op) {
  takeName();
  const now = Date.now();
  const posted = { ...op, id: newId(), n: ++desk.serial, given: now, since: now, to: desk.to };
  desk.outbox.push(posted);
  keep(posted);
  if (!desk.silent) transmit();
  else if (!desk.timer) wait(PATIENCE);
}

// A label belongs to whoever the field names at that moment: the page may not have said so yet.
function takeName() {
  const field = document.querySelector(".st-key-annotator input");
  const person = field ? field.value.trim() || desk.data.nobody : desk.person;
  if (person === desk.person) return;
  desk.person = person;
  desk.to = JSON.stringify([...JSON.parse(desk.to).slice(0, 4), person]);
  adopt();
}

function transmit() {
  pause();
  if (!desk.root) return;
  if (Date.now() < desk.leaves) {
    desk.timer = setTimeout(transmit, desk.leaves - Date.now());
    return;
  }
  const done = closed();
  const have = (desk.data.order ?? []).filter((id) => desk.items.has(id) && !done.has(id));
  const ops = sendable().map(({ id, to, item, label, status, note, was, undo }) =>
    ({ id, to, item, label, status, note, was, undo: Boolean(undo) }));
  desk.send({ list: desk.list, ops, have, whole: desk.whole, redraw: desk.silent, at: Date.now() });
  if (ops.length || desk.silent) wait(Math.min(LONGEST, PATIENCE * 1.5 ** desk.tries));
}

function wait(milliseconds) {
  pause();
  desk.timer = setTimeout(insist, milliseconds);
}

function pause() {
  clearTimeout(desk.timer);
  desk.timer = null;
}

// Nobody has answered: the server is busy, gone, or was restarted and does not know this desk. Then only a message
// from outside of the desk's fragment has the page drawn, upon which the desk sends again.
function insist() {
  desk.timer = null;
  if (!desk.root || !(sendable().length || desk.silent)) return;
  if (Date.now() < desk.leaves) {
    wait(desk.leaves - Date.now());
    return;
  }
  const app = document.querySelector('[data-testid="stApp"]');
  const running = app?.getAttribute("data-test-script-state") === "running";
  const waited = Math.max(0, ...sendable().map((op) => Date.now() - op.since));
  desk.tries += 1;
  if (running && waited < RUNNING) {
    wait(PATIENCE);
  } else if (window.neymanWake && !desk.outbox.some((op) => op.busy) && desk.tries > 0) {
    desk.woken = true;
    window.neymanWake();
    wait(Math.min(LONGEST, PATIENCE * 1.5 ** desk.tries));
  } else {
    transmit();
  }
}

function discard(...ops) {
  for (const op of ops) {
    remove(op);
    desk.history = desk.history.filter((one) => one.item !== op.item);
    const item = desk.items.get(op.item);
    if (item && op.to === desk.to) item.was = op.was;
  }
  const [first] = ops;
  if (first.to === desk.to) {
    for (const other of desk.outbox) if (other.to === desk.to) other.error = null;
    show(first.item, "", null);
  }
  if (sendable().length) transmit();
  draw();
}

function again() {
  for (const op of desk.outbox) {
    if (op.error) op.since = Date.now();
    op.error = op.busy = op.shown = null;
  }
  if (desk.data.list) next();
  transmit();
  draw();
}

// The labels that wait, as a file that the tab “Import labels” reads.
function download() {
  const cell = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const rows = new Map();
  for (const op of mine()) {
    const { plan, kind, target, person } = place(op);
    rows.delete(op.to + op.item);
    if (op.undo) continue;
    // A label of several criteria is a row of each.
    const parts = op.codes ? op.codes.map((code, at) => [op.label?.split(" ")[at] ?? null, code]) : [[op.label, target]];
    rows.set(op.to + op.item, parts.map(([label, code]) => [op.item, label, person, plan, op.note, op.status, kind, code]));
  }
  const text = [COLUMNS, ...[...rows.values()].flat()].map((row) => row.map(cell).join(",")).join("\r\n");
  const link = el("a", { href: URL.createObjectURL(new Blob([text + "\r\n"], { type: "text/csv" })), download: "neyman-not-saved.csv" });
  desk.root.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), LATE);
}

// What waits of the person who is here, and what cannot be sent of others.
function mine() {
  return desk.outbox.filter((op) => place(op).person === desk.person);
}

function foreign() {
  return desk.outbox.filter((op) => late(op) && place(op).person !== desk.person).length;
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
  if (!desk.root || !desk.data.list || event.isComposing || document.querySelector('[role="dialog"]')) return;
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

// Letters and digits mean nothing to a switch, a button or a tab: there the keys are the answers'.
function typing(target) {
  const typed = 'input:not([type="checkbox"], [type="radio"], [type="range"])';
  return Boolean(target.matches?.(`${typed}, textarea, select, [contenteditable="true"], [role="combobox"], [role="option"]`));
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
  watch();
  drawQueue(queue);
  desk.root.dataset.unsaved = mine().length;
  if (!desk.data.list) return;
  drawProgress(progress);
  notice.replaceChildren(...(desk.message ? [el("p", { class: "message" }, desk.message)] : []));
  const item = desk.items.get(desk.current);
  const drawn = JSON.stringify([desk.list, desk.current, item?.hidden, item?.pictures?.length, item?.problems, desk.before, desk.said,
    item ? "" : absence()]);
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
}

// Once a label has waited for too long, the page says so.
function watch() {
  clearTimeout(desk.clock);
  const next = Math.min(...desk.outbox.filter((op) => !late(op)).map((op) => op.since + LATE));
  if (Number.isFinite(next)) desk.clock = setTimeout(draw, next - Date.now() + 10);
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
    if (op.to === desk.to && op.label !== null) done += op.was !== null ? 0 : op.undo ? -1 : 1;
  }
  const text = `${done.toLocaleString("en")} of ${data.total.toLocaleString("en")} ${data.total === 1 ? "item" : "items"} labelled`;
  const share = data.total ? Math.min(1, Math.max(0, done / data.total)) : 0;
  const bar = el("div", { class: "bar", role: "progressbar", "aria-label": "Labelled", "aria-valuemin": 0, "aria-valuemax": data.total, "aria-valuenow": done });
  const filled = el("div", { class: "filled" });
  filled.style.width = `${100 * share}%`;
  bar.append(filled);
  const first = untilFirst();
  if (first > 0 && done + first < data.total) {
    const mark = el("div", { class: "mark" });
    mark.style.insetInlineStart = `${(100 * (done + first)) / data.total}%`;
    bar.append(mark);
  }
  const goal = data.precision && done < data.total ? `${data.precision} at the end` : "";
  box.replaceChildren(
    el("div", { class: "count" }, el("span", {}, el("span", { "aria-live": "polite" }, text), [untilEstimate(), goal, data.pace].filter(Boolean).map((one) => ` · ${one}`).join("")),
      standing()),
    bar, data.lost ? el("p", { class: "quiet" }, data.lost) : "",
  );
}

// Whether all is saved: said in words, and in red where it is not.
function standing() {
  const waiting = mine();
  const lost = waiting.filter(late).length;
  if (lost) return el("span", { class: "saved lost" }, `⚠ ${lost.toLocaleString("en")} not saved`);
  return el("span", { class: "saved" }, waiting.length ? "Saving …" : "All saved");
}

// An estimate takes a label in each stratum, its interval one more; those that wait in the outbox count at once.
function untilFirst() {
  const { waiting = 0, opening = [] } = desk.data, given = newlyGiven();
  return waiting - opening.filter((item) => given.has(item)).length;
}

function newlyGiven() {
  const given = new Set();
  for (const op of desk.outbox) {
    if (op.to !== desk.to || (!op.undo && op.label === null)) continue;
    if (op.undo) given.delete(op.item);
    else given.add(op.item);
  }
  return given;
}

function untilEstimate() {
  const { waiting = 0, further = 1, strata = 0 } = desk.data;
  const more = untilFirst(), brought = waiting - more;
  const why = `it takes one in each of ${strata.toLocaleString("en")} groups (strata)`;
  if (more > 0) return `${more.toLocaleString("en")} more until the first estimate: ${why}`;
  return further + newlyGiven().size - brought > 0 ? "" : "1 more until the first interval";
}

// What stands in place of an item where there is none.
function absence() {
  const waiting = desk.outbox.filter((op) => op.to === desk.to);
  if (waiting.some(late)) return "The last answers are not saved.";
  if (waiting.length) return "Saving the last answers …";
  return desk.data.left ? "Loading the next items …" : desk.data.over;
}

function drawItem(box, item) {
  if (!item) {
    const over = !desk.outbox.some((op) => op.to === desk.to) && !desk.data.left;
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
  const sections = item.parts.map((part) =>
    el("section", { class: "part" }, el("p", { class: "quiet" }, part.title), part.text === null ? "" : passages(part.text)));
  // Two answers that are compared stand beside each other where there is room.
  parts.push(...(item.beside ? [el("div", { class: "beside" }, ...sections)] : sections));
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
  const parts = item ? asking(item) : [];
  if (item?.answers.length) {
    const short = item.answers.reduce((sum, one) => sum + one.title.length, 0) <= SHORT;
    parts.push(el("div", { class: short ? "options short" : "options" }, ...item.answers.map((one) => option(one))));
  }
  if (desk.before !== null) parts.push(el("p", { class: "quiet" }, `Your answer: ${desk.before}`));
  const row = el("div", { class: "row" });
  if (item) row.append(button("Skip", skip, typed ? "Ctrl ↓" : keys.get("s") === skip ? "S" : "", "The item comes again at the end."));
  if (desk.history.length || desk.data.back || desk.said.length) row.append(button("Undo", undo, typed ? "Ctrl ↑" : keys.get("u") === undo ? "U" : ""));
  if (item) {
    row.append(button("Replace item", giveUp, keys.get("g") === giveUp ? "G" : "",
      "Nobody can label this item. It gets no label, and the next item of its stratum takes its place, at the end of the list."));
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

// What is asked: of a list with criteria each of them with its rubric, what was said of it, and which one is next.
function asking(item) {
  if (!criteria().length) return [el("p", { class: "quiet" }, desk.data.question)];
  const rows = criteria().map((one, at) => {
    const said = item.answers.find((answer) => answer.label === desk.said[at])?.title;
    const now = at === desk.said.length;
    return el("li", { class: now ? "now" : "", "aria-current": now && several() ? "step" : null },
      el("strong", {}, one.name), said ? el("span", { class: "said" }, ` ${said}`) : null, one.rubric ? `: ${one.rubric}` : "");
  });
  return [el("ol", { class: "criteria" }, ...rows)];
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
  const chosen = desk.before !== null && one.label === (several() ? desk.before.split(" ")[desk.said.length] : desk.before);
  return el("button", { class: chosen ? "option chosen" : "option", type: "button", "data-key": one.label, "aria-pressed": chosen ? "true" : null,
    "aria-keyshortcuts": one.keys.join(" "), onclick: () => answer(one.label) },
    el("kbd", {}, one.badge), el("span", { class: "words" }, one.title));
}

function button(title, action, key, help = null) {
  return el("button", { class: "action", type: "button", title: help, onclick: action }, title, key ? el("kbd", { "aria-hidden": "true" }, key) : null);
}

function field(item) {
  const { title, score, low, high } = item.field;
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
      if (!(number >= low && number <= high)) {
        desk.problem = `${title.split(",")[0]}: a number from ${low} to ${high}.`;
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
  const waiting = mine();
  const failed = failure();
  const parts = [];
  if (failed) {
    parts.push(el("p", { class: "failed", role: "alert" }, `⚠ Not saved. ${failed.error}`),
      el("div", { class: "row" }, button("Save again", again, ""), button("Discard", () => discard(failed), ""), downloads()));
  }
  for (const [error, ops] of elsewhere(waiting)) {
    const many = ops.length > 1 ? `${ops.length.toLocaleString("en")} labels of another list are` : "A label of another list is";
    parts.push(el("p", { class: "failed", role: "alert" }, `⚠ Not saved. ${many} still in this browser. ${error}`),
      el("div", { class: "row" }, button("Save again", again, ""), button("Discard them", () => confirm("Discard these labels for good?") && discard(...ops), ""), failed ? null : downloads()));
  }
  if (!parts.length && waiting.some(late)) {
    const kept = desk.forgetful ? "A reload would lose your labels: download them." : "Your labels stay in this browser until they are saved.";
    const why = waiting.some((op) => op.busy) ? "Busy, saving again …" : "The app does not answer.";
    parts.push(el("p", { class: "failed", role: "alert" }, `⚠ Not saved. ${why} ${kept}`), el("div", { class: "row" }, downloads()));
  } else if (!failed && waiting.some((op) => op.busy)) {
    parts.push(el("p", { class: "message", role: "status" }, "Busy, saving again …"));
  }
  if (waiting.length) parts.push(el("p", { class: "quiet" }, "Not saved yet"), el("ul", {}, ...waiting.map(listed)));
  if (desk.forgetful) {
    parts.push(el("p", { class: "quiet" }, "This browser stores nothing for this page (a private window, or its storage is full). Labels are saved as ever; a reload would lose those that are not saved yet."));
  }
  const others = foreign();
  if (others) {
    const many = others > 1 ? `${others.toLocaleString("en")} labels of somebody else wait` : "A label of somebody else waits";
    parts.push(el("p", { class: "quiet" }, `${many} in this browser, until that person labels here again.`));
  }
  box.replaceChildren(...parts);
}

function downloads() {
  return button("Download what is not saved", download, "");
}

// What cannot be saved of other lists than the one that is open, by what is wrong.
function elsewhere(waiting) {
  const groups = new Map();
  const errors = new Map(waiting.filter((op) => op.error && op.to !== desk.to).map((op) => [op.to, op.error]));
  for (const op of waiting) {
    const error = errors.get(op.to);
    if (error) groups.set(error, [...(groups.get(error) ?? []), op]);
  }
  return groups;
}

function listed(op) {
  const { plan, kind } = place(op);
  const what = op.undo ? "undo" : op.label ?? op.status;
  const where = op.to === desk.to ? "" : ` (${KINDS[kind] || `grade ${kind.slice(6)}`}, plan ${plan})`;
  return el("li", {}, `${op.item}: ${what.length > 60 ? `${what.slice(0, 60)} …` : what}${where}`);
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
