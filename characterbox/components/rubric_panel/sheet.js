// What the rater has said of the item: what the server knew, and what was marked in this window since.

class Sheet {
  constructor(data) {
    this.data = data;
    this.place = outbox.placeOf(data.rater.id, data.item);
    this.keys = data.rubric.metrics.map(({ key }) => key);
    this.undoable = [];
    this.tookBack = false; // whether something was to be taken back that has to stay
  }

  state(key, stored) {
    return outbox.state(this.place, key, this.data.as_of, stored);
  }

  score(metric) {
    return this.state(`score ${metric}`, this.data.sheet.scores[metric]);
  }

  evidence(metric) {
    return this.state(`evidence ${metric}`, this.data.sheet.evidence[metric]);
  }

  get comment() {
    return this.state("comment", this.data.sheet.comment);
  }

  get unknownWork() {
    return this.state("flag", this.data.sheet.unknown_work);
  }

  get skipped() {
    return this.state("skip", this.data.sheet.skipped);
  }

  get submitted() {
    return this.state("submit", this.data.sheet.submitted || null);
  }

  get guess() {
    return this.state("guess", this.data.sheet.guess);
  }

  // The metrics that still need something, by their numbers.
  get missing() {
    const required = this.data.rubric.evidence === "required";
    const open = (key) => this.score(key).value === null || (required && this.evidence(key).value === null);
    return this.keys.flatMap((key, index) => (open(key) ? [index] : []));
  }

  // A practice item is as it is once its gold scores are seen.
  get closed() {
    return this.data.feedback !== null || this.data.status !== "running";
  }

  // ---- what the rater does

  say(mark) {
    outbox.add(this.place, mark);
  }

  // What is submitted stays complete: it can be changed, and not be taken back.
  stays(nothing) {
    this.tookBack = nothing && this.submitted.value !== null;
    return this.tookBack;
  }

  setScore(index, score) {
    const metric = this.keys[index];
    const before = this.score(metric).value;
    if (this.stays(score === null) || before === score) return;
    this.undoable.push({ index, mark: { kind: "score", metric, score: before } });
    this.say({ kind: "score", metric, score });
  }

  toggleEvidence(index, step) {
    const metric = this.keys[index];
    const before = this.evidence(metric).value ?? [];
    const steps = before.includes(step) ? before.filter((one) => one !== step) : [...before, step].sort((a, b) => a - b);
    if (this.stays(!steps.length && this.data.rubric.evidence === "required")) return;
    this.undoable.push({ index, mark: { kind: "evidence", metric, steps: before } });
    this.say({ kind: "evidence", metric, steps });
  }

  // Takes back what was done last, and gives the number of the metric that it was about.
  undo() {
    const last = this.undoable.pop();
    if (!last) return null;
    this.say(last.mark);
    return last.index;
  }
}

// ---- how long a rater is at an item, told apart from how long it is only open.

const TICK = 1000; // milliseconds
const STILL_READING = 60000; // after the last key, click, scroll or touch
const TELL_EVERY = 60000; // of reading
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"];

class Clock {
  constructor(tell) {
    this.tell = tell; // is told the milliseconds of reading and of idling since it was told last
    this.onSign = () => (this.sign = Date.now());
    this.onHide = () => document.visibilityState === "hidden" && this.flush();
  }

  start() {
    if (this.timer) return;
    this.sign = this.before = Date.now();
    this.reading = this.idle = 0;
    this.timer = setInterval(() => this.tick(), TICK);
    for (const sign of SIGNS) document.addEventListener(sign, this.onSign, { passive: true });
    document.addEventListener("visibilitychange", this.onHide);
  }

  tick() {
    const now = Date.now();
    const there = document.visibilityState === "visible" && document.hasFocus() && now - this.sign < STILL_READING;
    const past = Math.max(0, now - this.before);
    if (there && past < STILL_READING) this.reading += past;
    else this.idle += past; // a machine that slept counts as nobody there
    this.before = now;
    if (this.reading >= TELL_EVERY) this.flush();
  }

  flush() {
    if (!this.timer) return;
    const { reading, idle } = this;
    this.reading = this.idle = 0;
    if (reading > 0) this.tell(Math.round(reading), Math.round(idle));
    else this.idle = idle; // what is only open is told when there is something to tell
  }

  stop() {
    if (!this.timer) return;
    this.tick();
    this.flush();
    clearInterval(this.timer);
    this.timer = null;
    for (const sign of SIGNS) document.removeEventListener(sign, this.onSign);
    document.removeEventListener("visibilitychange", this.onHide);
  }
}
