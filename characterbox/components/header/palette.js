// The command palette: goes to whatever has a page, by its name. What is found comes from the app.

const PAUSE = 120; // milliseconds without a letter after which is asked

class Palette {
  constructor({ words }) {
    this.words = words;
    this.input = make("input", "");
    Object.assign(this.input, { type: "text", maxLength: 200, autocomplete: "off", spellcheck: false, autofocus: true });
    this.input.placeholder = words.placeholder;
    const said = {
      role: "combobox", "aria-label": words.go, "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "found",
    };
    for (const [name, value] of Object.entries(said)) this.input.setAttribute(name, value);
    this.list = make("div", "found");
    this.list.id = "found";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", words.found);
    this.told = make("p", "told");
    this.told.setAttribute("role", "status");
    this.leave = make("button", "leave", words.close);
    this.leave.type = "button";
    this.leave.addEventListener("click", () => this.node.close());
    this.node = make("dialog", "palette", make("div", "asked", this.input, this.leave), this.list, this.told);
    this.node.setAttribute("aria-label", words.go);
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("click", (event) => this.click(event));
    this.node.addEventListener("close", () => this.stop());
    this.input.addEventListener("input", (event) => this.write(event));
    this.input.addEventListener("compositionend", () => this.write({ isComposing: false })); // no input follows
  }

  open() {
    if (this.node.open) return;
    this.node.showModal();
    this.input.select();
    this.find();
  }

  // While a word is still being put together, as in Chinese, nothing is asked.
  write({ isComposing }) {
    clearTimeout(this.pause);
    this.asking?.abort();
    this.late = true;
    this.entered = false;
    if (!isComposing) this.pause = setTimeout(() => this.find(), PAUSE);
  }

  stop() {
    clearTimeout(this.pause);
    this.asking?.abort();
    this.entered = false;
  }

  async find() {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.late = true;
    try {
      const response = await fetch(`/find?${new URLSearchParams({ text: this.input.value })}`, { signal: asking.signal });
      const { found = [], told = this.words[response.status === 401 ? "signedOut" : "unreachable"] } = await response.json();
      if (!asking.signal.aborted) this.show(found, told);
    } catch {
      if (!asking.signal.aborted) this.show([], this.words.unreachable);
    }
  }

  show(found, told) {
    this.late = false;
    this.list.replaceChildren(...found.map((hit, place) => this.option(hit, place)));
    this.input.setAttribute("aria-expanded", String(found.length > 0));
    this.told.textContent = told;
    this.light(0);
    if (this.entered && this.lit) this.go(this.lit);
    this.entered = false;
  }

  option({ kind, name, about, address, language }, place) {
    const title = make("span", "name", name);
    title.dir = "auto";
    if (language) title.lang = language === "zh" ? "zh-CN" : language;
    const called = make("span", "", title, " ", make("span", "about", about));
    const node = make("a", "", called, make("span", "kind", this.words.kinds[kind]));
    node.href = address;
    node.id = `found-${place}`;
    node.tabIndex = -1;
    node.setAttribute("role", "option");
    return node;
  }

  // The option that Enter goes to.
  light(place) {
    this.lit = this.list.children[place];
    for (const option of this.list.children) option.setAttribute("aria-selected", String(option === this.lit));
    if (this.lit) this.input.setAttribute("aria-activedescendant", this.lit.id);
    else this.input.removeAttribute("aria-activedescendant");
    this.lit?.scrollIntoView({ block: "nearest" });
  }

  go(option) {
    this.node.close();
    goTo(option.getAttribute("href"));
  }

  click(event) {
    if (event.target === this.node) this.node.close(); // beside it
    const option = event.target.closest('[role="option"]');
    if (!option || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.go(option);
  }

  // Keys mean something here alone; the focus stays among the field and the button.
  key(event) {
    event.stopPropagation();
    const count = this.list.children.length;
    const at = [...this.list.children].indexOf(this.lit);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing) return;
    if (event.key === "Tab") (event.target === this.input ? this.leave : this.input).focus();
    else if (event.target !== this.input) return;
    else if (step && count) this.light((at + step + count) % count);
    else if (event.key === "Enter") this.enter();
    else return;
    event.preventDefault();
  }

  // What was written just now is looked for first.
  enter() {
    if (this.late) this.entered = true;
    else if (this.lit) this.go(this.lit);
  }
}
