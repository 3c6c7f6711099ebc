import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";

/** Runs a server with the given `begin` and `close` in a separate process. */
function run(begin: string, close: string, drain = "Promise.resolve()") {
  const contents = `
    import { runUntilEnd } from "./run-server.ts";
    const say = (message, fields) => console.log([message, ...(fields?.turns ? [fields.turns] : [])].join(": "));
    const heddle = {
      drain: () => ${drain},
      limits: () => ({ drainMs: 100 }),
      running: () => [{ threadId: "t", turnId: "a", isAsking: true }, { threadId: "t", turnId: "b" }],
      close: async () => { say("closing"); ${close} },
    };
    const stdin = setInterval(() => {}, 1000);
    void runUntilEnd(heddle, { info: say, warn: say, error: say }, new Promise((end) => { ${begin} }));
  `;
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    write: false,
  });
  const { status, stdout } = spawnSync(process.execPath, ["-e", outputFiles[0]?.text ?? ""], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, said: stdout.trim().split("\n") };
}

test("a failure that nobody handles ends the server in order", () => {
  expect(run('void Promise.reject(new Error("nobody"));', "")).toEqual({
    status: 1,
    said: ["a task that is not awaited failed", "closing", "processor task exited"],
  });
});

test("a server that cannot be closed well ends all the same", () => {
  expect(run("end();", 'throw new Error("a full disk");')).toEqual({
    status: 1,
    said: ["closing", "closing the server failed", "processor task exited"],
  });
});

const RUNNING =
  "turn a of thread t waits for an answer of a client; turn b of thread t runs (at most 0 s: limits.drain_timeout_sec)";

test("a signal waits for running turns so long and not longer, and says for which", () => {
  const signal =
    'process.on("SIGTERM", () => {}); setTimeout(() => process.kill(process.pid, "SIGTERM"), 50);';
  expect(run(signal, "", "new Promise(() => {})")).toEqual({
    status: 0,
    said: [
      "shutting down once the running turns have ended",
      `waiting for running turns: ${RUNNING}`,
      `running turns did not end in time, and are interrupted: ${RUNNING}`,
      "closing",
      "processor task exited",
    ],
  });
  expect(run(signal, "").said).toEqual([
    "shutting down once the running turns have ended",
    `waiting for running turns: ${RUNNING}`,
    "closing",
    "processor task exited",
  ]);
});
