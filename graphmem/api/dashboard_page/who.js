// Who asks. A key lives in memory, or, if wished, in sessionStorage until the tab is closed; it is
// in no address. Without keys the user and the agent are chosen, and the address names them.

export const withKeys = document.documentElement.dataset.auth === "keys";
const KEPT = "graphmem.key";
const state = {
  key: withKeys ? (sessionStorage.getItem(KEPT) ?? "") : "",
  user: "",
  agent: "",
  epoch: 0,
};

/** A number that is another one once somebody else asks: what began before must not be shown. */
export function epoch() {
  return state.epoch;
}

/** The user and the agent that were chosen; "" for the default user, and for none. */
export function chosen() {
  return { user: state.user, agent: state.agent };
}

/** Take whom the address names. Tells if that is somebody else than before. */
export function choose(user, agent) {
  if (withKeys) return false;
  const changed = user !== state.user || agent !== state.agent;
  Object.assign(state, { user, agent });
  if (changed) state.epoch += 1;
  return changed;
}

/** Whether there is nobody to ask as. */
export function isSignedOut() {
  return withKeys && !state.key;
}

/** Use a key, and keep it for this tab if `kept`. */
export function signIn(key, kept) {
  state.key = key.trim();
  state.epoch += 1;
  if (kept) sessionStorage.setItem(KEPT, state.key);
}

/** Forget the key. */
export function signOut() {
  state.key = "";
  state.epoch += 1;
  sessionStorage.removeItem(KEPT);
}

/** What a request or a socket says of who asks; perhaps as another agent of the user. */
export function credentials(agent = state.agent) {
  const given = { "X-Graphmem-Client": "dashboard" };
  if (state.key) given.Authorization = `Bearer ${state.key}`;
  if (state.user) given["X-Graphmem-User"] = state.user;
  if (agent) given["X-Graphmem-Agent"] = agent;
  return given;
}
