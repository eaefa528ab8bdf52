// What comes from a story that is being played: events, the text of steps under way, and its status.

// Milliseconds; only where the browser itself has given up: it was refused. It waits twice as long each time.
const RETRY_AFTER = 3000;
const RETRY_AT_MOST = 60000;

class Live {
  constructor(address, had, heard) {
    this.address = address;
    this.had = had; // () => number of events already there
    this.wait = RETRY_AFTER;
    this.heard = heard; // {event, token, asking, status, costs, again, back, lost}
    this.onSight = () => {
      if (document.hidden) return this.disconnect();
      this.connect();
      this.heard.back();
    };
    document.addEventListener("visibilitychange", this.onSight);
    if (!document.hidden) this.connect();
  }

  connect() {
    this.disconnect();
    const url = new URL(this.address, document.baseURI);
    url.searchParams.set("after", String(this.had()));
    this.source = new EventSource(url);
    this.status = null; // the last one that was told over this connection
    for (const kind of ["event", "token", "asking", "status", "costs"])
      this.source.addEventListener(kind, (message) => this.hear(kind, JSON.parse(message.data)));
    this.source.addEventListener("open", () => {
      this.wait = RETRY_AFTER;
      this.heard.again();
    });
    this.source.addEventListener("error", () => this.onError());
  }

  hear(kind, content) {
    if (kind === "status") this.status = content.status;
    this.heard[kind](content);
  }

  // What the page is given can have been read while the story was on the way to a status that it had before: nothing
  // new is told then. A new connection tells how the story stands.
  confirm(status) {
    if (this.status !== null && this.status !== status && !document.hidden) this.connect();
  }

  onError() {
    this.heard.lost();
    if (this.source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, RETRY_AT_MOST);
  }

  // A page that nobody sees does without: a browser has six connections to an app for all its pages.
  disconnect() {
    clearTimeout(this.retry);
    this.source?.close();
  }

  close() {
    document.removeEventListener("visibilitychange", this.onSight);
    this.disconnect();
  }
}

const OF_UPDATES = /^(r\d+\/[^/]+)\/(update\/[^/]+|environment)$/; // one reply tells all that a turn has changed

// The steps under way, at the foot of the script: growing text, or a quiet line on what is being asked.
class Pending {
  constructor(node, context) {
    this.node = node;
    this.context = context;
    this.steps = new Map();
    this.asked = new Map();
  }

  token(step) {
    const growing = this.steps.get(step.path);
    if (growing) return growing.querySelector(".words").append(step.text);
    if (!step.text.trim()) return;
    this.asked.delete(step.path);
    this.begin(step);
    this.showAsked();
  }

  begin(step) {
    const form = formOf(this.context, { ...step, importance: null, degraded: false });
    form.classList.add("growing");
    if (step.kind === "action") form.prepend(make("p", "label", nameOf(this.context, step.character)));
    this.steps.set(step.path, form);
    this.node.append(form);
  }

  // Asked once more, a step begins anew: the text that could not be used goes.
  asking(step) {
    this.settle(step.path);
    this.asked.set(step.path, step);
    this.showAsked();
  }

  settle(path) {
    for (const one of [path, path.replace(OF_UPDATES, "$1/updates")]) {
      this.steps.get(one)?.remove();
      this.steps.delete(one);
      this.asked.delete(one);
    }
    this.showAsked();
  }

  clear() {
    this.steps.clear();
    this.asked.clear();
    this.node.replaceChildren();
  }

  showAsked() {
    const { words } = this.context;
    const byKind = new Map();
    for (const { kind, character } of this.asked.values()) byKind.set(kind, [...(byKind.get(kind) ?? []), character]);
    const told = (kind, who) => [words.asking[kind]].map((said) => (said.call ? said({ who: who.join(words.comma) }) : said));
    const lines = Array.from(byKind, ([kind, who]) => make("p", "asking", ...told(kind, who)));
    this.node.querySelectorAll(".asking").forEach((line) => line.remove());
    this.node.append(...lines);
  }
}
