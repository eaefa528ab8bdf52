// The page: a list of parts, or one part with its rubric.

const COMES = 3000; // milliseconds within which a place that was asked for comes, if it comes

class ListView {
  constructor(context) {
    this.context = context;
    const { data, words } = context;
    const all = data.rubric.metrics.length;
    const open = data.rows.find(({ scored }) => scored < all);
    const begun = data.rows.some(({ scored }) => scored > 0);
    const start = open
      ? way(context, "primary", context.placeOf(open.item), begun ? words.goOn : words.start)
      : make("p", "all-done", words.allDone);
    this.unsent = make("p", "unsent");
    this.unsent.setAttribute("role", "status");
    const wide = matchMedia("(min-width: 62rem)").matches;
    this.node = make(
      "div",
      "list-view",
      head(context, make("h2", "page-title", words.title)),
      make("div", "beside", guide(context, wide)),
      make("div", "parts", make("p", "intro", words.intro), improvised(context), start, this.unsent, table(context)),
    );
  }

  show() {
    showUnsent(this.unsent, this.context.words);
  }

  key() {} // keys score, and there is nothing to score here

  takeOver() {} // nothing that would be lost
}

function improvised({ data, words }) {
  return data.improvised ? make("p", "improvised", words.improvised) : null;
}

function table(context) {
  const { data, words } = context;
  const heads = Object.entries(words.columns).map(([name, label]) => make("th", name, label));
  for (const cell of heads) cell.scope = "col";
  const rows = data.rows.map((row) => tableRow(context, row));
  return make("table", "", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...rows));
}

function tableRow(context, { item, title, work, character, language, scored }) {
  const { data, words } = context;
  const all = data.rubric.metrics.length;
  const link = way(context, "", context.placeOf(item), told("span", "words", title, language));
  const about = make("p", "about", told("span", "work", work, language), words.dot, words.languages[language]);
  return make(
    "tr",
    scored === all ? "complete" : "",
    make("td", "title", link, about),
    make("td", "character", told("bdi", "words", character, language)),
    make("td", "scored", words.scored(scored, all)),
  );
}

class PartView {
  constructor(context) {
    this.context = context;
    const { data, words } = context;
    const to = (label, item) => (item ? way(context, "", context.placeOf(item), label) : make("span", "off", label));
    const list = way(context, "", { rater: data.rater, language: context.asked }, words.all);
    const place = make("span", "place", words.place(data.place, data.count));
    const around = make("nav", "around", list, to(words.previous, data.previous), place, to(words.next, data.next));
    this.reading = reading(context);
    this.scales = new Scales(context);
    context.turnPage = (pages) => this.reading.scrollBy({ top: pages * this.reading.clientHeight * 0.85 });
    this.node = make("div", "part-view", head(context, around), this.reading, this.scales.draw());
    this.node.style.setProperty("--hue", HUES[data.character.hue % HUES.length]);
  }

  show() {
    this.scales.show();
  }

  key(event) {
    this.scales.key(event);
  }

  takeOver({ scales }) {
    this.scales.lit = scales.lit;
    this.scales.undoable = scales.undoable;
  }
}

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

  // Draws anew. In the same place, what can be undone, the lit metric and the place in the text stay.
  draw(data) {
    const before = this.view;
    this.view = data.view === "list" ? new ListView(this.contextOf(data)) : new PartView(this.contextOf(data));
    const top = before?.reading?.scrollTop ?? 0;
    this.frame.replaceChildren(this.view.node);
    this.frame.lang = data.language === "zh" ? "zh-CN" : "en";
    if (before && placeIn(before.context.data) === placeIn(data)) {
      this.view.takeOver(before);
      if (this.view.reading) this.view.reading.scrollTop = top;
    } else if (before && this.frame.getBoundingClientRect().top < 0) {
      this.frame.scrollIntoView();
    }
  }

  contextOf(data) {
    const asked = new URLSearchParams(location.search).get("language"); // null: the language follows the scene
    const placeOf = (item) => ({ rater: data.rater, item, language: asked });
    return { data, words: WORDS[data.language], asked, placeOf, go: (place) => this.go(place) };
  }

  open() {
    outbox.listeners.add(this.onChange);
    document.addEventListener("keydown", this.onKey);
    outbox.send();
  }

  close() {
    outbox.listeners.delete(this.onChange);
    document.removeEventListener("keydown", this.onKey);
    clearTimeout(this.returning);
  }
}

function placeIn({ rater, item }) {
  return JSON.stringify([rater, item ?? null]);
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
