// Lists the operations of /openapi.json, each with a form that sends a request.
"use strict";

const value = (id) => document.getElementById(id).value.trim();

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function headers() {
  const sent = {};
  if (value("user")) sent["X-Graphmem-User"] = value("user");
  if (value("agent")) sent["X-Graphmem-Agent"] = value("agent");
  if (value("key")) sent["Authorization"] = `Bearer ${value("key")}`;
  return sent;
}

function type(schema) {
  if (schema.enum) return schema.enum.filter((each) => each !== null).join(" | ");
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.type === "array") return `${type(schema.items)}, repeated`;
  return [schema.type].flat().filter((each) => each && each !== "null").join(" | ");
}

// An example of a body: the fields that must be given.
function example(schema) {
  const given = {};
  for (const name of schema.required ?? []) {
    const kind = [schema.properties[name].type].flat()[0];
    given[name] = { array: [], boolean: false, integer: 1, number: 1 }[kind] ?? "";
  }
  return JSON.stringify(given, null, 2);
}

function form(method, path, operation) {
  const made = element("form");
  const inputs = {};
  for (const parameter of operation.parameters ?? []) {
    if (parameter.name.startsWith("X-Graphmem")) continue;
    const input = element("input");
    input.required = Boolean(parameter.required);
    inputs[parameter.name] = { input, place: parameter.in };
    const words = ` ${type(parameter.schema)} (${parameter.in}) ${parameter.description ?? ""}`;
    made.append(element("label", `${parameter.name} `, input, element("small", words)));
  }
  const body = operation.requestBody?.content["application/json"].schema;
  const area = element("textarea");
  if (body) {
    area.value = example(body);
    const fields = element("ul");
    for (const [name, schema] of Object.entries(body.properties)) {
      fields.append(element("li", `${name}: ${type(schema)} ${schema.description ?? ""}`));
    }
    made.append(fields, area);
  }
  const shown = element("pre");
  shown.hidden = true;
  made.append(element("button", "Send"), shown);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    let address = path;
    const query = new URLSearchParams();
    const sent = headers();
    for (const [name, { input, place }] of Object.entries(inputs)) {
      if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(input.value));
      else if (input.value && place === "header") sent[name] = input.value;
      else if (input.value) query.append(name, input.value);
    }
    if (body) sent["Content-Type"] = "application/json";
    const asked = query.size ? `${address}?${query}` : address;
    shown.hidden = false;
    try {
      const options = { method: method.toUpperCase(), headers: sent };
      if (body) options.body = area.value;
      const answer = await fetch(asked, options);
      if (address.endsWith("/stream")) return await follow(answer, shown);
      const text = await answer.text();
      let told = text;
      try { told = JSON.stringify(JSON.parse(text), null, 2); } catch { /* as it is */ }
      shown.textContent = `${answer.status} ${answer.statusText}\n\n${told}`;
    } catch (error) {
      shown.textContent = String(error);
    }
  });
  return made;
}

async function follow(answer, shown) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  shown.textContent = "";
  for (;;) {
    const { done, value: text } = await reader.read();
    if (done) return;
    shown.textContent = (shown.textContent + text).slice(-20000);
  }
}

async function start() {
  const described = await (await fetch("/openapi.json")).json();
  document.getElementById("about").textContent = described.info.description;
  const groups = {};
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const title = element("summary", "", element("span", method.toUpperCase()));
      title.firstChild.className = "method";
      title.append(element("code", path), ` ${operation.summary}`);
      const made = element("details", "", title);
      made.addEventListener("toggle", () => {
        if (made.childElementCount === 1) made.append(form(method, path, operation));
      });
      (groups[operation.tags[0]] ??= []).push(made);
    }
  }
  const main = document.getElementById("operations");
  for (const [group, found] of Object.entries(groups)) main.append(element("h2", group), ...found);
}

start();
