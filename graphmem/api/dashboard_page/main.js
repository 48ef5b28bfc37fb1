// Starts the dashboard: shows the page that the address names, and the open note.

import { follow, isAborted, onEvent, Refused } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { closeNote, showNote } from "./drawer.js";
import { help, listen, move } from "./keyboard.js";
import { PAGES } from "./pages.js";
import { failure, nothing, renewTimes } from "./parts.js";
import { also, go, here, takeViewer, to } from "./route.js";
import { drawSignIn, drawTop, nameViewer } from "./viewer.js";
import { isSignedOut, signOut } from "./who.js";

const REFRESH_MS = 2000; // a page is read again at most so often because something changed
const REST = 5; // and not before so many times as long as the reading took
const RETRY_MS = 20000; // and so much later if it could not be read
const MINUTE_MS = 60000;
const ELSEWHERE = [
  ["GraphQL", "/graphql"],
  ["REST", "/docs"],
];
const shown = { address: null, leave: null, page: null, refresh: null, keys: {} };
const old = { is: false, timer: 0 }; // whether what is shown may be, and when it is read again

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
        ELSEWHERE.map(([title, href]) =>
          h("li", {}, h("a.elsewhere", { href, target: "_blank", rel: "noopener" }, title)),
        ),
      ),
    );
  byId("top").querySelector(".brand").href = to("overview");
  const links = nav.querySelectorAll("a");
  PAGES.forEach((page, place) => {
    const link = links[place];
    link.href = to(page.name);
    if (page === current) link.setAttribute("aria-current", "page");
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
  clearTimeout(old.timer);
  Object.assign(old, { is: false, timer: 0 });
  document.title = `${page.title} – graphmem`;
  const view = h("div.page", { "data-page": page.name }, nothing("Reading…"));
  const held = byId("main").contains(document.activeElement) ? document.activeElement.name : "";
  fill(byId("main"), view);
  try {
    const given = await page.show(view, params, leave.signal);
    if (!leave.signal.aborted) {
      Object.assign(shown, { refresh: given?.refresh, keys: given?.keys ?? {} });
      if (old.is) refreshSoon(); // something changed while it was read
    }
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

function refreshSoon(wait = REFRESH_MS) {
  old.is = true;
  if (shown.refresh && !old.timer) old.timer = setTimeout(refreshNow, wait);
}

/** Once at a time: an answer that was asked for earlier must not come in the place of a later. */
async function refreshNow() {
  const { timer } = old;
  let wait = REFRESH_MS;
  if (shown.refresh && !document.hidden) {
    const began = performance.now();
    old.is = false;
    await readAgain().catch((error) => {
      if (error.code === "UNAUTHENTICATED") return failed(null, error);
      if (isAborted(error)) return;
      old.is = true; // what is shown stays
      wait = RETRY_MS;
    });
    wait = Math.max(wait, REST * (performance.now() - began));
  }
  if (old.timer !== timer) return; // another page is shown by now
  old.timer = 0;
  if (old.is && !document.hidden) refreshSoon(wait);
}

/** Read the page again; whoever was at a note of it stays there. */
async function readAgain() {
  const id = document.activeElement?.closest("main [data-note]")?.dataset.note;
  await shown.refresh();
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
setInterval(renewTimes, MINUTE_MS);
onEvent(() => refreshSoon());
listen(press);
takeViewer();
if (!isSignedOut()) {
  follow();
  nameViewer();
}
show();
