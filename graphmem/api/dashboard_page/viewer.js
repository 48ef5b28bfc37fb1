// The top of the page: where one is, who asks, and whether changes come in.

import { ask, isAborted, onLive } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { choice, failure, field, filled } from "./parts.js";
import { here, to } from "./route.js";
import { chosen, epoch, isSignedOut, signIn, signOut, withKeys } from "./who.js";

const VIEWER = "{ viewer { admin user { id name } agent { id name } } agents { id name } }";
const THEME = "graphmem.theme";
const LIVE = {
  live: "Changes come in as they happen",
  connecting: "Connecting…",
  off: "Changes do not come in",
};

/** Draw the top; `changed` is called when somebody else asks. */
export function drawTop(changed, showHelp) {
  const dot = h("span.dot", { role: "img" });
  onLive((state) => {
    dot.dataset.state = state;
    dot.title = LIVE[state];
    dot.setAttribute("aria-label", LIVE[state]);
  });
  fill(
    byId("top"),
    h("a.brand", { href: to("overview") }, "graphmem"),
    h(
      "form.find",
      { role: "search", "aria-label": "Anywhere", onsubmit: findIt },
      h("input", {
        name: "q",
        type: "search",
        placeholder: "Ask the memory…  /",
        "aria-label": "Ask the memory",
        autocomplete: "off",
      }),
    ),
    dot,
    h(
      "button.who",
      {
        type: "button",
        id: "who",
        title: withKeys ? "Who asks; sign out" : "Who asks",
        onclick: () => openViewer(changed),
      },
      "…",
    ),
    h(
      "button.plain",
      { type: "button", onclick: turnTheme, title: "Dark or light", "aria-label": "Dark or light" },
      "◐",
    ),
    h(
      "button.plain",
      { type: "button", onclick: showHelp, title: "Keys", "aria-label": "Keys" },
      "?",
    ),
  );
  const theme = localStorage.getItem(THEME);
  if (theme) document.documentElement.dataset.theme = theme;
}

function findIt(event) {
  event.preventDefault();
  const box = event.target.elements.q;
  if (box.value.trim()) location.hash = to("ask", { q: box.value.trim() });
  box.value = "";
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem(THEME, root.dataset.theme);
}

/** Say at the top who asks. */
export async function nameViewer() {
  fill(byId("who"), "…");
  if (isSignedOut()) return;
  const since = epoch();
  const told = await ask(VIEWER).catch(() => null);
  if (since !== epoch()) return; // somebody else asks by now
  if (!told) return fill(byId("who"), "not known");
  const { user, agent } = told.viewer;
  const name = user?.name ?? "nobody";
  fill(byId("who"), agent ? [h("span.quiet", {}, `${name} / `), agent.name] : name);
}

async function openViewer(changed) {
  const dialog =
    byId("viewer") ??
    document.body.appendChild(h("dialog", { id: "viewer", "aria-label": "Who asks" }));
  if (withKeys) {
    signOut();
    changed();
    return;
  }
  const since = epoch();
  const agents = await ask(VIEWER)
    .then((data) => data.agents)
    .catch(() => []);
  if (since !== epoch()) return;
  const { user, agent } = chosen();
  const options = [
    ["", "none: the user in person"],
    ...agents.map((each) => [each.id, `${each.name} (${each.id})`]),
  ];
  const take = (event) => {
    event.preventDefault();
    const given = filled(event.target);
    dialog.close();
    const { page, params } = here();
    const { note, ...rest } = params;
    location.hash = to(page, rest, {
      user: given.user,
      agent: given.user === user ? given.agent : "",
    });
  };
  fill(
    dialog,
    h("h2", {}, "Who asks"),
    h(
      "form.stack",
      { onsubmit: take },
      field("User", "user", user, { placeholder: "the default user" }),
      choice("Agent", "agent", options, agent),
      h(
        "p.quiet",
        {},
        "All is shown as this viewer may read it. A user who is not known yet is registered.",
      ),
      h(
        "p.buttons",
        {},
        h("button.main", {}, "Use"),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    ),
  );
  dialog.showModal();
}

/** Ask for a key in the place of a page. */
export function drawSignIn(view, changed, error) {
  const take = async (event) => {
    event.preventDefault();
    const { elements } = event.target;
    signIn(elements.key.value, elements.keep.checked);
    try {
      await ask("{ viewer { admin } }");
    } catch (refused) {
      if (isAborted(refused)) return; // another key was given meanwhile
      signOut();
      drawSignIn(view, changed, refused);
      return;
    }
    changed();
  };
  fill(
    view,
    h(
      "form.card.stack.signin",
      { onsubmit: take },
      h("h1", {}, "Sign in"),
      h(
        "p",
        {},
        "This service knows people and agents by a key. An operator makes one with ",
        h("code", {}, "graphmem keys create"),
        ".",
      ),
      error && failure(error),
      h(
        "label",
        {},
        "Key",
        h("input", {
          name: "key",
          type: "password",
          required: true,
          autocomplete: "off",
          placeholder: "gm_…",
        }),
      ),
      h(
        "label.check",
        {},
        h("input", { name: "keep", type: "checkbox" }),
        " Keep it until this tab is closed",
      ),
      h("button.main", {}, "Sign in"),
    ),
  );
  view.querySelector("input").focus();
}
