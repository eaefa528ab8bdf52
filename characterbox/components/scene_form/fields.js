// Fields of a form: what stands on the page, how a value gets in and out, and what is wrong with it.

let made = 0; // so that no two fields have the same id

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

function press(label, about, act, className = "quiet") {
  const button = make("button", className, label);
  button.type = "button";
  if (about) button.setAttribute("aria-label", `${label}: ${about}`);
  button.addEventListener("click", act);
  return button;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const CONTROLS = {
  line: () => Object.assign(make("input", ""), { type: "text", maxLength: 1000, autocomplete: "off" }),
  text: () => Object.assign(make("textarea", ""), { rows: 2, maxLength: 20000 }),
  choice: ({ options }) =>
    make("select", "", ...options.map(([value, label]) => Object.assign(make("option", "", label), { value }))),
};

// A field with its label, and below it what is wrong with it once one has been at it.
class Field {
  constructor(spec, value, written) {
    this.control = CONTROLS[spec.kind](spec);
    this.control.id = `scene-field-${(made += 1)}`;
    this.control.value = value ?? "";
    if (this.control.value === "" && spec.kind === "choice") this.control.value = spec.options[0][0];
    if (written) this.control.lang = written;
    this.fault = make("p", "fault");
    this.fault.id = `${this.control.id}-fault`;
    this.fault.setAttribute("aria-live", "polite");
    const hint = spec.hint ? Object.assign(make("p", "hint", spec.hint), { id: `${this.control.id}-hint` }) : null;
    this.control.setAttribute("aria-describedby", hint ? `${hint.id} ${this.fault.id}` : this.fault.id);
    const label = make("label", "", spec.label);
    label.htmlFor = this.control.id;
    this.node = make("div", spec.half ? "field half" : "field", label, hint, this.control, this.fault);
    this.touched = false;
    this.control.addEventListener("input", () => (this.touched = true));
  }

  get value() {
    return this.control.value;
  }

  show(fault, tried) {
    const shown = fault && (this.touched || tried || fault.caution) ? fault : null;
    setText(this.fault, shown?.text ?? "");
    this.fault.classList.toggle("caution", Boolean(shown?.caution));
    if (shown && !shown.caution) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
    return Boolean(shown && !shown.caution);
  }
}

// Notes on what a character knows, or on what it does not: as many as one likes.
class Notes {
  constructor({ label, hint }, words, values, written, changed) {
    Object.assign(this, { words, written, changed, fields: [] });
    this.list = make("div", "notes");
    const add = press(words.add_note, "", () => {
      const field = this.add("");
      field.control.focus();
      changed();
    });
    this.node = make("div", "knowledge", make("p", "heading", label), make("p", "hint", hint), this.list, add);
    for (const value of values) this.add(value);
  }

  add(value) {
    const spec = { kind: "text", label: "" };
    const field = new Field(spec, value, this.written);
    const remove = press(this.words.remove_note, "", () => {
      const at = this.fields.indexOf(field);
      this.fields.splice(at, 1);
      field.node.remove();
      this.number();
      (this.fields[Math.min(at, this.fields.length - 1)]?.control ?? this.node.querySelector("button")).focus();
      this.changed();
    });
    field.node.append(remove);
    this.fields.push(field);
    this.list.append(field.node);
    this.number();
    return field;
  }

  number() {
    this.fields.forEach((field, place) => {
      field.node.querySelector("label").textContent = this.words.note.replace("{number}", place + 1);
    });
  }

  get value() {
    return this.fields.map(({ value }) => value);
  }
}
