// One line that says where the story and the reader are.

const OVER = new Set(["ended", "failed"]);

function statusLine({ words }, { mode, story, world, at, length, lost }) {
  const live = mode === "stage";
  const expected = live && !OVER.has(story.status) ? Math.max(story.steps ?? 0, length) : length;
  const parts = [
    live && words.status[story.status] + (story.reason ? words.because(story.reason) : ""),
    world.round && words.roundOf(world.round, story.rounds),
    world.turn && words.turnOf(world.turn),
    at && words.stepOf(at, expected),
    live && story.calls && words.calls(story.calls),
    lost && words.lost,
  ];
  return parts.filter(Boolean).join(words.join);
}

// Steps done of steps expected; until the server has said how many, rounds played of all rounds.
function showProgress(progress, story, script) {
  if (story.status === "ended") Object.assign(progress, { max: 1, value: 1 });
  else if (story.steps) Object.assign(progress, { max: story.steps, value: Math.max(story.done ?? 0, script.length) });
  else Object.assign(progress, { max: story.rounds, value: Math.max(script.tail.round - 1, 0) });
}
