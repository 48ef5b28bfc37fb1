// Ask: a recall as whoever asks gets it, with the way to each hit and what made its score.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import {
  attempt,
  badge,
  bars,
  choice,
  failure,
  field,
  filled,
  marks,
  nothing,
  searchLine,
  share,
  time,
  toast,
} from "../parts.js";
import { also, go, to } from "../route.js";
import { count, many, plain, titleOf } from "../words.js";
import { otherOf, othersOf } from "./comparing.js";

const RECALL = `query Ask($input: RecallInput!) {
  recall(input: $input) {
    id confidence strategy tookMs
    hits {
      rank score supersededBy
      passage { text }
      via { relationship label noteId entityId }
      why { similarity parts { name value } }
      note { id title content domain visibility status pinned createdAt occurredAt author { name } }
    }
  }
}`;
const FEEDBACK = `mutation Feedback($recall: ID!, $used: [ID!]!, $helpful: Boolean!) {
  feedback(recallId: $recall, used: $used, helpful: $helpful)
}`;
const PROFILES = [
  "BALANCED",
  "SIMILARITY",
  "ACTIVATION",
  "ACT_R",
  "RELEVANCE",
  "RECENCY",
  "TIERED",
];
const UNSURE = 0.3; // below it the service itself says that nothing fits
const PARTS = 10; // of a score, the others are added up
const MOST = 320; // characters of a note

async function show(view, params, signal) {
  const others = await othersOf(PROFILES, signal);
  if (signal.aborted) return null;
  const answer = h("div", { "aria-live": "polite" });
  const form = h(
    "form",
    { role: "search", "aria-label": "This page", onsubmit: send, onchange: change },
    searchLine("q", params.q, "What do you want to know?", "Ask"),
    h(
      "div.fields",
      {},
      choice("Profile", "profile", PROFILES, params.profile ?? "BALANCED"),
      choice(
        "How far",
        "scope",
        [
          ["", "the user's memory"],
          ["TEAM", "also the teams'"],
        ],
        params.scope,
      ),
      choice("Compare with", "beside", others, params.beside),
      choice("Hits", "k", ["5", "10", "20", "50"], params.k ?? "10"),
      field("As it was on", "at", params.at, { type: "date" }),
      h(
        "label.check",
        {},
        h("input", { name: "deep", type: "checkbox", checked: params.deep === "1" }),
        "also what is archived",
      ),
    ),
  );
  fill(view, h("h1", {}, "Ask"), form, answer);
  if (!params.q) {
    form.elements.q.focus({ preventScroll: true });
    fill(
      answer,
      nothing(
        "Each hit shows how the graph led to it and what made its score. ",
        "Asking here does not count as a use of the notes.",
      ),
    );
    return null;
  }
  fill(answer, nothing("Asking…"));
  const input = inputOf(params);
  const other = otherOf(params.beside, input);
  const run = async () => {
    try {
      const [one, two] = await Promise.all([
        ask(RECALL, { input }, { signal }),
        other && ask(RECALL, { input: other.input }, { signal, agent: other.agent }),
      ]);
      if (signal.aborted) return;
      if (two) fill(answer, sides(one.recall, two.recall, others, params));
      else fill(answer, drawn(one.recall, input.asOf ? null : judging(input)));
    } catch (error) {
      if (!signal.aborted) fill(answer, failure(error, run));
    }
  };
  await run();
  return null;
}

function send(event) {
  event.preventDefault();
  if (event.target.elements.q.value.trim()) takeOver(event.target);
}

function change(event) {
  if (event.target.name !== "q" && event.currentTarget.elements.q.value)
    takeOver(event.currentTarget);
}

function takeOver(form) {
  const given = filled(form);
  if (given.profile === "BALANCED") given.profile = "";
  if (given.k === "10") given.k = "";
  go(to("ask", given));
}

function inputOf({ q, profile, scope, k, at, deep }) {
  return {
    query: q,
    profile: profile || "BALANCED",
    scope: scope || "USER",
    k: Number(k) || 10,
    deep: deep === "1",
    asOf: at ? `${at}T23:59:59Z` : null,
    explain: true,
    track: false,
  };
}

/** Two answers side by side; what only one of them has is marked. */
function sides(one, two, others, { beside }) {
  const name = others.find(([value]) => value === beside)?.[1] ?? beside;
  const part = (title, recall, without) => {
    const known = new Set(without.hits.map((hit) => hit.note.id));
    return h("section", {}, h("h2", {}, title), drawn(recall, null, known));
  };
  return h("div.sides", {}, part("As chosen", one, two), part(`Compared with: ${name}`, two, one));
}

