// Where a reader is in a story, kept while the page is loaded anew, be it in the other language.

const LOADED_WITHIN = 60_000; // milliseconds; who comes back later comes anew

function rememberPlace({ id }, mode, place) {
  try {
    sessionStorage.setItem(placeOf(id, mode), JSON.stringify({ ...place, left: Date.now() }));
  } catch {
    // a page that was saved may not keep anything
  }
}

// Null if nothing is kept. The address of the page says at which step a story is played back.
function rememberedPlace({ story, mode, at: asked }) {
  try {
    const { at, playing, sheet, left } = JSON.parse(sessionStorage.getItem(placeOf(story.id, mode)));
    sessionStorage.removeItem(placeOf(story.id, mode));
    if (!(Date.now() - left < LOADED_WITHIN) || !(at === null || Number.isInteger(at))) return null;
    return { at: mode === "stage" ? at : asked, playing: playing === true, sheet: String(sheet) };
  } catch {
    return null;
  }
}

function placeOf(id, mode) {
  return `characterbox-place-${mode}-${id}`;
}
