// What the player is given: what of it all its parts go by, and what tells one player from another.

function contextOf(data) {
  const { story, scene, words } = data;
  return {
    scene,
    words: wordsOf(words),
    hues: castHues(scene),
    models: showsModels(data) ? story.models : {},
    narrator: showsModels(data) ? story.narrator : null,
    rehearsal: story.rehearsal,
    people: story.people,
    eyes: data.eyes,
    tools: data.tools === true,
    knowers: data.knowers,
    explained: data.explained === true,
  };
}

function standing({ status, reason, people }) {
  return JSON.stringify([status, reason, people]);
}

// A story that was written by hand says so below; there is no model to name.
function showsModels({ show_models: shown, story }) {
  return shown && story.rehearsal !== "hand";
}

function identityOf({ story, scene, mode, words, show_models: showModels, eyes, tools }) {
  const { id, models, narrator, rehearsal, people } = story;
  return JSON.stringify([id, models, narrator, rehearsal, people, scene, mode, words.tongue, showModels, eyes, tools]);
}
