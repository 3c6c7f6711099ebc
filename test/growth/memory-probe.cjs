// Loaded into a measured server: its socket reports the live memory after a garbage collection to each connection.
// Resident memory would include garbage that is not collected yet.
const { createServer } = require("node:net");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

const path = process.env.HEDDLE_MEMORY_PROBE;

/** Finalizers of one collection may release objects for the next one. */
const COLLECTIONS = 3;

if (path !== undefined && isMainThread) {
  const server = createServer((socket) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    for (let count = 0; count < COLLECTIONS; count += 1) collect();
    const { heapUsed, external } = process.memoryUsage();
    socket.end(String(heapUsed + external));
  });
  // Child processes inherit the environment, and fail to listen on the same socket.
  server.on("error", () => {});
  server.listen(path).unref();
}
