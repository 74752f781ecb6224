// The desk's own page: it asks for a key once, fetches the views with it, and puts them in.

const KEPT = "glossator:desk";

const view = document.getElementById("view");
const gate = document.getElementById("gate");
const keyField = document.getElementById("key");
const gateFailure = document.getElementById("gate-failure");
const forgetButton = document.getElementById("forget");
const announcement = document.getElementById("status");
const links = [...document.querySelectorAll("nav a[data-view]")];

let key = readKey();
let shown = "";
let running = new AbortController();

addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", skip);
view.addEventListener("click", clicked);
view.addEventListener("submit", search);
view.addEventListener("toggle", toggled, true);
gate.addEventListener("submit", unlock);
forgetButton.addEventListener("click", forget);
show();

/** Shows what the address names, such as `#gaps?days=90`. */
async function show() {
  const { name, query } = place();
  running.abort();
  running = new AbortController();
  const { signal } = running;
  view.setAttribute("aria-busy", "true");
  point(name);
  try {
    put(await fetchNodes(`views/${name}${query}`, signal), name);
  } catch (failure) {
    if (!signal.aborted) fail(failure);
  }
  if (!signal.aborted) view.removeAttribute("aria-busy");
}

function place() {
  const [name, query] = location.hash.slice(1).split("?");
  const isKnown = links.some((link) => link.dataset.view === name);
  return isKnown ? { name, query: query ? `?${query}` : "" } : { name: "overview", query: "" };
}

function put(nodes, name) {
  view.replaceChildren(...nodes);
  turn(true);
  const title = view.querySelector("h1");
  document.title = `${title.textContent.trim()} · Glossator`;
  if (shown) lead(title, shown === name);
  shown = name;
  announcement.textContent = `${title.textContent.trim()}: shown`;
  view.querySelectorAll("[data-load]:not(details), details[data-load][open]").forEach(load);
}

