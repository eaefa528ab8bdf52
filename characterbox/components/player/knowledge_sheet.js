// Who could know what: the steps of the turn so far, and for each of the cast whether it can know of them.

const MARKS = { whole: "●", part: "◐", none: "–" };

function knowledgeSheet(drawing) {
  const { words, scene, events, event } = drawing;
  if (!event) return [make("p", "aside", words.noStep)];
  const names = scene.cast.map(({ name }) => name);
  const turn = events.filter((one) => one.round === event.round && one.turn === event.turn && one.kind !== "veiled");
  const cell = (one, name) => {
    const share = knownTo(drawing, one, name);
    const mark = make("span", `known ${share}`, MARKS[share]);
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", words.known[share]);
    return mark;
  };
  const rows = turn.map((one) => [stepName(drawing, one), ...names.map((name) => cell(one, name))]);
  const title = event.turn ? words.turnOf({ name: event.turn }) : words.stock;
  const heads = names.map((name) => nameOf(drawing, name));
  const legend = Object.entries(MARKS).map(([share, mark]) => make("span", "", `${mark} ${words.known[share]}`));
  return [
    table(`${words.round({ n: event.round })} · ${title}`, [words.step, ...heads], rows),
    make("p", "label legend", ...legend),
    make("p", "label", words.narratorKnows),
  ];
}

function knownTo({ knowers }, { kind, character, affected }, name) {
  switch (knowers[kind]) {
    case "all":
      return "whole";
    case "affected":
      return affected === name ? "whole" : "none";
    case "own":
      return character === name ? "whole" : "none";
    default:
      return character === name ? "whole" : "part";
  }
}
