// Stories of one scene side by side: a row for each turn, a column for each story.

function comparison({ scene, stories, words: given }) {
  const words = wordsOf(given);
  const context = { scene, words, hues: castHues(scene), models: {}, people: [], eyes: [] };
  const columns = stories.map(({ events }) => stepsOf(context, events));
  const heads = stories.map(({ name }) => make("h3", "", name));
  const rows = [make("div", "row heads", ...heads)];
  const last = Math.max(0, ...stories.map(({ events }) => events.at(-1)?.round ?? 0));
  for (let round = 0; round <= last; round++) {
    const turns = [...scene.cast.map(({ name }) => name), null].flatMap((turn) => rowOf(context, columns, round, turn));
    if (turns.length) rows.push(make("h3", "round", roundName(words, round)), ...turns);
  }
  const node = make("section", "player comparison", ...rows);
  node.style.setProperty("--stories", String(stories.length));
  node.lang = words.tongue === "zh" ? "zh-CN" : "en";
  node.dataset.story = scene.language;
  return node;
}

// Each step in its form, with the turn that it belongs to.
function stepsOf(context, events) {
  let world = openingOf(context.scene);
  return events
    .filter(({ kind }) => kind !== "story_ended")
    .map((event) => {
      const form = formOf({ ...context, world }, event);
      world = after(world, event);
      return { round: event.round, turn: event.turn, form };
    });
}

function rowOf(context, columns, round, turn) {
  const cells = columns.map((steps) => steps.filter((step) => step.round === round && step.turn === turn).map(({ form }) => form));
  if (!cells.some((forms) => forms.length)) return [];
  const title = make("h4", "label", turn ? nameOf(context, turn) : context.words.stock);
  const parts = cells.map((forms) => make("div", "cell", ...(forms.length ? forms : [make("p", "aside", "—")])));
  const row = make("div", `row ${turn ? "own" : "stock"}`, ...parts);
  return [title, coloured(row, context, turn ?? "")];
}

export default function showComparison({ data, parentElement }) {
  const frame = make("div", "frame", comparison(data));
  parentElement.querySelector(".frame")?.remove();
  parentElement.append(frame);
}
