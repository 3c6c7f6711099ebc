import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";

/** Runs a server whose closing is `close`, after `begin`, as a process of its own. */
function run(begin: string, close: string) {
  const contents = `
    import { runUntilEnd } from "./run-server.ts";
    const say = (message) => console.log(message);
    const heddle = { drain: async () => {}, close: async () => { say("closing"); ${close} } };
    const stdin = setInterval(() => {}, 1000);
    void runUntilEnd(heddle, { info: say, error: say }, new Promise((end) => { ${begin} }));
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
    said: ["something that nobody waited for failed", "closing", "processor task exited"],
  });
});

test("a server that cannot be closed well ends all the same", () => {
  expect(run("end();", 'throw new Error("a full disk");')).toEqual({
    status: 1,
    said: ["closing", "closing the server failed", "processor task exited"],
  });
});
