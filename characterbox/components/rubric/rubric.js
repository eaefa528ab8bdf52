// The page: the campaigns of a rater, the items of one, or one item with its rubric.

const COMES = 3000; // milliseconds within which a place that was asked for comes, if it comes

class ItemView {
  constructor(context) {
    const { data, words, list } = context;
    this.sheet = new Sheet(data);
    const to = (label, item) => (item ? way(context, "", context.placeOf(item), label) : make("span", "off", label));
    const place = make("span", "place", words.place(data.place, data.count));
    const left = data.purpose === "practice" ? words.practising : words.timeLeft(data.left);
    const around = make(
      "nav",
      "around",
      way(context, "", list, words.all),
      to(words.previous, data.previous),
      place,
      to(words.next, data.next),
      make("span", "place", left),
    );
    this.reading = new Reading({
      ...context,
      toggle: (step) => this.panel.toggle(step),
      evidenceDone: () => this.panel.evidenceDone(),
      closed: () => this.sheet.closed,
    });
    this.clock = new Clock((reading, idle) => this.sheet.say({ kind: "time", reading, idle }));
    this.panel = new Panel({ ...context, reading: this.reading, clock: this.clock }, this.sheet);
    this.node = make("div", "part-view", head(context, around), this.reading.node, this.panel.node);
  }

  enter() {
    if (!this.sheet.closed) this.clock.start();
  }

  show() {
    this.panel.show();
  }

  key(event) {
    this.panel.key(event);
  }

  leave() {
    this.clock.stop();
  }

  // Drawn anew in the same place: what can be undone, the lit metric and the place in the text stay.
  takeOver({ sheet, panel }) {
    this.sheet.undoable = sheet.undoable;
    this.panel.scales.lit = panel.scales.lit;
  }
}

const VIEWS = { desk: DeskView, list: ListView, item: ItemView };

class Rubric {
  constructor(parent) {
    this.frame = make("div", "frame");
    parent.append(this.frame);
    this.onChange = () => this.view.show();
    this.onKey = (event) => this.left || this.view.key(event);
  }

  update(data, ask) {
    this.ask = ask;
    this.left = false;
    const known = JSON.stringify({ ...data, as_of: 0 });
    if (known !== this.known) this.draw(data);
    this.known = known;
    this.view.show();
  }

  // From now on keys are meant for the place that is asked for, until it is there or does not come.
  go(place) {
    this.left = true;
    clearTimeout(this.returning);
    this.returning = setTimeout(() => (this.left = false), COMES);
    this.ask(place);
  }

  draw(data) {
    const before = this.view;
    const top = before?.reading?.node.scrollTop ?? 0;
    before?.leave();
    outbox.rater = data.rater.id;
    this.view = new VIEWS[data.view](this.contextOf(data));
    const same = before instanceof ItemView && this.item === data.item;
    if (same) this.view.takeOver(before);
    this.frame.replaceChildren(this.view.node);
    if (same) this.view.reading.node.scrollTop = top;
    else if (before && this.frame.getBoundingClientRect().top < 0) this.frame.scrollIntoView();
    this.frame.lang = data.language === "zh" ? "zh-CN" : "en";
    this.item = data.item;
  }

  contextOf(data) {
    const asked = new URLSearchParams(location.search).get("language"); // null: the language follows the scene
    const rater = data.local ? data.rater.name : null;
    const desk = { rater, language: asked };
    const placeIn = (campaign) => ({ ...desk, campaign });
    const list = placeIn(data.campaign ?? null);
    const placeOf = (item) => ({ ...list, item });
    const place = { desk, list, item: placeOf(data.item) }[data.view];
    return { data, words: WORDS[data.language], asked, desk, list, place, placeIn, placeOf, go: (to) => this.go(to) };
  }

  open() {
    outbox.listeners.add(this.onChange);
    document.addEventListener("keydown", this.onKey);
    this.view.enter();
    outbox.send();
  }

  close() {
    outbox.listeners.delete(this.onChange);
    document.removeEventListener("keydown", this.onKey);
    clearTimeout(this.returning);
    this.view.leave();
  }
}

const rubrics = new WeakMap();

// Called by Streamlit on every rerun. Returns what takes it off the page.
export default function showRubric({ data, parentElement, setTriggerValue }) {
  const rubric = rubrics.get(parentElement) ?? new Rubric(parentElement);
  rubrics.set(parentElement, rubric);
  rubric.update(data, (place) => setTriggerValue("go", place));
  rubric.open();
  const visit = (rubric.visit = Symbol("visit"));
  return () => {
    if (rubric.visit === visit) rubric.close(); // Streamlit may end an outdated call after the one that replaced it
  };
}
