// What stands around the script: cast, surroundings and timeline, built once and then only written to.

const ICONS = {
  first: "M7 6v12M17 6l-6 6 6 6",
  previous: "M15 6l-6 6 6 6",
  play: "M8 5l11 7-11 7z",
  pause: "M9 6v12M15 6v12",
  next: "M9 6l6 6-6 6",
  last: "M17 6v12M7 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
};

function frame(context, mode) {
  const { words } = context;
  const now = scrollable(make("div", "now", surroundings(context), castList(context)), words.now);
  const turns = make("div", "turns");
  const pending = make("div", "pending");
  const page = make("div", "script", opening(context), turns, pending);
  page.tabIndex = 0;
  page.setAttribute("role", "region");
  page.setAttribute("aria-label", words.script);
  if (mode === "stage") turns.setAttribute("aria-live", "polite");
  const toNow = make("button", "to-now", words.toNow);
  toNow.type = "button";
  toNow.hidden = true;
  const foot = timeline(context, mode);
  const player = make("div", `player ${mode}`, now, page, toNow, foot.node);
  player.lang = context.words.tongue === "zh" ? "zh-CN" : "en";
  player.dataset.story = context.scene.language;
  return { player, now, page, turns, pending, toNow, foot, cards: cardsOf(context, now), frame: make("div", "frame", player) };
}

function opening(context) {
  const { scene } = context;
  const { time, location, description } = scene.environment;
  return make(
    "header",
    "opening",
    storyText(context, "h2", scene.title, "title"),
    storyText(context, "p", scene.work, "work"),
    storyText(context, "p", `${time}${context.words.join}${location}`, "place"),
    storyText(context, "p", description),
  );
}

function surroundings(context) {
  const { words } = context;
  const fields = ["time", "location", "description"];
  const list = make("dl", "", ...fields.flatMap((field) => definition(words[field], fieldOf(field))));
  const more = make("button", "tool more", words.more);
  Object.assign(more, { type: "button", hidden: true, ariaExpanded: "false" });
  const card = make("section", "card environment", make("div", "head", make("h3", "label", words.surroundings), more), list);
  more.addEventListener("click", () => {
    const whole = card.classList.toggle("whole");
    Object.assign(more, { ariaExpanded: String(whole), textContent: whole ? words.less : words.more });
  });
  return scrollable(card, words.surroundings);
}

// Of long fields the first lines are shown, and the rest to those who ask for it.
function offerMore(card) {
  if (card.classList.contains("whole")) return;
  const cut = [...card.querySelectorAll("dd")].some((field) => field.scrollHeight > field.clientHeight + 1);
  card.querySelector(".more").hidden = !cut;
}

// Who uses the keyboard alone can scroll it, too.
function scrollable(node, label) {
  node.tabIndex = 0;
  node.setAttribute("role", "region");
  node.setAttribute("aria-label", label);
  return node;
}

function castList(context) {
  const { words, scene } = context;
  const cards = scene.cast.map((profile) => characterCard(context, profile));
  const characters = context.everyone ? make("p", "model", words.characters + words.colon, make("bdi", "", context.everyone)) : null;
  const narrator = context.narrator
    ? make("p", "model", words.narrator + words.colon, playedBy(context, null, context.narrator))
    : null;
  const list = make("ul", "", ...cards);
  list.setAttribute("aria-label", words.cast);
  const playedWith = context.playedWith.map((line) => make("p", "model", line));
  return scrollable(make("section", "cast", list, characters, narrator, ...playedWith), words.cast);
}

function characterCard(context, profile) {
  const { words } = context;
  const { name } = profile;
  const model = Object.hasOwn(context.models, name) && !context.everyone
    ? make("p", "model", playedBy(context, name, context.models[name]))
    : null;
  const title = make("h3", "", nameOf(context, name), " ", make("span", "mark", words.onTurn));
  const fields = ["position", "state", "visible", "unseen"].flatMap((field) => definition(words[field], fieldOf(field)));
  const parts = [make("div", "head", title, model), make("dl", "", ...fields), outside(context, profile)];
  return coloured(make("li", "card", ...parts), context, name);
}

// What a character is to others as the story begins: how it looks, and what those call it who do not know its name. It
// stays the same, and folds, so that the whole cast is in view.
function outside(context, { public_face: face, known_as: aliases = [] }) {
  const { words } = context;
  const called = aliases.map(({ name, by }) => (by.length ? `${name} (${by.join(words.comma)})` : name));
  const told = [[words.face, face], [words.knownAs, called.join(words.semicolon)]].filter(([, text]) => text);
  if (!told.length) return null;
  const list = told.flatMap(([term, text]) => definition(term, make("dd", "", storyText(context, "span", text))));
  return make("details", "", make("summary", "label", told[0][0]), make("dl", "", ...list));
}

function playedBy({ words, people }, agent, model) {
  return people.includes(agent) ? make("span", "", words.person) : make("bdi", "", model);
}

function fieldOf(field) {
  const node = make("dd");
  node.dataset.field = field;
  return node;
}

function cardsOf({ scene }, now) {
  const list = now.querySelector(".cast ul");
  const cast = new Map(scene.cast.map(({ name }, index) => [name, list.children[index]]));
  return { environment: now.querySelector(".environment"), list, cast };
}

