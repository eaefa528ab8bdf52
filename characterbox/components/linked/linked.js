const boxes = new WeakMap();

function boxIn(parentElement) {
  const box = document.createElement("div");
  parentElement.append(box);
  box.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(link.getAttribute("href"));
  });
  boxes.set(parentElement, box);
  return box;
}

// Called by Streamlit on every rerun. What is the same stays as it is, so that focus and scrolling stay, too.
export default function showLinked({ data, parentElement }) {
  const box = boxes.get(parentElement) ?? boxIn(parentElement);
  if (box.shown !== data.html) {
    box.shown = data.html;
    box.innerHTML = data.html;
  }
}
