// Who moved whom, up to the step that is shown: arrows as thick as they are many, the latest one lit, and told in words.

function influenceSheet(drawing) {
  const { words, scene, events } = drawing;
  const moves = influencesIn(events);
  const names = scene.cast.map(({ name }) => name);
  const drawn = influenceGraph(names, moves, drawing.hues);
  drawn.setAttribute("aria-hidden", "true"); // the list below tells the same
  if (!moves.length) return [drawn, make("p", "aside", words.noInfluence)];
  const pairs = Map.groupBy(moves, ({ from, to }) => JSON.stringify([from, to]));
  const lines = Array.from(pairs.values()).sort((one, other) => other.length - one.length);
  const item = (pair) => {
    const rounds = [...new Set(pair.map(({ round }) => round))].join(words.comma);
    const arrow = make("span", "arrow", "→");
    arrow.setAttribute("role", "img");
    arrow.setAttribute("aria-label", words.touches);
    const count = make("span", "label", pair.length === 1 ? words.inRound({ n: rounds }) : words.inRounds({ n: pair.length, rounds }));
    return make("li", "", nameOf(drawing, pair[0].from), " ", arrow, " ", nameOf(drawing, pair[0].to), " ", count);
  };
  return [drawn, make("ol", "pairs", ...lines.map(item))];
}

function influencesIn(events) {
  const felt = events.filter(({ kind, affected }) => kind === "action_influence" && affected);
  return felt.map(({ character, affected, round }) => ({ from: character, to: affected, round }));
}
