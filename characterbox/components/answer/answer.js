// A form whose fields tell every change, so that nothing that was written is lost with the page.

const REST = 400; // milliseconds without a key after which a draft is told

const WORDS = {
  en: { kept: "Draft kept", keeping: "Keeping the draft …" },
  zh: { kept: "草稿已保存", keeping: "正在保存草稿……" },
};

// Each kind of field: what stands on the page, how a value gets in, and how it gets out (undefined: untouched).
const KINDS = {
  text(field, id) {
    const area = make("textarea", "");
    Object.assign(area, { id, rows: 2, maxLength: 20000 });
    return {
      nodes: [labelOf(field, id), area],
      set: (value) => (area.value = value),
      get: () => (area.value.trim() ? area.value : undefined),
      focus: () => area.focus(),
    };
  },

  choice: (field, id) => radios(field, id, "choice"),
  scale: (field, id) => radios(field, id, "scale"),

  toggle(field, id) {
    const box = make("input", "");
    Object.assign(box, { id, type: "checkbox" });
    return {
      nodes: [make("div", "toggle", box, labelOf(field, id))],
      set: (value) => (box.checked = value),
      get: () => box.checked,
      focus: () => box.focus(),
    };
  },
};

function labelOf({ label }, id) {
  const node = make("label", "", label);
  node.htmlFor = id;
  return node;
}

function radios({ label, options }, id, className) {
  const inputs = options.map((_, index) =>
    Object.assign(make("input", ""), { type: "radio", name: id, value: String(index), id: `${id}-${index}` }),
  );
  const choices = options.map((option, index) => {
    const text = make("bdi", "", option.label);
    return make("label", "option", inputs[index], text);
  });
  const set = make("fieldset", className, make("legend", "", label), make("div", "options", ...choices));
  return {
    nodes: [set],
    set: (value) => inputs.forEach((input, index) => (input.checked = options[index].value === value)),
    get: () => options[inputs.findIndex(({ checked }) => checked)]?.value,
    focus: () => (inputs.find(({ checked }) => checked) ?? inputs[0]).focus(),
  };
}

class Answer {
  constructor(parent, data) {
    this.id = data.id;
    this.words = WORDS[data.language];
    this.fields = new Map(data.fields.map((field) => [field.name, this.field(field)]));
    this.state = make("p", "state");
    this.state.setAttribute("role", "status");
    this.general = problemLine("general");
    const button = make("button", "submit", data.submit);
    button.type = "submit";
    this.form = make(
      "form",
      "answer",
      ...Array.from(this.fields.values(), ({ node }) => node),
      this.general,
      make("div", "foot", button, this.state),
    );
    this.form.lang = data.language;
    this.form.noValidate = true;
    for (const [name, value] of Object.entries(data.values)) this.fields.get(name)?.set(value);
    this.begin = this.values;
    this.told = JSON.stringify(this.begin);
    parent.append(this.form);
    this.listen();
  }

  field(field) {
    const id = `answer-${field.name}`;
    const kind = KINDS[field.kind](field, id);
    const problem = problemLine(`${id}-problem`);
    const hint = field.hint ? make("p", "hint", field.hint) : null;
    return { ...kind, problem, node: make("div", "field", ...kind.nodes, hint, problem) };
  }

  get values() {
    const values = Array.from(this.fields, ([name, { get }]) => [name, get()]);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }

  listen() {
    this.form.addEventListener("input", () => this.changed());
    this.form.addEventListener("change", () => this.tellDraft());
    this.form.addEventListener("submit", (event) => (event.preventDefault(), this.submit()));
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) (event.preventDefault(), this.submit());
    });
    this.onLeave = () => this.tellDraft();
    addEventListener("pagehide", this.onLeave);
    document.addEventListener("visibilitychange", this.onLeave);
  }

  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tellDraft(), REST);
    this.showState();
  }

  tellDraft() {
    clearTimeout(this.timer);
    const values = this.values;
    const now = JSON.stringify(values);
    if (now === this.told) return;
    this.told = now;
    this.tell.setStateValue("draft", { id: this.id, values });
    this.showState();
  }

  submit() {
    clearTimeout(this.timer);
    this.told = JSON.stringify(this.values);
    this.tell.setTriggerValue("answer", { id: this.id, values: this.values });
  }

  update(data, tell) {
    this.tell = tell;
    this.kept = data.kept;
    this.showState();
    this.showProblem(data.problem);
  }

  showState() {
    if (this.kept === null) return;
    const nothingKept = Object.keys(this.kept).length === 0;
    const untouched = nothingKept && sameValues(this.begin, this.values);
    const text = untouched ? "" : sameValues(this.kept, this.values) ? this.words.kept : this.words.keeping;
    if (this.state.textContent !== text) this.state.textContent = text;
  }

  showProblem(problem) {
    const key = JSON.stringify(problem);
    if (key === this.problem) return;
    this.problem = key;
    for (const [name, { problem: line }] of this.fields) say(line, problem?.field === name ? problem.text : "");
    say(this.general, problem && problem.field === null ? problem.text : "");
    if (problem) this.fields.get(problem.field ?? "")?.focus();
  }

  remove() {
    this.tellDraft();
    clearTimeout(this.timer);
    removeEventListener("pagehide", this.onLeave);
    document.removeEventListener("visibilitychange", this.onLeave);
    this.form.remove();
  }
}

function sameValues(some, others) {
  const names = new Set([...Object.keys(some), ...Object.keys(others)]);
  return [...names].every((name) => some[name] === others[name]);
}

function problemLine(id) {
  const line = make("p", "problem");
  line.id = id;
  line.setAttribute("role", "alert");
  return line;
}

function say(line, text) {
  if (line.textContent !== text) line.textContent = text;
}

const answers = new WeakMap();

// Called by Streamlit on every rerun.
export default function showAnswer({ data, parentElement, setStateValue, setTriggerValue }) {
  let answer = answers.get(parentElement);
  if (!answer || answer.id !== data.id) {
    answer?.remove();
    answer = new Answer(parentElement, data);
    answers.set(parentElement, answer);
  }
  answer.update(data, { setStateValue, setTriggerValue });
}
