// Stories of one scene side by side, from the first step on in which they differ: a row for each turn, a column for each
// story. What they begin with in common stands there once, folded.

function comparison({ scene, stories, equal, words: given }) {
  const words = wordsOf(given);
  const context = { scene, words, hues: castHues(scene), models: {}, people: [], eyes: [] };
  const shared = sharedBy(stories);
  const columns = stories.map(({ events }) => stepsOf(context, events, shared));
  const names = stories.map(({ name }) => name);
  const rest = rowsOf(context, columns.map((steps) => steps.slice(equal)), names);
  const heads = make("div", "row heads", ...names.map((name) => make("h3", "", name)));
  const same = equal ? folded(words, rowsOf(context, [columns[0].slice(0, equal)], [""])) : null;
  const node = make("section", "player comparison", same, heads, ...(rest.length ? rest : [make("p", "aside", words.allEqual)]));
  node.style.setProperty("--stories", String(stories.length));
  node.lang = words.tongue === "zh" ? "zh-CN" : "en";
  node.dataset.story = scene.language;
  return node;
}

function folded(words, rows) {
  return make("details", "equal", make("summary", "", words.equal), make("div", "once", ...rows));
}

// The paths at which all stories say the same.
function sharedBy(stories) {
  const said = stories.map(({ events }) => new Map(events.map(({ known, ...event }) => [event.path, JSON.stringify(event)])));
  return new Set([...said[0].keys()].filter((path) => said.every((one) => one.get(path) === said[0].get(path))));
}

// Each step in its form, with the turn that it belongs to; what all say is quiet.
function stepsOf(context, events, shared) {
  let world = openingOf(context.scene);
  return events
    .filter(({ kind }) => kind !== "story_ended")
    .map((event) => {
      const form = formOf({ ...context, world }, event);
      form.classList.toggle("same", shared.has(event.path));
      world = after(world, event);
      return { round: event.round, turn: event.turn, form };
    });
}

function rowsOf(context, columns, names) {
  const rounds = columns.flatMap((steps) => steps.map(({ round }) => round));
  const rows = [];
  for (let round = Math.min(...rounds); round <= Math.max(...rounds); round++) {
    const turns = [...context.scene.cast.map(({ name }) => name), null].flatMap((turn) => rowOf(context, columns, names, round, turn));
    if (turns.length) rows.push(make("h3", "round", roundName(context.words, round)), ...turns);
  }
  return rows;
}

function rowOf(context, columns, names, round, turn) {
  const cells = columns.map((steps) => steps.filter((step) => step.round === round && step.turn === turn).map(({ form }) => form));
  if (!cells.some((forms) => forms.length)) return [];
  const title = make("h4", "label", turn ? nameOf(context, turn) : context.words.stock);
  const row = make("div", `row ${turn ? "own" : "stock"}`, ...cells.map((forms, index) => cellOf(names[index], forms)));
  return [title, coloured(row, context, turn ?? "")];
}

// Where the columns stand one below the other, each says whose it is.
function cellOf(name, forms) {
  const title = name ? make("p", "whose", name) : null;
  return make("div", "cell", title, ...(forms.length ? forms : [make("p", "aside", "—")]));
}

export default function showComparison({ data, parentElement }) {
  const before = parentElement.querySelector(".frame");
  const told = JSON.stringify(data);
  if (before?.told === told) return; // as when stories that are being played are looked at again
  const frame = make("div", "frame", comparison(data));
  frame.told = told;
  const equal = frame.querySelector(".equal");
  if (equal) equal.open = before?.querySelector(".equal")?.open ?? false;
  before?.remove();
  parentElement.append(frame);
}
