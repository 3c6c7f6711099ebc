// Measures within the page of the console. It is there before the page's own program, and counts in milliseconds since
// the navigation began.

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
/** After the next frame was handed to the screen. */
const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(null);
    });
  });

async function until(isReached, what, milliseconds = 120_000) {
  const deadline = performance.now() + milliseconds;
  while (!isReached()) {
    if (performance.now() > deadline) throw new Error(`${what} did not come`);
    await frame();
  }
  return performance.now();
}

const region = () => document.querySelector('[role="region"][aria-label="Turns"]');
const isShown = (text) => region()?.textContent.includes(text) === true;

/** The gaps between frames, and the most elements, while something happens. */
async function framesDuring(act) {
  const gaps = [];
  let elements = 0;
  const ending = new AbortController();
  let before = await frame();
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const at = await frame();
      gaps.push(at - before);
      before = at;
      elements = Math.max(elements, document.getElementsByTagName("*").length);
    }
  })();
  await act();
  ending.abort();
  await watching;
  return { gaps, elements };
}

globalThis.heddleProbe = {
  async firstPaint() {
    const entry = () => performance.getEntriesByName("first-contentful-paint")[0];
    await until(() => entry() !== undefined, "the first paint");
    return entry().startTime;
  },

  /** When a key first moves the selection in the list of questions. */
  async firstKey() {
    await until(() => {
      document.body?.dispatchEvent(new KeyboardEvent("keydown", { key: "j", code: "KeyJ", bubbles: true }));
      return document.querySelector('.item[aria-current="true"]') !== null;
    }, "the answer to a key");
    return painted();
  },

  /** From the click until the newest items are drawn and the list scrolls. */
  async openThread(threadId, newest) {
    const link = () => document.querySelector(`a[href^="/threads/${threadId}"]`);
    await until(() => link() !== null, "the thread in the list");
    const start = performance.now();
    link().click();
    await until(() => isShown(newest), newest);
    const list = region();
    const { scrollTop } = list;
    list.scrollBy(0, -200);
    await until(() => list.scrollTop < scrollTop, "a scrolled list");
    return (await painted()) - start;
  },

  /** Up by small steps, to the beginning with all pages of the history, by jumps, and to the end. */
  scrollThrough: (oldest, newest) =>
    framesDuring(async () => {
      const list = region();
      for (let step = 0; step < 60; step += 1) {
        list.scrollBy(0, -120);
        await frame();
      }
      await until(() => {
        list.scrollTop = 0;
        return isShown(oldest);
      }, oldest);
      for (let step = 0; step < 120; step += 1) {
        list.scrollBy(0, step % 10 === 0 ? 900 : 120);
        await frame();
      }
      for (let jump = 0; jump < 40; jump += 1) {
        list.scrollTop = list.scrollHeight * ((jump * 7919) % 40) * 0.025;
        await frame();
        await frame();
      }
      await until(() => {
        list.scrollTop = list.scrollHeight;
        return isShown(newest);
      }, newest);
    }),

  /** Collects the time from each key to the frame that follows it. */
  watchKeys() {
    const latencies = [];
    addEventListener(
      "keydown",
      ({ timeStamp }) => void painted().then((at) => latencies.push(at - timeStamp)),
      { capture: true },
    );
    globalThis.heddleProbe.keyLatencies = latencies;
  },

  untilShown: (text) => until(() => isShown(text), text),
};
