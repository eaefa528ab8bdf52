// The typographic form of each kind of step. All that comes from a story is set as text nodes, never as markup.

const MARGIN_KINDS = new Set(["action_influence", "character_update", "environment_update", "veiled"]);

function castHues(scene) {
  return new Map(scene.cast.map(({ name }, index) => [name, HUES[index % HUES.length]]));
}

function coloured(node, context, name) {
  const hue = context.hues.get(name);
  if (hue) node.style.setProperty("--hue", hue);
  return node;
}

function nameOf(context, name) {
  const node = make("bdi", "name", calledNow(context, name));
  if (!isUnmet(name)) node.lang = context.scene.language;
  return coloured(node, context, name);
}

function namesOf(context, names) {
  return names.flatMap((name, index) => [...(index ? [context.words.comma] : []), nameOf(context, name)]);
}

// Text of the story itself, in the language of the scene.
function storyText(context, tag, text, className = "words") {
  const node = make(tag, className, text);
  node.lang = context.scene.language;
  node.dir = "auto";
  return node;
}

function inScene(context, tag, before, after, withRemoved) {
  const node = storyText(context, tag, "");
  const runs = before === null ? [["kept", after]] : differences(before, after, context.scene.language);
  runs.forEach(([kind, text], index) => {
    if (kind === "kept") node.append(withRemoved ? nearChanges(text, index, runs.length, context) : text);
    else if (kind === "removed") node.append(withRemoved ? make("del", "", text) : "");
    else node.append(make("ins", withRemoved && runs[index - 1]?.[0] === "removed" ? "instead" : "", text));
  });
  return node;
}

const NEAR_CHANGE = { en: 48, zh: 18 }; // letters of what stayed that are told beside a change; the card has the whole

// Of a long text that stayed only what stands beside a change; before and after are told to show what changed.
function nearChanges(text, index, count, { scene: { language } }) {
  const near = NEAR_CHANGE[language];
  const [first, last] = [index === 0, index === count - 1];
  if (count === 1 || text.length <= 3 * near) return text;
  const [start, end] = [text.slice(0, near), text.slice(-near)];
  const whole = language !== "zh"; // words are not cut
  const head = first ? "" : whole ? start.replace(/\S*$/u, "") : start;
  const tail = last ? "" : whole ? end.replace(/^\S*/u, "") : end;
  return `${head}…${tail}`;
}

const FORMS = {
  action: (context, event) => [
    event.unseen ? make("p", "label", context.words.unnoticed) : null,
    storyText(context, "p", event.text),
  ],

  dialogue(context, event) {
    const words = event.text.trim()
      ? storyText(context, "span", event.text)
      : make("span", "aside", context.words.silent);
    const speaker = nameOf(context, event.character);
    speaker.classList.add("speaker");
    return [make("p", "", speaker, " ", ...mannerOf(context, event), words)];
  },

  action_influence(context, event) {
    const { words } = context;
    const arrow = make("span", "arrow", "→");
    arrow.setAttribute("role", "img");
    arrow.setAttribute("aria-label", words.touches);
    const target = event.affected === null ? make("span", "aside", words.nobody) : nameOf(context, event.affected);
    const line = event.affected === null ? [" ", target] : [" ", arrow, " ", target];
    return [
      make("p", "", nameOf(context, event.character), ...line),
      event.text.trim() ? storyText(context, "p", event.text) : null,
      witnesses(context, words.seen, event.seen_by, [event.character]),
      witnesses(context, words.heard, event.heard_by, [event.character]),
      importanceOf(context, event),
    ];
  },

  reaction(context, event) {
    const who = make("p", "label", nameOf(context, event.character), " ", context.words.inReturn);
    return [who, storyText(context, "p", event.text)];
  },

  interaction_result(context, event) {
    const { words } = context;
    return [
      make("p", "label", words.narrator),
      storyText(context, "p", event.text),
      ...feltBy(context, event),
      witnesses(context, words.seen, event.seen_by, [event.character, event.affected]),
      ...recognitions(context, event),
      importanceOf(context, event),
    ];
  },

  character_update(context, event) {
    const before = context.world.characters.get(event.character) ?? NOWHERE;
    const now = { visible: "", ...event };
    return changes(context, nameOf(context, event.character), before, now, ["position", "state", "visible"]);
  },

  environment_update(context, event) {
    const title = make("span", "", context.words.surroundings);
    const fields = ["time", "location", "description"];
    const concluded = event.concluded ? make("p", "aside", context.words.concluded) : null;
    return [...changes(context, title, context.world.environment, event, fields), ...hidings(context, event), concluded];
  },

  self_belief: (context, event) => beliefs(context, event, context.words.ofSelf),
  environment_belief: (context, event) => beliefs(context, event, context.words.ofScene),
  story_ended: (context, event) => [make("p", "", context.words.end[event.because])],

  veiled({ words, eyes }) {
    const dots = make("p", "aside", "· · ·");
    dots.setAttribute("role", "img");
    dots.setAttribute("aria-label", words.veiled({ names: eyes.join(words.or) }));
    dots.title = dots.getAttribute("aria-label");
    return [dots];
  },
};

