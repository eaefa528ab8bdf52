// The rubric: seven scales, of which one is lit. Keys act on the lit one alone.

class Scales {
  constructor(context) {
    this.context = context;
    this.keys = context.data.rubric.metrics.map(({ key }) => key);
    this.place = outbox.placeOf(context.data.rater, context.data.item);
    this.undoable = [];
    const open = this.keys.findIndex((key) => this.state(key).score === null);
    this.lit = open < 0 ? null : open;
  }

  // ---- what is so

  state(key) {
    const { as_of: asOf, scores } = this.context.data;
    return outbox.state(this.place, key, asOf, scores[key]);
  }

  // ---- what the rater does

  light(index) {
    this.lit = index;
    this.show();
    if (index !== null) this.rows[index].node.scrollIntoView({ block: "nearest" });
  }

  move(by) {
    const last = this.keys.length - 1;
    if (this.lit === null) this.light(by > 0 ? 0 : last);
    else this.light(Math.min(Math.max(this.lit + by, 0), last));
  }

  // Scores a metric and goes on to the one below; from the last to the first without a score, or to none.
  score(index, score) {
    const key = this.keys[index];
    const before = this.state(key).score;
    if (before !== score) {
      this.undoable.push({ index, before });
      outbox.add(this.place, key, score);
    }
    const open = this.keys.findIndex((other) => this.state(other).score === null);
    const below = index + 1 < this.keys.length ? index + 1 : open;
    this.light(below < 0 ? null : below);
  }

  undo() {
    const last = this.undoable.pop();
    if (!last) return;
    outbox.add(this.place, this.keys[last.index], last.before);
    this.light(last.index);
  }

  next() {
    const { data, go } = this.context;
    if (data.next) go(this.context.placeOf(data.next));
  }

  key(event) {
    if (event.defaultPrevented || event.isComposing || modified(event) || inInput(event)) return;
    const { low, high } = this.context.data.rubric.scale;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const score = /^\d$/.test(name) ? Number(name) : null;
    const act = score === null ? this.acts[name] : score >= low && score <= high && this.lit !== null && "score";
    if (!act) return;
    event.preventDefault();
    if (act === "score" && !event.repeat) this.score(this.lit, score);
    else if (act !== "score" && !(event.repeat && "un".includes(name))) act();
  }

  get acts() {
    const down = () => this.move(1);
    const up = () => this.move(-1);
    const read = (pages) => () => this.context.turnPage(pages);
    return {
      ArrowDown: down,
      j: down,
      ArrowUp: up,
      k: up,
      u: () => this.undo(),
      n: () => this.next(),
      PageDown: read(1),
      PageUp: read(-1),
    };
  }

  // ---- what is drawn

  draw() {
    const { data, words } = this.context;
    this.rows = data.rubric.metrics.map((metric, index) => this.row(metric, index));
    const row = (key) => this.rows[this.keys.indexOf(key)].node;
    const groups = data.rubric.dimensions.map(({ name, metrics }) =>
      make("section", "dimension", make("h3", "label", name[data.language]), ...metrics.map(row)),
    );
    this.progress = make("p", "progress");
    this.unsent = make("p", "unsent");
    this.unsent.setAttribute("role", "status");
    this.undoButton = button("", words.undo, () => this.undo());
    this.nextButton = button("", words.next, () => this.next());
    this.nextButton.disabled = !data.next;
    const top = make("div", "top", this.progress, make("div", "buttons", this.undoButton, this.nextButton));
    const node = make("section", "rubric", top, this.unsent, make("div", "metrics", ...groups), hints(words));
    node.setAttribute("aria-label", words.rubric);
    return node;
  }

  row(metric, index) {
    const { data } = this.context;
    const title = metric.name[data.language];
    const name = button("metric-name", title, () => this.light(index));
    const mark = make("span", "mark");
    const buttons = scaleOf(data.rubric.scale).map((score) => this.choice(title, index, score));
    const scale = make("div", "scale", ...buttons.map((choice) => choice.node));
    scale.setAttribute("role", "group");
    scale.setAttribute("aria-label", title);
    const anchors = metric.anchors.map(({ score, text }) => {
      const line = make("div", "anchor", make("dt", "", String(score)), make("dd", "", text[data.language]));
      return { score, line };
    });
    const meaning = make("div", "meaning", make("p", "question", metric.question[data.language]));
    meaning.append(make("dl", "", ...anchors.map(({ line }) => line)));
    const node = make("div", "metric", make("div", "line", name, mark, scale), meaning);
    node.dataset.metric = metric.key;
    node.addEventListener("focusin", ({ target }) => {
      if (this.lit !== index && target.matches(":focus-visible")) this.light(index);
    });
    return { node, mark, buttons, anchors, meaning };
  }

  choice(title, index, score) {
    const node = button("", String(score), (event) => {
      if (event.detail < 2) this.score(index, score); // the second half of a double click is none
    });
    node.setAttribute("aria-label", this.context.words.scoreOf(score, title));
    return { node, score };
  }

  show() {
    const { words } = this.context;
    const states = this.keys.map((key) => this.state(key));
    states.forEach((state, index) => this.showRow(this.rows[index], state, index === this.lit));
    const count = states.filter(({ score }) => score !== null).length;
    const all = this.keys.length;
    this.progress.textContent = count === all ? words.complete(all) : words.progress(count, all);
    this.undoButton.disabled = !this.undoable.length;
    showUnsent(this.unsent, words);
  }

  showRow({ node, mark, buttons, anchors, meaning }, { score, mark: kind, sentence }, lit) {
    const { marks, full } = this.context.words;
    node.classList.toggle("lit", lit);
    meaning.hidden = !lit;
    mark.className = `mark ${kind}`;
    mark.textContent = kind === "refused" ? marks.refused(sentence ?? full) : marks[kind];
    for (const choice of buttons) choice.node.setAttribute("aria-pressed", String(choice.score === score));
    for (const anchor of anchors) {
      anchor.line.classList.toggle("chosen", anchor.score === score);
      anchor.line.classList.toggle("beside", score !== null && Math.abs(anchor.score - score) === 1);
    }
  }
}

function scaleOf({ low, high }) {
  return Array.from({ length: high - low + 1 }, (_, step) => low + step);
}

function modified({ ctrlKey, altKey, metaKey, shiftKey }) {
  return ctrlKey || altKey || metaKey || shiftKey;
}

function inInput(event) {
  const [target] = event.composedPath();
  return target instanceof Element && (target.matches("input, textarea, select") || target.isContentEditable);
}

function hints(words) {
  const lines = words.hints.map(([keys, meaning]) => {
    const caps = keys.map((key) => (key === "–" ? key : make("kbd", "", key)));
    return make("span", "", ...caps, ` ${meaning}`);
  });
  return make("p", "hints", ...lines);
}

function showUnsent(node, words) {
  const count = outbox.failures || !navigator.onLine ? outbox.unsent() : 0;
  node.textContent = count ? words.unsent(count) : "";
  node.hidden = !count;
}
