// What changed between two texts, word by word. kept + removed = before, kept + added = after. Pure.

const MOST_CELLS = 1_000_000; // a longer pair is shown as wholly replaced
const LEAST_KEPT = 0.3; // texts that share less are easier to read one after the other

function segmentsOf(text, language) {
  if (typeof Intl.Segmenter === "function") {
    const segments = new Intl.Segmenter(language, { granularity: "word" }).segment(text);
    return Array.from(segments, ({ segment }) => segment);
  }
  return text.match(language === "zh" ? /./gsu : /\s+|[\p{L}\p{N}'’]+|./gsu) ?? [];
}

function differences(before, after, language) {
  const a = segmentsOf(before, language);
  const b = segmentsOf(after, language);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = alignment(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const kept = (words) => words.map((text) => ["kept", text]);
  const runs = joined([...kept(a.slice(0, head)), ...middle, ...kept(a.slice(a.length - tail))]);
  return replacedIfStrange(joined(withoutSplinters(runs, language)), before, after);
}

// The longest common subsequence of two lists of words, as steps ["kept" | "removed" | "added", word].
function alignment(a, b) {
  const removed = a.map((text) => ["removed", text]);
  const added = b.map((text) => ["added", text]);
  if (!a.length || !b.length || a.length * b.length > MOST_CELLS) return [...removed, ...added];
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const steps = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length)
    if (a[i] === b[j]) (steps.push(["kept", a[i++]]), j++);
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) steps.push(removed[i++]);
    else steps.push(added[j++]);
  return [...steps, ...removed.slice(i), ...added.slice(j)];
}

// Between two kept runs first all that was removed, then all that was added.
function joined(steps) {
  const runs = [];
  let gap = { removed: "", added: "" };
  const flush = () => {
    for (const kind of ["removed", "added"]) if (gap[kind]) runs.push([kind, gap[kind]]);
    gap = { removed: "", added: "" };
  };
  for (const [kind, text] of steps) {
    if (kind !== "kept") gap[kind] += text;
    else if (!gap.removed && !gap.added && runs.at(-1)?.[0] === "kept") runs.at(-1)[1] += text;
    else (flush(), runs.push([kind, text]));
  }
  flush();
  return runs;
}

// A lone space or "the" between two changes is no help to a reader: it counts as replaced by itself.
function withoutSplinters(runs, language) {
  const least = language === "zh" ? 2 : 4;
  const letters = (text) => (text.match(/[\p{L}\p{N}]/gu) ?? []).length;
  return runs.flatMap(([kind, text], index) => {
    const inside = index > 0 && index < runs.length - 1;
    if (kind !== "kept" || !inside || letters(text) >= least) return [[kind, text]];
    return [["removed", text], ["added", text]];
  });
}

function replacedIfStrange(runs, before, after) {
  const kept = runs.reduce((sum, [kind, text]) => sum + (kind === "kept" ? text.length : 0), 0);
  if (kept >= LEAST_KEPT * Math.max(before.length, after.length)) return runs;
  return joined([["removed", before], ["added", after]]);
}
