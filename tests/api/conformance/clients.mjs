// Talks to the toy service with graphql-ws, graphql-sse and bare sockets; prints what happened as JSON.
import { createClient as createSocketClient } from 'graphql-ws';
import { createClient as createEventClient } from 'graphql-sse';
import WebSocket from 'ws';

const [host, impatientHost] = process.argv.slice(2);
const found = {};

/** Runs one operation to its end and returns its results, and the error that ended it, if any. */
function run(client, query, variables) {
  return new Promise((resolve) => {
    const results = [];
    client.subscribe({ query, variables }, {
      next: (result) => results.push(result),
      error: (error) => resolve({ results, error: Array.isArray(error) ? error : String(error) }),
      complete: () => resolve({ results }),
    });
  });
}

/** Opens a bare socket and returns how it ended: status of the handshake, or code of the close. */
function ending(address, protocol, options = {}, messages = []) {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://${address}/graphql`, protocol, options);
    const received = [];
    socket.on('open', () => messages.forEach((message) => socket.send(message)));
    socket.on('message', (data) => received.push(JSON.parse(String(data))));
    socket.on('unexpected-response', (_, response) => resolve({ status: response.statusCode }));
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason), received }));
    socket.on('error', () => {});
  });
}

const cases = {
  query: ['{ echo(text: "hi") }'],
  mutation: ['mutation ($v: Int!) { setValue(value: $v) }', { v: 5 }],
  subscription: ['subscription { count(to: 3) { n } }'],
  crash: ['{ crash }'],
  crashMidway: ['subscription { crashMidway }'],
  refused: ['subscription { refused }'],
  conflict: ['{ conflict }'],
  validation: ['{ nope }'],
  syntax: ['{'],
  coercion: ['query ($v: Int!) { size(first: $v) }', { v: 'x' }],
  complex: ['{ notes(first: 500) { nodes { items(first: 100) { id } } } }'],
};

const sockets = createSocketClient({ url: `ws://${host}/graphql`, webSocketImpl: WebSocket, lazy: false });
const events = createEventClient({ url: `http://${host}/graphql`, retryAttempts: 0 });
for (const [transport, client] of [['ws', sockets], ['sse', events]]) {
  found[transport] = {};
  for (const [name, [query, variables]] of Object.entries(cases)) {
    found[transport][name] = await run(client, query, variables);
  }
}

// A broken operation beside a running one: the socket, and so the running one, goes on.
let opened = 0;
sockets.on('opened', () => { opened += 1; });
const ticks = [];
const stop = sockets.subscribe({ query: 'subscription { forever }' }, {
  next: (result) => ticks.push(result), error: () => {}, complete: () => {},
});
while (ticks.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
await run(sockets, '{');
const before = ticks.length;
while (ticks.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 5));
found.reopened = opened;
stop();

const init = JSON.stringify({ type: 'connection_init' });
const subscribe = (id) => JSON.stringify({ type: 'subscribe', id, payload: { query: 'subscription { forever }' } });
const initAs = (who) => JSON.stringify({ type: 'connection_init', payload: { authorization: who } });
const protocol = 'graphql-transport-ws';
found.endings = {
  legacy: await ending(host, 'graphql-ws'),
  noProtocol: await ending(host, []),
  foreignOrigin: await ending(host, protocol, { origin: 'http://evil.example' }),
  foreignHost: await ending(host, protocol, { headers: { host: 'evil.example' } }),
  noInit: await ending(impatientHost, protocol),
  early: await ending(host, protocol, {}, [subscribe('1')]),
  twice: await ending(host, protocol, {}, [init, init]),
  sameId: await ending(host, protocol, {}, [init, subscribe('1'), subscribe('1')]),
  unknownKey: await ending(host, protocol, {}, [initAs('revoked')]),
  banned: await ending(host, protocol, {}, [initAs('banned')]),
  down: await ending(host, protocol, {}, [initAs('down')]),
  bug: await ending(host, protocol, {}, [initAs('bug')]),
  notJson: await ending(host, protocol, {}, ['{']),
  array: await ending(host, protocol, {}, ['[]']),
  binary: await ending(host, protocol, {}, [Buffer.from('{}')]),
  deep: await ending(host, protocol, {}, ['['.repeat(20000)]),
  badPayload: await ending(host, protocol, {}, [init, JSON.stringify({ type: 'subscribe', id: '1', payload: 'x' })]),
  badId: await ending(host, protocol, {}, [init, JSON.stringify({ type: 'subscribe', id: [], payload: { query: '{a}' } })]),
  badComplete: await ending(host, protocol, {}, [init, JSON.stringify({ type: 'complete', id: {} })]),
};

// The operation after the limit of 100 is refused; the 100 before it are not.
found.tooMany = await new Promise((resolve) => {
  const socket = new WebSocket(`ws://${host}/graphql`, protocol);
  socket.on('open', () => socket.send(init));
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'connection_ack') for (let i = 0; i <= 100; i++) socket.send(subscribe(String(i)));
    if (message.type === 'error') { resolve(message); socket.terminate(); }
  });
});

await sockets.dispose();
console.log(JSON.stringify(found));
process.exit(0);
