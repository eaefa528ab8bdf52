// Marks on their way: each is kept in the browser until the server has said that it is committed, and sent in order.

const PREFIX = "characterbox.marks.";
const REFUSED = "characterbox.refused."; // what the server did not take, by rater, until the rater has seen it
const FINAL = [404, 409, 413, 415, 422]; // answers that will not change by asking again
const HELD = [403, 423]; // answers that change when somebody lets them: the account may not rate, the campaign is paused
const FIRST_WAIT = 1000; // milliseconds after the first failure; doubles with each further one
const LONGEST_WAIT = 5000;
const HELD_WAIT = 10000; // milliseconds until what is held is tried again
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

const TAKES_IN = ["score", "submit"]; // what takes in again an item that was skipped

const about = (mark) => ABOUT[mark.kind](mark);

// The mark under a key; nothing if it is not one of ours.
function keptAt(key) {
  try {
    const click = JSON.parse(localStorage.getItem(key));
    return ABOUT[click.mark.kind] && JSON.parse(click.place) && click;
  } catch {
    return null;
  }
}

// Outside of loopback and https, browsers have neither of these two.
const newId = () =>
  crypto.randomUUID?.() ??
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16),
  );
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 20));
const oneAtATime = (work) => (navigator.locks ? navigator.locks.request(PREFIX, work) : work());

class Outbox {
  constructor() {
    this.listeners = new Set();
    this.said = new Map(); // what was marked in this window, by place and key: {click, committed, fault}
    this.failures = 0;
    this.held = new Map(); // the answers that hold up marks, by place
    this.sending = false;
    this.signedOut = false;
    this.signedInAgain = false; // the page itself was signed out, too: it is drawn anew once all is sent
    this.rater = null; // whose marks are sent; those of others who use this browser wait for them
    addEventListener("online", () => this.send());
    addEventListener("storage", () => this.tell()); // another window has marked or sent something
    addEventListener("beforeunload", (event) => this.unsent() && event.preventDefault());
    this.windows = new BroadcastChannel(PREFIX);
    this.windows.onmessage = ({ data }) => this.settle(data);
  }

  // ---- what is kept: a key for each mark, so that two windows never write the same one

  placeOf(rater, item) {
    return JSON.stringify([rater, item]);
  }

  // All marks that wait, whoever made them, in the order in which they were made.
  kept() {
    try {
      const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
      return keys.map(keptAt).filter(Boolean).sort((one, other) => one.number - other.number);
    } catch {
      return []; // storage is blocked: then nothing was kept
    }
  }

  waiting(place) {
    return this.kept().filter((click) => click.place === place);
  }

  places() {
    const ours = this.kept().filter(({ place }) => JSON.parse(place)[0] === this.rater);
    return [...new Set(ours.map(({ place }) => place))];
  }

  // How many marks wait that will be sent by themselves; and how many are held, by the answer that holds them.
  unsent() {
    return this.count(({ place }) => !this.held.has(place));
  }

  holding(status) {
    return this.count(({ place }) => this.held.get(place) === status);
  }

  count(which) {
    const ours = this.kept().filter(({ place, mark }) => JSON.parse(place)[0] === this.rater && mark.kind !== "time");
    return ours.filter(which).length;
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
    this.number = Math.max(Date.now(), (this.number ?? 0) + 1);
    const click = { id: newId(), number: this.number, place, mark };
    const said = this.saidOf(place, about(mark)[0]);
    try {
      localStorage.setItem(PREFIX + click.id, JSON.stringify(click));
    } catch {
      said.fault = { full: true };
      this.tell();
      return;
    }
    Object.assign(said, { click, fault: null });
    this.tell();
    this.send();
  }

  // ---- what is shown: the value that counts, and what has become of it

  // `stored` is what the server said at the time `asOf`; what it committed later counts more, the last click most.
  state(place, key, asOf, stored) {
    const { click, committed, fault } = this.saidOf(place, key);
    const known = committed && committed.at >= asOf ? committed.value : (stored ?? null);
    const value = click ? about(click.mark)[1] : known;
    if (fault) return { value, mark: "refused", sentence: fault.sentence };
    if (click || this.waiting(place).some(({ mark }) => about(mark)[0] === key)) {
      return { value, mark: this.failures || this.held.has(place) || !navigator.onLine ? "waiting" : "saving" };
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
    let failed = true;
    try {
      failed = await oneAtATime(() => this.sendAll()); // one window at a time
    } finally {
      this.sending = false;
    }
    this.failures = failed ? this.failures + 1 : 0;
    this.tell();
    if (this.signedInAgain && !this.unsent()) location.reload();
    if (failed) this.timer = setTimeout(() => this.send(), this.pause());
    else if (this.sendable().length) this.send(); // came in after the last look
    else if (this.held.size) this.timer = setTimeout(() => this.tryHeld(), HELD_WAIT);
  }

  sendable() {
    return this.places().filter((place) => !this.held.has(place));
  }

  tryHeld() {
    this.held.clear();
    this.send();
  }

  // Sends what was marked while the rater was signed out. What is under way may still be refused: it is waited for.
  async signedIn() {
    this.signedInAgain = true;
    while (this.sending) await aMoment();
    this.signedOut = false;
    this.failures = 0;
    await this.send();
  }

  // Comes back when nothing waits any more that can be sent now.
  async settled() {
    const end = performance.now() + PATIENCE;
    while (this.sendable().length && !this.failures && !this.signedOut && performance.now() < end) await aMoment();
  }

  pause() {
    return Math.min(FIRST_WAIT * 2 ** (this.failures - 1), LONGEST_WAIT);
  }

  // Whether anything is left over that is not held.
  async sendAll() {
    let failed = false;
    for (const place of this.sendable()) {
      try {
        for (let click; !this.held.has(place) && (click = this.waiting(place)[0]); ) await this.deliver(click);
      } catch {
        failed = true;
      }
    }
    return failed;
  }

  async deliver({ id, place, mark }) {
    const [rater, item] = JSON.parse(place);
    const response = await fetch("/marks", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ item, rater, click: id, mark }),
      keepalive: true,
      signal: AbortSignal.timeout(PATIENCE),
    });
    this.signedOut = response.status === 401;
    if (HELD.includes(response.status)) {
      this.held.set(place, response.status);
      return;
    }
    const answer = await response.json();
    const refused = FINAL.includes(response.status) && answer.error;
    if (response.status !== 201 && !refused) throw new Error(`status ${response.status}`);
    const outcome = { place, id, mark, refused, at: answer.at };
    if (refused && mark.kind !== "time") this.keepRefused(rater, outcome);
    localStorage.removeItem(PREFIX + id);
    this.failures = 0;
    this.settle(outcome);
    this.windows.postMessage(outcome);
  }

  // What has become of a click, sent from here or from another window.
  settle({ place, id, mark, refused, at }) {
    const [key, value] = about(mark);
    const said = this.saidOf(place, key);
    if (!refused) Object.assign(said, { committed: { value, at }, fault: null });
    if (!refused && TAKES_IN.includes(mark.kind)) this.saidOf(place, "skip").committed = { value: null, at };
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
