// A dialogue: turns one after the other, the one that is being said, and a field to speak in.

const ENTER_IS_TAKEN = 229; // the code of a key that belongs to an input method

class Dialogue {
  constructor(parent, data) {
    this.id = data.id;
    this.words = wordsOf(data.words);
    this.most = data.most;
    this.turns = make("ol", "turns");
    this.turns.setAttribute("aria-label", this.words.dialogue);
    this.growing = make("li", "turn growing");
    this.growing.setAttribute("aria-live", "polite");
    this.notice = make("p", "notice");
    this.field = this.writing();
    this.node = make("section", "dialogue", this.turns, this.notice, this.field.node);
    this.node.lang = data.language;
    parent.append(this.node);
    this.path = location.pathname;
    this.growingPath = null;
  }

  writing() {
    const { words } = this;
    const area = Object.assign(make("textarea"), { rows: 1, maxLength: this.most, placeholder: words.placeholder });
    area.setAttribute("aria-label", words.placeholder);
    const problem = make("p", "problem");
    problem.setAttribute("role", "alert");
    const send = Object.assign(make("button", "send", words.send), { type: "submit" });
    const end = Object.assign(make("button", "end", words.end), { type: "button" });
    const node = make("form", "say", area, make("div", "acts", send, end), problem);
    node.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(area.value.trim());
    });
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === ENTER_IS_TAKEN) return;
      event.preventDefault();
      this.send(area.value.trim());
    });
    area.addEventListener("input", () => {
      keep(this.id, area.value);
      send.disabled = !area.value.trim();
    });
    end.addEventListener("click", () => this.tell("said", { id: this.id, text: "", after: this.data.turns.length }));
    area.value = kept(this.id);
    return { node, area, send, end, problem };
  }

  send(text) {
    if (!text) return;
    this.sentAfter = this.data.turns.length;
    this.field.send.disabled = this.field.end.disabled = true;
    this.tell("said", { id: this.id, text, after: this.sentAfter });
  }

  // ---- what is given

  update(data, tell) {
    this.tell = tell;
    this.data = data;
    this.known = data.status;
    const before = this.count ?? 0;
    this.count = data.count;
    this.turns.replaceChildren(...data.turns.map((turn) => this.turn(turn)));
    const last = data.turns.at(-1);
    if (last && !last.mine && data.examples.length) this.turns.lastChild.append(this.examples(data.examples));
    this.showField(data);
    this.settle();
    this.open(data.live);
    if (data.count !== before) requestAnimationFrame(() => this.follow());
  }

  // What was sent stays in the field until it stands among the turns.
  showField({ asked, problem, turns }) {
    const { node, area, send, end, problem: line } = this.field;
    if (turns.length > this.sentAfter) {
      this.sentAfter = undefined;
      area.value = "";
      keep(this.id, "");
    }
    node.hidden = !asked;
    send.disabled = !area.value.trim();
    end.disabled = false;
    if (line.textContent !== (problem ?? "")) line.textContent = problem ?? "";
    if (asked && this.wasAsked !== asked) area.focus({ preventScroll: true });
    this.wasAsked = asked;
  }

  turn(turn) {
    const { words } = this;
    const text = turn.problem ? make("p", "unread", words.unread) : make("p", turn.text ? "words" : "silence", turn.text || words.silent);
    if (turn.problem) text.title = turn.problem;
    const node = make("li", turn.mine ? "turn mine" : "turn", make("p", "name", make("bdi", "", turn.name)), text, this.tools(turn));
    node.dataset.path = turn.path;
    return node;
  }

  tools({ at, mine, takes }) {
    const { words } = this;
    const nodes = takes ? [this.takes(takes)] : [];
    if (this.data.tools)
      for (const tool of mine ? ["edit", "branch"] : ["regenerate", "edit", "branch"])
        nodes.push(button(words[tool], tool, () => this.tell("tool", { tool, at })));
    return nodes.length ? make("div", "tools", ...nodes) : "";
  }

  takes({ at, of, previous, next }) {
    const { words } = this;
    const to = (label, sign, story) => {
      const node = button(sign, "take", () => this.tell("take", story));
      node.setAttribute("aria-label", label);
      node.disabled = story === null;
      return node;
    };
    return make("span", "takes", to(words.previous, "‹", previous), make("span", "", words.take({ at, of })), to(words.next, "›", next));
  }

  examples(examples) {
    const rows = examples.map(({ before, answer }) => make("li", "", make("p", "before", before), make("p", "", answer)));
    return make("details", "examples", make("summary", "", `${this.words.examples} (${examples.length})`), make("ol", "", ...rows));
  }

  // ---- what is being said

  open(address) {
    if (this.live && this.live.address !== address) this.hangUp();
    if (!address) return;
    if (this.live) this.live.confirm(this.known);
    else this.live = new Live(address, () => this.count, this.ears());
  }

  ears() {
    return {
      event: () => this.refresh(),
      token: (step) => this.grow(step),
      asking: ({ path, character }) => this.begin(path, character),
      status: ({ status }) => status !== this.known && this.refresh(),
      costs: () => {},
      again: () => this.showLost(false),
      back: () => this.refresh(),
      lost: () => this.showLost(true),
    };
  }

  begin(path, name) {
    this.growingPath = path;
    this.spoken = make("p", "words");
    this.growing.replaceChildren(make("p", "name", make("bdi", "", name)), make("p", "asking", this.words.thinking({ name })));
    this.turns.append(this.growing);
    this.follow();
  }

  grow({ path, character, text }) {
    if (this.growingPath !== path) this.begin(path, character);
    if (!this.spoken.isConnected) this.growing.querySelector(".asking").replaceWith(this.spoken);
    this.spoken.append(text);
    this.follow();
  }

  // What has been said whole stands among the turns.
  settle() {
    const said = this.data.turns.some(({ path }) => path === this.growingPath);
    if (said || this.data.status !== "running") {
      this.growing.remove();
      this.growingPath = null;
    } else if (this.growingPath) this.turns.append(this.growing);
    else if (this.data.other) this.begin("", this.data.other);
  }

  follow() {
    this.turns.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  refresh() {
    if (location.pathname === this.path) this.tell("moved", Date.now());
  }

  showLost(lost) {
    if (lost === this.lost) return;
    this.lost = lost;
    this.notice.textContent = lost ? this.words.lost : "";
    if (!lost) this.refresh();
  }

  hangUp() {
    this.live?.close();
    this.live = null;
  }

  remove() {
    this.hangUp();
    this.node.remove();
  }
}

function button(label, name, act) {
  const node = Object.assign(make("button", name, label), { type: "button" });
  node.addEventListener("click", act);
  return node;
}

function keep(id, text) {
  try {
    if (text) sessionStorage.setItem(`characterbox-said-${id}`, text);
    else sessionStorage.removeItem(`characterbox-said-${id}`);
  } catch {
    // a browser that keeps nothing
  }
}

function kept(id) {
  try {
    return sessionStorage.getItem(`characterbox-said-${id}`) ?? "";
  } catch {
    return "";
  }
}

const dialogues = new WeakMap();

// Called by Streamlit on every rerun. Returns what stops it.
export default function showDialogue({ data, parentElement, setTriggerValue }) {
  let dialogue = dialogues.get(parentElement);
  if (!dialogue || dialogue.id !== data.id || dialogue.words.send !== data.words.send) {
    dialogue?.remove();
    dialogue = new Dialogue(parentElement, data);
    dialogues.set(parentElement, dialogue);
  }
  dialogue.update(data, setTriggerValue);
  const visit = (dialogue.visit = Symbol("visit"));
  return () => {
    if (dialogue.visit === visit) dialogue.hangUp();
  };
}
