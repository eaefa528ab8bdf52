// The buttons of a story that is not over: they have it rest, played on, also by one step alone, and end for good.

const STEPS = ["call", "turn", "round"];
const PATIENCE = 5000; // milliseconds after which a press counts as lost

class Transport {
  constructor({ words }, pressed) {
    this.words = words;
    this.pressed = pressed;
    this.go = this.button(words.continue, () => this.press(this.main));
    this.go.classList.add("primary");
    this.rest = this.button(words.pauseStory, () => this.press("pause"));
    this.step = this.opener(words.stepOn, ...STEPS.map((size) => this.button(words.steps[size], () => this.press(size))));
    const stop = this.button(words.stopStory, () => this.press("stop"));
    this.stop = this.opener(words.stop, make("p", "", words.stopping), stop);
    this.node = make("div", "acts", this.go, this.rest, this.step, this.stop);
    this.node.setAttribute("role", "group");
    this.node.setAttribute("aria-label", words.acts);
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("focusout", ({ relatedTarget }) => this.node.contains(relatedTarget) || this.shut());
    this.show(null);
  }

  get isThere() {
    return !this.node.hidden;
  }

  // What can be done to the story as it stands, as the page around says.
  show(told) {
    clearTimeout(this.lost);
    const acts = new Set(told?.acts ?? []);
    this.main = acts.has("continue") || !acts.has("pause") ? "continue" : "pause";
    this.node.hidden = !acts.size;
    this.node.ariaBusy = "false";
    this.go.hidden = !acts.has(this.main);
    this.go.textContent = this.words[this.main === "pause" ? "pauseStory" : "continue"];
    this.go.disabled = told?.resting === true;
    this.rest.hidden = !(acts.has("pause") && this.main === "continue");
    this.step.hidden = !acts.has("turn") && !acts.has("pause");
    this.step.firstChild.disabled = !acts.has("turn");
  }

  press(act) {
    if (this.node.ariaBusy === "true") return;
    this.shut();
    this.node.ariaBusy = "true";
    this.lost = setTimeout(() => (this.node.ariaBusy = "false"), PATIENCE);
    this.pressed(act);
  }

  button(label, act) {
    const node = make("button", "", label);
    node.type = "button";
    node.addEventListener("click", act);
    return node;
  }

  // A button that opens what it offers above itself, until the reader turns to something else.
  opener(label, ...offered) {
    const sheet = make("div", "offered", ...offered);
    const opener = this.button(label, () => this.open(sheet, sheet.hidden));
    sheet.hidden = true;
    opener.classList.add("opener");
    opener.setAttribute("aria-expanded", "false");
    return make("div", "offering", opener, sheet);
  }

  open(sheet, opened) {
    this.shut();
    sheet.hidden = !opened;
    sheet.previousSibling.setAttribute("aria-expanded", String(opened));
    sheet.previousSibling.focus(); // not what it offers: a story is not ended by pressing twice
  }

  shut() {
    for (const { firstChild: opener, lastChild: sheet } of [this.step, this.stop]) {
      sheet.hidden = true;
      opener.setAttribute("aria-expanded", "false");
    }
  }

  key(event) {
    const opened = [this.step, this.stop].find(({ lastChild }) => !lastChild.hidden);
    if (event.key !== "Escape" || !opened) return;
    this.shut();
    opened.firstChild.focus();
    event.preventDefault();
  }
}
