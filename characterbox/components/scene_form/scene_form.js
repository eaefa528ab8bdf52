// A scene as a form.

let made = 0; // so that no two fields have the same id

const HEAD = ["title", "work", "language", "origin", "author"];
const AROUND = ["time", "location", "description"];
const PROFILE = ["name", "gender", "position", "state", "account", "public_face"];
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
    const grave = showFault(this.fault, shown);
    if (grave) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
    return grave;
  }
}

function showFault(node, fault) {
  setText(node, fault?.text ?? "");
  node.classList.toggle("caution", Boolean(fault?.caution));
  return Boolean(fault && !fault.caution);
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

// Others of the cast, to be ticked. They are kept as who they are, so that a new name counts here, too, and whoever is
// removed is gone here until put back. A name of nobody in the cast stays to be ticked off.
class Others {
  constructor(form, owner, { label, hint }, names) {
    Object.assign(this, { form, owner, names, ticked: new Set(names) });
    this.list = make("div", "ticks");
    this.fault = make("p", "fault");
    this.fault.setAttribute("aria-live", "polite");
    this.node = make("div", "field", make("p", "heading", label), make("p", "hint", hint), this.list, this.fault);
    this.node.setAttribute("role", "group");
    this.node.setAttribute("aria-label", label);
  }

  get control() {
    return this.list.querySelector("input");
  }

  // Drawn anew when the cast has changed; who was told by name is found in it the first time.
  number() {
    const { cast } = this.form;
    for (const name of this.names) {
      const who = cast.find((one) => one !== this.owner && one.name === name);
      if (!who) continue;
      this.ticked.delete(name);
      this.ticked.add(who);
    }
    this.names = this.names.filter((name) => this.ticked.has(name));
    const others = cast.filter((one) => one !== this.owner).map((one) => [one, one.shown]);
    const choices = [...others, ...this.names.map((name) => [name, name])];
    this.list.replaceChildren(...choices.map(([who, shown]) => this.tick(who, shown)));
    this.node.hidden = !choices.length;
  }

  tick(who, shown) {
    const input = Object.assign(make("input", ""), { type: "checkbox", checked: this.ticked.has(who) });
    input.addEventListener("input", () => (input.checked ? this.ticked.add(who) : this.ticked.delete(who)));
    return make("label", "", input, shown);
  }

  get value() {
    const others = this.form.cast.filter((one) => one !== this.owner && this.ticked.has(one));
    return [...others.map(({ name }) => name), ...this.names.filter((name) => this.ticked.has(name))];
  }

  show(fault) {
    return showFault(this.fault, fault);
  }
}

// What those call a character who do not know its name, and who they are.
class Aliases {
  constructor(form, owner, told, values) {
    Object.assign(this, { form, owner, aliases: [] });
    const { words } = form.data;
    this.list = make("div", "notes");
    const add = press(words.add_alias, "", () => {
      this.add({}).name.control.focus();
      form.changed();
    });
    this.node = make("div", "knowledge", make("p", "heading", told.label), make("p", "hint", told.hint), this.list, add);
    for (const value of values) this.add(value);
  }

  add({ name, by }) {
    const { form, owner } = this;
    const { words, language } = form.data;
    const alias = {
      name: new Field({ kind: "line", label: words.alias }, name, language),
      by: new Others(form, owner, { label: words.by, hint: words.by_hint }, by ?? []),
    };
    const remove = press(words.remove_alias, "", () => {
      this.aliases.splice(this.aliases.indexOf(alias), 1);
      alias.node.remove();
      this.node.querySelector(":scope > button").focus();
      form.changed();
    });
    alias.node = make("div", "alias", alias.name.node, alias.by.node, remove);
    this.aliases.push(alias);
    this.list.append(alias.node);
    alias.by.number();
    return alias;
  }

  number() {
    for (const { by } of this.aliases) by.number();
  }

  get value() {
    return this.aliases.map(({ name, by }) => ({ name: name.value, by: by.value }));
  }

  fields() {
    return this.aliases.flatMap(({ name, by }, place) => [[`[${place}].name`, name], [`[${place}].by`, by]]);
  }
}

// Who does not know or perceive a character: out of the way where nothing of it is hidden.
class Hidden {
  constructor(form, owner, { other_names, known_as, unseen_by }) {
    const { words, names } = form.data;
    this.otherNames = form.field("other_names", (other_names ?? []).join("\n"));
    this.knownAs = new Aliases(form, owner, names.known_as, known_as ?? []);
    this.unseenBy = new Others(form, owner, names.unseen_by, unseen_by ?? []);
    const parts = [this.knownAs, this.otherNames, this.unseenBy].map(({ node }) => node);
    this.node = make("details", "hidden-side", make("summary", "", words.hidden), make("div", "people", ...parts));
    this.node.open = [other_names, known_as, unseen_by].some((values) => values?.length);
  }

  number() {
    this.knownAs.number();
    this.unseenBy.number();
  }

  get values() {
    const names = this.otherNames.value.split("\n").filter((name) => name.trim());
    return { other_names: names, known_as: this.knownAs.value, unseen_by: this.unseenBy.value };
  }

  fields() {
    const aliases = this.knownAs.fields().map(([name, field]) => [`known_as${name}`, field]);
    return [...aliases, ["unseen_by", this.unseenBy]];
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
    this.hidden = new Hidden(form, this, values);
    this.legend = make("legend", "");
    this.acts = make("div", "acts");
    const inside = [...this.fields.values()].map(({ node }) => node);
    const notes = [...this.notes.values()].map(({ node }) => node);
    this.node = make("fieldset", "character", this.legend, this.acts, ...inside, ...notes, this.hidden.node);
    this.fields.get("name").control.addEventListener("input", () => form.number());
  }

  get name() {
    return this.fields.get("name").value.trim();
  }

  // What it is called on the page, also while it has no name.
  get shown() {
    return this.name || this.form.data.words.character.replace("{number}", this.form.cast.indexOf(this) + 1);
  }

  number(place, count) {
    const { words } = this.form.data;
    const named = this.shown;
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
    const notes = Object.fromEntries([...this.notes].map(([kind, { value }]) => [kind, value]));
    return { ...values, ...notes, ...this.hidden.values };
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
    this.cast = [];
    for (const one of values.cast ?? []) this.cast.push(new Character(this, one));
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
    for (const one of this.cast) one.hidden.number();
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
    if (data.tried !== this.tried && wrong.length) this.lead(wrong[0][1]);
    this.tried = data.tried;
  }

  lead({ node, control }) {
    const closed = node.closest("details:not([open])");
    if (closed) closed.open = true;
    control.focus();
  }

  fields() {
    const named = (prefix, fields) => [...fields].map(([name, field]) => [prefix + name, field]);
    const cast = this.cast.flatMap((one, place) => [
      ...named(`cast[${place}].`, one.fields),
      ...[...one.notes].flatMap(([kind, { fields }]) =>
        fields.map((field, note) => [`cast[${place}].${kind}[${note}]`, field]),
      ),
      ...named(`cast[${place}].`, one.hidden.fields()),
    ]);
    return [...named("", this.head), ...named("environment.", this.around), ...cast, ["plot", this.plot]];
  }
}

export default (mount) => showForm(SceneForm, mount);
