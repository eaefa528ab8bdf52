// How long a rater is at an item, told apart from how long it is only open.

const TICK = 1000; // milliseconds
const STILL_READING = 60000; // after the last key, click, scroll or touch
const TELL_EVERY = 60000; // of reading
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"];

class Clock {
  constructor(tell) {
    this.tell = tell; // is told the milliseconds of reading and of idling since it was told last
    this.onSign = () => (this.sign = Date.now());
    this.onHide = () => document.visibilityState === "hidden" && this.flush();
  }

  start() {
    if (this.timer) return;
    this.sign = this.before = Date.now();
    this.reading = this.idle = 0;
    this.timer = setInterval(() => this.tick(), TICK);
    for (const sign of SIGNS) document.addEventListener(sign, this.onSign, { passive: true });
    document.addEventListener("visibilitychange", this.onHide);
  }

  tick() {
    const now = Date.now();
    const there = document.visibilityState === "visible" && document.hasFocus() && now - this.sign < STILL_READING;
    const past = Math.max(0, now - this.before);
    if (there && past < STILL_READING) this.reading += past;
    else this.idle += past; // a machine that slept counts as nobody there
    this.before = now;
    if (this.reading >= TELL_EVERY) this.flush();
  }

  flush() {
    if (!this.timer) return;
    const { reading, idle } = this;
    this.reading = this.idle = 0;
    if (reading > 0) this.tell(Math.round(reading), Math.round(idle));
    else this.idle = idle; // what is only open is told when there is something to tell
  }

  stop() {
    if (!this.timer) return;
    this.tick();
    this.flush();
    clearInterval(this.timer);
    this.timer = null;
    for (const sign of SIGNS) document.removeEventListener(sign, this.onSign);
    document.removeEventListener("visibilitychange", this.onHide);
  }
}
