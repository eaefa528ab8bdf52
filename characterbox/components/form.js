// A form that tells every change, so that nothing that was written is lost with the page.

const REST = 400; // milliseconds without a key after which a draft is told

class DraftForm {
  // Puts a form on the page. Its subclass has an `id` and `values`; `trigger` is what the press of its button is called.
  begin(parent, form, language, trigger) {
    Object.assign(this, { form, trigger });
    form.lang = language;
    form.noValidate = true;
    this.told = JSON.stringify(this.values);
    parent.append(form);
    form.addEventListener("input", () => this.changed());
    form.addEventListener("change", () => this.tellDraft());
    form.addEventListener("submit", (event) => (event.preventDefault(), this.submit()));
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      if (event.ctrlKey || event.metaKey) (event.preventDefault(), this.submit());
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
    this.tell.setTriggerValue(this.trigger, { id: this.id, values: this.values });
  }

  showState() {} // for those who say how far a draft is kept

  leave() {
    this.tellDraft();
    removeEventListener("pagehide", this.onLeave);
    document.removeEventListener("visibilitychange", this.onLeave);
    this.form.remove();
  }
}

const forms = new WeakMap();

// Called by Streamlit on every rerun, with the class of the form: what is written stays while its id does.
function showForm(Kind, { data, parentElement, setStateValue, setTriggerValue }) {
  let form = forms.get(parentElement);
  if (!form || form.id !== data.id) {
    form?.leave();
    form = new Kind(parentElement, data);
    forms.set(parentElement, form);
  }
  form.update(data, { setStateValue, setTriggerValue });
}

// ---- its parts

function labelOf(label, control) {
  const node = make("label", "", label);
  node.htmlFor = control;
  return node;
}

function submitButton(label) {
  const button = make("button", "submit", label);
  button.type = "submit";
  return button;
}

function lineFor(role, className) {
  const line = make("p", className);
  line.setAttribute("role", role);
  return line;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
