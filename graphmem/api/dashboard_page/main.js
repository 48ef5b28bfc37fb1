// Starts the dashboard: shows the page that the address names, and the open note.

import { follow, isAborted, onEvent, Refused } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { closeNote, showNote } from "./drawer.js";
import { help, listen, move } from "./keyboard.js";
import { PAGES } from "./pages.js";
import { failure, nothing } from "./parts.js";
import { also, go, here, takeViewer, to } from "./route.js";
import { drawSignIn, drawTop, nameViewer } from "./viewer.js";
import { isSignedOut, signOut } from "./who.js";

const REFRESH_MS = 2000; // a page is read again at most so often because something changed
const shown = { address: null, leave: null, page: null, refresh: null, keys: {}, waiting: 0 };

function pageNamed(name) {
  return PAGES.find((each) => each.name === name) ?? PAGES[0];
}

function drawNav(current) {
  const nav = byId("nav");
  if (!nav.firstChild)
    fill(
      nav,
      h(
        "ul",
        {},
        PAGES.map((page) => h("li", {}, h("a", {}, page.title))),
      ),
    );
  byId("top").querySelector(".brand").href = to("overview");
  nav.querySelectorAll("a").forEach((link, place) => {
    link.href = to(PAGES[place].name);
    if (PAGES[place] === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  nav.querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Show what the address names; where only the note differs, only the note. */
async function show() {
  if (takeViewer()) restartViewer();
  const {
    page: name,
    params: { note, ...params },
  } = here();
  const page = pageNamed(name);
  const address = JSON.stringify([to(page.name, params)]);
  drawNav(page);
  if (isSignedOut()) {
    shown.address = null;
    closeNote();
    return drawSignIn(byId("main"), startAnew);
  }
  const drawing = address === shown.address ? null : showPage(page, params, address);
  if (note) showNote(note, refreshSoon);
  else closeNote();
  await drawing;
}

async function showPage(page, params, address) {
  shown.leave?.abort();
  const leave = new AbortController();
  Object.assign(shown, { address, leave, page, refresh: null, keys: {} });
  document.title = `${page.title} – graphmem`;
  const view = h("div.page", { "data-page": page.name }, nothing("Reading…"));
  const held = byId("main").contains(document.activeElement) ? document.activeElement.name : "";
  fill(byId("main"), view);
  try {
    const given = await page.show(view, params, leave.signal);
    if (!leave.signal.aborted)
      Object.assign(shown, { refresh: given?.refresh, keys: given?.keys ?? {} });
    view.dataset.ready = "";
    // Whoever chose something in a form goes on there, though the form is drawn again.
    if (held && document.activeElement === document.body)
      view.querySelector(`[name="${held}"]`)?.focus();
  } catch (error) {
    if (!leave.signal.aborted && !isAborted(error)) failed(view, error);
  }
}

function failed(view, error) {
  if (!(error instanceof Refused)) console.error(error);
  if (error.code === "UNAUTHENTICATED") {
    signOut();
    restartViewer();
    drawSignIn(byId("main"), startAnew, error);
    return;
  }
  fill(view, failure(error, again));
}

function again() {
  shown.address = null;
  show();
}

/** Somebody else asks: nothing that was shown to who asked before, or begun by them, goes on. */
function restartViewer() {
  shown.leave?.abort();
  Object.assign(shown, { address: null, page: null, refresh: null, keys: {} });
  closeNote();
  fill(byId("toasts")); // an Undo in them would be done by somebody else
  document.querySelectorAll("dialog[open]").forEach((each) => each.remove());
  byId("top").querySelector("[name=q]").value = "";
  if (isSignedOut()) history.replaceState(null, "", to("overview")); // it may name a note
  follow();
  nameViewer();
}

function startAnew() {
  restartViewer();
  show();
}

function refreshSoon() {
  if (shown.waiting || !shown.refresh) return;
  shown.waiting = setTimeout(() => {
    shown.waiting = 0;
    if (!document.hidden) readAgain();
  }, REFRESH_MS);
}

/** Read the page again; whoever was at a note of it stays there. */
async function readAgain() {
  const id = document.activeElement?.closest("main [data-note]")?.dataset.note;
  await shown.refresh?.().catch((error) => {
    if (error.code === "UNAUTHENTICATED") failed(null, error); // otherwise what is shown stays
  });
  if (!id || document.activeElement !== document.body) return;
  byId("main")
    .querySelector(`[data-note="${CSS.escape(id)}"] .open`)
    ?.focus();
}

function press(key, held) {
  if (key === "Escape") return leaveNote();
  if (key === "?") return (help(shown.page?.keys), true);
  if (key === "/") return search();
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  const page = PAGES[Number(key) - 1];
  if (page) return (go(to(page.name)), true);
  return held ? false : (shown.keys[key]?.() ?? false); // a held key is not a second decision
}

function search() {
  const box =
    byId("main").querySelector("input[data-search]") ?? byId("top").querySelector("input");
  box.focus();
  box.select();
  return true;
}

function leaveNote() {
  if (!here().params.note) return false;
  go(also({ note: "" }));
  return true;
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // its address would be that of a page
  byId("main").focus();
});
drawTop(startAnew, () => help(shown.page?.keys));
addEventListener("hashchange", show);
document.addEventListener("visibilitychange", () => document.hidden || refreshSoon());
onEvent(refreshSoon);
listen(press);
takeViewer();
if (!isSignedOut()) {
  follow();
  nameViewer();
}
show();
