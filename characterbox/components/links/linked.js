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

// What is scrolled stays where it is, unless what the page is about, or what was done just now, would be out of sight.
function draw(box, html) {
  const at = box.querySelector(".cb-scroll")?.scrollTop ?? 0;
  const focused = box.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  box.innerHTML = html;
  const scroller = box.querySelector(".cb-scroll");
  const chosen = scroller?.querySelector("[aria-current]");
  if (scroller) scroller.scrollTop = at;
  if (chosen) {
    const [row, frame] = [chosen, scroller].map((element) => element.getBoundingClientRect());
    if (row.top < frame.top || row.bottom > frame.bottom) scroller.scrollTop += row.top - frame.top - frame.height / 2;
  }
  const links = focused === null ? [] : [...box.querySelectorAll("a[href]")];
  links.find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  const told = box.querySelector("[role=status]");
  if (told) keepInSight(told);
}

// What was done is told while the rest of the page is still being drawn, which can move it: it stays in sight until the
// reader does something.
function keepInSight(told) {
  const acted = new AbortController();
  const look = setInterval(() => (told.isConnected ? told.scrollIntoView({ block: "nearest" }) : acted.abort()), 100);
  acted.signal.addEventListener("abort", () => clearInterval(look));
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    addEventListener(act, () => acted.abort(), { signal: acted.signal, passive: true, capture: true });
  }
}

// Names what the page shows without another entry in the history; not where the reader has gone elsewhere meanwhile.
function putAddress({ before, after }) {
  if (location.pathname + location.search === before) history.replaceState(history.state, "", after);
}

// Called by Streamlit on every rerun: goes to an address, names what is shown, or shows HTML with links. What is the same
// is not drawn anew.
export default function showLinked({ data, parentElement }) {
  if (data.address) return goTo(data.address);
  if (data.after) return putAddress(data);
  const box = boxes.get(parentElement) ?? boxIn(parentElement);
  if (box.shown === data.html) return;
  box.shown = data.html;
  draw(box, data.html);
}
