// The page: the campaigns of a rater, the items of one, or one item with its rubric.

const COMES = 3000; // milliseconds within which a place that was asked for comes, if it comes
const MOST_TRIES = 3;
const RETURN = 1000; // milliseconds within which it is the same return to the window
const BURST = 400; // milliseconds between two keys of a row at most

class ItemView {
  constructor(context) {
    this.context = context;
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
    this.panel.extras.keepComment();
    this.clock.stop();
  }

  // The place that was asked for does not come.
  unreached() {
    this.panel.unreached = true;
    this.panel.show();
  }

  // Drawn anew in the same place: what can be undone, the lit metric, what is open, and the place in the text stay.
  takeOver({ sheet, panel, reading }, asked) {
    this.sheet.undoable = sheet.undoable;
    this.panel.scales.lit = asked ? null : panel.scales.lit;
    this.panel.extras.takeOver(panel.extras);
    this.reading.takeOver(reading);
  }

  // The question which model it was has come with what is drawn: it is the next thing to do.
  turnToQuestion() {
    const { node } = this.panel.extras.guess;
    node.scrollIntoView({ block: "nearest" });
    node.focus({ preventScroll: true });
  }
}

const VIEWS = { desk: DeskView, list: ListView, item: ItemView };

class Rubric {
  constructor(parent) {
    this.frame = make("div", "frame");
    this.refreshed = -RETURN;
    parent.append(this.frame);
    this.onChange = () => this.view.show();
    this.onKey = (event) => this.meant() && this.view.key(event);
    this.onLeave = () => this.view.leave();
    this.onBack = () => this.goneBack();
    this.onReturn = () => document.visibilityState === "visible" && this.refresh();
  }

  // What the page says. If that is not yet the place that is wanted, or was asked for before that place was submitted,
  // it is asked for once more; a page that comes late has put its own place in the address, where a reload must find
  // what is shown, or what one went back to.
  update(data, ask) {
    this.ask = ask;
    clearTimeout(this.returning);
    this.asking = false;
    if (this.wanted && !answers(this.wanted, data) && this.tries < MOST_TRIES) {
      if (this.wanted.item === this.item) history.replaceState({}, "", addressOf(this.wanted));
      this.request();
      return;
    }
    if (this.back?.item === (data.item ?? null)) {
      if (location.href !== this.back.address) history.replaceState({}, "", this.back.address);
      this.back = null;
    }
    const unasked = this.view && !this.wanted && !this.left; // it was given up, and comes all the same
    if (unasked && this.item !== data.item) this.dropped = performance.now();
    this.arrive();
    if (stateOf(data) !== this.known && !this.writing(data)) this.draw(data);
    this.view.show();
    if (this.ahead?.item !== data.onward) this.askAhead(data);
  }

  // Whether somebody writes in a field of the same item: what is new is drawn when the field is left.
  writing({ item }) {
    const { activeElement } = this.frame.getRootNode();
    const field = activeElement?.matches('textarea, input:not([type="checkbox"])') && this.frame.contains(activeElement);
    return Boolean(field && item && this.item === item);
  }

  // Leaves for another place. One that was asked for ahead is there at once, and keys are meant for it; the page
  // follows. For any other, keys are meant for what is to come, until it is there or does not come.
  go(place) {
    const ahead = this.ahead?.item === place.item ? this.ahead : null;
    this.wanted = place;
    this.back = null;
    this.tries = 0;
    if (ahead) {
      this.left = false;
      history.pushState({}, "", addressOf(place)); // a reload finds it; the page itself sets the same address later
      this.draw(ahead);
      this.view.enter();
      this.view.show();
      this.askAhead(ahead);
    } else {
      this.left = true;
    }
    if (!this.asking) this.request();
  }

  // One place is asked for at a time: what is asked while the page is at work may be lost. What comes is told by those
  // who know what was said, so that goes first.
  async request() {
    if (this.settling) return;
    this.settling = true;
    await outbox.settled();
    this.settling = false;
    if (!this.wanted) return;
    this.asking = true;
    this.tries += 1;
    clearTimeout(this.returning);
    this.returning = setTimeout(() => this.missed(), COMES);
    this.ask(this.wanted);
  }

