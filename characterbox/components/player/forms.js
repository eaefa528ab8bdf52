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
  const node = make("bdi", "name", name);
  node.lang = context.scene.language;
  return coloured(node, context, name);
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
  action: (context, event) => [storyText(context, "p", event.text)],

  dialogue(context, event) {
    const words = event.text.trim()
      ? storyText(context, "span", event.text)
      : make("span", "aside", context.words.silent);
    const speaker = nameOf(context, event.character);
    speaker.classList.add("speaker");
    return [make("p", "", speaker, " ", words)];
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
      importanceOf(context, event),
    ];
  },

  reaction(context, event) {
    const who = make("p", "label", nameOf(context, event.character), " ", context.words.inReturn);
    return [who, storyText(context, "p", event.text)];
  },

  interaction_result(context, event) {
    const label = make("p", "label", context.words.narrator);
    return [label, storyText(context, "p", event.text), importanceOf(context, event)];
  },

  character_update(context, event) {
    const before = context.world.characters.get(event.character);
    return changes(context, nameOf(context, event.character), before ?? event, event, ["position", "state"]);
  },

  environment_update(context, event) {
    const title = make("span", "", context.words.surroundings);
    const fields = ["time", "location", "description"];
    const concluded = event.concluded ? make("p", "aside", context.words.concluded) : null;
    return [...changes(context, title, context.world.environment, event, fields), concluded];
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

function importanceOf({ words }, { importance }) {
  return importance === null ? null : make("p", "figure", words.importance({ n: importance }));
}

// Before and after of the fields that changed; a line that says so when none did.
function changes(context, title, before, after, fields) {
  const changed = fields.filter((field) => before[field] !== after[field]);
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
