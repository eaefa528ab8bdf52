// What stands around an item: links, the head of each view, lists, and signing in again.

// Text that has a language of its own, whatever the labels around it are in.
function told(tag, className, text, language) {
  const node = make(tag, className, text);
  node.lang = language === "zh" ? "zh-CN" : "en";
  node.dir = "auto";
  return node;
}

// After a click of the mouse the keys go on to mean what they mean on the page, and do not press it again.
function button(className, label, press) {
  const node = make("button", className, label);
  node.type = "button";
  node.addEventListener("click", (event) => {
    if (event.detail > 0) node.blur();
    press(event);
  });
  return node;
}

// A way to another place of this page: a real address, followed without loading the app again.
function way(context, className, place, ...children) {
  const node = make("a", className, ...children);
  node.href = addressOf(place);
  node.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    context.go(place);
  });
  return node;
}

function addressOf(place) {
  const given = Object.entries(place).filter(([, value]) => typeof value === "string");
  return `?${new URLSearchParams(given)}`;
}

// Who rates: what stands at the head of each view, on the right.
function head(context, ...left) {
  const { data, words } = context;
  const other = data.local ? [" · ", way(context, "", {}, words.otherRater)] : [];
  const rater = make("p", "rater", words.ratingAs, make("bdi", "", data.rater.name), ...other);
  return make("header", "head", make("div", "left", ...left), make("div", "right", rater));
}

function guide(context, open) {
  const { data, words } = context;
  const { background, fields, steps } = data.rubric.guide;
  const text = (wording) => wording[data.language];
  const meanings = fields.flatMap(({ name, meaning }) => [make("dt", "", text(name)), make("dd", "", text(meaning))]);
  const node = make(
    "details",
    "guide",
    make("summary", "", words.guide),
    make("p", "", text(background)),
    make("ol", "", ...steps.map((step) => make("li", "", text(step)))),
    make("dl", "", ...meanings),
  );
  node.open = open;
  return node;
}

function improvised({ data, words }) {
  return data.improvised ? make("p", "improvised", words.improvised) : null;
}

// ---- where a rater chooses: among campaigns, and among the items of one.

class DeskView {
  constructor(context) {
    const { data, words } = context;
    const rows = data.campaigns.map((campaign) => campaignRow(context, campaign));
    const heads = Object.values(words.campaignColumns).map((label) => columnHead(label));
    const table = make("table", "", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...rows));
    const none = make("p", "intro", words.noCampaign);
    const title = head(context, make("h2", "page-title", words.title));
    this.notices = notices(context);
    this.node = make("div", "desk-view", title, this.notices.node, rows.length ? table : none);
  }

  enter() {}

  show() {
    this.notices.show();
  }

  key() {} // keys score, and there is nothing to score here

  leave() {}
}

function campaignRow(context, { id, name, status, done, skipped, total, deadline, left }) {
  const { words, placeIn } = context;
  const state = done === total ? words.finished : status === "running" ? words.timeLeft(left) : words.statuses[status];
  return make(
    "tr",
    done === total ? "complete" : "",
    make("td", "title", way(context, "", placeIn(id), name), make("p", "about", deadline ? words.until(deadline) : "")),
    make("td", "", state),
    make("td", "scored", words.scored(done - skipped, total), skipped ? make("p", "about", words.skippedOf(skipped)) : null),
  );
}

function columnHead(label, name) {
  const cell = make("th", name ?? "", label);
  cell.scope = "col";
  return cell;
}

class ListView {
  constructor(context) {
    this.context = context;
    const { data, words } = context;
    const begun = data.rows.some(({ state }) => state !== "open");
    const failed = data.training?.state === "failed";
    const start = failed ? null : data.onward
      ? way(context, "primary", context.placeOf(data.onward), begun ? words.goOn : words.start)
      : make("p", "all-done", data.status === "running" ? words.allDone(data.done - data.skipped, data.skipped) : words.statuses[data.status]);
    const wide = matchMedia("(min-width: 62rem)").matches;
    const back = data.alone ? null : way(context, "back", context.desk, words.campaigns);
    const said = data.training?.state === "open" ? words.practiceIntro(data.training) : words.intro;
    const intro = failed ? null : make("p", "intro", said);
    const progress = failed || data.training?.state === "open" ? null : progressOf(context);
    this.notices = notices(context);
    const parts = [intro, training(context), improvised(context), start, progress, this.notices.node, table(context)];
    this.node = make(
      "div",
      "list-view",
      head(context, make("h2", "page-title", data.local ? words.title : data.name), back),
      make("div", "beside", guide(context, wide)),
      make("div", "parts", ...parts),
    );
  }

