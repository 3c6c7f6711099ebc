// A process that calls a model time after time and has other work in between, so that what arrives is read late and all
// at once. It is a thread of its own: the model must go on answering while it works.

import { parentPort, workerData } from "node:worker_threads";

const { entry, settings, calls, busyMs } = workerData;
const { createCodexAppServer, streamText } = await import(entry);
const model = createCodexAppServer({ defaultSettings: { ...settings, logger: false } })("gpt-5.5");

setInterval(() => {
  const end = performance.now() + busyMs;
  while (performance.now() < end);
}, 1);

for (let call = 1; call <= calls; call += 1) {
  // oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage(await streamText({ model, prompt: "Hello" }).text);
}
model.dispose();
