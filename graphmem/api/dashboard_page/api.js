// The GraphQL API: queries and mutations by POST, subscriptions over one WebSocket.

import { credentials, epoch, isSignedOut } from "./who.js";

/** A failure as the API reports it, with its code. */
export class Refused extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

const PATIENCE_MS = 120000; // the service itself ends an operation earlier
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

async function fetched({ signal, ...options }) {
  let response;
  try {
    const until = AbortSignal.timeout(PATIENCE_MS);
    const ends = signal ? AbortSignal.any([signal, until]) : until;
    response = await fetch("/graphql", { ...options, signal: ends });
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

const NEWEST = "{ events(newestFirst: true, first: 1) { seq } }";
const EVENTS = `subscription Changes($after: Long) {
  events(after: $after) { seq at type channel actor subjectId domain summary }
}`;
const PING_MS = 30000;
const listeners = new Set();
const states = new Set();
// `after` is the number of the last event that was heard, or of the last one before all of them.
const live = { socket: null, state: "off", wait: 1000, timer: 0, heard: false, after: null };

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
  live.after = ask(NEWEST).then(
    ({ events }) => events[0]?.seq ?? 0,
    () => null, // from when the socket is open
  );
  connect();
}

function connect() {
  tell("connecting");
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/graphql`, "graphql-transport-ws");
  live.socket = socket;
  const send = (message) => {
    if (live.socket === socket) socket.send(JSON.stringify(message)); // not for somebody else
  };
  socket.addEventListener("open", () => {
    const payload = Object.fromEntries(
      Object.entries(credentials()).map(([name, value]) => [name.toLowerCase(), value]),
    );
    send({ type: "connection_init", payload });
  });
  socket.addEventListener("message", ({ data }) => {
    if (live.socket === socket) heard(JSON.parse(data), send, () => socket.close());
  });
  socket.addEventListener("close", () => lost(socket));
  watch(socket, send);
}

/** Connect again later, and go on after what was heard. */
function lost(socket) {
  if (live.socket !== socket) return;
  live.socket = null;
  tell("off");
  live.wait = Math.min(live.wait * 2, 60000);
  live.timer = setTimeout(connect, live.wait);
}

/** Give up a socket from which nothing comes any more, as when the computer has slept. */
function watch(socket, send) {
  live.heard = true;
  const timer = setInterval(() => {
    if (live.socket !== socket) return clearInterval(timer);
    if (!live.heard) {
      lost(socket);
      return socket.close();
    }
    Object.assign(live, { heard: false, wait: 1000 });
    if (socket.readyState === WebSocket.OPEN) send({ type: "ping" });
  }, PING_MS);
}

async function heard(message, send, end) {
  live.heard = true;
  if (message.type === "connection_ack") {
    tell("live");
    const after = await live.after;
    send({ id: "events", type: "subscribe", payload: { query: EVENTS, variables: { after } } });
  } else if (message.type === "ping") {
    send({ type: "pong" });
  } else if (message.type === "next" && message.payload.data) {
    const event = message.payload.data.events;
    live.after = event.seq;
    listeners.forEach((listener) => listener(event));
  } else if (message.type === "complete" || message.type === "error") {
    end(); // nothing would come any more; it is tried again
  }
}
