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
  const find = (kind, at) => own.find((one) => one.kind === kind && one.round === at);
  const drawn = (drawing.keep.drawnBeliefs ??= new WeakMap()); // by event: marking what changed takes its time
  const sets = Object.keys(BELIEF_LINES).flatMap((kind) => {
    const now = find(kind, round);
    if (!now) return [];
    if (!drawn.has(now)) drawn.set(now, beliefLines(drawing, find(kind, round - 1), now));
    return drawn.get(now);
  });
  return make("section", "", make("h3", "", drawing.words.round({ n: round })), ...sets);
}

function beliefLines(drawing, before, now) {
  const { words } = drawing;
  const line = (field) => definition(words[field], inScene(drawing, "dd", before ? before[field] : null, now[field], true));
  const title = make("p", "label", now.kind === "self_belief" ? words.ofSelf : words.ofScene);
  return [title, make("dl", "", ...BELIEF_LINES[now.kind].flatMap(line))];
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
