// Marks on their way: each is kept in the browser until the server has said that it is committed, and sent in order.

const PREFIX = "characterbox.marks.";
const REFUSED = "characterbox.refused."; // what the server did not take, by rater, until the rater has seen it
const FINAL = [404, 409, 413, 415, 422]; // answers that will not change by asking again
const FIRST_WAIT = 1000; // milliseconds after the first failure; doubles with each further one
const LONGEST_WAIT = 5000;
const PATIENCE = 10000; // milliseconds for one answer

// What a mark is about: a later mark about the same takes its place. And what it says.
const ABOUT = {
  score: ({ metric, score }) => [`score ${metric}`, score],
  evidence: ({ metric, steps }) => [`evidence ${metric}`, steps.length ? steps : null],
  comment: ({ text }) => ["comment", text],
  flag: ({ unknown_work: unknown }) => ["flag", unknown],
  skip: ({ reason }) => ["skip", reason],
  submit: () => ["submit", true],
  guess: ({ model }) => ["guess", { model }],
  time: () => ["time", null],
};

const about = (mark) => ABOUT[mark.kind](mark);

// Outside of loopback and https, browsers have neither of these two.
const newId = () =>
  crypto.randomUUID?.() ??
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16),
  );
const oneAtATime = (work) => (navigator.locks ? navigator.locks.request(PREFIX, work) : work());

class Outbox {
  constructor() {
    this.listeners = new Set();
    this.said = new Map(); // what was marked in this window, by place and key: {click, committed, fault}
    this.failures = 0;
    this.sending = false;
    this.signedOut = false;
    this.rater = null; // whose marks are sent; those of others who use this browser wait for them
    addEventListener("online", () => this.send());
    addEventListener("storage", () => this.tell()); // another window has marked or sent something
    addEventListener("beforeunload", (event) => this.unsent() && event.preventDefault());
    this.windows = new BroadcastChannel(PREFIX);
    this.windows.onmessage = ({ data }) => this.settle(data);
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
    const ours = (key) => key.startsWith(PREFIX) && JSON.parse(key.slice(PREFIX.length))[0] === this.rater;
    try {
      return Object.keys(localStorage).filter(ours).sort();
    } catch {
      return [];
    }
  }

  unsent() {
    const count = (place) => this.waiting(place).filter(({ mark }) => mark.kind !== "time").length;
    return this.places().reduce((sum, place) => sum + count(place), 0);
  }

  saidOf(place, key) {
    if (!this.said.has(place)) {
      this.said.set(place, new Map(this.waiting(place).map((click) => [about(click.mark)[0], { click }])));
    }
    const keys = this.said.get(place);
    if (!keys.has(key)) keys.set(key, {});
    return keys.get(key);
  }

  // Keeps a mark and sends it. It counts here at once.
  add(place, mark) {
    const click = { id: newId(), mark };
    const said = this.saidOf(place, about(mark)[0]);
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

  // ---- what is shown: the value that counts, and what has become of it

  // `stored` is what the server said at the time `asOf`; what it committed later counts more, the last click most.
  state(place, key, asOf, stored) {
    const { click, committed, fault } = this.saidOf(place, key);
    const known = committed && committed.at >= asOf ? committed.value : (stored ?? null);
    const value = click ? about(click.mark)[1] : known;
    if (fault) return { value, mark: "refused", sentence: fault.sentence };
    if (click || this.waiting(place).some(({ mark }) => about(mark)[0] === key)) {
      return { value, mark: this.failures || !navigator.onLine ? "waiting" : "saving" };
    }
    return { value, mark: value === null ? "none" : "saved" };
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  // ---- sending

  async send() {
    clearTimeout(this.timer);
    if (this.sending) return; // what was added is taken along
    this.sending = true;
    const failed = await oneAtATime(() => this.sendAll()); // one window at a time
    this.sending = false;
    this.failures = failed ? this.failures + 1 : 0;
    this.tell();
    if (failed) this.timer = setTimeout(() => this.send(), this.pause());
    else if (this.places().length) this.send(); // came in after the last look
  }

  // Comes back when nothing waits any more, or it can't be sent now.
  async settled() {
    const end = performance.now() + PATIENCE;
    while (this.places().length && !this.failures && !this.signedOut && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
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

  async deliver(place, { id, mark }) {
    const [rater, item] = JSON.parse(place.slice(PREFIX.length));
    const response = await fetch("/marks", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ item, rater, click: id, mark }),
      keepalive: true,
      signal: AbortSignal.timeout(PATIENCE),
    });
    this.signedOut = response.status === 401;
    const answer = await response.json();
    const refused = FINAL.includes(response.status) && answer.error;
    if (response.status !== 201 && !refused) throw new Error(`status ${response.status}`);
    const outcome = { place, id, mark, refused, at: answer.at };
    if (refused && mark.kind !== "time") this.keepRefused(rater, outcome);
    this.remove(place, id);
    this.failures = 0;
    this.settle(outcome);
    this.windows.postMessage(outcome);
  }

  // What has become of a click, sent from here or from another window.
  settle({ place, id, mark, refused, at }) {
    const [key, value] = about(mark);
    const said = this.saidOf(place, key);
    if (!refused) said.committed = { value, at };
    if (said.click?.id === id) Object.assign(said, { click: null, fault: refused ? { sentence: refused } : null });
    this.tell();
  }

  // ---- what was not taken: it is told wherever the rater is, and kept until it was seen

  keepRefused(rater, { place, mark, refused }) {
    const kept = [...this.refusals(rater), { place, mark, sentence: refused }];
    try {
      localStorage.setItem(REFUSED + rater, JSON.stringify(kept));
    } catch {
      // no room: it is shown beside what was marked
    }
  }

  refusals(rater = this.rater) {
    try {
      return JSON.parse(localStorage.getItem(REFUSED + rater) ?? "[]");
    } catch {
      return [];
    }
  }

  forgetRefusals() {
    localStorage.removeItem(REFUSED + this.rater);
    this.tell();
  }

  // Whether an item was finished in this window, however little the page knows of it yet.
  finished(rater, item) {
    const place = this.placeOf(rater, item);
    const said = (key) => this.saidOf(place, key);
    const value = ({ click, committed }) => (click ? about(click.mark)[1] : (committed?.value ?? null));
    return value(said("submit")) !== null || value(said("skip")) !== null;
  }
}

// One for the whole window, so that it goes on sending on whichever page the rater is.
const outbox = (globalThis[Symbol.for("characterbox.outbox")] ??= new Outbox());
