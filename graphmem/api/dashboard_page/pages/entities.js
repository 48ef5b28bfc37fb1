// Entities: what notes are about; of one its facts, its notes, and what was merged into it.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import {
  attempt,
  card,
  noteRow,
  NOTE_FIELDS,
  nothing,
  searchLine,
  share,
  table,
  time,
  toast,
} from "../parts.js";
import { also, go, to } from "../route.js";
import { count, day, many } from "../words.js";

const LIST = `query Entities($search: String) {
  entities(search: $search, first: 100) { id name type aliases noteCount }
}`;
const ONE = `query Entity($id: ID, $name: String) {
  entity(id: $id, name: $name) {
    id name type aliases noteCount summary
    notes(first: 20) { ${NOTE_FIELDS} }
    relations(first: 50) {
      id predicate confidence validFrom validTo
      subject { id name } object { id name } notes { id }
    }
    mergedFrom { id at actor score mergedName undone }
  }
}`;
const REVIEWS = `{
  entityReviews(first: 100) { score reasons mergesAt one { id name } other { id name } }
}`;
const UNMERGE = "mutation Unmerge($id: ID!) { undoEntityMerge(id: $id) { id } }";

async function show(view, params, signal) {
  const one = params.id || params.name;
  const refresh = async () => {
    const data = one
      ? await ask(ONE, params.id ? { id: params.id } : { name: params.name }, { signal })
      : await ask(LIST, { search: params.search || null }, { signal });
    if (signal.aborted) return;
    if (one) drawOne(view, data.entity, refresh);
    else fill(list, drawList(data.entities, params));
    if (one && data.entity) await drawOthers(view, data.entity, signal);
  };
  const list = h("div", { "aria-live": "polite" }, nothing("Reading…"));
  if (!one) fill(view, h("h1", {}, "Entities"), form(params), list);
  await refresh();
  return { refresh };
}

function form(params) {
  const take = (event) => {
    event.preventDefault();
    go(to("entities", { search: event.target.elements.search.value.trim() }));
  };
  return h(
    "form",
    { role: "search", "aria-label": "This page", onsubmit: take },
    searchLine("search", params.search, "A person, a firm, a project…", "Search"),
  );
}

function drawList(entities, params) {
  if (!entities.length)
    return nothing(
      params.search ? "Nobody and nothing is called so." : "No note names anything yet.",
    );
  const sorted = [...entities].sort((one, other) => other.noteCount - one.noteCount);
  return [
    h(
      "p.under",
      {},
      entities.length === 100
        ? "The first 100 by name; search for others."
        : many(entities.length, "entity", "entities"),
    ),
    h(
      "section.card",
      {},
      table(
        [
          {
            name: "Name",
            of: (each) =>
              h("a", { href: to("entities", { id: each.id }), "data-item": true }, each.name),
          },
          { name: "Type", of: (each) => each.type },
          { name: "Also called", of: (each) => each.aliases.join(", ") },
          { name: "Notes", number: true, of: (each) => count(each.noteCount) },
        ],
        sorted,
      ),
    ),
  ];
}

function drawOne(view, entity, refresh) {
  if (!entity) {
    fill(
      view,
      h("h1", {}, "Entities"),
      nothing("There is no such entity for this viewer. "),
      h("a", { href: to("entities") }, "All entities"),
    );
    return;
  }
  fill(
    view,
    h("p.under", {}, h("a", { href: to("entities") }, "All entities")),
    h("h1", {}, entity.name),
    h(
      "p.under",
      {},
      h("span", {}, entity.type),
      h("span", {}, many(entity.noteCount, "note")),
      entity.aliases.length > 0 && h("span", {}, `also called ${entity.aliases.join(", ")}`),
      h("a", { href: to("graph", { kind: "ENTITY", of: entity.id }) }, "Graph"),
    ),
    h(
      "div.columns",
      {},
      entity.summary && card("In short", h("p.said", {}, entity.summary)),
      card(many(entity.relations.length, "relation"), relations(entity)),
      card(
        "Notes",
        h(
          "ul.notes",
          {},
          entity.notes.map((note) => noteRow(note)),
        ),
        entity.noteCount > entity.notes.length &&
          h("p", {}, h("a", { href: to("notes", { entity: entity.name }) }, "All notes")),
      ),
      h("div", { id: "others" }),
      entity.mergedFrom.length > 0 &&
        card(
          "Merged names",
          h(
            "ul.plain",
            {},
            entity.mergedFrom.map((each) => merge(each, refresh)),
          ),
        ),
    ),
  );
}

/** What may be the same as the entity; read after all else, since it compares many names. */
async function drawOthers(view, { id }, signal) {
  const data = await ask(REVIEWS, {}, { signal }).catch(() => null); // the page is there without it
  const all = data?.entityReviews ?? [];
  const found = all.filter(({ one, other }) => [one.id, other.id].includes(id));
  const place = view.querySelector("#others");
  if (signal.aborted || !place || !found.length) return;
  fill(
    place,
    card(
      "May be one with",
      h(
        "ul.plain",
        {},
        found.map(({ one, other, reasons, score, mergesAt }) => {
          const another = one.id === id ? other : one;
          return h(
            "li",
            {},
            h("a", { href: to("entities", { id: another.id }) }, another.name),
            " ",
            h("span.quiet", {}, `${reasons.join("; ")} `, share(score, "how sure")),
            mergesAt && h("span.quiet", {}, " merged by rules ", time(mergesAt)),
          );
        }),
      ),
      h("p", {}, h("a", { href: to("inbox") }, "Merge or refuse in the inbox")),
    ),
  );
}

function relations({ id, relations: all }) {
  if (!all.length) return nothing("None is known.");
  const name = (each) =>
    each.id === id
      ? h("strong", {}, each.name)
      : h("a", { href: to("entities", { id: each.id }) }, each.name);
  return h(
    "ul.plain",
    {},
    all.map((each) =>
      h(
        "li",
        {},
        name(each.subject),
        ` ${each.predicate} `,
        name(each.object),
        " ",
        h(
          "span.quiet",
          {},
          valid(each),
          each.confidence < 1 && share(each.confidence, "how sure"),
          " ",
          each.notes.slice(0, 1).map((note) => h("a", { href: also({ note: note.id }) }, "why")),
        ),
      ),
    ),
  );
}

function valid({ validFrom, validTo }) {
  if (!validFrom && !validTo) return "";
  return `${validFrom ? `from ${day(validFrom)}` : ""} ${validTo ? `until ${day(validTo)}` : ""} `;
}

function merge(each, refresh) {
  const undo = () =>
    attempt(() => ask(UNMERGE, { id: each.id })).then((done) => {
      if (done) toast(`${each.mergedName} is by itself again.`);
      return refresh();
    });
  return h(
    "li",
    {},
    h("strong", {}, each.mergedName),
    " ",
    h("span.quiet", {}, `by ${each.actor} `, time(each.at), " ", share(each.score, "how sure")),
    " ",
    each.undone
      ? h("span.quiet", {}, "taken back")
      : h("button", { type: "button", onclick: undo }, "Take back"),
  );
}

export const page = { name: "entities", title: "Entities", show };
