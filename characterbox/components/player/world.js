// The world at a step: what the events up to it have made of the scene. Pure.

const BELIEF_LINES = {
  self_belief: ["belief", "desire", "intention"],
  environment_belief: ["others", "scene", "bearing"],
};

const NOWHERE = { position: "", state: "", visible: "", unseen: [], was: null, beliefs: {} };

// No round has begun: what is believed before the first one is of round 0.
function openingOf(scene) {
  const cast = scene.cast.map(({ name, position, state, unseen_by: unseen = [] }) => [name, { ...NOWHERE, position, state, unseen }]);
  const environment = { ...scene.environment, was: null };
  return { round: null, turn: null, environment, characters: new Map(cast), called: new Map() };
}

// What a character is called: by the name that these eyes had for it as the scene began, until they recognise it.
function calledNow({ world, words }, name) {
  return isUnmet(name) ? words.unmet : (world?.called.get(name) ?? name);
}

// Whether a name stands for somebody whom these eyes have not perceived yet.
function isUnmet(name) {
  return /^~\d+ $/.test(name);
}

// The world after one more event. `was` keeps what the present turn has changed, so that a card can mark it.
function after(world, event) {
  const sameTurn = event.round === world.round && event.turn === world.turn;
  const next = { ...(sameTurn ? world : withoutMarks(world)), round: event.round, turn: event.turn };
  if (event.called) next.called = new Map([...next.called, ...Object.entries(event.called)]);
  if (event.appeared) next.characters = withThose(next.characters, event.appeared);
  if (event.kind === "environment_update") return surroundingsAfter(next, event);
  const changed = characterAfter(next.characters.get(event.character), event);
  if (!changed) return next;
  return { ...next, characters: new Map(next.characters).set(event.character, changed) };
}

// Those who have come into the sight of these eyes.
function withThose(characters, appeared) {
  const next = new Map(characters);
  for (const { character, position, visible, public_face: face } of appeared) {
    const before = next.get(character) ?? { ...NOWHERE, state: null, face };
    next.set(character, { ...before, position, visible, was: before.was ?? marked(before) });
  }
  return next;
}

function surroundingsAfter(world, { time, location, description, hidden }) {
  const { was, ...before } = world.environment;
  const next = { ...world, environment: { time, location, description, was: was ?? before } };
  if (!hidden) return next;
  const unseen = ([name, character]) => [name, { ...character, unseen: unseenBy(hidden, name) }];
  return { ...next, characters: new Map(Array.from(world.characters, unseen)) };
}

function unseenBy(hidden, name) {
  return hidden.find(({ who }) => who === name)?.by ?? [];
}

function characterAfter(character, event) {
  if (!character) return null;
  if (event.kind === "character_update") {
    const { position, state, visible = "" } = event;
    return { ...character, position, state, visible, was: character.was ?? marked(character) };
  }
  if (Object.hasOwn(BELIEF_LINES, event.kind))
    return { ...character, beliefs: { ...character.beliefs, [event.kind]: event } };
  return null;
}

function marked({ position, state, visible }) {
  return { position, state, visible };
}

function withoutMarks(world) {
  const characters = Array.from(world.characters, ([name, character]) => [name, { ...character, was: null }]);
  return { ...world, environment: { ...world.environment, was: null }, characters: new Map(characters) };
}
