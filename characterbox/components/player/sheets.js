// The sheets of the notebook.

// ---- the replies behind a step: who wrote each, what it took, what went wrong, and the prompt that it answers.

function replySheet(drawing, { takes }) {
  const { words, event } = drawing;
  const nodes = [make("h3", "", stepName(drawing, event))];
  takes.toReversed().forEach((take, index) => {
    if (takes.length > 1) nodes.push(make("p", "label", takeName(words, take, takes.length - index, takes.length)));
    nodes.push(factsOf(words, take), storyText(drawing, "pre", take.text, "raw"), promptOf(drawing, take));
  });
  return nodes;
}

function takeName(words, { again }, n, of) {
  return words.takeOf({ n, of }) + (again ? ` · ${words.askedAgain}` : "");
}

function factsOf(words, take) {
  const { facts, authors } = words;
  const byModel = take.author === "model";
  const rows = [
    [facts.author, authors[take.improvised ? "rehearsal" : take.author]],
    [facts.model, byModel && take.model],
    [facts.origin, take.origin],
    [facts.attempts, byModel && String(take.attempts)],
    [facts.troubles, take.troubles.join(words.comma)],
    [facts.refused, take.refused.join(words.comma)],
    [facts.latency, byModel && words.seconds({ n: take.latency.toFixed(2) })],
    [facts.tokens, byModel && tokensOf(words, take)],
    [facts.price, byModel && (take.price === null ? words.noPrice : `$${Number(take.price.toPrecision(6))}`)],
    [facts.finish, take.finish],
  ];
  return make("dl", "facts", ...rows.filter(([, said]) => said).flatMap(([term, said]) => definition(term, make("dd", "", said))));
}

function tokensOf(words, { promptTokens, completionTokens, cachedTokens }) {
  if (promptTokens === null || completionTokens === null) return words.tokensUntold;
  const values = { in: promptTokens.toLocaleString("en"), out: completionTokens.toLocaleString("en") };
  return cachedTokens ? words.tokensCached({ ...values, cached: cachedTokens.toLocaleString("en") }) : words.tokens(values);
}

function promptOf(drawing, { messages }) {
  const { words } = drawing;
  const parts = messages.flatMap(({ role, content }) => [
    make("h4", "label", words.roles[role]),
    storyText(drawing, "div", content, "prompt"),
  ]);
  return make("details", "", make("summary", "", words.prompt), ...parts);
}

// ---- what the one who was asked remembered, and how useful each memory was then (paper, 3.2): the most useful first.

const PARTS = ["relevance", "recency", "importance"];

function memorySheet(drawing, { memory, measured }) {
  const { words, event } = drawing;
  const title = make("h3", "", stepName(drawing, event));
  if (!memory) return [title, make("p", "aside", words.memory.lost)];
  if (!memory.length) return [title, make("p", "aside", words.memory.none)];
  const best = memory.toSorted((one, other) => other.score - one.score);
  const by = measured ? words.memory.byModel({ model: measured }) : words.memory.byLetters;
  const items = best.map((one) => memoryItem(drawing, one));
  return [title, make("p", "label", words.memory.told), make("p", "label", by), make("ol", "memories", ...items)];
}

function memoryItem(drawing, memory) {
  const { words } = drawing;
  const told = words.memory;
  const how = memory.left_out ? told.leftOut : memory.recalled ? told.recalled : told.inRecord;
  const bars = PARTS.map((part) => bar(told[part], memory[part] ?? null, told.unknown));
  return make(
    "li",
    memory.left_out ? "left-out" : "",
    storyText(drawing, "p", memory.text),
    make("p", "label", `${roundName(words, memory.round)} · ${how}`),
    make("div", "bars", ...bars),
  );
}

function bar(label, share, unknown) {
  const told = share === null ? unknown : share.toFixed(2);
  const meter = make("span", "bar");
  meter.style.setProperty("--share", String(share ?? 0));
  return make("span", "part", make("span", "", `${label} ${told}`), meter);
}

// ---- who could know what: the steps of the turn so far, and for each of the cast whether it can know of them. Not for
// those who play: they are told what they know, and nothing of what others do.

const MARKS = { whole: "●", part: "◐", none: "–" };

function knowledgeSheet(drawing) {
  const { words, scene, events, event } = drawing;
  if (!event) return [make("p", "aside", words.noStep)];
  const names = scene.cast.map(({ name }) => name);
  const turn = events.filter((one) => one.round === event.round && one.turn === event.turn && one.kind !== "veiled");
  const cell = (one, name) => {
    const share = one.known[name];
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
    table(`${roundName(words, event.round)} · ${title}`, [words.step, ...heads], rows),
    make("p", "label legend", ...legend),
    make("p", "label", words.narratorKnows),
  ];
}

// ---- the beliefs of one character, round by round, the newest first; what changed since the round before is marked.

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
  return make("section", "", make("h3", "", roundName(drawing.words, round)), ...sets);
}

function beliefLines(drawing, before, now) {
  const { words } = drawing;
  const line = (field) => definition(words[field], inScene(drawing, "dd", before ? before[field] : null, now[field], true));
  const title = make("p", "label", now.kind === "self_belief" ? words.ofSelf : words.ofScene);
  return [title, make("dl", "", ...BELIEF_LINES[now.kind].flatMap(line))];
}

function chooser({ words, world, keep, redraw }, names, chosen) {
  const option = (name) => Object.assign(make("option", "", calledNow({ world, words }, name)), { value: name });
  const select = make("select", "", ...names.map(option));
  select.value = chosen;
  select.setAttribute("aria-label", words.whose);
  select.addEventListener("change", () => {
    keep.believer = select.value;
    redraw();
  });
  return select;
}

// ---- who moved whom, up to the step that is shown: arrows as thick as they are many, the latest one lit, and told in words.

function influenceSheet(drawing) {
  const { words, scene, events } = drawing;
  const moves = influencesIn(events);
  const cast = scene.cast.map(({ name }) => name);
  const names = [...new Set([...cast, ...moves.flatMap(({ from, to }) => [from, to])])]; // who came later, too
  const drawn = influenceGraph(names, moves, drawing.hues, { label: (name) => calledNow(drawing, name) });
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
