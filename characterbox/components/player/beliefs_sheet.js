// The beliefs of one character, round by round, the newest first; what changed since the round before is marked.

function beliefsSheet(drawing) {
  const { words, scene, events, event, keep } = drawing;
  const names = scene.cast.map(({ name }) => name);
  const name = names.includes(keep.believer) ? keep.believer : names.includes(event?.character) ? event.character : names[0];
  const choice = chooser(drawing, names, name);
  const own = events.filter((one) => one.character === name && Object.hasOwn(BELIEF_LINES, one.kind));
  const rounds = [...new Set(own.map(({ round }) => round))].reverse();
  const parts = rounds.map((round) => roundOfBeliefs(drawing, own, round));
  return [choice, ...(parts.length ? parts : [make("p", "aside", words.noBeliefs)])];
}

function roundOfBeliefs(drawing, own, round) {
  const { words } = drawing;
  const find = (kind, at) => own.find((one) => one.kind === kind && one.round === at);
  const sets = Object.keys(BELIEF_LINES).flatMap((kind) => {
    const now = find(kind, round);
    if (!now) return [];
    const before = find(kind, round - 1);
    const line = (field) => definition(words[field], inScene(drawing, "dd", before ? before[field] : null, now[field], true));
    return [make("p", "label", kind === "self_belief" ? words.ofSelf : words.ofScene), make("dl", "", ...BELIEF_LINES[kind].flatMap(line))];
  });
  return make("section", "", make("h3", "", words.round({ n: round })), ...sets);
}

function chooser({ words, keep, redraw }, names, chosen) {
  const select = make("select", "", ...names.map((name) => make("option", "", name)));
  select.value = chosen;
  select.setAttribute("aria-label", words.whose);
  select.addEventListener("change", () => {
    keep.believer = select.value;
    redraw();
  });
  return select;
}
