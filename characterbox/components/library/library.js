// Stories in a list. All that comes from stories and people is set as text.

function rowOf(story, words) {
  const hues = new Map(story.cast.map((name, index) => [name, HUES[index % HUES.length]]));
  const moves = story.influences.map(([from, to]) => ({ from, to }));
  const graph = influenceGraph(story.cast, moves, hues, { named: false });
  graph.setAttribute("role", "img");
  graph.setAttribute("aria-label", movesTold(story.influences, words));
  const link = make("a", "title", story.title);
  Object.assign(link, { href: story.page, target: "_top" });
  link.lang = story.language;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return; // in another tab
    event.preventDefault();
    goTo(story.page);
  });
  const label = story.label ? make("span", "label", story.label) : null;
  const tags = story.tags.map((tag) => make("li", "", tag));
  const list = tags.length ? make("ul", "tags", ...tags) : null;
  list?.setAttribute("aria-label", words.tags);
  const about = story.about.map((line) => make("p", "about", line));
  return make("li", "story", graph, make("div", "", make("p", "", link, label ? " " : null, label), ...about, list));
}

function movesTold(influences, words) {
  if (!influences.length) return words.nobody;
  const pairs = new Map();
  for (const [from, to] of influences) pairs.set(`${from} → ${to}`, (pairs.get(`${from} → ${to}`) ?? 0) + 1);
  return words.moved + Array.from(pairs, ([pair, count]) => `${pair} (${count})`).join(words.comma);
}

export default function showLibrary({ data, parentElement }) {
  const { stories, words } = data;
  const list = make("ul", "library", ...stories.map((story) => rowOf(story, words)));
  list.setAttribute("aria-label", words.stories);
  parentElement.querySelector(".library")?.remove();
  parentElement.append(list);
}