/** Which link leads here; the others lead to the same period. */
function point(name) {
  const days = new URLSearchParams(place().query).get("days");
  for (const link of links) {
    link.setAttribute("href", `#${link.dataset.view}${days ? `?days=${encodeURIComponent(days)}` : ""}`);
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** A new view begins at its title; within one, whoever chose something stays where they chose it. */
function lead(title, isSame) {
  const chosen = [...view.querySelectorAll("a")].find((link) => link.getAttribute("href") === location.hash);
  if (isSame && chosen) return chosen.focus({ preventScroll: true });
  scrollTo(0, 0);
  title.focus({ preventScroll: true });
}

/** A part of a view that comes by itself, because it takes long or is seldom wanted. */
async function load(part) {
  const inside = part.querySelector(".inside") ?? part;
  const address = part.dataset.load;
  const { signal } = running;
  part.removeAttribute("data-load");
  inside.setAttribute("aria-busy", "true");
  try {
    inside.replaceChildren(...(await fetchNodes(address, signal)));
  } catch (failure) {
    if (signal.aborted) return;
    part.dataset.load = address;
    inside.replaceChildren(notice(failure, () => load(part)));
  }
  inside.removeAttribute("aria-busy");
}

function toggled({ target }) {
  if (target.open && target.dataset.load) load(target);
}

function skip(event) {
  event.preventDefault();
  view.focus();
}

function search(event) {
  event.preventDefault();
  const id = new FormData(event.target).get("id").trim();
  const hash = id ? `#sessions?id=${encodeURIComponent(id)}` : "#sessions";
  if (location.hash === hash) show();
  else location.hash = hash;
}

async function clicked({ target }) {
  const button = target.closest("button");
  const { file, remove } = button?.dataset ?? {};
  if (!file && !remove) return;
  button.disabled = true;
  try {
    await (file ? download(file) : removeSession(button, remove));
  } catch (failure) {
    button.parentElement.querySelector(".notice")?.remove();
    button.after(notice(failure));
  }
  button.disabled = false;
}

async function download(address) {
  const content = await ask(address, { as: "blob" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = address.split("?")[0].split("/").pop();
  link.click();
  // The browser reads it after this task; a minute is more than it takes.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  announcement.textContent = `${link.download} is downloaded`;
}

async function removeSession(button, address) {
  await ask(address, { method: "DELETE" });
  const gone = paragraph("gone", "This session was deleted, with everything that was its own.");
  gone.tabIndex = -1;
  button.closest("li").replaceChildren(gone);
  gone.focus();
}

async function fetchNodes(address, signal) {
  const html = await ask(address, { signal });
  // Parsed apart, so nothing in it runs; the server has escaped what readers wrote, and the policy forbids the rest.
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}

class Refused extends Error {
  constructor(status, problem = {}) {
    super(problem.title ?? `The server answered with ${status}`);
    this.status = status;
    this.detail = problem.detail ?? "";
    this.retryAfter = problem.retry_after ?? null;
  }
}

/** What a good reply holds; throws Refused, with status 0 where none came. */
async function ask(address, { method = "GET", as = "text", signal } = {}) {
  if (key && !/^[!-~]+$/.test(key)) throw new Refused(401);
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  try {
    const reply = await fetch(address, { method, signal, headers, cache: "no-store" });
    if (!reply.ok) throw new Refused(reply.status, await reply.json().catch(() => ({})));
    if (key) keep(key);
    return await reply[as]();
  } catch (error) {
    throw error instanceof Refused || signal?.aborted ? error : new Refused(0);
  }
}

/** Without a good key the gate is shown; everything else is said where the view would be. */
function fail(failure) {
  const isAboutKey = failure.status === 401 || (failure.status === 403 && key);
  if (isAboutKey) {
    const said = key ? words(failure) : "";
    forget();
    gateFailure.textContent = said;
  } else if (gate.hidden) {
    turn(true);
    view.replaceChildren(notice(failure, show));
    announcement.textContent = words(failure);
  } else {
    gateFailure.textContent = words(failure);
  }
}

function words(failure) {
  switch (failure.status) {
    case 0:
      return "The server cannot be reached. Is it running, and is this machine online?";
    case 401:
      return "This key is not known here. It may be mistyped, or revoked.";
    case 403:
      return key ? "This key may not open the desk: it has not the scope operate." : failure.detail;
    case 429:
      return `Too many requests. Try again in ${failure.retryAfter ?? 60} seconds.`;
    case 500:
      return failure.message;
    default:
      return failure instanceof Refused ? `${failure.message}. ${failure.detail}` : `This page broke: ${failure}`;
  }
}

function notice(failure, again) {
  const box = document.createElement("div");
  box.className = "notice";
  box.setAttribute("role", "alert");
  box.append(paragraph("", words(failure)));
  if (again) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Try again";
    button.addEventListener("click", again);
    box.append(button);
  }
  return box;
}

function paragraph(kind, text) {
  const made = document.createElement("p");
  made.className = kind;
  made.textContent = text;
  return made;
}

async function unlock(event) {
  event.preventDefault();
  key = keyField.value.trim();
  gateFailure.textContent = "";
  gate.setAttribute("aria-busy", "true");
  await show();
  gate.removeAttribute("aria-busy");
}

function forget() {
  running.abort();
  key = null;
  shown = "";
  keep(null);
  view.replaceChildren();
  document.title = "The author’s desk";
  keyField.value = gateFailure.textContent = "";
  turn(false);
  keyField.focus();
}

/** To the desk, or to the gate before it. */
function turn(isOpen) {
  document.body.classList.toggle("open", isOpen);
  view.hidden = !isOpen;
  gate.hidden = isOpen;
  forgetButton.hidden = !key;
  if (isOpen) keyField.value = "";
}

function readKey() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** For this tab; where a browser keeps nothing, for as long as the page is open. */
function keep(value) {
  try {
    if (value) sessionStorage.setItem(KEPT, value);
    else sessionStorage.removeItem(KEPT);
  } catch {
    return;
  }
}
