// A reply as a form: fields by the form of the reply, and how far what is written is kept.

const WORDS = {
  en: { kept: "Draft kept", keeping: "Keeping the draft …", only: "only" },
  zh: { kept: "草稿已保存", keeping: "正在保存草稿……", only: "只有" },
};

// Each kind of field: what stands on the page, how a value gets in, and how it gets out (undefined: untouched).
const KINDS = {
  text: (field, id) => area(field, id, 2),
  line: (field, id) => area(field, id, 1),

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

  checks({ label, options }, id) {
    const boxes = checkboxes(options, id);
    const set = make("fieldset", "checks", make("legend", "", label), make("div", "options", ...boxes.nodes));
    return { ...boxes, nodes: [set] };
  },

  // Null, as the first option has it, or some of the others.
  some({ label, options: [all, ...others] }, id, { only }) {
    const [whole, part] = ["all", "only"].map((value) =>
      Object.assign(make("input", ""), { type: "radio", name: id, value, id: `${id}-${value}` }),
    );
    const boxes = checkboxes(others, id);
    const some = make("div", "options", optionOf(part, only), ...boxes.nodes);
    some.addEventListener("change", ({ target }) => target.type === "checkbox" && (part.checked = true));
    whole.addEventListener("change", () => boxes.set([]));
    const every = make("div", "options", optionOf(whole, all.label));
    return {
      nodes: [make("fieldset", "some", make("legend", "", label), every, some)],
      set: (value) => {
        (value === null ? whole : part).checked = true;
        boxes.set(value ?? []);
      },
      get: () => (part.checked ? boxes.get() : null),
      focus: () => (part.checked ? part : whole).focus(),
    };
  },
};

function area({ label }, id, rows) {
  const area = make("textarea", rows === 1 ? "line" : "");
  Object.assign(area, { id, rows, maxLength: 20000 });
  return {
    nodes: [labelOf(label, id), area],
    set: (value) => (area.value = value),
    get: () => (area.value.trim() ? area.value : undefined),
    focus: () => area.focus(),
  };
}

function optionOf(input, label) {
  return make("label", "option", input, make("bdi", "", label));
}

function checkboxes(options, id) {
  const inputs = options.map((_, index) =>
    Object.assign(make("input", ""), { type: "checkbox", id: `${id}-${index}` }),
  );
  return {
    nodes: options.map(({ label }, index) => optionOf(inputs[index], label)),
    set(values) {
      const chosen = [values].flat(1).map((one) => JSON.stringify(one));
      inputs.forEach((input, index) => (input.checked = chosen.includes(JSON.stringify(options[index].value))));
    },
    get: () => options.filter((_, index) => inputs[index].checked).map(({ value }) => value),
    focus: () => inputs[0].focus(),
  };
}

function radios({ label, options }, id, className) {
  const inputs = options.map((_, index) =>
    Object.assign(make("input", ""), { type: "radio", name: id, value: String(index), id: `${id}-${index}` }),
  );
  const choices = options.map(({ label }, index) => optionOf(inputs[index], label));
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
      ...this.parts(data),
      this.general,
      make("div", "foot", submitButton(data.submit), this.state),
    );
    this.written = this.values;
    this.begin(parent, form, data.language, "answer");
  }

  // The fields one after another; those of a part together, and folded away until they hold something.
  parts({ fields, values }) {
    const parts = [];
    for (const { name, part, folded } of fields) {
      const field = this.fields.get(name);
      if (name in values) field.set(values[name]);
      if (parts.at(-1)?.part !== part) parts.push({ part, folded, fields: [] });
      parts.at(-1).fields.push(field);
    }
    return parts.flatMap(({ part, folded, fields }) => {
      const nodes = fields.map(({ node }) => node);
      if (!part) return nodes;
      if (!folded) return [make("fieldset", "part", make("legend", "", part), ...nodes)];
      const more = make("details", "part", make("summary", "", part), ...nodes);
      more.open = fields.some(({ get, isList }) => (isList ? get().length > 0 : get() ?? false));
      return [more];
    });
  }

  field(field) {
    const id = `answer-${field.name}`;
    const kind = KINDS[field.kind](field, id, this.words);
    const problem = problemLine(`${id}-problem`);
    const hint = field.hint ? make("p", "hint", field.hint) : null;
    return { ...kind, isList: field.kind === "checks", problem, node: make("div", "field", ...kind.nodes, hint, problem) };
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
    const field = problem && this.fields.get(problem.field ?? "");
    const folded = field?.node.closest("details");
    if (folded) folded.open = true;
    field?.focus();
  }
}

function sameValues(some, others) {
  const names = new Set([...Object.keys(some), ...Object.keys(others)]);
  return [...names].every((name) => JSON.stringify(some[name]) === JSON.stringify(others[name]));
}

function problemLine(id) {
  return Object.assign(lineFor("alert", "problem"), { id });
}

export default (mount) => showForm(Answer, mount);