// Writes the world of one step into the cards; what the present turn changed is underlined. Gives the card of whom the
// turn has come to. Where all is over nobody acts.
function showWorld(context, cards, world, over) {
  let next = null;
  if (write(context, cards.environment, world.environment)) offerMore(cards.environment);
  for (const [name, { face }] of world.characters) if (!cards.cast.has(name)) addCard(context, cards, { name, public_face: face });
  for (const [name, card] of cards.cast) {
    const now = world.characters.get(name);
    card.hidden = !now; // not met yet
    if (!now) continue;
    card.querySelector(".name").textContent = calledNow({ ...context, world }, name);
    write(context, card, { ...now, unseen: now.unseen.join(context.words.comma) });
    const onTurn = world.turn === name && !over;
    if (onTurn && !card.classList.contains("on-turn")) next = card;
    card.classList.toggle("on-turn", onTurn);
  }
  return next;
}

function addCard(context, cards, profile) {
  const card = characterCard(context, profile);
  cards.cast.set(profile.name, card);
  cards.list.append(card);
}

// Whether something is new.
function write(context, card, now) {
  let changed = false;
  for (const slot of card.querySelectorAll("[data-field]")) {
    const { field } = slot.dataset;
    const before = now.was?.[field] ?? null;
    const key = JSON.stringify([before, now[field]]);
    if (slot.shows === key) continue;
    slot.shows = key;
    changed = true;
    slot.hidden = slot.previousElementSibling.hidden = !now[field]; // nothing to tell, or not for these eyes
    if (slot.hidden) continue;
    slot.replaceChildren(inScene(context, "span", before, now[field], false));
  }
  return changed;
}

// Two lines that are always there: what is new in them must not move what is read.
function timeline(context, mode) {
  const { words } = context;
  const range = make("input", "range");
  Object.assign(range, { type: "range", min: "0", max: "0", step: "1", value: "0" });
  range.setAttribute("aria-label", words.timeline);
  const ticks = make("div", "ticks");
  const buttons = {};
  for (const name of ["first", "previous", "play", "next", "last"]) buttons[name] = button(words[name], ICONS[name]);
  buttons.play.classList.add("play");
  const status = make("p", "status");
  const progress = mode === "stage" ? make("progress", "") : null;
  progress?.setAttribute("aria-label", words.progress);
  const rehearsal = context.rehearsal ? make("p", "rehearsal", words.rehearsal[context.rehearsal]) : null;
  const opener = make("button", "tool", words.notebook);
  opener.type = "button";
  const tools = toolbar(words);
  const costs = make("p", "costs"); // as long as the story is played, when there are no tools
  const line = make("div", "line", make("div", "said", status, rehearsal), make("div", "tools", costs, tools, opener));
  const speed = speedChoice(words);
  const controls = make("div", "buttons", ...Object.values(buttons), speed);
  const track = make("div", "track", range, ticks);
  const bar = make("div", "controls", controls, track);
  const node = make("section", "timeline", progress, line, bar);
  node.setAttribute("aria-label", words.timeline);
  return { node, bar, range, ticks, buttons, status, costs, progress, tools, opener, speed };
}

const SPEEDS = ["0.5", "1", "1.5", "2", "3"]; // times the speed of quiet reading
const SPEED = "characterbox-speed";

function speedChoice(words) {
  const options = SPEEDS.map((speed) => Object.assign(make("option", "", `${speed}×`), { value: speed }));
  const select = make("select", "speed", ...options);
  select.setAttribute("aria-label", words.speed);
  select.title = words.speed;
  select.value = knownSpeed();
  return select;
}

// A page that was saved may not keep anything: then each visit begins with quiet reading.
function knownSpeed() {
  try {
    const known = localStorage.getItem(SPEED);
    return SPEEDS.includes(known) ? known : "1";
  } catch {
    return "1";
  }
}

function rememberSpeed(speed) {
  try {
    localStorage.setItem(SPEED, speed);
  } catch {
    // as above
  }
}

// Quiet buttons that ask the page around the player to do something with the step that is shown.
function toolbar(words) {
  const tools = Object.entries(words.tools).map(([name, label]) => {
    const tool = make("button", "tool", label);
    tool.type = "button";
    tool.dataset.tool = name;
    return tool;
  });
  const node = make("div", "branching", ...tools);
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", words.toolbar);
  return node;
}

function button(label, path) {
  const node = make("button", "", icon(path));
  node.type = "button";
  relabel(node, label, path);
  return node;
}

function relabel(node, label, path) {
  node.setAttribute("aria-label", label);
  node.title = label;
  node.querySelector("path").setAttribute("d", path);
}

function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

// ---- where the story and the reader are, in one line

const OVER = new Set(["ended", "stopped"]); // nothing comes any more
const GOING = new Set(["running", "paused", "waiting", "cued"]); // a next step may well come
const EXPLAINED = new Set(["waiting", "failed", "mismatched"]);

function statusLine({ words, explained }, { mode, story, world, at, length, lost, resting }) {
  const live = mode === "stage";
  const explains = EXPLAINED.has(story.status) && story.reason && !explained;
  const status = story.status === "running" && resting ? words.pausing : words.status[story.status];
  const parts = [
    live && status + (explains ? words.colon + (words.reasons[story.reason] ?? story.reason) : ""),
    world.round === 0 ? words.beforeFirst : world.round && words.roundOf({ n: world.round, rounds: story.rounds }),
    world.turn && (isUnmet(world.turn) ? words.unmet : words.turnOf({ name: calledNow({ world, words }, world.turn) })),
    at && words.stepOf({ n: at, steps: length }),
    lost && words.lost,
  ];
  return parts.filter(Boolean).join(words.join);
}

const TURN_END = /^r\d+\/[^/]+\/environment$/; // the path of the narrator's look at the environment, seen or not

// Turns played of all turns.
function showProgress(progress, { status, rounds }, { cast }, events) {
  const max = rounds * cast.length;
  const played = events.filter(({ path }) => TURN_END.test(path)).length;
  Object.assign(progress, { max, value: status === "ended" ? max : played });
}
