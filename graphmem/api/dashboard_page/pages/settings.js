// Settings: how the service is set up and what each setting means; nothing is changed here.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { badge, card, facts, field, nothing, table } from "../parts.js";
import { also, go } from "../route.js";
import { many } from "../words.js";

const SETTINGS = "{ settings { name value isSet secret about } }";

async function show(view, params, signal) {
  const settings = await ask(SETTINGS, {}, { signal }).then((data) => data.settings, forOthers);
  if (!signal.aborted) draw(view, params, settings);
}

/** What is known of settings to who is no admin: nothing. */
function forOthers(error) {
  if (error.code === "FORBIDDEN") return null;
  throw error;
}

function draw(view, params, settings) {
  const { auth, version } = document.documentElement.dataset;
  fill(
    view,
    h("h1", {}, "Settings"),
    card(
      "This service",
      facts([
        ["Address", location.origin],
        ["Version", version],
        ["Who asks", auth === "open" ? "open: whoever is on its machine" : "by keys"],
      ]),
    ),
    settings
      ? card("Settings", filters(params), listed(params, settings))
      : nothing("The settings of the service are for admins to see."),
    nothing(
      "Settings come from the environment or from the file of settings, and count from the next ",
      "start. The value of a secret is never shown.",
    ),
  );
}

function filters(params) {
  const change = ({ target }) => {
    const value = target.type === "checkbox" ? (target.checked ? "1" : "") : target.value.trim();
    go(also({ [target.name]: value }));
  };
  return h(
    "form.fields",
    { onsubmit: (event) => event.preventDefault(), onchange: change },
    field("Find", "q", params.q, { type: "search", "data-search": true }),
    h(
      "label.check",
      {},
      h("input", { name: "set", type: "checkbox", checked: params.set === "1" }),
      " Only what is set",
    ),
  );
}

function listed(params, settings) {
  const word = (params.q ?? "").toLowerCase();
  const found = settings.filter(
    (each) =>
      (params.set !== "1" || each.isSet) &&
      `${each.name} ${each.about} ${each.value ?? ""}`.toLowerCase().includes(word),
  );
  if (!found.length) return nothing("No such setting.");
  return [
    h("p.quiet", {}, `${many(found.length, "setting")} of ${settings.length}`),
    table(
      [
        { name: "Setting", of: (each) => h("code", {}, each.name) },
        { name: "Value", of: (each) => valueOf(each) },
        { name: "Given", of: (each) => (each.isSet ? badge("set") : "") },
        { name: "What it means", of: (each) => inCode(each.about) },
      ],
      found,
    ),
  ];
}

function valueOf({ value, secret, isSet }) {
  if (secret) return h("span.quiet", {}, isSet ? "set, not shown" : "not set");
  return value === null ? h("span.quiet", {}, "none") : h("code", {}, value);
}

/** Words between backticks as code. */
function inCode(text) {
  const parts = text.split("`");
  return h(
    "span",
    {},
    parts.map((part, place) => (place % 2 ? h("code", {}, part) : part)),
  );
}

export const page = { name: "settings", title: "Settings", show };
