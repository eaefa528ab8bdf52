// Where a reader is in a story, kept while the page is loaded anew, be it in the other language.

function rememberPlace({ id }, place) {
  try {
    sessionStorage.setItem(placeOf(id), JSON.stringify(place));
  } catch {
    // a page that was saved may not keep anything
  }
}

// Null if nothing is kept. The address of the page says at which step a story is played back.
function rememberedPlace({ story, mode, at }) {
  try {
    const place = JSON.parse(sessionStorage.getItem(placeOf(story.id)));
    sessionStorage.removeItem(placeOf(story.id));
    return place && (mode === "stage" ? place : { ...place, at });
  } catch {
    return null;
  }
}

function placeOf(id) {
  return `characterbox-place-${id}`;
}
