// Loaded into a server that is measured: whoever connects to its socket is told what the server still needs after it
// has let go of everything else. Resident memory would also tell how lazy the collector was.
const { createServer } = require("node:net");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

const path = process.env.HEDDLE_MEMORY_PROBE;

/** What is found unused the first time may have held something that is found the second time. */
const COLLECTIONS = 3;

if (path !== undefined && isMainThread) {
  const server = createServer((socket) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    for (let count = 0; count < COLLECTIONS; count += 1) collect();
    const { heapUsed, external } = process.memoryUsage();
    socket.end(String(heapUsed + external));
  });
  // The programs that a server starts inherit its environment, and find the socket taken.
  server.on("error", () => {});
  server.listen(path).unref();
}
