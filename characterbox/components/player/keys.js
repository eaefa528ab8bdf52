// What a key asks of the player: the name of a button, the number of a round, or nothing.

const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

function wishOf(event, { frame, foot }) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  const wish = /^[1-9]$/.test(event.key) ? Number(event.key) : KEYS[event.key];
  return wish && isFree(event.composedPath()[0], event.key, frame, foot.range) ? wish : null;
}

// A key is free when nothing has the focus, or something of the player that has no use for the key itself.
function isFree(target, key, frame, range) {
  if (target === range) return key === " " || /\d/.test(key);
  if (target instanceof HTMLSelectElement) return false;
  if (target instanceof HTMLButtonElement && key === " ") return false;
  const root = frame.getRootNode();
  return frame.contains(target) || target.contains(root instanceof ShadowRoot ? root.host : frame);
}
