// What the rater reads: the scene, who is judged, and what happened, round by round. A score rests on steps of it.

const BACKGROUND = ["observation", "deed"]; // kinds of steps that are not what is judged

class Reading {
  constructor(context) {
    this.context = context;
    this.steps = context.data.shown.steps.map((step, number) => this.step(step, number));
    this.cursor = null; // the step that the keys are on, while evidence is marked by keyboard
    const { data } = context;
    const parts = [guide(context, false), opening(context), data.shown.character ? profile(context) : cast(context)];
    const text = make("article", "text", ...parts, ...this.rounds(), improvised(context));
    this.node = make("section", "reading", text);
    this.node.setAttribute("aria-label", context.words.trajectories[data.rubric.subject]);
    this.node.tabIndex = -1;
    if (data.shown.character) this.node.style.setProperty("--hue", HUES[data.shown.character.hue % HUES.length]);
  }

  turnPage(pages) {
    this.node.scrollBy({ top: pages * this.node.clientHeight * 0.85 });
  }

  rounds() {
    const { data, words } = this.context;
    const numbers = [...new Set(data.shown.steps.map(({ round }) => round))];
    return numbers.map((round) => {
      const own = this.steps.filter((_, number) => data.shown.steps[number].round === round);
      const node = make("details", "round", make("summary", "", words.round(round)), ...own.map((step) => step.node));
      node.open = true;
      return node;
    });
  }

  // Each kind has its own form; of those in the background that follow each other only the first is labelled.
  step({ round, kind, text, degraded }, number) {
    const { data, words } = this.context;
    const { language } = data.shown.scene;
    const before = data.shown.steps[number - 1];
    const goesOn = BACKGROUND.includes(kind) && before?.kind === kind && before.round === round;
    const said = make("p", "said");
    if (kind === "dialogue") said.append(told("bdi", "speaker", data.shown.character.name, language), " ");
    said.append(told("span", "words", text, language));
    const body = make("div", "body", said, degraded ? make("p", "why", words.degraded) : null);
    const label = make("p", goesOn ? "label again" : "label", words.kinds[kind]);
    const pin = button("pin", "", () => this.context.toggle(number));
    const own = BACKGROUND.includes(kind) ? "" : " own";
    const node = make("div", `step ${kind}${own}${degraded ? " degraded" : ""}`, label, body, pin);
    return { node, pin };
  }

  // Drawn anew: rounds that were closed stay closed, and the keys stay on their step.
  takeOver({ node, cursor }) {
    const before = [...node.querySelectorAll("details.round")];
    [...this.node.querySelectorAll("details.round")].forEach((round, number) => (round.open = before[number]?.open ?? true));
    this.put(cursor);
  }

  // ---- marking evidence by keyboard

  mark() {
    if (!this.steps.length || this.context.closed()) return;
    const own = this.context.data.shown.steps.findIndex(({ kind }) => !BACKGROUND.includes(kind));
    this.put(this.cursor ?? this.seen() ?? Math.max(own, 0));
  }

  put(cursor) {
    this.cursor = cursor;
    this.steps.forEach(({ node }, number) => node.classList.toggle("at", number === cursor));
    if (cursor === null) return;
    const { node } = this.steps[cursor];
    node.closest("details").open = true;
    node.scrollIntoView({ block: "nearest" });
  }

  // The first own step that can be seen now.
  seen() {
    const frame = this.node.getBoundingClientRect();
    const steps = this.context.data.shown.steps;
    const number = this.steps.findIndex(({ node }, index) => {
      const { top, bottom } = node.getBoundingClientRect();
      return !BACKGROUND.includes(steps[index].kind) && top >= frame.top && bottom <= frame.bottom;
    });
    return number < 0 ? null : number;
  }

  // Whether the key was meant for the text.
  key(event, lit) {
    if (this.cursor === null) return false;
    const last = this.steps.length - 1;
    const acts = {
      ArrowDown: () => this.put(Math.min(this.cursor + 1, last)),
      ArrowUp: () => this.put(Math.max(this.cursor - 1, 0)),
      " ": () => lit !== null && this.context.toggle(this.cursor),
      Escape: () => this.put(null),
      e: () => this.put(null),
      Enter: () => {
        this.put(null);
        this.context.evidenceDone();
      },
    };
    const act = acts[event.key];
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  }

  // Beside each step, the metrics whose scores rest on it; the lit one can be pinned there.
  show(sheet, lit) {
    const { data, words } = this.context;
    const metric = lit === null ? null : data.rubric.metrics[lit];
    const pinned = new Map(sheet.keys.map((key) => [key, new Set(sheet.evidence(key).value ?? [])]));
    this.steps.forEach(({ node, pin }, number) => {
      const keys = sheet.keys.filter((key) => pinned.get(key).has(number));
      const on = metric !== null && pinned.get(metric.key).has(number);
      pin.textContent = keys.length ? keys.join(" ") : "+";
      pin.disabled = metric === null || sheet.closed;
      pin.setAttribute("aria-pressed", String(on));
      pin.setAttribute("aria-label", metric ? words.restsOn(metric.name[data.language]) : words.restsOnNone);
      pin.title = pin.getAttribute("aria-label");
      node.classList.toggle("pinned", keys.length > 0);
      node.classList.toggle("for-lit", on);
    });
    if (lit === null) this.put(null);
  }
}

function opening({ data, words }) {
  const { title, work, time, location, description, language } = data.shown.scene;
  return make(
    "header",
    "opening",
    told("h2", "title", title, language),
    told("p", "work", work, language),
    told("p", "place", time + words.dot + location, language),
    told("p", "", description, language),
  );
}

function profile({ data, words }) {
  const { language, others } = data.shown.scene;
  const together = others.join(language === "zh" ? "、" : ", ");
  return person(data.shown.character, { data, words }, together);
}

// Where it is not one character that is judged, all are told of.
function cast(context) {
  return make("div", "cast", ...context.data.shown.cast.map((one) => person(one, context, "")));
}

function person({ name, description, hue, ...more }, { data, words }, others) {
  const { language } = data.shown.scene;
  const lines = Object.entries({ ...more, others }).filter(([, value]) => value);
  return make(
    "section",
    data.shown.character ? "profile own" : "profile",
    make("h3", "label", words.character),
    told("p", "name", name, language),
    told("p", "", description, language),
    make("dl", "", ...lines.flatMap(([key, value]) => [make("dt", "", words[key]), told("dd", "", value, language)])),
  );
}