  missed() {
    this.asking = false;
    if (this.tries < MOST_TRIES) {
      this.request();
      return;
    }
    this.arrive();
    this.view.unreached?.();
  }

  // Whether a key is meant for what is shown: none is while another place is to come, nor are those that follow in the
  // same burst, so that the rest of a row never lands on another item.
  meant() {
    const now = performance.now();
    if (!this.left && now - (this.dropped ?? -BURST) >= BURST) return true;
    this.dropped = now;
    return false;
  }

  // The browser's own way back counts more than a place that was asked for.
  goneBack() {
    this.wanted = null;
    this.back = { item: new URLSearchParams(location.search).get("item"), address: location.href };
    this.asking = false;
    this.left = true;
    clearTimeout(this.returning);
    this.returning = setTimeout(() => this.arrive(), COMES);
  }

  // Another window or device may have said more meanwhile. A return is told by two events.
  refresh() {
    const now = performance.now();
    if (!(this.view instanceof ItemView) || this.wanted || this.asking || now - this.refreshed < RETURN) return;
    this.refreshed = now;
    this.ask(this.view.context.place);
  }

  arrive() {
    this.left = false;
    this.wanted = null;
  }

  async askAhead({ view, onward, purpose, language }) {
    this.ahead = null;
    if (view !== "item" || !onward || purpose === "practice") return;
    try {
      const response = await fetch(`/items/${onward}?language=${language}`);
      if (response.ok) this.ahead = await response.json();
    } catch {
      // then it is asked for when it is needed
    }
  }

  draw(data) {
    const before = this.view;
    const top = before?.reading?.node.scrollTop ?? 0;
    before?.leave();
    outbox.rater = data.rater.id;
    this.view = new VIEWS[data.view](this.contextOf(data));
    const same = before instanceof ItemView && this.item === data.item;
    const asked = same && this.view.panel.extras.asks && !before.panel.extras.asks;
    if (same) this.view.takeOver(before, asked);
    this.frame.replaceChildren(this.view.node);
    if (asked) this.view.turnToQuestion();
    if (same) this.view.reading.node.scrollTop = top;
    else if (before && this.frame.getBoundingClientRect().top < 0) this.frame.scrollIntoView();
    this.frame.lang = data.language === "zh" ? "zh-CN" : "en";
    this.item = data.item;
    this.known = stateOf(data);
  }

  contextOf(data) {
    const rater = data.local ? data.rater.name : null;
    const desk = { rater };
    const placeIn = (campaign) => ({ ...desk, campaign });
    const list = placeIn(data.campaign ?? null);
    const placeOf = (item) => ({ ...list, item });
    const place = { desk, list, item: placeOf(data.item) }[data.view];
    return { data, words: WORDS[data.language], desk, list, place, placeIn, placeOf, go: (to) => this.go(to) };
  }

  open() {
    outbox.listeners.add(this.onChange);
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("visibilitychange", this.onReturn);
    addEventListener("focus", this.onReturn);
    addEventListener("pagehide", this.onLeave);
    addEventListener("popstate", this.onBack);
    this.view.enter();
    outbox.send();
  }

  close() {
    outbox.listeners.delete(this.onChange);
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("visibilitychange", this.onReturn);
    removeEventListener("focus", this.onReturn);
    removeEventListener("pagehide", this.onLeave);
    removeEventListener("popstate", this.onBack);
    clearTimeout(this.returning);
    this.view.leave();
  }
}

// What is drawn of what the page says; times are told anew each time and are no reason to draw again.
function stateOf(data) {
  return JSON.stringify({ ...data, as_of: 0, left: 0 });
}

// Whether what the page says is of a place, and knows whether its item is finished: what follows, a lesson or a question,
// is not in what was read before.
function answers(place, { view, item, rater, sheet }) {
  if ((place.item ?? null) !== (item ?? null)) return false;
  const known = view !== "item" || sheet.submitted || sheet.skipped !== null;
  return known || !outbox.finished(rater.id, item);
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
