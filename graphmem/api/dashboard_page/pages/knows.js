// Who knows: who knows about a topic, who should do a task, and whom a question would be put to.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { card, failure, filled, nothing, searchLine, share, time } from "../parts.js";
import { also, go, to } from "../route.js";
import { many, titleOf } from "../words.js";

const EXPERT = "agent { id name } user { id name } topic confidence";
const WAYS = {
  topic: {
    words: "Who knows about it",
    query: `query Knows($text: String!) {
      whoKnows(topic: $text, first: 10) { ${EXPERT} lastActiveAt evidence { id title content } }
    }`,
    draw: (data) => experts(data.whoKnows),
  },
  task: {
    words: "Who should do it",
    query: `query Route($text: String!) { route(task: $text) {
      agent { id name } confidence reasoning relevantNoteCount alternatives { ${EXPERT} }
    } }`,
    draw: (data) => advice(data.route),
  },
  question: {
    words: "Ask around",
    query: `query Consult($text: String!) { consult(question: $text, track: false) {
      steps answered expert { ${EXPERT} } hits { rank score note { id title content } }
    } }`,
    draw: (data) => consultation(data.consult),
  },
};

async function show(view, params, signal) {
  const way = WAYS[params.way] ? params.way : "topic";
  const answer = h("div", { "aria-live": "polite" });
  fill(view, h("h1", {}, "Who knows"), form(params.q, way), answer);
  if (!params.q) {
    fill(
      answer,
      nothing(
        "What each agent and person knows is told as far as this viewer may read what it rests on.",
      ),
    );
    return null;
  }
  fill(answer, nothing("Asking…"));
  const run = async () => {
    try {
      const data = await ask(WAYS[way].query, { text: params.q }, { signal });
      fill(answer, WAYS[way].draw(data));
    } catch (error) {
      if (!signal.aborted) fill(answer, failure(error, run));
    }
  };
  await run();
  return null;
}

function form(text, way) {
  const take = (event) => {
    event.preventDefault();
    const { q } = filled(event.target);
    if (q) go(to("knows", { q, way: event.submitter?.value ?? way }));
  };
  return h(
    "form",
    { role: "search", "aria-label": "This page", onsubmit: take },
    searchLine("q", text, "A topic, a task or a question"),
    h(
      "p.buttons",
      {},
      Object.entries(WAYS).map(([name, { words }]) =>
        h("button", { value: name, class: name === way && "main" }, words),
      ),
    ),
  );
}

function nameOf({ agent, user }) {
  return agent ? `${agent.name}, for ${user.name}` : `${user.name} in person`;
}

function experts(found) {
  if (!found.length) return nothing("Nobody is known to know about it.");
  return h(
    "ul.plain.items",
    {},
    found.map((each) =>
      h(
        "li.card",
        { "data-item": true, tabindex: "0" },
        h(
          "p.under",
          {},
          h("strong", {}, nameOf(each)),
          share(each.confidence, "how sure"),
          h("span", {}, "last active ", time(each.lastActiveAt)),
        ),
        each.evidence.length > 0 &&
          h(
            "p",
            {},
            h("span.quiet", {}, "by "),
            each.evidence.map((note, place) => [place > 0 && ", ", noteLink(note)]),
          ),
      ),
    ),
  );
}

function advice(route) {
  return [
    card(
      route.agent ? route.agent.name : "Nobody stands out",
      h(
        "p",
        {},
        share(route.confidence, "how sure"),
        " ",
        h("span.quiet", {}, many(route.relevantNoteCount, "note")),
      ),
      h("p", {}, route.reasoning),
    ),
    route.alternatives.length > 0 &&
      card(
        "Others who would do",
        h(
          "ul.plain",
          {},
          route.alternatives.map((each) =>
            h(
              "li",
              {},
              nameOf(each),
              " ",
              share(each.confidence, "how sure"),
              h("span.quiet", {}, ` by ${each.topic}`),
            ),
          ),
        ),
      ),
  ];
}

function consultation({ steps, answered, expert, hits }) {
  return [
    card(
      answered ? "Answered" : "Nobody knows",
      h(
        "ol",
        {},
        steps.map((step) => h("li", {}, step)),
      ),
      expert && h("p", {}, "Answered from the memory of ", h("strong", {}, nameOf(expert))),
    ),
    hits.length > 0 &&
      card(
        "What was found",
        h(
          "ul.plain",
          {},
          hits.map((hit) =>
            h("li", {}, noteLink(hit.note), h("span.quiet", {}, ` ${hit.score.toFixed(3)}`)),
          ),
        ),
      ),
  ];
}

function noteLink(note) {
  return h("a", { href: also({ note: note.id }) }, titleOf(note, 70));
}

export const page = { name: "knows", title: "Who knows", show };
