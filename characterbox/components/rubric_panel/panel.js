// The panel beside the text: the scales, what can be said besides, and the way on.

const MOVES = ["ArrowDown", "ArrowUp", "j", "k", "PageDown", "PageUp"]; // keys that act again while they are held

class Panel {
  constructor(context, sheet) {
    this.context = {
      ...context,
      changed: () => this.show(),
      onward: () => this.onward(),
      markEvidence: () => context.reading.mark(),
    };
    this.sheet = sheet;
    this.scales = new Scales(this.context, sheet);
    this.extras = new Extras(this.context, sheet);
    this.node = this.draw();
  }

  draw() {
    const { data, words } = this.context;
    this.progress = make("p", "progress");
    this.undoButton = button("", words.undo, () => this.scales.undo());
    this.unsent = make("p", "unsent");
    this.unsent.setAttribute("role", "status");
    this.fault = make("p", "fault");
    this.fault.setAttribute("role", "alert");
    this.signIn = data.local ? null : signIn(this.context);
    this.submitButton = button("primary", words.submit, () => this.submit());
    this.note = make("p", "note");
    const top = make("div", "top", this.progress, make("div", "buttons", this.undoButton, this.submitButton));
    const verdict = data.feedback ? make("p", "verdict", words.lesson(data.feedback)) : null;
    const closed = data.status === "running" ? null : make("p", "note", words.statuses[data.status]);
    this.refusals = refusals(this.context);
    const parts = [top, this.note, closed, verdict, this.refusals.node, this.unsent, this.fault, this.signIn?.node ?? null, this.scales.draw()];
    const node = make("section", "rubric", ...parts, this.extras.draw(), hints(words, data.rubric.scale));
    node.setAttribute("aria-label", words.rubric);
    return node;
  }

  // ---- what the rater does

  // Submits what is complete and goes on; else lights what is missing.
  submit() {
    const { data } = this.context;
    if (data.feedback !== null || this.sheet.closed) return this.onward();
    const [open] = this.sheet.missing;
    if (open !== undefined) {
      this.asked = true;
      this.scales.light(open);
      return;
    }
    const fresh = this.sheet.submitted.value === null;
    if (fresh) {
      this.context.clock.flush();
      this.sheet.say({ kind: "submit" });
      this.sheet.undoable.length = 0; // what is submitted stays complete
    }
    if (fresh && (data.purpose === "practice" || data.asks_model)) {
      this.context.go(this.context.placeOf(data.item)); // with what there is to learn, or to guess
    } else {
      this.onward();
    }
  }

  // What was asked ahead may offer what has been finished since.
  onward() {
    const { data, go, placeOf, list } = this.context;
    go(data.onward && !outbox.finished(data.rater.id, data.onward) ? placeOf(data.onward) : list);
  }

  key(event) {
    if (event.defaultPrevented || event.isComposing || modified(event) || inInput(event)) return;
    if (this.context.reading.key(event, this.scales.lit)) return;
    const { low, high } = this.context.data.rubric.scale;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const score = /^\d$/.test(name) ? Number(name) : null;
    if (score !== null && this.scales.lit === null && !event.repeat && this.extras.answer(score)) {
      event.preventDefault();
      return;
    }
    if (score !== null && this.scales.write()) return;
    const act = score === null ? this.acts[name] : score >= low && score <= high && this.scales.lit !== null && "score";
    if (!act || (name === "Enter" && pressable(event))) return;
    event.preventDefault();
    if (act === "score" && !event.repeat) this.scales.score(this.scales.lit, score);
    else if (act !== "score" && (!event.repeat || MOVES.includes(name))) act();
  }

  get acts() {
    const { data, go, placeOf, reading } = this.context;
    const to = (item) => () => item && go(placeOf(item));
    const down = () => this.scales.move(1);
    const up = () => this.scales.move(-1);
    return {
      ArrowDown: down,
      j: down,
      ArrowUp: up,
      k: up,
      u: () => this.scales.undo(),
      e: () => this.scales.lit !== null && reading.mark(),
      c: () => this.extras.openComment(),
      s: () => data.purpose !== "practice" && this.extras.openSkip(),
      n: to(data.next),
      p: to(data.previous),
      Enter: () => this.submit(),
      PageDown: () => reading.turnPage(1),
      PageUp: () => reading.turnPage(-1),
    };
  }

