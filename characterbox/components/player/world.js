// The world at a step: what the events up to it have made of the scene. Pure.

const BELIEF_LINES = {
  self_belief: ["belief", "desire", "intention"],
  environment_belief: ["others", "scene", "bearing"],
};

function openingOf(scene) {
  const cast = scene.cast.map(({ name, position, state }) => [name, { position, state, was: null, beliefs: {} }]);
  return { round: 0, turn: null, environment: { ...scene.environment, was: null }, characters: new Map(cast) };
}

// The world after one more event. `was` keeps what the present turn has changed, so that a card can mark it.
function after(world, event) {
  const sameTurn = event.round === world.round && event.turn === world.turn;
  const next = { ...(sameTurn ? world : withoutMarks(world)), round: event.round, turn: event.turn };
  if (event.kind === "environment_update") {
    const { time, location, description } = event;
    const { was, ...before } = next.environment;
    return { ...next, environment: { time, location, description, was: was ?? before } };
  }
  const character = next.characters.get(event.character);
  const changed = character && characterAfter(character, event);
  if (!changed) return next;
  return { ...next, characters: new Map(next.characters).set(event.character, changed) };
}

function characterAfter(character, event) {
  const { position, state, was, beliefs } = character;
  if (event.kind === "character_update")
    return { ...character, position: event.position, state: event.state, was: was ?? { position, state } };
  if (Object.hasOwn(BELIEF_LINES, event.kind)) return { ...character, beliefs: { ...beliefs, [event.kind]: event } };
  return null;
}

function withoutMarks(world) {
  const characters = Array.from(world.characters, ([name, character]) => [name, { ...character, was: null }]);
  return { ...world, environment: { ...world.environment, was: null }, characters: new Map(characters) };
}
