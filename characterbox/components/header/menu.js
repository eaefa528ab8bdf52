// The menu: groups of pages, of which one opens at a time. On a narrow screen one button opens all of them.

// The link of a page: a real address. Who is led there by it is told by the one who hears the click.
function pageLink({ name, page, address }) {
  const link = make("a", "", name);
  link.href = address;
  link.dataset.page = page;
  return link;
}

// A button that shows and hides what follows it.
function opener(className, ...children) {
  const button = make("button", className, ...children);
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  return button;
}

class Menu {
  constructor({ groups, words }) {
    this.narrow = opener("all", make("span", "bars"), make("span", "at", make("span", "group"), make("span", "page")));
    this.groups = make("ul", "groups", ...groups.map(groupItem));
    this.node = make("nav", "menu", this.narrow, this.groups);
    this.node.setAttribute("aria-label", words.pages);
    this.openers = [...this.node.querySelectorAll("button")];
    for (const button of this.openers) button.addEventListener("click", () => this.toggle(button));
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !this.node.contains(relatedTarget)) this.close();
    });
  }

  // Lights the page one is on, and its group.
  light(here) {
    const links = [...this.groups.querySelectorAll("a")];
    for (const link of links) {
      if (link.dataset.page === here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const lit = links.find((link) => link.dataset.page === here);
    for (const group of this.groups.children) {
      group.classList.toggle("lit", group.contains(lit));
      const told = group.querySelector("button .page");
      if (told) told.textContent = group.contains(lit) ? lit.textContent : "";
    }
    const group = lit?.closest(".groups > li").dataset.name ?? "";
    const page = lit?.textContent ?? "";
    this.narrow.querySelector(".group").textContent = group === page ? "" : group;
    this.narrow.querySelector(".page").textContent = page;
  }

  get opened() {
    return this.openers.find((button) => button.getAttribute("aria-expanded") === "true");
  }

  toggle(button) {
    const opened = this.opened;
    this.close();
    if (opened !== button) button.setAttribute("aria-expanded", "true");
  }

  close() {
    this.opened?.setAttribute("aria-expanded", "false");
  }

  // Tab goes from link to link; so do the arrows, which also open a group. Escape closes it.
  key(event) {
    const button = event.target.closest("button") ?? this.opened;
    if (event.key === "Escape" && this.opened) {
      this.opened.focus();
      this.close();
    } else if (button && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      if (this.opened !== button) this.toggle(button);
      const links = [...button.nextElementSibling.querySelectorAll("a")];
      const step = event.key === "ArrowDown" ? 1 : -1;
      const at = links.indexOf(event.target);
      const next = at < 0 && step < 0 ? links.length - 1 : (at + step + links.length) % links.length;
      links[next].focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

// A group with one page is that page.
function groupItem({ name, pages }) {
  const links = pages.map(pageLink);
  const item = make("li", "");
  item.dataset.name = name;
  if (links.length === 1) {
    item.append(...links);
    return item;
  }
  const list = make("ul", "pages", ...links.map((link) => make("li", "", link)));
  list.setAttribute("aria-label", name);
  item.append(opener("", make("span", "group", name), make("span", "page")), list);
  return item;
}
