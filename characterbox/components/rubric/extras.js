// What a rater can say of an item besides its scores: a comment, that the work is unknown, why it is skipped; and,
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