// For whom words are, and how they are said: as a stage direction before them.
function mannerOf(context, { to, whispered, text }) {
  const { words } = context;
  if (!text.trim() || !(to || whispered)) return [];
  const name = to ? nameOf(context, to) : null;
  const said = to ? sentence(whispered ? words.whispersTo : words.to, { name }) : [words.mutters];
  return [make("span", "manner", ...said), " "];
}

// Who perceives it, besides those of whom it tells, where not all do.
function witnesses(context, { by: said, nobody }, names, own) {
  if (!names) return null;
  const count = context.scene.cast.filter(({ name }) => !own.includes(name)).length;
  const others = names.filter((name) => !own.includes(name));
  if (others.length === count) return null;
  return make("p", "label", ...(others.length ? sentence(said, { names: namesOf(context, others) }) : [nobody]));
}

function feltBy(context, { affected, felt }) {
  if (!felt) return [];
  const label = make("p", "label", ...sentence(context.words.feels, { name: nameOf(context, affected) }));
  return [label, storyText(context, "p", felt)];
}

// Who is recognised: for readers by whom, for those who play as whom.
function recognitions(context, { recognised = [], called = {} }) {
  const { words } = context;
  const told = ({ who, by }) => sentence(words.recognised, { who: nameOf(context, who), names: namesOf(context, by) });
  const learnt = ([alias, name]) =>
    sentence(words.revealed, { alias: nameOf(context, alias), name: coloured(make("bdi", "name", name), context, alias) });
  const lines = [...recognised.map(told), ...Object.entries(called).map(learnt)];
  return lines.map((line) => make("p", "label", ...line));
}

// Who has come to be out of the sight and hearing of whom, or is back in them.
function hidings(context, { hidden }) {
  if (!hidden) return [];
  const { words, world } = context;
  const known = (name) => world.characters.get(name).unseen;
  const gone = hidden.filter(({ who, by }) => by.length && String(by) !== String(known(who)));
  const back = [...world.characters.keys()].filter((name) => known(name).length && !unseenBy(hidden, name).length);
  const lines = gone.map(({ who, by }) => sentence(words.hidden, { who: nameOf(context, who), names: namesOf(context, by) }));
  if (back.length) lines.push(sentence(words.back, { names: namesOf(context, back) }));
  return lines.map((line) => make("p", "label", ...line));
}

function importanceOf({ words }, { importance }) {
  return importance === null ? null : make("p", "figure", words.importance({ n: importance }));
}

// Before and after of the fields that changed; a line that says so when none did.
function changes(context, title, before, after, fields) {
  const changed = fields.filter((field) => after[field] !== null && before[field] !== after[field]); // null: not for these eyes
  const line = (field) => definition(context.words[field], inScene(context, "dd", before[field], after[field], true));
  const rows = changed.length
    ? make("dl", "", ...changed.flatMap(line))
    : make("p", "aside", context.words.unchanged);
  return [make("p", "label", title), rows];
}

