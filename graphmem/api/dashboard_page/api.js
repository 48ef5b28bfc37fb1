// The GraphQL API: queries and mutations by POST, subscriptions over one WebSocket.

import { credentials, epoch, isSignedOut } from "./who.js";

/** A failure as the API reports it, with its code. */
export class Refused extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

const timing = { last: null };

/** Milliseconds that the latest answer took. */
export function lastAnswerMs() {
  return timing.last;
}

/**
 * Ask, as another `agent` if one is given, "" for none; raises Refused. If somebody else asks than
 * in the epoch `since`, the answer is not given: it ends as what is aborted does.
 */
export async function ask(query, variables = {}, { signal, agent, since = epoch() } = {}) {
  stillIn(since);
  const began = performance.now();
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json",
    ...credentials(agent),
  };
  const body = JSON.stringify({ query, variables });
  const answer = await fetched({ method: "POST", headers, body, signal }).finally(() =>
    stillIn(since),
  );
  timing.last = performance.now() - began;
  if (answer.errors?.length) throw refusal(answer);
  return answer.data;
}

function stillIn(since) {
  if (since !== epoch()) throw new DOMException("Somebody else asks by now", "AbortError");
}

/** Whether something ended because nobody waits for it any more. */
export function isAborted(error) {
  return error.name === "AbortError";
}

async function fetched(options) {
  let response;
  try {
    response = await fetch("/graphql", options);
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new Refused("The service does not answer", "UNREACHABLE");
  }
  const answer = await response.json().catch(() => null);
  if (answer === null) throw new Refused(`The service answered ${response.status}`, "UNREACHABLE");
  if (!answer.data && !answer.errors)
    throw new Refused(answer.detail ?? answer.title ?? "Refused", "REFUSED");
  return answer;
}

function refusal(answer) {
  const [first] = answer.errors;
  return new Refused(first.message, first.extensions?.code ?? "ERROR");
}

const EVENTS = "subscription { events { seq at type channel actor subjectId domain summary } }";
const listeners = new Set();
const states = new Set();
const live = { socket: null, state: "off", wait: 1000, timer: 0 };

/** Hear of each change of the memory; returns how to stop. */
export function onEvent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hear whether changes come in: "live", "connecting" or "off". */
export function onLive(listener) {
  states.add(listener);
  listener(live.state);
}

function tell(state) {
  live.state = state;
  states.forEach((listener) => listener(state));
}

/** Follow changes as who asks now; what was followed before ends. */
export function follow() {
  clearTimeout(live.timer);
  const old = live.socket;
  live.socket = null;
  old?.close();
  if (isSignedOut()) return tell("off");
  tell("connecting");
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/graphql`, "graphql-transport-ws");
  live.socket = socket;
  const send = (message) => socket.send(JSON.stringify(message));
  socket.addEventListener("open", () => {
    if (live.socket !== socket) return; // it was opened for somebody else
    const payload = Object.fromEntries(
      Object.entries(credentials()).map(([name, value]) => [name.toLowerCase(), value]),
    );
    send({ type: "connection_init", payload });
  });
  socket.addEventListener("message", ({ data }) => {
    if (live.socket === socket) heard(JSON.parse(data), send);
  });
  socket.addEventListener("close", () => {
    if (live.socket !== socket) return;
    tell("off");
    live.wait = Math.min(live.wait * 2, 60000);
    live.timer = setTimeout(follow, live.wait);
  });
}

function heard(message, send) {
  if (message.type === "connection_ack") {
    live.wait = 1000;
    tell("live");
    send({ id: "events", type: "subscribe", payload: { query: EVENTS } });
  } else if (message.type === "ping") {
    send({ type: "pong" });
  } else if (message.type === "next" && message.payload.data) {
    listeners.forEach((listener) => listener(message.payload.data.events));
  }
}
