// Scores on their way: each is kept in the browser until the server has said that it is committed, and sent in order.

const PREFIX = "characterbox.outbox.";
const FIRST_WAIT = 1000; // milliseconds after the first failure; doubles with each further one
const LONGEST_WAIT = 30000;
const PATIENCE = 10000; // milliseconds for one answer

class Outbox {
  constructor() {
    this.listeners = new Set();
    this.said = new Map(); // what was scored in this window, by place and metric: {click, committed, fault}
    this.failures = 0;
    this.sending = false;
    addEventListener("online", () => this.send());
    addEventListener("storage", () => this.tell()); // another window has sent something
  }

  // ---- what is kept

  placeOf(rater, item) {
    return PREFIX + JSON.stringify([rater, item]);
  }

  waiting(place) {
    try {
      return JSON.parse(localStorage.getItem(place) ?? "[]");
    } catch {
      return []; // not ours, or storage is blocked: then nothing was kept
    }
  }

  places() {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).sort();
    } catch {
      return [];
    }
  }

  unsent() {
    return this.places().reduce((count, place) => count + this.waiting(place).length, 0);
  }

  saidOf(place, metric) {
    if (!this.said.has(place)) {
      const kept = this.waiting(place).map((click) => [click.metric, { click }]);
      this.said.set(place, new Map(kept));
    }
    const metrics = this.said.get(place);
    if (!metrics.has(metric)) metrics.set(metric, {});
    return metrics.get(metric);
  }

  // Keeps a score and sends it. It counts here at once.
  add(place, metric, score) {
    const click = { id: crypto.randomUUID(), metric, score };
    const said = this.saidOf(place, metric);
    try {
      localStorage.setItem(place, JSON.stringify([...this.waiting(place), click]));
    } catch {
      said.fault = { full: true };
      this.tell();
      return;
    }
    Object.assign(said, { click, fault: null });
    this.tell();
    this.send();
  }

  remove(place, id) {
    const left = this.waiting(place).filter((click) => click.id !== id);
    if (left.length) localStorage.setItem(place, JSON.stringify(left));
    else localStorage.removeItem(place);
  }

  // ---- what is shown: the score that counts, and what has become of it

  // `stored` is what the server said at the time `asOf`; what it committed later counts more, the last click most.
  state(place, metric, asOf, stored) {
    const { click, committed, fault } = this.saidOf(place, metric);
    const known = committed && committed.at > asOf ? committed.score : (stored ?? null);
    const score = click ? click.score : known;
    if (fault) return { score, mark: "refused", sentence: fault.sentence };
    if (this.waiting(place).some((one) => one.metric === metric)) {
      return { score, mark: this.failures || !navigator.onLine ? "waiting" : "saving" };
    }
    return { score, mark: score === null ? "none" : "saved" };
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  // ---- sending

  async send() {
    clearTimeout(this.timer);
    if (this.sending) return; // what was added is taken along
    this.sending = true;
    const failed = await navigator.locks.request(PREFIX, () => this.sendAll()); // one window at a time
    this.sending = false;
    this.failures = failed ? this.failures + 1 : 0;
    this.tell();
    if (failed) this.timer = setTimeout(() => this.send(), this.pause());
    else if (this.unsent()) this.send(); // came in after the last look
  }

  pause() {
    return Math.min(FIRST_WAIT * 2 ** (this.failures - 1), LONGEST_WAIT);
  }

  // Whether anything is left over.
  async sendAll() {
    let failed = false;
    for (const place of this.places()) {
      try {
        for (let click; (click = this.waiting(place)[0]); ) await this.deliver(place, click);
      } catch {
        failed = true;
      }
    }
    return failed;
  }

  async deliver(place, { id, metric, score }) {
    const [rater, item] = JSON.parse(place.slice(PREFIX.length));
    const response = await fetch("/ratings", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ item, rater, metric, score }),
      keepalive: true,
      signal: AbortSignal.timeout(PATIENCE),
    });
    const answer = await response.json();
    const refused = response.status >= 400 && response.status < 500 && answer.error;
    if (response.status !== 201 && !refused) throw new Error(`status ${response.status}`);
    this.remove(place, id);
    this.failures = 0;
    const said = this.saidOf(place, metric);
    if (!refused) said.committed = { score, at: answer.at };
    if (said.click?.id === id) Object.assign(said, { click: null, fault: refused ? { sentence: refused } : null });
    this.tell();
  }
}

// One for the whole window, so that it goes on sending on whichever page the rater is.
const outbox = (globalThis[Symbol.for("characterbox.outbox")] ??= new Outbox());
