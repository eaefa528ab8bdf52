// What a rater is asked of an item.

// ---- the scales of the rubric, of which one is lit. Keys act on the lit one alone.

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

// ---- what a rater can say of an item besides its scores: a comment, that the work is unknown, why it is skipped; and,
// once it is submitted, which model it may have been.

const DIGITS = 9; // models that a digit chooses
const STILL_WRITING = 1500; // milliseconds after the last letter of a comment until it is kept

class Extras {
  constructor(context, sheet) {
    this.context = context;
    this.sheet = sheet;
    this.commenting = false;
    this.skipping = false;
  }

  draw() {
    const { words, data } = this.context;
    this.commentButton = button("", words.comment, () => this.openComment());
    this.flag = make("input");
    this.flag.type = "checkbox";
    this.flag.disabled = this.sheet.closed;
    this.flag.addEventListener("change", () => this.sheet.say({ kind: "flag", unknown_work: this.flag.checked }));
    const flag = data.rubric.subject === "scene" ? null : make("label", "flag", this.flag, ` ${words.unknownWork}`);
    this.skipButton = button("", words.skip, () => this.openSkip());
    this.comment = field("textarea", words.commentLabel, () => this.sheet.comment.value ?? "");
    this.comment.box.rows = 3;
    this.comment.box.addEventListener("change", () => this.keepComment());
    this.comment.box.addEventListener("input", () => {
      clearTimeout(this.writing);
      this.writing = setTimeout(() => this.keepComment(), STILL_WRITING);
    });
    this.reason = field("input", words.skipLabel, () => "");
    this.reason.box.addEventListener("keydown", (event) => event.key === "Enter" && this.skip());
    this.reason.node.append(button("", words.skipNow, () => this.skip()));
    this.skippedLine = make("p", "skipped");
    this.guess = data.models ? this.guessing() : null;
    for (const { box } of [this.comment, this.reason]) box.addEventListener("keydown", (event) => this.leave(event));
    const row = make("div", "row", this.commentButton, this.skipButton, flag);
    return make("div", "extras", row, this.comment.node, this.reason.node, this.skippedLine, this.guess?.node ?? null);
  }

  guessing() {
    const { words, data } = this.context;
    const choices = [...data.models.map((model) => [model, model]), [null, words.cannotTell]];
    const buttons = choices.map(([model, label], index) => {
      const node = button("", label, () => this.say(model));
      if (index < DIGITS) node.prepend(make("kbd", "", String(index + 1)), " ");
      return { model, node };
    });
    const node = make("div", "guess", make("p", "", words.whichModel), ...buttons.map((choice) => choice.node));
    node.tabIndex = -1;
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", words.whichModel);
    return { node, buttons };
  }

  // ---- what the rater does

  say(model) {
    const guessed = this.sheet.guess.value;
    if (guessed === null || guessed.model !== model) this.sheet.say({ kind: "guess", model });
  }

  // Whether the question which model it was waits for an answer.
  get asks() {
    return Boolean(this.guess) && !this.sheet.closed && this.sheet.submitted.value !== null && this.sheet.guess.value === null;
  }

  // Whether a digit answers that question; an answer that was given is changed by its button alone.
  answer(digit) {
    const choice = this.asks && this.guess.buttons[digit - 1];
    if (!choice || digit > DIGITS) return false;
    this.say(choice.model);
    return true;
  }

  // Drawn anew: what is open stays open, with what is written in it.
  takeOver({ commenting, skipping, reason }) {
    this.commenting = commenting;
    this.skipping = skipping;
    this.reason.box.value = reason.box.value;
  }

  openComment() {
    this.commenting = !this.commenting;
    this.context.changed();
    if (this.commenting) this.comment.box.focus();
  }

  keepComment() {
    clearTimeout(this.writing);
    if (this.sheet.closed) return;
    const text = this.comment.box.value.trim();
    if (text === this.comment.filled || text === (this.sheet.comment.value ?? "")) return;
    this.comment.filled = text;
    this.sheet.say({ kind: "comment", text });
  }

  openSkip() {
    if (this.sheet.skipped.value !== null) {
      this.sheet.say({ kind: "skip", reason: null });
      return;
    }
    this.skipping = !this.skipping;
    this.context.changed();
    if (this.skipping) this.reason.box.focus();
  }

  skip() {
    const reason = this.reason.box.value.trim();
    if (!reason) {
      this.reason.box.focus();
      return;
    }
    this.skipping = false;
    this.sheet.say({ kind: "skip", reason });
    this.context.onward();
  }

  leave(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    this.keepComment();
    this.commenting = this.skipping = false;
    event.target.blur();
    this.context.changed();
  }

  // ---- what is shown

  show() {
    const { words } = this.context;
    const { closed, skipped, comment, unknownWork, submitted } = this.sheet;
    const practice = this.context.data.purpose === "practice";
    this.comment.node.hidden = !this.commenting;
    this.comment.box.maxLength = this.context.data.most_text;
    this.reason.box.maxLength = this.context.data.most_text;
    this.commentButton.classList.toggle("set", Boolean(comment.value));
    this.commentButton.setAttribute("aria-expanded", String(this.commenting));
    this.commentButton.disabled = closed;
    this.skipButton.textContent = skipped.value === null ? words.skip : words.unskip;
    this.skipButton.hidden = practice;
    this.skipButton.disabled = closed;
    this.reason.node.hidden = !this.skipping;
    this.skippedLine.textContent = skipped.value === null ? "" : words.skippedBecause(skipped.value);
    this.skippedLine.hidden = skipped.value === null;
    if (!this.commenting) this.comment.fill();
    this.flag.checked = Boolean(unknownWork.value);
    if (!this.guess) return;
    this.guess.node.hidden = submitted.value === null;
    const guessed = this.sheet.guess.value;
    for (const { model, node } of this.guess.buttons) {
      node.setAttribute("aria-pressed", String(guessed !== null && guessed.model === model));
      node.disabled = closed;
    }
  }

}

// `filled` is what the box had before somebody wrote in it.
function field(tag, label, known) {
  const box = make(tag);
  box.setAttribute("aria-label", label);
  box.placeholder = label;
  const made = { box, filled: "", node: make("div", "field", box) };
  made.fill = () => {
    made.filled = box.value = known();
  };
  made.fill();
  return made;
}
