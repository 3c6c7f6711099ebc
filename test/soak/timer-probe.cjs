// Loaded into a server under test: its socket reports the number of active timers to each connection. Node itself lists
// only timers that keep a process alive.
const { createServer } = require("node:net");
const { isMainThread } = require("node:worker_threads");

const path = process.env.HEDDLE_TIMER_PROBE;

if (path !== undefined && isMainThread) {
  const live = countTimers();
  const server = createServer((socket) => socket.end(String(live.size)));
  // Child processes inherit the environment, and fail to listen on the same socket.
  server.on("error", () => {});
  server.listen(path).unref();
}

function countTimers() {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const live = new Set();
  const counted = (own, replacement) =>
    Object.defineProperties(replacement, Object.getOwnPropertyDescriptors(own));
  const forget = (clear) => (timer) => {
    live.delete(timer);
    clear(timer);
  };
  globalThis.setTimeout = counted(setTimeout, (task, ...rest) => {
    const timer = setTimeout(
      (...given) => {
        live.delete(timer);
        task(...given);
      },
      ...rest,
    );
    live.add(timer);
    return timer;
  });
  globalThis.setInterval = counted(setInterval, (...rest) => {
    const timer = setInterval(...rest);
    live.add(timer);
    return timer;
  });
  globalThis.clearTimeout = forget(clearTimeout);
  globalThis.clearInterval = forget(clearInterval);
  return live;
}