  enter() {}

  show() {
    this.notices.show();
  }

  key() {} // keys score, and there is nothing to score here

  leave() {}
}

// What waits or was not taken, and the way in again for whoever has been signed out.
function notices(context) {
  const unsent = make("p", "unsent");
  unsent.setAttribute("role", "status");
  const refused = refusals(context);
  const again = context.data.local ? null : signIn(context);
  const show = () => {
    showUnsent(unsent, context.words);
    refused.show();
    again?.show();
  };
  return { node: make("div", "notices", refused.node, unsent, again?.node ?? null), show };
}

function progressOf({ data, words }) {
  const bar = make("progress");
  bar.max = Math.max(data.total, 1);
  bar.value = data.done;
  const done = words.doneOf(data.done - data.skipped, data.skipped, data.total);
  bar.setAttribute("aria-label", done);
  const told = [done, words.timeLeft(data.left)].filter(Boolean).join(words.dot);
  return make("div", "progress-line", bar, make("p", "progress", told));
}

// How the practice went, once it is over: an expert who did not qualify is told what can be done.
function training(context) {
  const { data, words } = context;
  if (!data.training) return null;
  const { state, share, threshold, misread, attempt, attempts } = data.training;
  if (state === "open") return null;
  const parts = [make("p", `training ${state}`, words.trainings[state](share, threshold))];
  const named = data.rubric.metrics.filter(({ key }) => misread.includes(key)).map(({ name }) => name[data.language]);
  if (named.length) parts.push(make("p", "training", words.misread(named)));
  if (state === "failed" && attempt < attempts) {
    parts.push(button("primary", words.tryAgain(attempts - attempt), () => context.go({ ...context.place, again: "yes" })));
  } else if (state === "failed") {
    parts.push(make("p", "training", words.noAttempt));
  }
  return make("div", "", ...parts);
}

function table(context) {
  const { data, words } = context;
  const titled = data.rows.some(({ title }) => title !== null);
  const columns = titled ? words.columns : { title: words.column, scored: words.columns.scored };
  const heads = Object.entries(columns).map(([name, label]) => columnHead(label, name));
  const rows = data.rows.map((row) => tableRow(context, row, titled));
  if (!rows.length) return null;
  return make("table", "", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...rows));
}

function tableRow(context, row, titled) {
  const { item, place, title, work, character, language, scored, state } = row;
  const { data, words } = context;
  const all = data.rubric.metrics.length;
  const named = title === null ? words.item(place) : told("span", "words", title, language);
  const link = way(context, "", context.placeOf(item), named);
  const from = work === null ? [] : [told("span", "work", work, language), words.dot];
  const about = make("p", "about", ...from, words.languages[language]);
  const how = state === "done" || state === "skipped" ? words.states[state] : words.scored(scored, all);
  return make(
    "tr",
    state === "done" || state === "skipped" ? "complete" : "",
    make("td", "title", link, about),
    titled ? make("td", "character", character === null ? "" : told("bdi", "words", character, language)) : null,
    make("td", "scored", how),
  );
}

// ---- signing in again without leaving the form: what was marked meanwhile is sent as soon as it is done.

function signIn({ data, words }) {
  const password = make("input");
  password.type = "password";
  password.autocomplete = "current-password";
  password.setAttribute("aria-label", words.password);
  password.placeholder = words.password;
  const name = Object.assign(make("input"), { autocomplete: "username", hidden: true, value: data.rater.name });
  const fault = make("span", "fault");
  fault.setAttribute("role", "alert");
  const form = make("form", "sign-in", make("p", "", words.signedOut(data.rater.name)), name, password);
  const send = make("button", "", words.signIn);
  send.type = "submit";
  form.append(send, fault);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.textContent = await refusal(data.rater.name, password.value, words);
    if (!fault.textContent) await outbox.signedIn();
  });
  return { node: form, show: () => (form.hidden = !outbox.signedOut) };
}

// Why the sign-in was refused; empty if it was not.
async function refusal(name, password, words) {
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch("/sign-in", { method: "POST", headers, body: JSON.stringify({ name, password }) });
    if (response.ok) return "";
    return (await response.json()).error ?? words.unreachable;
  } catch {
    return words.unreachable;
  }
}