function drawn(recall, judge, known = null) {
  const { hits, confidence } = recall;
  const fits = hits.length > 0 && confidence >= UNSURE;
  const told = !hits.length
    ? "Nothing fits."
    : fits
      ? `${many(hits.length, "hit")}.`
      : "Nothing fits well: these are only the nearest notes.";
  return [
    h(
      "p.verdict",
      { "data-tone": fits ? "good" : "warn" },
      h("strong", {}, told),
      " ",
      h("span", {}, "confidence ", share(confidence, "how sure the answer is")),
      " ",
      h(
        "span.quiet",
        {},
        `strategy: ${plain(recall.strategy)}, ${count(Math.round(recall.tookMs))} ms`,
      ),
    ),
    h(
      "ol.hits",
      {},
      hits.map((hit) => drawHit(hit, judge, known && !known.has(hit.note.id))),
    ),
  ];
}

function drawHit(hit, judge, alone) {
  const { note } = hit;
  const text = hit.passage
    ? `… ${hit.passage.text.trim()} …`
    : titleOf({ content: note.content }, MOST);
  return h(
    "li.card.hit",
    { "data-note": note.id },
    h(
      "p.head",
      {},
      h("span.rank", {}, hit.rank),
      h("a.open", { href: also({ note: note.id }) }, titleOf(note)),
      hit.why?.similarity != null &&
        h("span.alike", {}, share(hit.why.similarity, "how alike question and note are")),
      h("span.score", { title: "score" }, hit.score.toFixed(3)),
    ),
    (note.title || hit.passage) && h("p.text", {}, text),
    h(
      "p.under",
      {},
      alone && badge("only here"),
      marks(note),
      note.author && h("span", {}, note.author.name),
      time(note.occurredAt ?? note.createdAt),
      hit.supersededBy &&
        h("a", { href: also({ note: hit.supersededBy }) }, "a newer hit says otherwise"),
    ),
    way(hit.via),
    h(
      "details",
      { open: hit.rank === 1 && alone === null },
      h("summary", {}, "What made the score"),
      parts(hit.why),
    ),
    judge && h("p.buttons", {}, judge(note, true), judge(note, false)),
  );
}

/** How the graph led from the question to the note. */
function way(via) {
  return h(
    "ol.way",
    { "aria-label": "How it was found" },
    h("li", {}, "question"),
    via.map((step) => {
      const { noteId, entityId } = step;
      const href = noteId ? also({ note: noteId }) : entityId && to("entities", { id: entityId });
      const label = titleOf({ content: step.label }, 48);
      return h(
        "li",
        {},
        h("span.relation", {}, plain(step.relationship)),
        href ? h("a", { href }, label) : label,
      );
    }),
  );
}

function parts(why) {
  const all = why?.parts ?? [];
  if (!all.length) return nothing("This hit has no parts: it was not ranked.");
  const sorted = [...all].sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
  const rest = sorted.slice(PARTS);
  const left = rest.reduce((sum, { value }) => sum + value, 0);
  const rows = sorted
    .slice(0, PARTS)
    .map(({ name, value }) => ({ label: name, value, shown: value.toFixed(3) }));
  return [
    bars(rows),
    rest.length > 0 &&
      nothing(`and ${many(rest.length, "smaller part")}, together ${left.toFixed(3)}`),
  ];
}

/** Makes the buttons that say whether a note was of use. For that the question is asked once more,
 * as one that counts and is kept: only such a recall takes a judgement. */
function judging(input) {
  let kept = null;
  const say = (note, helpful, button) =>
    attempt(async () => {
      kept ??= ask("query Kept($input: RecallInput!) { recall(input: $input) { id } }", {
        input: { ...input, explain: false, track: true },
      });
      const { recall } = await kept.catch((error) => {
        kept = null;
        throw error;
      });
      await ask(FEEDBACK, { recall: recall.id, used: [note.id], helpful });
      button.parentElement
        .querySelectorAll("button")
        .forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      toast(helpful ? "Noted: this note helped." : "Noted: this note was wrong here.");
    });
  return (note, helpful) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onclick: (event) => say(note, helpful, event.currentTarget),
      },
      helpful ? "Right" : "Wrong",
    );
}

export const page = { name: "ask", title: "Ask", show };
