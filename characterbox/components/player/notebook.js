// The notebook: what stands behind the step that is shown, one sheet at a time. It follows the reader.

const WITH_JOURNAL = ["reply", "memory"]; // the sheets that the journal fills; the events fill the others
const RESTED = 120; // milliseconds between two steps within which the app is not asked: who scrubs passes by many

class Notebook {
  constructor(context, journal, { opener, moved }) {
    this.looked = -RESTED; // when a step was shown last
    this.moved = moved; // the script has more or less room than before
    this.context = context;
    this.journal = journal;
    this.opener = opener;
    const { words } = context;
    this.names = Object.keys(SHEETS).filter((name) => (WITH_JOURNAL.includes(name) ? journal : name !== "knowledge" || !context.eyes.length));
    this.tabs = this.names.map((name) => this.tab(name, words.sheets[name]));
    const list = make("div", "tabs", ...this.tabs);
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", words.notebook);
    const close = button(words.closeNotebook, ICONS.close);
    close.addEventListener("click", () => this.close());
    this.sheet = make("div", "sheet");
    Object.assign(this.sheet, { id: "notebook-sheet", tabIndex: 0 });
    this.sheet.setAttribute("role", "tabpanel");
    this.node = make("aside", "notebook", make("div", "head", list, close), this.sheet);
    this.node.setAttribute("aria-label", words.notebook);
    this.node.hidden = true;
    this.node.addEventListener("keydown", (event) => this.key(event));
    opener.addEventListener("click", () => (this.node.hidden ? this.open() : this.close()));
    opener.setAttribute("aria-expanded", "false");
    this.choose(this.names[0]);
  }

  tab(name, label) {
    const tab = make("button", "tab", label);
    Object.assign(tab, { type: "button", id: `notebook-${name}` });
    tab.dataset.sheet = name;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "notebook-sheet");
    tab.addEventListener("click", () => this.choose(name));
    return tab;
  }

  key(event) {
    const at = this.tabs.indexOf(event.composedPath()[0]);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.close();
    else if (at < 0 || !by) return;
    else this.choose(this.names.at((at + by) % this.names.length), true);
    event.preventDefault();
  }

  choose(name, withFocus = false) {
    this.chosen = name;
    for (const tab of this.tabs) {
      const chosen = tab.dataset.sheet === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen && withFocus) tab.focus();
      if (chosen) this.sheet.setAttribute("aria-labelledby", tab.id);
    }
    this.draw();
  }

  // The sheet that one sees, if any.
  get shown() {
    return this.node.hidden ? null : this.chosen;
  }

  open(name = this.chosen, withFocus = true) {
    this.node.hidden = false;
    this.opener.closest(".player").classList.add("noting");
    this.moved();
    this.opener.setAttribute("aria-expanded", "true");
    this.choose(name, withFocus);
  }

  close() {
    clearTimeout(this.asking);
    this.node.hidden = true;
    this.opener.closest(".player").classList.remove("noting");
    this.moved();
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.focus();
  }

  // The story up to the step that is shown: its events, and the world that they have left.
  show(events, world) {
    Object.assign(this, { events, world });
    this.draw();
  }

  draw() {
    if (this.node.hidden || !this.events) return;
    const drawn = (this.drawn = Symbol("drawn"));
    const put = (...nodes) => drawn === this.drawn && this.sheet.replaceChildren(...nodes.filter(Boolean));
    const event = this.events.at(-1);
    const { events, world } = this;
    const drawing = { ...this.context, events, world, event, keep: (this.kept ??= {}), redraw: () => this.draw() };
    if (!WITH_JOURNAL.includes(this.chosen)) return put(...SHEETS[this.chosen](drawing));
    const { words } = this.context;
    if (!event || event.kind === "story_ended") return put(make("p", "aside", words.noReply));
    const show = () =>
      this.journal.behind(event.path).then(
        (found) => put(...(found ? SHEETS[this.chosen](drawing, found) : [make("p", "aside", words.noReply)])),
        () => put(make("p", "aside", words.journalLost)),
      );
    clearTimeout(this.asking);
    const passing = performance.now() - this.looked < RESTED;
    this.looked = performance.now();
    this.asking = setTimeout(show, passing && !this.journal.has(event.path) ? RESTED : 0);
  }
}

const SHEETS = { reply: replySheet, memory: memorySheet, knowledge: knowledgeSheet, beliefs: beliefsSheet, influence: influenceSheet };

// ---- parts of sheets

const LONG_WORD = /\S{15}/; // longer than a column may be wide: only such words are broken

function table(caption, head, rows) {
  const cells = (tag, texts, scope) =>
    texts.map((text) => {
      const cell = make(tag, "", text);
      if (scope) cell.scope = scope;
      cell.classList.toggle("long", LONG_WORD.test(cell.textContent));
      return cell;
    });
  const body = rows.map(([first, ...rest]) => make("tr", "", ...cells("th", [first], "row"), ...cells("td", rest)));
  const titles = make("thead", "", make("tr", "", ...cells("th", head, "col")));
  return make("table", "", make("caption", "", caption), titles, make("tbody", "", ...body));
}

function stepName({ words, world }, { kind, character }) {
  return (character ? calledNow({ world, words }, character) + words.colon : "") + words.kinds[kind];
}

// ---- what is behind the steps of a story: asked of the app step by step, or found in the page that a story was saved as.

class Journal {
  constructor({ address, packed }) {
    this.address = address;
    this.packed = packed;
    this.known = new Map(); // path -> promise of what is behind it
  }

  // Whether nobody has to be asked.
  has(path) {
    return this.packed !== undefined || this.known.has(path);
  }

  // {takes, memory, measured}; null where there is nothing. Rejects when the app does not answer.
  behind(path) {
    if (!this.known.has(path)) {
      const found = this.packed ? this.unpacked(path) : this.asked(path);
      found.catch(() => this.known.delete(path));
      this.known.set(path, found);
    }
    return this.known.get(path);
  }

  // Another take of a step may have come.
  forget() {
    if (!this.packed) this.known.clear();
  }

  async asked(path) {
    const url = new URL(this.address, document.baseURI);
    url.searchParams.set("path", path);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(String(answer.status));
    const found = await answer.json();
    return found.takes.length ? found : null;
  }

  async unpacked(path) {
    this.whole ??= inflated(this.packed);
    const { texts, steps, shared } = await this.whole;
    const step = steps[path] ?? steps[shared[path]];
    if (!step) return null;
    const message = ({ role, content }) => ({ role, content: content.map((number) => texts[number]).join("\n\n") });
    return {
      takes: step.takes.map((take) => ({ ...take, messages: take.messages.map(message) })),
      memory: step.memory?.map((memory) => ({ ...memory, text: texts[memory.text] })) ?? null,
      measured: step.measured,
    };
  }
}

async function inflated(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
