// The events of a story as they stand on the page: one step each, in rounds and turns, with a tick on the timeline.

const DENSE = 240; // steps; beyond that only the rounds are marked on the timeline
const LONG = 10; // rounds; beyond that only every fifth is
const NEARBY = 12; // steps back from the one that is shown; turns further off are laid out as they come into view

class Script {
  constructor(context, turns, ticks) {
    Object.assign(this, { context, turns, ticks });
    this.events = [];
    this.steps = []; // per event {step, section, tick, world, opened}; what it opened is shown from this event on
    this.shown = 0; // how many steps are
    this.opening = openingOf(context.scene);
    this.near = new Set(); // the turns around the step that is shown
  }

  get length() {
    return this.events.length;
  }

  get section() {
    return this.steps.at(-1)?.section ?? null;
  }

  step(n) {
    return this.steps[n - 1]?.step ?? null;
  }

  startOf(round) {
    return this.events.findIndex((event) => event.round === round) + 1;
  }

  indexOf(path) {
    return this.events.findIndex((event) => event.path === path);
  }

  has(event, index) {
    return index < this.length && JSON.stringify(event) === JSON.stringify(this.events[index]);
  }

  // The world after the last event.
  get tail() {
    return this.worldAt(this.length);
  }

  worldAt(n) {
    return this.steps[n - 1]?.world ?? this.opening;
  }

  append(event) {
    const { tail } = this;
    const opensRound = event.round !== tail.round && event.kind !== "story_ended";
    for (const name of [event.character, ...(event.appeared ?? []).map(({ character }) => character)]) this.meet(name);
    const step = formOf({ ...this.context, world: tail }, event);
    step.style.order = String(this.length); // where the margin folds, each note stands under its step
    const opened = opensRound ? [this.addRound(event.round)] : [];
    const section = this.sectionOf(event);
    if (section !== this.section) opened.push(section);
    section.querySelector(MARGIN_KINDS.has(event.kind) ? ".notes" : ".texts").append(step);
    const tick = this.addTick(opensRound ? event.round : null);
    for (const node of opened) node.hidden = true;
    step.hidden = section === this.steps[this.shown - 1]?.section;
    this.events.push(event);
    this.steps.push({ step, section, tick, world: after(tail, event), opened });
  }

  // Who was out of sight as the scene began has no hue yet.
  meet(name) {
    const { hues } = this.context;
    if (name && !isUnmet(name) && !hues.has(name)) hues.set(name, HUES[hues.size % HUES.length]);
  }

  // Who perceives events of the turn under way, once the narrator has said so.
  correct(known) {
    this.events = this.events.map((event) => (Object.hasOwn(known, event.path) ? { ...event, known: known[event.path] } : event));
  }

  addRound(round) {
    const heading = make("h3", "round", roundName(this.context.words, round));
    this.turns.append(heading);
    return heading;
  }

  sectionOf(event) {
    const ends = event.kind === "story_ended";
    if (this.section && !ends && event.round === this.tail.round && event.turn === this.tail.turn) return this.section;
    const section = make("section", `turn ${event.turn ? "own" : ends ? "end" : "stock"}`);
    if (!ends) section.append(make("h4", "label", this.titleOf(event)));
    section.append(make("div", "texts"), make("div", "notes"));
    this.turns.append(coloured(section, this.context, event.turn));
    return section;
  }

  titleOf({ turn }) {
    const context = { ...this.context, world: this.tail };
    return turn === null ? context.words.stock : nameOf(context, turn);
  }

  addTick(round) {
    const tick = make("span", "tick");
    if (round) {
      const mark = make("button", "round-mark", String(round));
      mark.type = "button";
      mark.dataset.round = String(round);
      mark.setAttribute("aria-label", this.context.words.round({ n: round }));
      tick.classList.toggle("between", round % 5 !== 0);
      tick.append(mark);
    }
    this.ticks.append(tick);
    this.ticks.classList.toggle("dense", this.length >= DENSE);
    this.ticks.classList.toggle("long", this.tail.round > LONG);
    return tick;
  }

  cutTo(length) {
    if (this.shown > length) this.show(length);
    for (const { step, tick, opened } of this.steps.splice(length)) for (const node of [step, tick, ...opened]) node.remove();
    this.events.length = length;
  }

  // Shows the steps up to `to`. Turns that come later are hidden as a whole: to hide each step takes too long.
  show(to) {
    const from = this.shown;
    this.step(from)?.classList.remove("lit");
    for (const { opened } of this.steps.slice(from, to)) for (const node of opened) node.hidden = false;
    for (const { opened } of this.steps.slice(to, from)) for (const node of opened) node.hidden = true;
    for (const { step } of this.restOfTurn(from)) step.hidden = false;
    for (const { step } of this.restOfTurn(to)) step.hidden = true;
    this.step(to)?.classList.add("lit");
    this.shown = to;
    this.drawNear(to);
  }

  restOfTurn(n) {
    const later = this.steps.findIndex(({ section }, index) => index >= n && section !== this.steps[n - 1]?.section);
    return this.steps.slice(n, later < 0 ? this.length : later);
  }

  drawNear(n) {
    const near = new Set(this.steps.slice(Math.max(0, n - NEARBY), n).map(({ section }) => section));
    for (const section of this.near) if (!near.has(section)) section.classList.remove("near");
    for (const section of near) section.classList.add("near");
    this.near = near;
  }
}
