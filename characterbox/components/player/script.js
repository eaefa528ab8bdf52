// The events of a story as they stand on the page: one step each, in rounds and turns, with a tick on the timeline.

const DENSE = 240; // steps; beyond that only the rounds are marked on the timeline
const LONG = 10; // rounds; beyond that only every fifth is

class Script {
  constructor(context, turns, ticks) {
    Object.assign(this, { context, turns, ticks });
    this.events = [];
    this.steps = []; // per event {step, nodes, section, tick}; the nodes are shown from this event on
    this.tail = openingOf(context.scene); // the world after the last event
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

  worldAt(n) {
    return n === this.length ? this.tail : worldAt(this.context.scene, this.events, n);
  }

  append(event) {
    const opensRound = event.round !== this.tail.round && event.kind !== "story_ended";
    const step = formOf({ ...this.context, world: this.tail }, event);
    step.style.order = String(this.length); // where the margin folds, each note stands under its step
    const nodes = [step];
    if (opensRound) nodes.push(this.addRound(event.round));
    const section = this.sectionOf(event);
    if (section !== this.section) nodes.push(section);
    section.querySelector(MARGIN_KINDS.has(event.kind) ? ".notes" : ".texts").append(step);
    const tick = this.addTick(opensRound ? event.round : null);
    for (const node of nodes) node.hidden = true;
    this.events.push(event);
    this.steps.push({ step, nodes, section, tick });
    this.tail = after(this.tail, event);
  }

  addRound(round) {
    const heading = make("h3", "round", this.context.words.round({ n: round }));
    this.turns.append(heading);
    return heading;
  }

  sectionOf(event) {
    const ends = event.kind === "story_ended";
    if (this.section && !ends && event.round === this.tail.round && event.turn === this.tail.turn) return this.section;
    const section = make("section", `turn ${event.turn ? "own" : ends ? "end" : "stock"}`);
    if (!ends) section.append(make("h4", "label", event.turn ? nameOf(this.context, event.turn) : this.context.words.stock));
    section.append(make("div", "texts"), make("div", "notes"));
    this.turns.append(coloured(section, this.context, event.turn));
    return section;
  }

  addTick(round) {
    const tick = make("span", "tick");
    if (round !== null) {
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
    for (const { nodes, tick } of this.steps.splice(length)) for (const node of [...nodes, tick]) node.remove();
    this.events.length = length;
    this.tail = worldAt(this.context.scene, this.events, length);
  }

  // Shows the steps up to `to` where they were shown up to `from`, and touches no other.
  show(from, to) {
    this.step(from)?.classList.remove("lit");
    for (const { nodes } of this.steps.slice(from, to)) for (const node of nodes) node.hidden = false;
    for (const { nodes } of this.steps.slice(to, from)) for (const node of nodes) node.hidden = true;
    this.step(to)?.classList.add("lit");
  }
}
