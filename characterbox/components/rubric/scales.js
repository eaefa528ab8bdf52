// The scales of the rubric, of which one is lit. Keys act on the lit one alone.

const MOST_BUTTONS = 11; // from 0 to 10

class Scales {
  constructor(context, sheet) {
    this.context = context;
    this.sheet = sheet;
    const [open] = sheet.missing;
    this.lit = open ?? null;
    this.rows = context.data.rubric.metrics.map((metric, index) => this.row(metric, index));
  }

  // ---- what the rater does

  light(index) {
    this.lit = index;
    this.context.changed();
    if (index !== null) this.rows[index].node.scrollIntoView({ block: "nearest" });
  }

  move(by) {
    const last = this.rows.length - 1;
    if (this.lit === null) this.light(by > 0 ? 0 : last);
    else this.light(Math.min(Math.max(this.lit + by, 0), last));
  }

  // Scores a metric and goes on to the one below; from the last to the first that needs something, or to none. Where
  // a score must rest on evidence, it stays lit until it does.
  score(index, score) {
    if (this.sheet.closed) return;
    this.sheet.setScore(index, score);
    if (this.sheet.tookBack) this.context.changed();
    else if (this.sheet.missing.includes(index)) {
      this.light(index);
      this.context.markEvidence();
    } else {
      this.goOn(index);
    }
  }

  goOn(index) {
    const [open] = this.sheet.missing;
    this.light(index + 1 < this.rows.length ? index + 1 : (open ?? null));
  }

  // Where scores are written, a digit is the first one of the lit score: it goes to its field.
  write() {
    const entry = this.lit === null ? null : this.rows[this.lit].entry;
    if (!entry || this.sheet.closed) return false;
    entry.value = "";
    entry.focus();
    return true;
  }

  undo() {
    const index = this.sheet.undo();
    if (index !== null) this.light(index);
  }

  // ---- what is drawn

  draw() {
    const { data } = this.context;
    const row = (key) => this.rows[this.sheet.keys.indexOf(key)].node;
    const groups = data.rubric.dimensions.map(({ name, metrics }) =>
      make("section", "dimension", make("h3", "label", name[data.language]), ...metrics.map(row)),
    );
    return make("div", "metrics", ...groups);
  }

  row(metric, index) {
    const { data } = this.context;
    const title = metric.name[data.language];
    const name = button("metric-name", title, () => this.light(index));
    const mark = make("span", "mark");
    const buttons = scaleOf(data.rubric.scale).map((score) => this.choice(title, index, score));
    const entry = buttons.length ? null : this.entry(title, index);
    const scale = make("div", buttons.length > 5 ? "scale many" : "scale", ...buttons.map((choice) => choice.node));
    if (entry) scale.append(entry);
    scale.setAttribute("role", "group");
    scale.setAttribute("aria-label", title);
    const anchors = metric.anchors.map(({ score, text }) => {
      const line = make("div", "anchor", make("dt", "", String(score)), make("dd", "", text[data.language]));
      return { score, line };
    });
    const meaning = make("div", "meaning", make("p", "question", metric.question[data.language]));
    meaning.append(make("dl", "", ...anchors.map(({ line }) => line)));
    const places = make("p", "places");
    const node = make("div", "metric", make("div", "line", name, mark, scale), meaning, places, this.lesson(metric.key));
    node.dataset.metric = metric.key;
    node.addEventListener("focusin", ({ target }) => {
      if (this.lit !== index && target.matches(":focus-visible")) this.light(index);
    });
    return { node, mark, buttons, entry, anchors, meaning, places };
  }

  // Where there are too many scores for buttons, or any number between two is one.
  entry(title, index) {
    const { low, high, fractions } = this.context.data.rubric.scale;
    const box = Object.assign(make("input", "number"), { type: "number", min: low, max: high });
    box.step = fractions ? "any" : "1";
    box.placeholder = `${low}–${high}`;
    box.setAttribute("aria-label", title);
    box.disabled = this.sheet.closed;
    box.addEventListener("change", () => {
      if (box.value === "") this.score(index, null);
      else if (box.reportValidity()) this.score(index, Number(box.value));
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // the keys mean again what they mean on the page
      if (box.reportValidity()) box.blur();
    });
    return box;
  }

  choice(title, index, score) {
    const node = button("", String(score), (event) => {
      if (event.detail < 2) this.score(index, score); // the second half of a double click is none
    });
    node.setAttribute("aria-label", this.context.words.scoreOf(score, title));
    node.disabled = this.sheet.closed;
    return { node, score };
  }

  // After a practice item: the gold score, and why.
  lesson(key) {
    const { data, words } = this.context;
    const learnt = data.feedback?.metrics.find(({ metric }) => metric === key);
    if (!learnt) return null;
    const { gold, difference, reason } = learnt;
    const line = make("p", "gold", words.gold(gold, difference));
    return make("div", difference === 0 ? "lesson right" : "lesson", line, make("p", "", reason[data.language]));
  }

  show() {
    this.rows.forEach((row, index) => this.showRow(row, this.sheet.keys[index], index === this.lit));
  }

  showRow({ node, mark, buttons, entry, anchors, meaning, places }, key, lit) {
    const { value: score, mark: kind, sentence } = this.worst(key);
    const { marks, full, saved, places: told } = this.context.words;
    const steps = this.sheet.evidence(key).value ?? [];
    node.classList.toggle("lit", lit);
    meaning.hidden = !lit || this.context.data.feedback !== null;
    mark.className = `mark ${kind}`;
    mark.textContent = kind === "refused" ? marks.refused(sentence ?? full) : marks[kind];
    mark.title = kind === "saved" ? saved : "";
    const wanted = lit && this.context.data.rubric.evidence === "required";
    places.textContent = steps.length || wanted ? told(steps.length) : "";
    places.hidden = !places.textContent;
    if (entry && entry.getRootNode().activeElement !== entry) entry.value = score ?? "";
    for (const choice of buttons) choice.node.setAttribute("aria-pressed", String(choice.score === score));
    for (const anchor of anchors) {
      anchor.line.classList.toggle("chosen", anchor.score === score);
      anchor.line.classList.toggle("beside", score !== null && Math.abs(anchor.score - score) === 1);
    }
  }

  // The score, with what has become of it or of its evidence, whichever is worse off.
  worst(key) {
    const score = this.sheet.score(key);
    const evidence = this.sheet.evidence(key);
    const order = ["none", "saved", "saving", "waiting", "refused"];
    const worse = order.indexOf(evidence.mark) > order.indexOf(score.mark) ? evidence : score;
    return { ...worse, value: score.value };
  }
}

function scaleOf({ low, high, fractions }) {
  const levels = high - low + 1;
  return fractions || levels > MOST_BUTTONS ? [] : Array.from({ length: levels }, (_, step) => low + step);
}
