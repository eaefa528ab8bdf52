// The header of all pages, in one line: the menu, the way to the palette, the account, and the other language.

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

class Header {
  constructor(parent, data) {
    const { account, language, words } = data;
    this.menu = new Menu(data);
    this.palette = new Palette(data);
    const key = make("kbd", "", MAC ? "⌘ K" : "Ctrl K");
    key.setAttribute("aria-hidden", "true");
    const find = make("button", "go", make("span", "lens"), make("span", "word", words.go), key);
    find.type = "button";
    find.setAttribute("aria-keyshortcuts", "Control+K Meta+K");
    find.addEventListener("click", () => this.palette.open());
    this.node = make("div", "top-bar", this.menu.node, find, account && plainLink("cb-who", account), languageLink(language));
    this.node.append(this.palette.node);
    parent.append(this.node);
    this.node.addEventListener("click", (event) => this.click(event));
    this.onKey = (event) => this.key(event);
    this.onPress = (event) => event.composedPath().includes(this.menu.node) || this.menu.close();
    this.onLeave = () => this.palette.node.close();
  }

  // Goes to a page without loading the app again, and lights it at once.
  click(event) {
    const link = event.target.closest("a[data-page]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const { opened } = this.menu;
    this.menu.close();
    if (event.detail > 0) link.blur(); // keys go on to mean what they mean on the page
    else opened?.focus();
    this.menu.light(link.dataset.page);
    goTo(link.getAttribute("href"));
  }

  // Ctrl-K, or Cmd-K on a Mac, wherever one is on the page.
  key(event) {
    const asked = (MAC ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey;
    if (!asked || event.key.toLowerCase() !== "k" || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    this.palette.open();
  }

  open() {
    document.addEventListener("keydown", this.onKey, { capture: true });
    document.addEventListener("pointerdown", this.onPress);
    addEventListener("popstate", this.onLeave);
  }

  close() {
    document.removeEventListener("keydown", this.onKey, { capture: true });
    document.removeEventListener("pointerdown", this.onPress);
    removeEventListener("popstate", this.onLeave);
  }

  remove() {
    this.close();
    this.node.remove();
  }
}

// A way out of what Streamlit draws: the browser loads it.
function plainLink(className, { name, address, label }) {
  const link = make("a", className, name);
  link.href = address;
  if (label) link.setAttribute("aria-label", label);
  return link;
}

function languageLink(language) {
  const link = plainLink("cb-tongue", language);
  link.lang = link.hreflang = language.code;
  return link;
}

const headers = new WeakMap();

// Called by Streamlit on every rerun. What is the same is not drawn anew, but for the page one is on. Returns what takes
// it off the page.
export default function showHeader({ data, parentElement }) {
  const { here, ...drawn } = data;
  const told = JSON.stringify(drawn);
  let header = headers.get(parentElement);
  if (header?.told !== told) {
    header?.remove();
    header = new Header(parentElement, drawn);
    header.told = told;
    headers.set(parentElement, header);
  }
  header.menu.light(here);
  header.open();
  const visit = (header.visit = Symbol("visit"));
  return () => {
    if (header.visit === visit) header.close(); // Streamlit may end an outdated call after the one that replaced it
  };
}
