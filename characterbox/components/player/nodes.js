// Elements with their children, the hues of a cast, and words. All text is set as text nodes, never as markup.

// Okabe and Ito's colours that stay apart for colour-blind readers; black is the ink, yellow comes last.
const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"];

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

// The words of the interface, as the page was given them: a text with {places} becomes a function of their values.
function wordsOf(given) {
  const entries = Object.entries(given);
  return Object.fromEntries(entries.map(([name, said]) => [name, typeof said === "string" ? spoken(said) : wordsOf(said)]));
}

// A sentence in whose places stand elements, or lists of them.
function sentence(said, parts) {
  const places = Object.fromEntries(Object.keys(parts).map((name) => [name, `\0${name}\0`]));
  return said(places).split("\0").flatMap((text, index) => (index % 2 ? parts[text] : [text]));
}

function roundName(words, n) {
  return n === 0 ? words.beforeFirst : words.round({ n });
}

function spoken(text) {
  if (!/\{\w+\}/.test(text)) return text;
  return (values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
