// What is behind the steps of a story: asked of the app step by step, or found in the page that a story was saved as.

class Journal {
  constructor({ address, packed }) {
    this.address = address;
    this.packed = packed;
    this.known = new Map(); // path -> promise of what is behind it
  }

  // Whether nobody has to be asked.
  has(path) {
    return this.packed !== undefined || this.known.has(path);
  }

  // {takes, memory}; null where there is nothing. Rejects when the app does not answer.
  behind(path) {
    if (!this.known.has(path)) {
      const found = this.packed ? this.unpacked(path) : this.asked(path);
      found.catch(() => this.known.delete(path));
      this.known.set(path, found);
    }
    return this.known.get(path);
  }

  // Another take of a step may have come.
  forget() {
    if (!this.packed) this.known.clear();
  }

  async asked(path) {
    const url = new URL(this.address, document.baseURI);
    url.searchParams.set("path", path);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(String(answer.status));
    const found = await answer.json();
    return found.takes.length ? found : null;
  }

  async unpacked(path) {
    this.whole ??= inflated(this.packed);
    const { texts, steps } = await this.whole;
    const step = steps[path];
    if (!step) return null;
    const message = ({ role, content }) => ({ role, content: content.map((number) => texts[number]).join("\n\n") });
    return {
      takes: step.takes.map((take) => ({ ...take, messages: take.messages.map(message) })),
      memory: step.memory?.map((memory) => ({ ...memory, text: texts[memory.text] })) ?? null,
    };
  }
}

async function inflated(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
