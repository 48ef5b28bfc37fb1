// Where the nodes of a small graph are drawn: nodes push each other away, ties pull, and all are
// drawn to the middle. The same graph gets the same places each time.

const STEPS = 220;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const MARGIN = { x: 56, y: 26 };

/** Places `{ x, y }` of nodes within a width and a height; the first node is in the middle. */
export function placed(nodes, edges, width, height) {
  const size = Math.sqrt((width * height) / Math.max(nodes.length, 1));
  const places = nodes.map(({ hops }, place) => {
    const far = hops ? size * (hops + place / nodes.length) : 0;
    return { x: Math.cos(place * GOLDEN) * far, y: Math.sin(place * GOLDEN) * far };
  });
  for (let step = 0; step < STEPS; step += 1) moveAll(places, edges, size, 1 - step / STEPS);
  return fitted(places, width, height);
}

function moveAll(places, edges, size, heat) {
  const moves = places.map(() => ({ x: 0, y: 0 }));
  for (let one = 0; one < places.length; one += 1)
    for (let other = one + 1; other < places.length; other += 1)
      push(places, moves, one, other, (away) => (size * size) / away);
  for (const { source, target } of edges)
    push(places, moves, source, target, (away) => -(away * away) / size);
  places.forEach((place, at) => {
    if (at === 0) return; // the node in the middle stays there
    const move = moves[at];
    move.x -= place.x * 0.4;
    move.y -= place.y * 0.4;
    const length = Math.hypot(move.x, move.y) || 1;
    const most = Math.min(length, size * 0.5 * heat) / length;
    place.x += move.x * most;
    place.y += move.y * most;
  });
}

function push(places, moves, one, other, force) {
  if (one === other) return;
  const x = places[one].x - places[other].x || 0.01 * (one - other);
  const y = places[one].y - places[other].y || 0.01;
  const away = Math.max(Math.hypot(x, y), 1);
  const strength = force(away) / away;
  moves[one].x += x * strength;
  moves[one].y += y * strength;
  moves[other].x -= x * strength;
  moves[other].y -= y * strength;
}

/** The places stretched to a width and a height, with room for names. */
function fitted(places, width, height) {
  const across = spread(places.map(({ x }) => x));
  const down = spread(places.map(({ y }) => y));
  return places.map(({ x, y }) => ({
    x: MARGIN.x + across(x) * (width - 2 * MARGIN.x),
    y: MARGIN.y + down(y) * (height - 2 * MARGIN.y),
  }));
}

function spread(values) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return (value) => (most - least > 1 ? (value - least) / (most - least) : 0.5);
}
