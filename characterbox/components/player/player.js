// The player: one position in one story, and everything that moves it.

const DENSE = 240; // steps; beyond that only the rounds are marked on the timeline
const NEAR = 60; // pixels from the end within which the reader counts as being there
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

class Player {
  constructor(parent, data, place) {
    const { story, scene, language } = data;
    this.mode = data.mode;
    this.identity = identityOf(data);
    this.context = {
      scene,
      language,
      words: WORDS[language],
      hues: castHues(scene),
      models: data.show_models ? story.models : {},
      narrator: data.show_models ? story.narrator : null,
      rehearsal: story.rehearsal,
    };
    Object.assign(this, frame(this.context, this.mode));
    this.story = story;
    this.events = [];
    this.steps = []; // per event: {step, nodes, section}; nodes are shown from this event on
    this.tail = openingOf(scene); // the world after the last event
    this.under = new Pending(this.pending, this.context);
    this.at = 0;
    this.place = place ?? { at: data.at, playing: false };
    this.atEnd = true; // the reader's eyes are at the end of the script
    parent.append(this.frame);
    this.listen();
  }

  // ---- what is given

  update(data) {
    this.story = { ...this.story, ...data.story };
    this.synchronise(data.events);
    if (this.place) this.settleIn();
    else this.moveTo(this.following ? this.events.length : this.at);
    this.open(data);
  }

  settleIn() {
    const { at, playing } = this.place;
    this.place = null;
    this.following = this.mode === "stage" && (at === null || at >= this.events.length);
    this.moveTo(at ?? this.events.length);
    if (playing) this.setPlaying(true);
  }

  // Takes over what is new, and lets go of what is no longer so. A running story may be ahead of the data.
  synchronise(events) {
    const same = (event, index) => JSON.stringify(event) === JSON.stringify(this.events[index]);
    const known = events.slice(0, this.events.length);
    const firstOther = known.findIndex((event, index) => !same(event, index));
    if (firstOther >= 0) this.cutTo(firstOther);
    else if (this.story.status !== "running") this.cutTo(known.length);
    for (const event of events.slice(this.events.length)) this.append(event);
  }

  cutTo(length) {
    if (length >= this.events.length) return;
    this.moveTo(Math.min(this.at, length));
    this.events.length = length;
    for (const { nodes, tick } of this.steps.splice(length)) [...nodes, tick].forEach((node) => node.remove());
    this.tail = worldAt(this.context.scene, this.events, length);
    this.section = this.steps.at(-1)?.section ?? null;
  }

  append(event) {
    const before = this.tail;
    const step = formOf({ ...this.context, world: before }, event);
    const nodes = [step];
    if (event.round !== before.round && event.kind !== "story_ended") nodes.push(this.addRound(event.round));
    const section = this.sectionFor(event, before);
    if (section !== this.section) nodes.push(section);
    this.section = section;
    step.style.order = String(this.steps.length);
    section.querySelector(MARGIN_KINDS.has(event.kind) ? ".notes" : ".texts").append(step);
    const tick = this.addTick(event, before);
    for (const node of nodes) node.hidden = true;
    this.events.push(event);
    this.steps.push({ step, nodes, section, tick });
    this.tail = after(before, event);
    this.under.settle(event.path);
  }

  addRound(round) {
    const heading = make("h3", "round", this.context.words.round(round));
    this.turns.append(heading);
    return heading;
  }

  sectionFor(event, before) {
    const last = this.events.at(-1);
    const ends = event.kind === "story_ended";
    const sameTurn = last && event.round === before.round && event.turn === before.turn;
    if (this.section && sameTurn && !ends) return this.section;
    const section = make("section", "turn", make("div", "texts"), make("div", "notes"));
    if (event.turn) section.prepend(make("h4", "label", nameOf(this.context, event.turn)));
    else if (!ends) section.prepend(make("h4", "label", this.context.words.stock));
    section.classList.add(event.turn ? "own" : ends ? "end" : "stock");
    this.turns.append(coloured(section, this.context, event.turn));
    return section;
  }

  addTick(event, before) {
    const tick = make("span", "tick");
    if (event.round !== before.round && event.kind !== "story_ended") {
      const mark = make("button", "round-mark", String(event.round));
      mark.type = "button";
      mark.setAttribute("aria-label", this.context.words.round(event.round));
      mark.addEventListener("click", () => this.goToRound(event.round));
      tick.append(mark);
      tick.classList.add(event.round % 5 ? "opens-round" : "opens-fifth");
    }
    this.foot.ticks.append(tick);
    this.foot.ticks.classList.toggle("dense", this.events.length >= DENSE);
    this.foot.ticks.classList.toggle("many", event.round > 10);
    return tick;
  }

  // ---- the position

