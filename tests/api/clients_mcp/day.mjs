// A day's work with the memory: `node day.mjs {"mode": …, "http": …, "stdio": …}`. Prints as JSON
// what was told. The SDK itself checks each structured answer by the schema of its tool.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { mode, http, stdio } = JSON.parse(process.argv[2]);
const ERROR = "graphmem/error";

// A connection to an endpoint, or to all of them over stdin and stdout.
async function connected(endpoint) {
  const transport = stdio
    ? new StdioClientTransport(stdio)
    : new StreamableHTTPClientTransport(new URL(`${http.address}/mcp/${endpoint}`), {
        requestInit: { headers: http.headers },
      });
  const client = new Client({ name: "day", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

// The structured answer of a tool.
async function told(client, name, given = {}) {
  const answer = await client.callTool({ name, arguments: given });
  if (answer.isError) throw new Error(`${name}: ${answer.content[0].text}`);
  const text = JSON.stringify(JSON.parse(answer.content[0].text));
  if (text !== JSON.stringify(answer.structuredContent)) throw new Error(`${name}: two answers`);
  return answer.structuredContent;
}

// The code of the error of a tool.
async function code(client, name, given) {
  const answer = await client.callTool({ name, arguments: given });
  return answer.isError ? answer._meta[ERROR].code : "none";
}

// JSON that stands between marks, as a text out of memory does.
function textIn(resource) {
  const { text } = resource.contents[0];
  return /<memory>\n(.*)\n<\/memory>/s.exec(text)?.[1] ?? text;
}

// What an endpoint offers.
async function offered(client) {
  const names = async (listed, key) => (await listed)[key].map((each) => each.name);
  return {
    era: client.getProtocolEra(),
    server: client.getServerVersion()?.name,
    instructed: client.getInstructions()?.length > 1000,
    tools: await names(client.listTools(), "tools"),
    templates: await names(client.listResourceTemplates(), "resourceTemplates"),
    prompts: await names(client.listPrompts(), "prompts"),
    resources: (await client.listResources()).resources.map((each) => each.uri),
  };
}

async function remembering(client) {
  const one = await told(client, "memory.write", {
    content: "Ada Kessler repaired the relay of the kiln.",
    tags: ["kiln"],
    agent_id: "coder",
  });
  const two = await told(client, "memory.write", { content: "The kiln stands in room four." });
  const found = await told(client, "memory.query", { query_text: "Who repaired the relay?", k: 1 });
  await told(client, "memory.feedback", {
    recall_id: found.recall_id,
    used_note_ids: [one.note_id],
  });
  const changed = { note_id: two.note_id, content: "The kiln stands in room five." };
  const revised = await told(client, "memory.revise", { ...changed, expected_version: 1 });
  const stale = await code(client, "memory.revise", { ...changed, expected_version: 1 });
  await told(client, "memory.forget", { note_id: one.note_id, reason: "told twice" });
  const without = await told(client, "memory.list");
  await told(client, "memory.restore", { note_id: one.note_id });
  const pages = [];
  for (let cursor = null; cursor !== undefined; cursor = pages.at(-1).next_cursor)
    pages.push(await told(client, "memory.list", { token_budget: 200, cursor }));
  const core = await client.readResource({ uri: "graphmem://core" });
  const note = await client.readResource({ uri: `graphmem://note/${two.note_id}` });
  const prompt = await client.getPrompt({ name: "brief_me", arguments: { topic: "the kiln" } });
  const completed = await client.complete({
    ref: { type: "ref/resource", uri: "graphmem://entity/{name}" },
    argument: { name: "name", value: "Ada" },
  });
  return {
    found: found.results.map((each) => each.content),
    version: revised.version,
    stale,
    without: without.results.length,
    paged: pages.map((each) => each.results.length),
    nowhere: await code(client, "memory.get", { note_id: "nothing" }),
    tooMany: await code(client, "memory.query", { query_text: "x", k: 101 }),
    unknown: await code(client, "memory.query", { query_text: "x", colour: "red" }),
    context: (await told(client, "memory.get_context", { task_description: "Find the kiln" }))
      .relevant_memories,
    total: (await told(client, "memory.stats")).total_memories,
    core: core.contents[0].mimeType,
    note: JSON.parse(textIn(note)).note.content,
    prompt: prompt.messages.map((each) => each.content.text).join("\n"),
    completed: completed.completion.values,
  };
}

async function handingOver(client) {
  const spawned = await told(client, "agent.spawn", { role: "worker", domains: ["work"] });
  await told(client, "agent.report_status", {
    agent_id: "coder",
    status: "busy",
    current_task: "Fire the kiln",
  });
  const handed = await told(client, "agent.handoff", {
    to_agent_id: spawned.agent_id,
    context_summary: "The kiln waits.",
    memory_ids_to_transfer: [],
  });
  const listed = (await told(client, "agent.status")).agents;
  return {
    handed: "handoff_id" in handed,
    agents: listed.map((each) => (each.agent_id === spawned.agent_id ? "spawned" : each.agent_id)),
    routed: (await told(client, "agent.route", { task_description: "Fire the kiln" }))
      .recommended_agent_id,
    listed: JSON.parse(textIn(await client.readResource({ uri: "graphmem://agents" }))).agents
      .length,
  };
}

async function sharing(client) {
  const skill = { name: "fire-kiln", procedure: "1. Load it.\n2. Heat it.", tags: ["kiln"] };
  const added = await told(client, "commons.add_skill", skill);
  const found = await told(client, "commons.find_skills", { search: "heat the kiln" });
  const report = { skill_id: added.skill_id, success: true };
  return {
    skills: found.skills.map((each) => each.name),
    trusted: (await told(client, "commons.report_skill", report)).trust > added.trust,
    known: (await told(client, "commons.query", { topic: "kiln" })).entries,
    sop: await code(client, "commons.get_sop", { domain: "work" }),
    experts: (await told(client, "commons.who_knows", { topic: "kiln" })).experts.length,
    prompts: (await client.getPrompt({ name: "follow_procedure", arguments: { task: "Fire it" } }))
      .messages.length,
  };
}

const parts = { memory: remembering, orchestrator: handingOver, commons: sharing };
const day = {};
let shared = stdio ? await connected() : null;
for (const [endpoint, work] of Object.entries(parts)) {
  const client = shared ?? (await connected(endpoint));
  day[endpoint] = { offered: await offered(client), ...(await work(client)) };
  if (!shared) await client.close();
}
await shared?.close();
console.log(JSON.stringify(day));