// Three short lines; what was not believed a round ago is underlined, what stays is quiet.
function beliefs(context, event, about) {
  const { words, world } = context;
  const last = world.characters.get(event.character)?.beliefs[event.kind];
  const line = (field) => {
    const said = inScene(context, "dd", last ? last[field] : null, event[field], false);
    said.classList.toggle("quiet", last?.[field] === event[field]);
    return definition(words[field], said);
  };
  const label = make("p", "label", nameOf(context, event.character), " ", about);
  return [label, make("dl", "", ...BELIEF_LINES[event.kind].flatMap(line))];
}

function definition(term, said) {
  return [make("dt", "", term), said];
}

function formOf(context, event) {
  const node = make("div", `step ${event.kind}`, ...FORMS[event.kind](context, event));
  if (event.degraded) {
    node.classList.add("degraded");
    const { degraded, degradedBecause, reasons } = context.words;
    const reason = reasons[event.reason] ?? event.reason; // one that comes live is told already
    node.append(make("p", "why", reason ? degradedBecause({ reason }) : degraded));
  }
  return coloured(node, context, event.character ?? "");
}

// ---- what changed between two texts, word by word: kept + removed = before, kept + added = after

const MOST_CELLS = 1_000_000; // a longer pair is shown as wholly replaced
const LEAST_KEPT = 0.3; // texts that share less are easier to read one after the other

function segmentsOf(text, language) {
  if (typeof Intl.Segmenter === "function") {
    const segments = new Intl.Segmenter(language, { granularity: "word" }).segment(text);
    return Array.from(segments, ({ segment }) => segment);
  }
  return text.match(language === "zh" ? /./gsu : /\s+|[\p{L}\p{N}'’]+|./gsu) ?? [];
}

function differences(before, after, language) {
  const a = segmentsOf(before, language);
  const b = segmentsOf(after, language);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = alignment(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const kept = (words) => words.map((text) => ["kept", text]);
  const runs = joined([...kept(a.slice(0, head)), ...middle, ...kept(a.slice(a.length - tail))]);
  return replacedIfStrange(joined(withoutSplinters(runs, language)), before, after);
}

// The longest common subsequence of two lists of words, as steps ["kept" | "removed" | "added", word].
function alignment(a, b) {
  const removed = a.map((text) => ["removed", text]);
  const added = b.map((text) => ["added", text]);
  if (!a.length || !b.length || a.length * b.length > MOST_CELLS) return [...removed, ...added];
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const steps = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length)
    if (a[i] === b[j]) (steps.push(["kept", a[i++]]), j++);
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) steps.push(removed[i++]);
    else steps.push(added[j++]);
  return [...steps, ...removed.slice(i), ...added.slice(j)];
}

// Between two kept runs first all that was removed, then all that was added.
function joined(steps) {
  const runs = [];
  let gap = { removed: "", added: "" };
  const flush = () => {
    for (const kind of ["removed", "added"]) if (gap[kind]) runs.push([kind, gap[kind]]);
    gap = { removed: "", added: "" };
  };
  for (const [kind, text] of steps) {
    if (kind !== "kept") gap[kind] += text;
    else if (!gap.removed && !gap.added && runs.at(-1)?.[0] === "kept") runs.at(-1)[1] += text;
    else (flush(), runs.push([kind, text]));
  }
  flush();
  return runs;
}

// A lone space or "the" between two changes is no help to a reader: it counts as replaced by itself.
function withoutSplinters(runs, language) {
  const least = language === "zh" ? 2 : 4;
  const letters = (text) => (text.match(/[\p{L}\p{N}]/gu) ?? []).length;
  return runs.flatMap(([kind, text], index) => {
    const inside = index > 0 && index < runs.length - 1;
    if (kind !== "kept" || !inside || letters(text) >= least) return [[kind, text]];
    return [["removed", text], ["added", text]];
  });
}

function replacedIfStrange(runs, before, after) {
  const kept = runs.reduce((sum, [kind, text]) => sum + (kind === "kept" ? text.length : 0), 0);
  if (kept >= LEAST_KEPT * Math.max(before.length, after.length)) return runs;
  return joined([["removed", before], ["added", after]]);
}
