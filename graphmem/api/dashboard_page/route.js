// The address as what is shown: `#/notes?domain=work&note=…`.

import { choose, chosen } from "./who.js";

/** What the address says: the page, and the rest as an object of strings. */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const given = Object.fromEntries(new URLSearchParams(query));
  const { user = "", as = "", ...params } = given;
  return { page: path || "overview", params, user, agent: as };
}

/** Take over whom the address names; tells if that is somebody else. */
export function takeViewer() {
  const { user, agent } = here();
  return choose(user, agent);
}

/** The address of a page, for the same viewer; what is empty is left out. */
export function to(page, params = {}, viewer = chosen()) {
  const all = { ...params, user: viewer.user, as: viewer.agent };
  const given = Object.entries(all).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined,
  );
  const query = new URLSearchParams(given).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

/** The address of this page with some of it changed. */
export function also(changes) {
  const { page, params } = here();
  return to(page, { ...params, ...changes });
}

/** Go to an address. */
export function go(address) {
  location.hash = address;
}
