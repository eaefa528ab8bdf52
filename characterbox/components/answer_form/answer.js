// A reply as a form: fields by the form of the reply, and how far what is written is kept.

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
      nodes: [labelOf(field.label, id), area],
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
      nodes: [make("div", "toggle", box, labelOf(field.label, id))],
      set: (value) => (box.checked = value),
      get: () => box.checked,
      focus: () => box.focus(),
    };
  },
};

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

class Answer extends DraftForm {
  constructor(parent, data) {
    super();
    this.id = data.id;
    this.words = WORDS[data.language];
    this.fields = new Map(data.fields.map((field) => [field.name, this.field(field)]));
    this.state = lineFor("status", "state");
    this.general = problemLine("general");
    const form = make(
      "form",
      "answer",
      ...Array.from(this.fields.values(), ({ node }) => node),
      this.general,
      make("div", "foot", submitButton(data.submit), this.state),
    );
    for (const [name, value] of Object.entries(data.values)) this.fields.get(name)?.set(value);
    this.written = this.values;
    this.begin(parent, form, data.language, "answer");
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

  update(data, tell) {
    this.tell = tell;
    this.kept = data.kept;
    this.showState();
    this.showProblem(data.problem);
  }

  showState() {
    if (this.kept === null) return;
    const nothingKept = Object.keys(this.kept).length === 0;
    const untouched = nothingKept && sameValues(this.written, this.values);
    const text = untouched ? "" : sameValues(this.kept, this.values) ? this.words.kept : this.words.keeping;
    setText(this.state, text);
  }

  showProblem(problem) {
    const key = JSON.stringify(problem);
    if (key === this.problem) return;
    this.problem = key;
    for (const [name, { problem: line }] of this.fields) setText(line, problem?.field === name ? problem.text : "");
    setText(this.general, problem && problem.field === null ? problem.text : "");
    if (problem) this.fields.get(problem.field ?? "")?.focus();
  }
}

function sameValues(some, others) {
  const names = new Set([...Object.keys(some), ...Object.keys(others)]);
  return [...names].every((name) => some[name] === others[name]);
}

function problemLine(id) {
  return Object.assign(lineFor("alert", "problem"), { id });
}

export default (mount) => showForm(Answer, mount);
