// Comparing: the same question with another profile, or as another agent.

import { ask } from "../api.js";
import { withKeys } from "../who.js";
import { plain } from "../words.js";

const AGENTS = "{ agents { id name } }";

/** What an answer can be compared with, for a choice. With a key, nobody asks as somebody else. */
export async function othersOf(profiles, signal) {
  const read = withKeys ? Promise.resolve({ agents: [] }) : ask(AGENTS, {}, { signal });
  const { agents } = await read.catch(() => ({ agents: [] }));
  return [
    ["", "nothing"],
    ...profiles.map((each) => [`profile:${each}`, plain(each)]),
    ["agent:", "the user in person"],
    ...agents.map(({ id, name }) => [`agent:${id}`, `as ${name}`]),
  ].filter(([value]) => !withKeys || !value.startsWith("agent:"));
}

/** The second question, and who asks it; null for nothing. */
export function otherOf(beside, input) {
  const [kind, ...rest] = (beside ?? "").split(":");
  const value = rest.join(":");
  if (kind === "profile") return { input: { ...input, profile: value } };
  return kind === "agent" && !withKeys ? { input, agent: value } : null;
}
