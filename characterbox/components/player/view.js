// What part of the script is in view: its end as it grows, or the step that is shown.

const NEAR = 60; // pixels from the end within which one who scrolls down has come there

class View {
  constructor({ page, now, player }, { moved, resized }) {
    Object.assign(this, { page, player, moved, resized });
    this.card = now.querySelector(".environment");
    this.atEnd = true; // the reader's eyes are at the end
    this.top = 0; // where the script was scrolled to
    this.height = 0; // how long it was then
    page.addEventListener("scroll", () => this.look());
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.card);
    this.sizes.observe(page);
    this.around = scrollerOf(player);
    for (const part of this.around.children) this.sizes.observe(part);
  }

  followEnd() {
    if (!this.atEnd) return;
    this.page.scrollTop = this.height = this.page.scrollHeight;
    this.top = this.page.scrollTop;
  }

  show(step, isFirst) {
    const { page } = this;
    const by = step && distanceToView(step.getBoundingClientRect(), page.getBoundingClientRect(), this.over);
    const top = isFirst ? 0 : page.scrollTop + (by ?? 0);
    const near = Math.abs(top - page.scrollTop) < page.clientHeight;
    page.scrollTo({ top, behavior: near ? "auto" : "instant" }); // to glide over pages and pages takes too long
  }

  // Text that has grown leaves the end behind, and text that was taken back, or is laid out only now and shorter than was
  // thought, moves it up: all keep the eyes at it. Who scrolls up, be it a little, leaves it.
  look() {
    const { scrollTop, scrollHeight, clientHeight } = this.page;
    const below = scrollHeight - scrollTop - clientHeight;
    const shorter = scrollHeight < this.height;
    if (below < 2 || (below < NEAR && scrollTop > this.top)) this.atEnd = true;
    else if (scrollTop < this.top && !shorter) this.atEnd = false;
    this.top = scrollTop;
    this.height = scrollHeight;
    if (shorter && this.atEnd) this.resized(false);
    this.moved();
  }

  // The card of the surroundings lies over the head of the margin: the script starts below it. What stands above the
  // player on its page takes room that the script has to do without.
  measure() {
    const { page, card, player } = this;
    const lies = card.getBoundingClientRect().top + 1 >= page.getBoundingClientRect().top;
    if (!card.classList.contains("whole")) this.over = lies ? card.offsetHeight : 0; // opened, it lies over more for a while
    player.style.setProperty("--over", `${this.over}px`);
    player.style.setProperty("--bar", `${page.offsetWidth - page.clientWidth}px`);
    player.style.setProperty("--above", `${player.getBoundingClientRect().top + this.around.scrollTop}px`);
    offerMore(card);
    this.resized(!this.measured);
    this.measured = true;
  }

  close() {
    this.sizes.disconnect();
  }
}

function scrollerOf(node) {
  for (let up = node; up; up = up.parentNode ?? up.host)
    if (up instanceof Element && /auto|scroll/.test(getComputedStyle(up).overflowY)) return up;
  return document.scrollingElement;
}

// How far a page must scroll for a step to stand below what lies over its head, and a little above its foot.
function distanceToView(step, page, over) {
  const top = page.top + Math.min(over ?? 0, page.height / 2) + 12;
  const bottom = page.bottom - page.height / 6;
  if (step.bottom > bottom) return Math.min(step.bottom - bottom, step.top - top);
  return Math.min(step.top - top, 0);
}

// ---- where a reader is in a story, kept while the page is loaded anew, be it in the other language.

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

// ---- what a key asks of the player: the name of a button, the number of a round, or nothing.

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
