// The words of the interface, as the page was given them: a text with {places} becomes a function of their values.

function wordsOf(given) {
  const entries = Object.entries(given);
  return Object.fromEntries(entries.map(([name, said]) => [name, typeof said === "string" ? spoken(said) : wordsOf(said)]));
}

function spoken(text) {
  if (!/\{\w+\}/.test(text)) return text;
  return (values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
