"use strict";

const EXAMPLES = {
  recall: [
    `query Ask($q: String!) {
  recall(input: {query: $q, k: 5}) {
    confidence strategy
    hits { score note { title content } via { relationship label } }
  }
}`,
    { q: "Where does Dara Osei work?" },
  ],
  remember: [
    `mutation Tell($text: String!) {
  remember(input: {content: $text}) {
    operation reason
    note { id domain visibility entities { name type } }
  }
}`,
    { text: "Dara Osei leads the Harbour project." },
  ],
  notes: ["{ notes(first: 10) { totalCount nodes { title content domain visibility createdAt } } }"],
  stats: ["{ stats { totalNotes entities links byDomain byVisibility byStatus } }"],
};

const field = (id) => document.getElementById(id);

function show(name) {
  const [query, variables] = EXAMPLES[name];
  field("query").value = query;
  field("variables").value = variables ? JSON.stringify(variables, null, 2) : "";
}

function headers() {
  const sent = { "Content-Type": "application/json" };
  if (document.documentElement.dataset.auth === "keys") {
    if (field("key").value) sent.Authorization = `Bearer ${field("key").value.trim()}`;
    return sent;
  }
  if (field("user").value) sent["X-Graphmem-User"] = field("user").value.trim();
  if (field("agent").value) sent["X-Graphmem-Agent"] = field("agent").value.trim();
  return sent;
}

async function send() {
  const answer = field("answer");
  answer.textContent = "…";
  try {
    const written = field("variables").value.trim();
    const body = { query: field("query").value, variables: written ? JSON.parse(written) : {} };
    const options = { method: "POST", headers: headers(), body: JSON.stringify(body) };
    const response = await fetch("/graphql", options);
    answer.textContent = JSON.stringify(await response.json(), null, 2);
  } catch (error) {
    answer.textContent = String(error);
  }
}

field("examples").addEventListener("click", (event) => {
  const name = event.target.dataset.example;
  if (name) show(name);
});
field("request").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
field("request").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    send();
  }
});
show("recall");
