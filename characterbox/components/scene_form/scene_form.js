// A scene as a form.

let made = 0; // so that no two fields have the same id

const HEAD = ["title", "work", "language", "origin", "author"];
const AROUND = ["time", "location", "description"];
const PROFILE = ["name", "gender", "position", "state", "account"];
const NOTES = ["knowledge", "unaware"];
const WRITTEN = { account: "description" }; // what a field is called in house form, where that is not its name here

// ---- its fields: what stands on the page, how a value gets in and out, and what is wrong with it

function press(label, about, act, className = "quiet") {
  const button = make("button", className, label);
  button.type = "button";
  if (about) button.setAttribute("aria-label", `${label}: ${about}`);
  button.addEventListener("click", act);
  return button;
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
    const label = labelOf(spec.label, this.control.id);
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

// ---- its characters, and the whole

class Character {
  constructor(form, values) {
    this.form = form;
    const { words } = form.data;
    this.fields = new Map(
      PROFILE.map((name) => [WRITTEN[name] ?? name, form.field(name, values[WRITTEN[name] ?? name])]),
    );
    this.notes = new Map(
      NOTES.map((kind) => [
        kind,
        new Notes(form.data.notes[kind], words, values[kind] ?? [], form.data.language, () => form.changed()),
      ]),
    );
    this.legend = make("legend", "");
    this.acts = make("div", "acts");
    const inside = [...this.fields.values()].map(({ node }) => node);
    this.node = make("fieldset", "character", this.legend, this.acts, ...inside, ...[...this.notes.values()].map(({ node }) => node));
    this.fields.get("name").control.addEventListener("input", () => form.number());
  }

  get name() {
    return this.fields.get("name").value.trim();
  }

  number(place, count) {
    const { words } = this.form.data;
    const named = this.name || words.character.replace("{number}", place + 1);
    setText(this.legend, named);
    if (this.acts.dataset.told === `${named}/${place}/${count}`) return;
    this.acts.dataset.told = `${named}/${place}/${count}`;
    const up = press(words.up, named, () => this.form.move(this, -1));
    const down = press(words.down, named, () => this.form.move(this, 1));
    const remove = press(words.remove, named, () => this.form.remove(this));
    up.disabled = place === 0;
    down.disabled = place === count - 1;
    this.acts.replaceChildren(up, down, remove);
  }

  get values() {
    const values = Object.fromEntries([...this.fields].map(([name, field]) => [name, field.value]));
    return { ...values, ...Object.fromEntries([...this.notes].map(([kind, notes]) => [kind, notes.value])) };
  }
}

class SceneForm extends DraftForm {
  constructor(parent, data) {
    super();
    Object.assign(this, { id: data.id, data, tried: data.tried });
    const { words, values } = data;
    this.head = new Map(HEAD.map((name) => [name, this.field(name, values[name])]));
    this.around = new Map(AROUND.map((name) => [name, this.field(name, values.environment?.[name])]));
    this.plot = this.field("plot", values.plot);
    this.cast = (values.cast ?? []).map((one) => new Character(this, one));
    this.people = make("div", "people", ...this.cast.map(({ node }) => node));
    this.castFault = make("p", "fault");
    this.castFault.setAttribute("aria-live", "polite");
    this.gone = lineFor("status", "gone");
    this.state = lineFor("status", "state");
    this.problem = lineFor("alert", "fault");
    const add = press(words.add, "", () => this.add(), "plain");
    const nodes = (fields) => [...fields.values()].map(({ node }) => node);
    const form = make(
      "form",
      "scene-form",
      ...nodes(this.head),
      make("fieldset", "", make("legend", "", words.around), ...nodes(this.around)),
      this.people,
      this.castFault,
      this.gone,
      add,
      this.plot.node,
      this.problem,
      make("div", "foot", submitButton(words.submit), this.state),
    );
    form.addEventListener("keydown", (event) => {
      const line = event.key === "Enter" && event.target.matches("input");
      if (line && !event.isComposing) event.preventDefault(); // nothing is stored by accident
    });
    this.number();
    this.begin(parent, form, data.tongue, "save");
  }

  field(name, value) {
    const spec = this.data.fields[name];
    return new Field(spec, value, spec.kind === "choice" ? null : this.data.language);
  }

  get values() {
    const of = (fields) => Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));
    const cast = this.cast.map(({ values }) => values);
    return { ...of(this.head), environment: of(this.around), cast, plot: this.plot.value };
  }

  number() {
    this.cast.forEach((one, place) => one.number(place, this.cast.length));
  }

  order() {
    this.people.replaceChildren(...this.cast.map(({ node }) => node));
    this.number();
    this.tellDraft();
  }

  add() {
    this.gone.replaceChildren();
    const one = new Character(this, {});
    this.cast.push(one);
    this.order();
    one.fields.get("name").control.focus();
  }

  move(one, by) {
    const at = this.cast.indexOf(one);
    this.cast.splice(at, 1);
    this.cast.splice(at + by, 0, one);
    this.order();
    const [up, down] = one.acts.querySelectorAll("button");
    const again = by < 0 ? up : down;
    (again.disabled ? (by < 0 ? down : up) : again).focus();
  }

  remove(one) {
    const { words } = this.data;
    const at = this.cast.indexOf(one);
    this.cast.splice(at, 1);
    this.order();
    const back = press(words.put_back, one.name, () => {
      this.gone.replaceChildren();
      this.cast.splice(at, 0, one);
      this.order();
      one.fields.get("name").control.focus();
    });
    this.gone.replaceChildren(words.removed.replace("{name}", one.name || "–"), " ", back);
    back.focus();
  }

  update(data, tell) {
    Object.assign(this, { tell, data });
    setText(this.state, data.state);
    setText(this.problem, data.problem ?? "");
    const wrong = this.fields().filter(([name, field]) => field.show(data.faults[name], data.tried));
    const empty = data.tried && data.faults.cast;
    setText(this.castFault, empty ? data.faults.cast.text : "");
    if (data.tried !== this.tried && wrong.length) wrong[0][1].control.focus();
    this.tried = data.tried;
  }

  fields() {
    const named = (prefix, fields) => [...fields].map(([name, field]) => [prefix + name, field]);
    const cast = this.cast.flatMap((one, place) => [
      ...named(`cast[${place}].`, one.fields),
      ...[...one.notes].flatMap(([kind, { fields }]) =>
        fields.map((field, note) => [`cast[${place}].${kind}[${note}]`, field]),
      ),
    ]);
    return [...named("", this.head), ...named("environment.", this.around), ...cast, ["plot", this.plot]];
  }
}

export default (mount) => showForm(SceneForm, mount);
