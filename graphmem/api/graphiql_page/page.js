"use strict";

const WELCOME = `# Ctrl-Space completes, Ctrl-Enter sends.
# The book on the left lists all fields.
# The tab "Headers" below says who asks.

{
  recall(input: { query: "Where does Dara Osei work?", k: 5 }) {
    confidence
    hits {
      score
      note { title content }
      via { relationship label }
    }
  }
}
`;

// Requests and answers can be private: nothing of them stays in the browser.
const kept = new Map();
const storage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => kept.set(key, value),
  removeItem: (key) => kept.delete(key),
  clear: () => kept.clear(),
  get length() {
    return kept.size;
  },
};

const withKeys = document.documentElement.dataset.auth === "keys";
const headers = withKeys ? { Authorization: "Bearer gm_..." } : { "X-Graphmem-User": "me" };
const socket = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/graphql`;

async function start() {
  const { buildSchema } = GraphiQL.GraphQL;
  const answer = await fetch("/schema.graphql"); // needs no key, unlike a query for the schema
  const root = ReactDOM.createRoot(document.getElementById("graphiql"));
  root.render(
    React.createElement(GraphiQL, {
      schema: buildSchema(await answer.text()),
      fetcher: GraphiQL.createFetcher({ url: "/graphql", subscriptionUrl: socket }),
      defaultQuery: WELCOME,
      defaultHeaders: JSON.stringify(headers, null, 2),
      defaultEditorToolsVisibility: "headers",
      shouldPersistHeaders: false,
      storage,
    })
  );
}

start();