  moveTo(at) {
    const target = Math.min(Math.max(at, Math.min(1, this.events.length)), this.events.length);
    this.steps[this.at - 1]?.step.classList.remove("lit");
    for (let i = this.at; i < target; i++) this.steps[i].nodes.forEach((node) => (node.hidden = false));
    for (let i = this.at - 1; i >= target; i--) this.steps[i].nodes.forEach((node) => (node.hidden = true));
    this.at = target;
    this.steps[target - 1]?.step.classList.add("lit");
    this.world = worldAt(this.context.scene, this.events, target);
    showWorld(this.context, this.cards, this.world);
    this.showPosition();
    this.bringIntoView();
  }

  go(at) {
    this.following = this.mode === "stage" && at >= this.events.length;
    this.atEnd = this.following;
    this.moveTo(at);
    if (this.mode === "playback") this.writeAddress();
  }

  goToRound(round) {
    const index = this.events.findIndex((event) => event.round === round);
    if (index >= 0) this.go(index + 1);
  }

  setPlaying(playing) {
    this.playing = playing && this.events.length > 0;
    if (this.playing && this.at === this.events.length) this.go(1);
    this.showPosition();
    this.schedule();
  }

  // The next step comes when this one has had time to be read.
  schedule() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    const text = this.steps[this.at - 1].step.textContent;
    const pace = this.context.scene.language === "zh" ? 90 : 28;
    this.timer = setTimeout(() => this.playOn(), Math.min(1000 + text.length * pace, 7000));
  }

  playOn() {
    this.go(this.at + 1);
    this.setPlaying(this.at < this.events.length);
  }

  press(name) {
    const target = { first: 1, previous: this.at - 1, next: this.at + 1, last: this.events.length };
    if (name === "play") this.setPlaying(!this.playing);
    else this.go(target[name]);
    if (name !== "play") this.schedule();
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
    const { range, buttons, status, progress, ticks } = this.foot;
    const { words } = this.context;
    const total = this.events.length;
    Object.assign(range, { min: String(Math.min(1, total)), max: String(total), value: String(this.at) });
    range.disabled = total === 0;
    for (const name of ["first", "previous"]) buttons[name].disabled = this.at <= 1;
    for (const name of ["next", "last"]) buttons[name].disabled = this.at >= total;
    buttons.play.disabled = total === 0;
    relabel(buttons.play, this.playing ? words.pause : words.play, this.playing ? ICONS.pause : ICONS.play);
    const line = this.statusLine();
    if (status.textContent !== line) status.textContent = line;
    range.setAttribute("aria-valuetext", line);
    if (progress) this.showProgress(progress);
    ticks.hidden = total < 2;
    this.toNow.hidden = this.mode !== "stage" || total === 0 || (this.following && this.atEnd);
    this.pending.hidden = this.at < total;
    this.turns.classList.toggle("empty", total === 0);
    this.turns.dataset.empty = this.mode === "stage" && !this.over ? words.soon : words.noStep;
  }

  statusLine() {
    const { words } = this.context;
    const { status, reason, rounds, calls } = this.story;
    const parts = [];
    if (this.mode === "stage") parts.push(words.status[status] + (reason ? words.because(reason) : ""));
    if (this.world?.round) parts.push(words.roundOf(this.world.round, rounds));
    if (this.world?.turn) parts.push(words.turnOf(this.world.turn));
    if (this.at) parts.push(words.stepOf(this.at, this.expected()));
    if (this.mode === "stage" && calls !== undefined) parts.push(words.calls(calls));
    if (this.connectionLost) parts.push(words.lost);
    return parts.join(words.join);
  }

  expected() {
    if (this.mode === "playback" || this.over) return this.events.length;
    return Math.max(this.story.steps ?? 0, this.events.length);
  }

  get over() {
    return this.story.status === "ended" || this.story.status === "failed";
  }

  showProgress(progress) {
    const { done, steps, rounds, status } = this.story;
    if (status === "ended") Object.assign(progress, { max: 1, value: 1 });
    else if (steps) Object.assign(progress, { max: steps, value: Math.max(done ?? 0, this.events.length) });
    else Object.assign(progress, { max: rounds, value: Math.max(this.tail.round - 1, 0) });
  }

  bringIntoView() {
    const { script } = this;
    if (this.mode === "stage" && this.following) {
      if (this.atEnd) script.scrollTop = script.scrollHeight;
      return;
    }
    const step = this.steps[this.at - 1]?.step;
    if (!step) return;
    if (this.at === 1) script.scrollTop = 0;
    const box = script.getBoundingClientRect();
    const place = step.getBoundingClientRect();
    const top = box.top + Math.min(this.now.lastHeight ?? 0, box.height / 2) + 12;
    const bottom = box.bottom - box.height / 6;
    const by = place.bottom > bottom ? Math.min(place.bottom - bottom, place.top - top) : Math.min(place.top - top, 0);
    if (by) script.scrollTop += by;
  }

  // ---- what moves it

  listen() {
    const { foot, script, toNow } = this;
    for (const [name, node] of Object.entries(foot.buttons)) node.addEventListener("click", () => this.press(name));
    foot.range.addEventListener("input", () => (this.go(Number(foot.range.value)), this.schedule()));
    toNow.addEventListener("click", () => this.go(this.events.length));
    script.addEventListener("scroll", () => {
      this.atEnd = script.scrollHeight - script.scrollTop - script.clientHeight < NEAR;
      this.showPosition();
    });
    this.onKey = (event) => this.key(event);
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.cards.environment.get("description").closest(".card"));
    this.sizes.observe(script);
  }

  // The card of the surroundings lies over the head of the margin: the script starts below it.
  measure() {
    const card = this.now.querySelector(".environment");
    const over = card.getBoundingClientRect().top + 1 >= this.script.getBoundingClientRect().top;
    this.now.lastHeight = over ? card.offsetHeight : 0;
    this.player.style.setProperty("--over", `${this.now.lastHeight}px`);
    this.player.style.setProperty("--bar", `${this.script.offsetWidth - this.script.clientWidth}px`);
    if (!this.measured || this.following) this.bringIntoView();
    this.measured = true;
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const name = KEYS[event.key];
    const round = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
    if ((!name && !round) || !this.isMine(event.composedPath()[0], event.key)) return;
    event.preventDefault();
    if (round) this.goToRound(round);
    else this.press(name);
    this.schedule();
  }

  // A key is the player's when nothing has the focus, or something of the player that has no use for the key.
  isMine(target, key) {
    if (target === this.foot.range) return key === " " || /\d/.test(key);
    if (target instanceof HTMLButtonElement && key === " ") return false;
    const root = this.frame.getRootNode();
    const within = root instanceof ShadowRoot ? root.host : this.frame;
    return this.frame.contains(target) || (target instanceof Node && target.contains(within));
  }

  open(data) {
    if (this.mode === "playback") document.addEventListener("keydown", this.onKey);
    this.schedule();
    const wanted = data.live && !this.over ? data.live : null;
    if (this.live && this.live.address !== wanted) this.hangUp();
    if (wanted && !this.live) this.live = new Live(wanted, () => this.events.length, this.ears());
  }

  ears() {
    return {
      event: (event) => this.hear(event),
      token: (step) => this.hearStep("token", step),
      asking: (step) => this.hearStep("asking", step),
      status: (status) => this.hearStatus(status),
      again: () => (this.under.clear(), this.showConnection(false)),
      lost: () => this.showConnection(true),
    };
  }

  hear(event) {
    const index = this.events.findIndex(({ path }) => path === event.path);
    if (index >= 0) {
      if (JSON.stringify(event) === JSON.stringify(this.events[index])) return;
      this.cutTo(index); // a new take of a step: what followed it is no longer so
    }
    this.append(event);
    this.moveTo(this.following ? this.events.length : this.at);
  }

  hearStep(kind, step) {
    if (!this.events.some(({ path }) => path === step.path)) this.under[kind](step);
    if (this.following) this.bringIntoView();
  }

  hearStatus(status) {
    this.story = { ...this.story, ...status };
    if (status.status !== "running") this.under.clear();
    if (this.over) this.hangUp();
    this.showPosition();
  }

  showConnection(lost) {
    this.connectionLost = lost && !this.over;
    this.showPosition();
  }

  hangUp() {
    this.live?.close();
    this.live = null;
  }

  // Stops all that runs; `update` starts it again. The page stays as it is.
  close() {
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    this.hangUp();
  }

  get whereabouts() {
    return { at: this.following ? null : this.at, playing: this.playing };
  }

  remove() {
    this.close();
    clearTimeout(this.writing);
    this.sizes.disconnect();
    this.frame.remove();
  }
}

function identityOf({ story, scene, mode, language, show_models: showModels }) {
  return JSON.stringify([story.id, story.models, story.narrator, story.rehearsal, scene, mode, language, showModels]);
}

const players = new WeakMap();

// Called by Streamlit on every rerun, and once by an exported page. Returns what stops the player.
export default function showStory({ data, parentElement }) {
  let player = players.get(parentElement);
  if (!player || player.identity !== identityOf(data)) {
    const place = player?.story.id === data.story.id ? player.whereabouts : null;
    player?.remove();
    player = new Player(parentElement, data, place);
    players.set(parentElement, player);
  }
  player.update(data);
  const visit = (player.visit = Symbol("visit"));
  return () => {
    if (player.visit === visit) player.close(); // Streamlit may end an outdated call after the one that replaced it
  };
}
