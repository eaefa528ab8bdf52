// Elements with their children, and the hues of a cast.

// Okabe and Ito's colours that stay apart for colour-blind readers; black is the ink, yellow comes last.
const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"];

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}
