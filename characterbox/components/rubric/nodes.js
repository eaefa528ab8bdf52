// Elements. All text is set as text nodes, never as markup.

// Okabe and Ito's colours that stay apart for colour-blind readers; black is the ink, yellow comes last.
const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"];

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

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

// Who rates, and the language of the rubric: what stands at the head of each view.
function head(context, ...left) {
  const { data, words, place } = context;
  const other = data.local ? [" · ", way(context, "", { language: context.asked }, words.otherRater)] : [];
  const rater = make("p", "rater", words.ratingAs, make("bdi", "", data.rater.name), ...other);
  const languages = Object.entries({ en: "EN", zh: "中文" }).map(([language, label]) => {
    const node = way(context, "", { ...place, language }, label);
    node.lang = language === "zh" ? "zh-CN" : "en";
    if (language === data.language) node.setAttribute("aria-current", "true");
    return node;
  });
  const choice = make("nav", "languages", ...languages);
  choice.setAttribute("aria-label", words.languageOfRubric);
  return make("header", "head", make("div", "left", ...left), make("div", "right", rater, choice));
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
