// Loaded into a server that is measured: how long its event loop works without a turn for anybody else, in time of the
// processor, so that what other processes take does not count. Each stretch is a line "time milliseconds".
const { appendFileSync, readFileSync } = require("node:fs");

const file = process.env.HEDDLE_LOOP_PROBE;
const TICK_MS = 1;
const LEAST_MS = 0.5;

/** Nanoseconds that the main thread has run. */
const ran = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ", 1)[0]);

let last = ran();
let lines = "";

function tick() {
  const now = ran();
  const ms = (now - last) / 1e6;
  if (ms > LEAST_MS) lines += `${Date.now()} ${ms.toFixed(3)}\n`;
  else if (lines !== "") {
    appendFileSync(file, lines);
    lines = "";
  }
  last = ran();
  setTimeout(tick, TICK_MS).unref();
}

if (file !== undefined) tick();
