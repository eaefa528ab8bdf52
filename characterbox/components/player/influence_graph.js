// A drawing of who moved whom: the cast on a circle, and an arrow for each pair, as thick as they are many.

const SIZE = 240; // of the drawing, in its own units
const DOT = 9;

// The cast on a circle, and an arrow for each pair of whom one moved the other.
function influenceGraph(names, moves, hues, { named = true, label = (name) => name } = {}) {
  const places = new Map(names.map((name, index) => [name, onCircle(index, names.length)]));
  const counts = new Map();
  const pairOf = ({ from, to }) => JSON.stringify([from, to]);
  for (const move of moves) counts.set(pairOf(move), (counts.get(pairOf(move)) ?? 0) + 1);
  const last = moves.length ? pairOf(moves.at(-1)) : null;
  const arrows = Array.from(counts, ([pair, count]) => {
    const [from, to] = JSON.parse(pair).map((name) => places.get(name));
    return arrowBetween(from, to, count, pair === last);
  });
  const dots = names.flatMap((name) => dotOf(label(name), places.get(name), hues.get(name)).slice(0, named ? 2 : 1));
  const inset = named ? 0 : SIZE * 0.1; // without names the circle has all the room
  const side = SIZE - 2 * inset;
  return drawn("svg", { viewBox: `${inset} ${inset} ${side} ${side}`, class: "influences" }, ...arrows, ...dots);
}

function onCircle(index, count) {
  const angle = (2 * Math.PI * index) / count - Math.PI / 2;
  const radius = count === 1 ? 0 : SIZE * 0.33;
  return { x: SIZE / 2 + radius * Math.cos(angle), y: SIZE / 2 + radius * Math.sin(angle), angle };
}

// Bent to its right, so that an arrow and the one back stand beside each other.
function arrowBetween(from, to, count, latest) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bend = { x: (from.x + to.x) / 2 - (dy / length) * 18, y: (from.y + to.y) / 2 + (dx / length) * 18 };
  const end = towards(to, bend, DOT + 7);
  const start = towards(from, bend, DOT + 2);
  const width = Math.min(1 + count * 0.75, 5);
  const line = drawn("path", {
    d: `M${round2(start.x)} ${round2(start.y)}Q${round2(bend.x)} ${round2(bend.y)} ${round2(end.x)} ${round2(end.y)}`,
    "stroke-width": String(width),
  });
  const [ux, uy] = [(to.x - bend.x) / Math.hypot(to.x - bend.x, to.y - bend.y), (to.y - bend.y) / Math.hypot(to.x - bend.x, to.y - bend.y)];
  const point = (along, aside) => `${round2(end.x + ux * along - uy * aside)},${round2(end.y + uy * along + ux * aside)}`;
  const half = 2.5 + width;
  const head = drawn("polygon", { points: [point(half + 2, 0), point(-2, half), point(-2, -half)].join(" ") });
  return drawn("g", { class: latest ? "move latest" : "move" }, line, head);
}

function towards(place, other, by) {
  const length = Math.hypot(other.x - place.x, other.y - place.y) || 1;
  return { x: place.x + ((other.x - place.x) / length) * by, y: place.y + ((other.y - place.y) / length) * by };
}

function dotOf(name, { x, y, angle }, hue) {
  const above = Math.sin(angle) < -0.3;
  const label = drawn("text", { x: round2(x), y: round2(above ? y - DOT - 7 : y + DOT + 15), "text-anchor": "middle" });
  label.textContent = name;
  return [drawn("circle", { cx: round2(x), cy: round2(y), r: DOT, fill: hue ?? "currentColor" }), label];
}

function round2(number) {
  return Math.round(number * 100) / 100;
}

function drawn(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}