  // Evidence for the lit metric was set or taken back; Enter there goes on to the next metric.
  toggle(step) {
    if (this.scales.lit === null || this.sheet.closed) return;
    this.sheet.toggleEvidence(this.scales.lit, step);
    if (this.sheet.tookBack) this.show();
  }

  evidenceDone() {
    if (this.scales.lit !== null) this.scales.goOn(this.scales.lit);
  }

  // ---- what is shown

  show() {
    const { data, words } = this.context;
    const all = this.sheet.keys.length;
    const count = all - this.sheet.missing.length;
    const submitted = this.sheet.submitted.value !== null && count === all;
    this.scales.show();
    this.extras.show();
    this.context.reading.show(this.sheet, this.scales.lit);
    this.progress.textContent = count === all ? words.complete(all) : words.progress(count, all);
    this.undoButton.disabled = !this.sheet.undoable.length || this.sheet.closed;
    const done = submitted || data.feedback !== null || this.sheet.closed;
    this.submitButton.textContent = done ? words.onward : words.submit;
    this.submitButton.setAttribute("aria-disabled", String(!done && count < all));
    const missing = this.asked && count < all ? words.missing(all - count) : "";
    const kept = this.sheet.tookBack ? words.staysComplete : words.submitted;
    const said = submitted && data.purpose !== "practice" ? kept : missing;
    this.note.textContent = this.unreached ? words.unreached : said;
    this.note.hidden = !this.note.textContent;
    const { mark, sentence } = this.refused();
    this.fault.textContent = mark === "refused" ? words.marks.refused(sentence ?? words.full) : "";
    this.fault.hidden = mark !== "refused";
    showUnsent(this.unsent, words);
    this.refusals.show();
    this.signIn?.show();
  }

  // Of what has no row of its own, the first that the server did not take.
  refused() {
    const { comment, unknownWork, skipped, submitted, guess } = this.sheet;
    return [submitted, skipped, comment, unknownWork, guess].find(({ mark }) => mark === "refused") ?? {};
  }
}

function modified({ ctrlKey, altKey, metaKey, shiftKey }) {
  return ctrlKey || altKey || metaKey || shiftKey;
}

function inInput(event) {
  const [target] = event.composedPath();
  return target instanceof Element && (target.matches("input, textarea, select") || target.isContentEditable);
}

// Enter presses the button or follows the link that has the focus, except the buttons of a scale.
function pressable(event) {
  const [target] = event.composedPath();
  return target instanceof Element && target.matches("a, button, summary") && !target.closest(".scale, .metric-name");
}

function hints(words, { low, high }) {
  const lines = words.hints.map(([keys, meaning]) => {
    const named = keys.map((key) => ({ low: String(low), high: String(high) })[key] ?? key);
    const caps = named.map((key) => (key === "–" ? key : make("kbd", "", key)));
    return make("span", "", ...caps, ` ${meaning}`);
  });
  return make("p", "hints", ...lines);
}

// What the server did not take, on whichever item.
function refusals({ words }) {
  const told = make("span");
  const node = make("p", "fault", told, " ", button("", words.seen, () => outbox.forgetRefusals()));
  node.setAttribute("role", "alert");
  const show = () => {
    const kept = outbox.refusals();
    node.hidden = !kept.length;
    if (kept.length) told.textContent = words.notTaken(kept.length, kept.at(-1).sentence);
  };
  return { node, show };
}

// What waits in this browser, and why.
function showUnsent(node, words) {
  const waits = outbox.failures || !navigator.onLine ? outbox.unsent() : 0;
  const held = HELD.map((status) => [outbox.holding(status), words.held[status]]);
  const parts = [[waits, words.unsent], ...held].filter(([count]) => count).map(([count, told]) => told(count));
  node.textContent = parts.join(" ");
  node.hidden = !parts.length;
}
