// One line that says where the story and the reader are.

const OVER = new Set(["ended", "stopped"]); // nothing comes any more
const GOING = new Set(["running", "paused", "waiting", "cued"]); // a next step may well come
const EXPLAINED = new Set(["waiting", "failed", "mismatched"]);

function statusLine({ words, explained }, { mode, story, world, at, length, lost }) {
  const live = mode === "stage";
  const explains = EXPLAINED.has(story.status) && !explained;
  const parts = [
    live && words.status[story.status] + (explains ? words.colon + (words.reasons[story.reason] ?? story.reason) : ""),
    world.round && words.roundOf({ n: world.round, rounds: story.rounds }),
    world.turn && words.turnOf({ name: world.turn }),
    at && words.stepOf({ n: at, steps: length }),
    lost && words.lost,
  ];
  return parts.filter(Boolean).join(words.join);
}

// Turns played of all turns: each ends with the narrator's look at the environment.
function showProgress(progress, { status, rounds }, { cast }, events) {
  const max = rounds * cast.length;
  const played = events.filter(({ kind }) => kind === "environment_update").length;
  Object.assign(progress, { max, value: status === "ended" ? max : played });
}
