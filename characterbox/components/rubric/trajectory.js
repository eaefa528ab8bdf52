// What the rater reads: the scene, the character, and what it observed and did, round by round.

function reading(context) {
  const parts = [guide(context, false), opening(context), profile(context), ...rounds(context), improvised(context)];
  const text = make("article", "text", ...parts);
  const node = make("section", "reading", text);
  node.setAttribute("aria-label", context.words.trajectory);
  node.tabIndex = -1;
  return node;
}

function opening({ data, words }) {
  const { title, work, time, location, description, language } = data.scene;
  return make(
    "header",
    "opening",
    told("h2", "title", title, language),
    told("p", "work", work, language),
    told("p", "place", time + words.dot + location, language),
    told("p", "", description, language),
  );
}

function profile(context) {
  const { data, words } = context;
  const { language, others } = data.scene;
  const { name, description, gender, position, state } = data.character;
  const facts = { position, state, gender, others: others.join(language === "zh" ? "、" : ", ") };
  const lines = Object.entries(facts).filter(([, value]) => value);
  return make(
    "section",
    "profile own",
    make("h3", "label", words.character),
    told("p", "name", name, language),
    told("p", "", description, language),
    make("dl", "", ...lines.flatMap(([key, value]) => [make("dt", "", words[key]), told("dd", "", value, language)])),
  );
}

function rounds(context) {
  const nodes = [];
  let before = null;
  for (const step of context.data.steps) {
    if (step.round !== before?.round) nodes.push(make("h3", "round", context.words.round(step.round)));
    nodes.push(stepOf(context, step, before));
    before = step;
  }
  return nodes;
}

// Each kind has its own form; of observations that follow each other only the first is labelled.
function stepOf({ data, words }, { round, kind, text, degraded }, before) {
  const { language } = data.scene;
  const goesOn = kind === "observation" && before?.kind === kind && before.round === round;
  const said = make("p", "said");
  if (kind === "dialogue") said.append(told("bdi", "speaker", data.character.name, language), " ");
  said.append(told("span", "words", text, language));
  const body = make("div", "body", said, degraded ? make("p", "why", words.degraded) : null);
  const label = make("p", goesOn ? "label again" : "label", words.kinds[kind]);
  const own = kind === "observation" ? "" : " own";
  return make("div", `step ${kind}${own}${degraded ? " degraded" : ""}`, label, body);
}
