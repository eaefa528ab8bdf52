// The player: one position in one story, and everything that moves it.

const ASK_AGAIN = 5000; // milliseconds between two looks while the stream is lost

// ---- what it is given: what of it all its parts go by, and what tells one player from another

function contextOf(data) {
  const { story, scene, words } = data;
  return {
    scene,
    words: wordsOf(words),
    hues: castHues(scene),
    models: showsModels(data) ? story.models : {},
    everyone: showsModels(data) ? playsEveryone(story) : null,
    narrator: showsModels(data) ? story.narrator : null,
    playedWith: (showsModels(data) && words.playedWith) || [], // in a file; a page tells it beside
    rehearsal: story.rehearsal,
    people: story.people,
    eyes: data.eyes,
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

// The model of all characters, where it is one, and no person plays any of them; it is told once.
function playsEveryone({ models, people }) {
  const different = new Set(Object.values(models));
  return different.size === 1 && people.every((name) => name === null) ? [...different][0] : null;
}

function identityOf({ story, scene, mode, words, show_models: showModels, eyes }) {
  const { id, models, narrator, rehearsal, people } = story;
  return JSON.stringify([id, models, narrator, rehearsal, people, scene, mode, words.tongue, showModels, eyes]);
}

// ---- itself

class Player {
  constructor(parent, data, place) {
    const { story, mode } = data;
    this.mode = mode;
    this.identity = identityOf(data);
    this.context = contextOf(data);
    this.parts = frame(this.context, mode);
    this.script = new Script(this.context, this.parts.turns, this.parts.foot.ticks);
    this.journal = data.journal ? new Journal(data.journal) : null;
    this.notebook = new Notebook(this.context, this.journal, {
      opener: this.parts.foot.opener,
      moved: () => this.bringIntoView(),
    });
    this.parts.player.append(this.notebook.node);
    this.transport = new Transport(this.context, (act) => this.tell("act", act));
    this.parts.foot.bar.prepend(this.transport.node);
    parent.append(this.parts.frame);
    this.view = new View(this.parts, {
      moved: () => this.showPosition(),
      resized: (first) => (first || this.following) && this.bringIntoView(),
    });
    this.under = new Pending(this.parts.pending, this.context);
    this.story = story;
    this.at = 0;
    this.place = place ?? rememberedPlace(data) ?? { at: data.at, playing: false, sheet: null };
    this.costs = ""; // so far
    this.lost = false; // the stream
    this.path = location.pathname; // of the page
    this.listen();
  }

  // ---- what is given

  update(data, tell) {
    this.tell = tell;
    this.story = { ...this.story, ...data.story };
    this.known = standing(this.story);
    this.resting = data.transport?.resting === true;
    this.tools = data.tools === true;
    this.transport.show(data.transport);
    this.synchronise(data.events);
    if (this.place) this.settle();
    else this.moveTo(this.following ? this.script.length : this.at);
    this.open(data.live);
  }

  settle() {
    const { at, playing, sheet } = this.place;
    this.place = null;
    this.following = this.mode === "stage" && (at === null || at >= this.script.length);
    this.moveTo(at ?? this.script.length);
    document.fonts.ready.then(() => this.bringIntoView()); // letters of the typeface have other widths
    if (playing) this.setPlaying(true);
    if (this.notebook.names.includes(sheet)) this.notebook.open(sheet, false);
  }

  // Takes over what is new and lets go of what is no longer so. While a story runs, the stream may be ahead.
  synchronise(events) {
    const known = events.slice(0, this.script.length);
    const other = known.findIndex((event, index) => !this.script.has(event, index));
    if (other >= 0) this.cutTo(other);
    else if (this.story.status !== "running") this.cutTo(known.length);
    for (const event of events.slice(this.script.length)) this.append(event);
  }

  cutTo(length) {
    if (length >= this.script.length) return;
    this.journal?.forget();
    this.script.cutTo(length);
    this.at = Math.min(this.at, length);
  }

  append(event) {
    this.script.append(event);
    this.under.settle(event.path);
  }

  // ---- the position

  moveTo(at) {
    const { length } = this.script;
    const target = Math.min(Math.max(at, 1), length);
    this.script.show(target);
    this.at = target;
    this.world = this.script.worldAt(target);
    const next = showWorld(this.context, this.parts.cards, this.world, this.isOver && target === length);
    this.showNotebook();
    this.showPosition();
    this.bringIntoView(); // only what stands can be measured: all is written by now, and laid out once
    if (next) this.parts.now.scrollLeft = next.offsetLeft;
  }

  get isOver() {
    return OVER.has(this.story.status);
  }

  // What is not over can go on behind the last step: played back it is only up to there.
  get isAtNow() {
    return this.transport.isThere && this.at === this.script.length;
  }

  showNotebook() {
    this.notebook.show(this.script.events.slice(0, this.at), this.world);
  }

  // A move that the reader asked for.
  go(at) {
    this.following = this.mode === "stage" && at >= this.script.length;
    this.view.atEnd = this.following;
    this.moveTo(at);
    this.schedule();
    if (this.mode === "playback") this.writeAddress();
  }

  goToRound(round) {
    const start = this.script.startOf(round);
    if (start) this.go(start);
  }

  press(name) {
    if (name === "play") return this.setPlaying(!this.playing);
    return this.go({ first: 1, previous: this.at - 1, next: this.at + 1, last: this.script.length }[name]);
  }

  // The page around the player is told once; what it does is its own affair.
  use(tool) {
    if (!tool) return;
    this.setPlaying(false);
    this.tell("tool", { tool, at: this.at });
  }

  setPlaying(playing) {
    this.playing = playing && this.script.length > 0 && !this.isAtNow;
    if (this.playing && this.at === this.script.length) this.go(1);
    this.showPosition();
    this.schedule();
  }

  // The next step comes when this one has had time to be read.
  schedule() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    const perCharacter = this.context.scene.language === "zh" ? 90 : 28;
    const reading = 1000 + this.script.step(this.at).textContent.length * perCharacter;
    this.timer = setTimeout(() => this.playOn(), Math.min(reading, 7000) / Number(this.parts.foot.speed.value));
  }

  playOn() {
    this.go(this.at + 1);
    if (this.at === this.script.length) this.setPlaying(false);
  }

  writeAddress() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      const url = new URL(location.href);
      url.searchParams.set("at", String(this.at));
      history.replaceState(history.state, "", url);
    }, 150);
  }

  // ---- what is seen

  showPosition() {
    const { foot, toNow, pending, turns } = this.parts;
    const { words } = this.context;
    const { length } = this.script;
    const { mode, story, world, at, lost, resting } = this;
    const line = statusLine(this.context, { mode, story, world, at, length, lost, resting });
    Object.assign(foot.range, { min: String(Math.min(1, length)), max: String(length), value: String(at) });
    foot.range.disabled = length === 0;
    foot.range.setAttribute("aria-valuetext", line);
    if (foot.status.textContent !== line) foot.status.textContent = line;
    foot.buttons.first.disabled = foot.buttons.previous.disabled = at <= 1;
    foot.buttons.next.disabled = foot.buttons.last.disabled = at >= length;
    foot.buttons.play.disabled = length === 0 || this.isAtNow;
    foot.buttons.play.classList.toggle("primary", !this.transport.isThere);
    const [play, pause] = this.transport.isThere ? [words.playFromHere, words.pausePlayback] : [words.play, words.pause];
    relabel(foot.buttons.play, this.playing ? pause : play, this.playing ? ICONS.pause : ICONS.play);
    foot.tools.hidden = !this.tools || story.status === "running";
    foot.costs.textContent = story.status === "running" ? this.costs : ""; // the page around tells it in the end
    if (foot.progress) showProgress(foot.progress, story, this.context.scene, this.script.events);
    toNow.hidden = mode !== "stage" || length === 0 || (this.following && this.view.atEnd);
    pending.hidden = at < length;
    turns.classList.toggle("empty", length === 0);
    turns.dataset.empty = mode === "stage" && GOING.has(story.status) ? words.soon : words.noStep;
    const hasReply = length > 0 && this.script.events[at - 1].kind !== "story_ended";
    for (const tool of foot.tools.children) tool.disabled = !hasReply;
  }

  bringIntoView() {
    const begun = this.script.length > 0 || this.parts.pending.hasChildNodes();
    if (this.following && begun) this.view.followEnd();
    else this.view.show(this.script.step(this.at), this.at <= 1);
  }

  // ---- what moves it

  listen() {
    const { foot, toNow } = this.parts;
    for (const [name, node] of Object.entries(foot.buttons)) node.addEventListener("click", () => this.press(name));
    foot.range.addEventListener("input", () => this.go(Number(foot.range.value)));
    foot.ticks.addEventListener("click", ({ target }) => this.goToRound(Number(target.dataset.round)));
    foot.speed.addEventListener("change", () => {
      rememberSpeed(foot.speed.value);
      this.schedule();
    });
    toNow.addEventListener("click", () => this.go(this.script.length));
    foot.tools.addEventListener("click", ({ target }) => this.use(target.dataset.tool));
    this.onKey = (event) => this.key(event);
    this.onLeave = () => rememberPlace(this.story, this.mode, this.whereabouts);
  }

  key(event) {
    const wish = wishOf(event, this.parts);
    if (!wish) return;
    event.preventDefault();
    if (typeof wish === "number") this.goToRound(wish);
    else this.press(wish);
  }

  open(address) {
    document.addEventListener("keydown", this.onKey);
    window.addEventListener("pagehide", this.onLeave);
    this.schedule();
    const wanted = address && !this.isOver ? address : null;
    if (this.live && this.live.address !== wanted) this.hangUp();
    if (!wanted) return;
    if (this.live) this.live.confirm(this.story.status);
    else this.live = new Live(wanted, () => this.script.length, this.ears());
  }

  ears() {
    return {
      event: (event) => this.hear(event),
      token: (step) => this.hearStep("token", step),
      asking: (step) => this.hearStep("asking", step),
      status: (status) => this.hearStatus(status),
      costs: ({ line }) => this.hearCosts(line),
      again: () => (this.under.clear(), this.showLost(false)),
      back: () => this.refresh(),
      lost: () => this.showLost(true),
    };
  }

  // An event can say of earlier ones who knows of them.
  hear({ corrected, ...event }) {
    const index = this.script.indexOf(event.path);
    if (index >= 0 && this.script.has(event, index)) return;
    if (index >= 0) this.cutTo(index); // another take of a step: what followed it is no longer so
    this.append(event);
    if (corrected) this.script.correct(corrected);
    if (this.following || index >= 0) return this.moveTo(this.following ? this.script.length : this.at);
    this.showPosition(); // who looks back is left in peace
    if (corrected) this.showNotebook();
  }

  hearStep(kind, step) {
    if (this.script.indexOf(step.path) < 0) this.under[kind](step);
    this.viewed ??= requestAnimationFrame(() => {
      this.viewed = null;
      if (this.following) this.bringIntoView();
    });
  }

  hearStatus(status) {
    this.story = { ...this.story, ...status };
    if (status.status !== "running") this.under.clear();
    if (this.isOver) this.hangUp();
    if (this.isOver) showWorld(this.context, this.parts.cards, this.world, this.at === this.script.length);
    this.showPosition();
    this.tellMoved();
  }

  // The page around the player offers what can be done with the story as it stands.
  tellMoved() {
    const now = standing(this.story);
    if (now === this.known) return;
    this.known = now;
    this.refresh();
  }

  // What was said meanwhile may have been taken back. Who is on the way to another page is not called back to this one.
  refresh() {
    if (location.pathname === this.path) this.tell("moved", Date.now());
  }

  hearCosts(line) {
    this.costs = line;
    this.showPosition();
  }

  // Without a stream the page still works, by being drawn again.
  showLost(lost) {
    if (lost === this.lost) return; // each try to get it back that fails says so again
    clearInterval(this.asking);
    if (lost) this.asking = setInterval(() => this.refresh(), ASK_AGAIN);
    else this.refresh();
    this.lost = lost;
    this.showPosition();
  }

  hangUp() {
    clearInterval(this.asking);
    this.live?.close();
    this.live = null;
    this.lost = false;
  }

  get whereabouts() {
    return { at: this.following ? null : this.at, playing: this.playing, sheet: this.notebook.shown };
  }

  // Stops all that runs; `update` starts it again. What is seen stays.
  close() {
    clearTimeout(this.timer);
    clearTimeout(this.writing);
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("pagehide", this.onLeave);
    this.hangUp();
  }

  remove() {
    this.close();
    this.view.close();
    this.parts.frame.remove();
  }
}

const players = new WeakMap();

// Called by Streamlit on every rerun, and once by an exported page. Returns what stops the player.
export default function showStory({ data, parentElement, setTriggerValue }) {
  let player = players.get(parentElement);
  if (!player || player.identity !== identityOf(data)) {
    const place = player?.story.id === data.story.id ? player.whereabouts : null;
    player?.remove();
    player = new Player(parentElement, data, place);
    players.set(parentElement, player);
  }
  player.update(data, setTriggerValue);
  const visit = (player.visit = Symbol("visit"));
  return () => {
    if (player.visit === visit) player.close(); // Streamlit may end an outdated call after the one that replaced it
  };
}
