// What the one who was asked remembered, and how useful each memory was then (paper, 3.2): the most useful first.

const PARTS = ["relevance", "recency", "importance"];

function memorySheet(drawing, { memory }) {
  const { words, event } = drawing;
  const title = make("h3", "", stepName(drawing, event));
  if (!memory) return [title, make("p", "aside", words.memory.lost)];
  if (!memory.length) return [title, make("p", "aside", words.memory.none)];
  const best = memory.toSorted((one, other) => other.score - one.score);
  return [title, make("p", "label", words.memory.told), make("ol", "memories", ...best.map((one) => memoryItem(drawing, one)))];
}

function memoryItem(drawing, memory) {
  const { words } = drawing;
  const told = words.memory;
  const how = memory.left_out ? told.leftOut : memory.recalled ? told.recalled : told.inRecord;
  const bars = PARTS.map((part) => bar(told[part], memory[part] ?? null, told.unknown));
  return make(
    "li",
    memory.left_out ? "left-out" : "",
    storyText(drawing, "p", memory.text),
    make("p", "label", `${words.round({ n: memory.round })} · ${how}`),
    make("div", "bars", ...bars),
  );
}

function bar(label, share, unknown) {
  const told = share === null ? unknown : share.toFixed(2);
  const meter = make("span", "bar");
  meter.style.setProperty("--share", String(share ?? 0));
  return make("span", "part", make("span", "", `${label} ${told}`), meter);
}
