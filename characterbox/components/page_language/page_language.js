// Streamlit speaks English alone: its own words within its widgets are put into the language of the page. A word with a
// place in braces stands for all that can stand there. What people have written stays as it is:
// labels, options and what is chosen of them.
const WIDGETS = [
  "stFileUploader", "stMultiSelect", "stMultiSelectDropdown", "stSelectbox", "stSelectboxVirtualDropdown", "stPagination",
  "stNumberInput", "stDateInput", "stTextInput", "InputInstructions", "stElementToolbar", "stDataFrameColumnMenu",
  "stTooltipContent", "stCodeCopyButton", "stSidebarCollapseButton", "stExpandSidebarButton",
].map((name) => `[data-testid="${name}"]`).concat('[data-testid="stDialog"] [aria-label="Close"]').join(", ");
const OTHERS = '[data-testid="stWidgetLabel"], [data-testid="stMultiSelectTagsContainer"], [role="option"]';
const ATTRIBUTES = ["aria-label", "placeholder", "title"];

const escaped = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
const patterns = Object.entries(words).filter(([english]) => english.includes("{"))
  .map(([english, told]) => [new RegExp(`^${escaped(english).replace(/\{\w+\}/g, "(.+)")}$`), told]);

function translated(text) {
  const trimmed = text.trim();
  if (Object.hasOwn(words, trimmed)) return text.replace(trimmed, () => words[trimmed]);
  for (const [pattern, told] of patterns) {
    const found = pattern.exec(trimmed);
    if (found) return told.replace(/\{\w+\}/, () => found[1]);
  }
  return text;
}

function translateText(node) {
  if (node.parentElement.closest(OTHERS) && !/^(Add: .*|No results)$/.test(node.nodeValue)) return;
  const told = translated(node.nodeValue);
  if (told !== node.nodeValue) node.nodeValue = told;
}

function translateAttributes(element) {
  for (const name of ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value && translated(value) !== value) element.setAttribute(name, translated(value));
  }
}

function translateAll(root) {
  translateAttributes(root);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE) translateText(node);
    else translateAttributes(node);
  }
}

function look(changes) {
  for (const { type, target, addedNodes } of changes) {
    if (type === "attributes" && target.closest(WIDGETS)) translateAttributes(target);
    if (type === "characterData" && target.parentElement?.closest(WIDGETS)) translateText(target);
    for (const node of addedNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.parentElement?.closest(WIDGETS)) translateText(node);
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      if (node.closest(WIDGETS)) translateAll(node);
      else node.querySelectorAll(WIDGETS).forEach(translateAll);
    }
  }
}

if (!window.speaksLanguageOfPage) {
  window.speaksLanguageOfPage = true;
  document.querySelectorAll(WIDGETS).forEach(translateAll);
  new MutationObserver(look).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributeFilter: ATTRIBUTES,
  });
}
