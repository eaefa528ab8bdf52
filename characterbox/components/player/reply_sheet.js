// The replies behind a step: who wrote each, what it took, what went wrong, and the prompt that it answers.

function replySheet(drawing, { takes }) {
  const { words, event } = drawing;
  const nodes = [make("h3", "", stepName(drawing, event))];
  takes.toReversed().forEach((take, index) => {
    if (takes.length > 1) nodes.push(make("p", "label", takeName(words, take, takes.length - index, takes.length)));
    nodes.push(factsOf(words, take), storyText(drawing, "pre", take.text, "raw"), promptOf(drawing, take));
  });
  return nodes;
}

function takeName(words, { again }, n, of) {
  return words.takeOf({ n, of }) + (again ? ` · ${words.askedAgain}` : "");
}

function factsOf(words, take) {
  const { facts, authors } = words;
  const byModel = take.author === "model";
  const rows = [
    [facts.author, authors[take.improvised ? "rehearsal" : take.author]],
    [facts.model, byModel && take.model],
    [facts.origin, take.origin],
    [facts.attempts, byModel && String(take.attempts)],
    [facts.troubles, take.troubles.join(words.comma)],
    [facts.latency, byModel && words.seconds({ n: take.latency.toFixed(2) })],
    [facts.tokens, byModel && tokensOf(words, take)],
    [facts.price, byModel && (take.price === null ? words.noPrice : `$${Number(take.price.toPrecision(6))}`)],
    [facts.finish, take.finish],
  ];
  return make("dl", "facts", ...rows.filter(([, said]) => said).flatMap(([term, said]) => definition(term, make("dd", "", said))));
}

function tokensOf(words, { promptTokens, completionTokens, cachedTokens }) {
  if (promptTokens === null || completionTokens === null) return words.tokensUntold;
  const values = { in: promptTokens.toLocaleString("en"), out: completionTokens.toLocaleString("en") };
  return cachedTokens ? words.tokensCached({ ...values, cached: cachedTokens.toLocaleString("en") }) : words.tokens(values);
}

function promptOf(drawing, { messages }) {
  const { words } = drawing;
  const parts = messages.flatMap(({ role, content }) => [
    make("h4", "label", words.roles[role]),
    storyText(drawing, "div", content, "prompt"),
  ]);
  return make("details", "", make("summary", "", words.prompt), ...parts);
}
