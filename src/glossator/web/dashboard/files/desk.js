// The dashboard's script: asks for a key once, fetches the views with it, and inserts them.

const STORAGE_NAME = "glossator:desk";

const view = document.getElementById("view");
const gate = document.getElementById("gate");
const keyField = document.getElementById("key");
const gateFailure = document.getElementById("gate-failure");
const forgetButton = document.getElementById("forget");
const announcement = document.getElementById("status");
const links = [...document.querySelectorAll("nav a[data-view]")];

let key = readKey();
let shownView = "";
let running = new AbortController();

addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", skip);
view.addEventListener("click", handleClick);
view.addEventListener("submit", search);
view.addEventListener("toggle", loadOpened, true);
gate.addEventListener("submit", unlock);
forgetButton.addEventListener("click", forget);
show();

/** Shows the view in the address, such as `#gaps?days=90`. */
async function show() {
  const { name, query } = addressed();
  running.abort();
  running = new AbortController();
  const { signal } = running;
  view.setAttribute("aria-busy", "true");
  markLink(name);
  try {
    render(await fetchNodes(`views/${name}${query}`, signal), name);
  } catch (failure) {
    if (!signal.aborted) fail(failure);
  }
  if (!signal.aborted) view.removeAttribute("aria-busy");
}

function addressed() {
  const [name, query] = location.hash.slice(1).split("?");
  const isKnown = links.some((link) => link.dataset.view === name);
  return isKnown ? { name, query: query ? `?${query}` : "" } : { name: "overview", query: "" };
}

function render(nodes, name) {
  view.replaceChildren(...nodes);
  setUnlocked(true);
  const title = view.querySelector("h1");
  document.title = `${title.textContent.trim()} · Glossator`;
  if (shownView) moveFocus(title, shownView === name);
  shownView = name;
  announcement.textContent = `${title.textContent.trim()}: shown`;
  view.querySelectorAll("[data-load]:not(details), details[data-load][open]").forEach(load);
}

/** Marks the link of the current view, and gives all links its period. */
function markLink(name) {
  const days = new URLSearchParams(addressed().query).get("days");
  for (const link of links) {
    link.setAttribute("href", `#${link.dataset.view}${days ? `?days=${encodeURIComponent(days)}` : ""}`);
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Focuses the title of a new view; within the same view, the link that was followed. */
function moveFocus(title, isSame) {
  const chosen = [...view.querySelectorAll("a")].find((link) => link.getAttribute("href") === location.hash);
  if (isSame && chosen) return chosen.focus({ preventScroll: true });
  scrollTo(0, 0);
  title.focus({ preventScroll: true });
}

/** Loads a part of a view separately, because it takes long or is seldom needed. */
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

function loadOpened({ target }) {
  if (target.open && target.dataset.load) load(target);
}

function skip(event) {
  event.preventDefault();
  view.focus();
}

function search(event) {
  event.preventDefault();
  const fields = [...new FormData(event.target)].filter(([, value]) => value.trim());
  const query = new URLSearchParams(fields.map(([name, value]) => [name, value.trim()]));
  const hash = `#${event.target.dataset.search}${fields.length ? `?${query}` : ""}`;
  if (location.hash === hash) show();
  else location.hash = hash;
}

async function handleClick({ target }) {
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
  const content = await request(address, { as: "blob" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = address.split("?")[0].split("/").pop();
  link.click();
  // The browser reads it after this task; a minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  announcement.textContent = `${link.download} is downloaded`;
}

async function removeSession(button, address) {
  await request(address, { method: "DELETE" });
  const message = paragraph("gone", "This session was deleted, with everything that was its own.");
  message.tabIndex = -1;
  button.closest("li").replaceChildren(message);
  message.focus();
}

async function fetchNodes(address, signal) {
  const html = await request(address, { signal });
  // DOMParser runs no scripts; the server escapes readers' words, and the content policy forbids the rest.
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

/** The content of a successful reply; throws Refused, with status 0 where no reply came. */
async function request(address, { method = "GET", as = "text", signal } = {}) {
  if (key && !/^[!-~]+$/.test(key)) throw new Refused(401);
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  try {
    const reply = await fetch(address, { method, signal, headers, cache: "no-store" });
    if (!reply.ok) throw new Refused(reply.status, await reply.json().catch(() => ({})));
    if (key) storeKey(key);
    return await reply[as]();
  } catch (error) {
    throw error instanceof Refused || signal?.aborted ? error : new Refused(0);
  }
}

/** Shows the key form where the key is refused; other failures in place of the view. */
function fail(failure) {
  const isAboutKey = failure.status === 401 || (failure.status === 403 && key);
  if (isAboutKey) {
    const message = key ? messageFor(failure) : "";
    forget();
    gateFailure.textContent = message;
  } else if (gate.hidden) {
    setUnlocked(true);
    view.replaceChildren(notice(failure, show));
    announcement.textContent = messageFor(failure);
  } else {
    gateFailure.textContent = messageFor(failure);
  }
}

function messageFor(failure) {
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

function notice(failure, retry) {
  const box = document.createElement("div");
  box.className = "notice";
  box.setAttribute("role", "alert");
  box.append(paragraph("", messageFor(failure)));
  if (retry) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Try again";
    button.addEventListener("click", retry);
    box.append(button);
  }
  return box;
}

function paragraph(kind, text) {
  const element = document.createElement("p");
  element.className = kind;
  element.textContent = text;
  return element;
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
  shownView = "";
  storeKey(null);
  view.replaceChildren();
  document.title = "The author’s desk";
  keyField.value = gateFailure.textContent = "";
  setUnlocked(false);
  keyField.focus();
}

/** Shows the views, or the key form. */
function setUnlocked(isUnlocked) {
  document.body.classList.toggle("open", isUnlocked);
  view.hidden = !isUnlocked;
  gate.hidden = isUnlocked;
  forgetButton.hidden = !key;
  if (isUnlocked) keyField.value = "";
}

function readKey() {
  try {
    return sessionStorage.getItem(STORAGE_NAME);
  } catch {
    return null;
  }
}

/** In this tab's storage; without storage the key is kept until the page is closed. */
function storeKey(value) {
  try {
    if (value) sessionStorage.setItem(STORAGE_NAME, value);
    else sessionStorage.removeItem(STORAGE_NAME);
  } catch {
    return;
  }
}
