import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { MAX_STDOUT_BYTES } from "../run/run-command.ts";
import type { ModuleCall } from "../run/run-handler.ts";
import { openModuleHost } from "./open-module-host.ts";
import type { ModuleHost } from "./open-module-threads.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-modules-"));
const program = join(folder, "hook-worker.cjs");
buildSync({
  entryPoints: ["src/hooks/module/module-worker-main.ts"],
  outfile: program,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const logged: string[] = [];
const log: Logger = {
  error: (message) => logged.push(message),
  warn: (message) => logged.push(message),
  info: (message) => logged.push(message),
  debug: (_message, fields) => logged.push(String(fields?.["text"])),
};

let host: ModuleHost;
const open = (more: object = {}) =>
  openModuleHost({ file: program, clock: systemClock, log, env: { OWN: "mine" }, ...more });
beforeEach(() => {
  logged.length = 0;
  host = open();
});
afterEach(() => host.close());

let count = 0;
function write(text: string, name = `m${count++}.mjs`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const run = (path: string, more: Partial<ModuleCall> = {}) =>
  host.run({
    path,
    input: '{"prompt":"hi"}',
    timeoutSeconds: 10,
    signal: new AbortController().signal,
    ...more,
  });
const exited = (stdout: string) => ({ kind: "exited", exitCode: 0, stdout, stderr: "", isCut: false });
const failed = (message: unknown) => ({ kind: "failed", message });

/** Counts its calls, so that a test detects whether its thread was reused. */
const COUNTING = "let count = 0; export default () => String(++count);";

describe("a module", () => {
  test.each([
    [
      "an object",
      "export default async (input) => ({ systemMessage: input.prompt });",
      '{"systemMessage":"hi"}',
    ],
    ["text", "export default () => 'plain';", "plain"],
    ["nothing", "export default () => {};", ""],
    ["null", "export default () => null;", ""],
    ["a function", "export default () => () => {};", ""],
    ["what it finds in its environment", "export default () => Object.keys(process.env).join();", "OWN"],
    ["whether it was told to stop", "export default (_, { signal }) => String(signal.aborted);", "false"],
  ])("answers %s", async (_, text, stdout) => {
    expect(await run(write(text))).toEqual(exited(stdout));
  });

  test("may be of the older kind", async () => {
    expect(await run(write("module.exports = () => 'common';", "old.cjs"))).toEqual(exited("common"));
  });

  test.each([
    ["throws", "export default () => { throw new Error('no'); };", "no"],
    ["throws no error", "export default () => { throw 'words'; };", "words"],
    ["rejects", "export default async () => { throw new TypeError('no'); };", "no"],
    ["has a circle in its answer", "export default () => { const a = {}; a.a = a; return a; };", /circular/u],
    ["has no default", "export const hook = 1;", /exports no function as its default/u],
    ["cannot be parsed", "export default (", /Unexpected/u],
    ["imports what is not there", "import './nowhere.mjs';", /Cannot find module/u],
    ["ends its thread", "export default () => process.exit(3);", "the module's thread has ended"],
    [
      "throws when nobody waits",
      "export default () => new Promise(() => setTimeout(() => { throw new Error('late'); }, 1));",
      "the module has ended its thread: late",
    ],
  ])("fails when it %s, and the next call finds a new thread", async (_, text, message) => {
    const path = write(text);
    const words = typeof message === "string" ? message : expect.stringMatching(message);
    expect(await run(path)).toEqual(failed(words));
    expect(await run(write(COUNTING))).toEqual(exited("1"));
    expect(await run(path)).toEqual(failed(words));
  });

  test("that uses too much memory loses its thread", async () => {
    const path = write(
      "export default () => { const all = []; for (;;) all.push(new Array(1e6).fill(0.5)); };",
    );
    expect(await run(path)).toEqual(failed(expect.stringMatching(/ended its thread: .*memory/u)));
  });

  test.each([
    ["asks for more memory than there is", "export default () => 'x'.repeat(5e8).split('').length;"],
    ["ends its process", "import { abort } from 'node:process'; export default () => abort();"],
    ["kills its process", "export default () => process.kill(process.pid, 'SIGKILL');"],
  ])("that %s ends only its own process, and the next call starts a new one", async (_, text) => {
    const path = write(text);
    expect(await run(path)).toEqual(failed(expect.stringMatching(/thread|process/u)));
    expect(await run(write(COUNTING))).toEqual(exited("1"));
  });

  test.each([
    ["is not there", "nowhere.mjs", /^module .*nowhere\.mjs does not exist$/u],
    ["has another name", "hook.py", /^module .*hook\.py has no name that ends with \.js, \.mjs, \.cjs$/u],
  ])("is refused when it %s", async (_, name, message) => {
    expect(await run(join(folder, name))).toEqual(failed(expect.stringMatching(message)));
  });

  test("of TypeScript is rejected with a message where Node cannot load it", async () => {
    host = open({ readsTypeScript: false });
    const path = write("export default () => 'typed';", "typed.ts");
    expect(await run(path)).toEqual(
      failed(expect.stringMatching(/is TypeScript, which Node [\d.]+ cannot load: build it/u)),
    );
  });

  test("cannot be run where the package has no program for it", async () => {
    host = open({ file: null });
    expect(await run(write(COUNTING))).toEqual(
      failed("modules cannot be run: this package has no program for them"),
    );
  });

  test("stays warm for the next call, and is loaded anew when it has changed", async () => {
    const path = write(COUNTING);
    expect([await run(path), await run(path)]).toEqual([exited("1"), exited("2")]);
    write(COUNTING.replace("0", "9"), path.slice(folder.length));
    expect([await run(path), await run(path)]).toEqual([exited("10"), exited("11")]);
  });

  test("runs calls at the same time", async () => {
    const path = write(
      "let open; const both = new Promise((resolve) => { let n = 0; open = () => { if (++n === 2) resolve(); }; });" +
        "export default async () => { open(); await both; return 'met'; };",
    );
    expect(await Promise.all([run(path), run(path)])).toEqual([exited("met"), exited("met")]);
  });

  test("that answers too much is cut", async () => {
    const result = await run(write("export default () => 'é'.repeat(2 ** 20);"));
    expect(result).toMatchObject({ kind: "exited", isCut: true });
    expect(result.kind === "exited" && Buffer.byteLength(result.stdout)).toBe(MAX_STDOUT_BYTES);
  });

  test("prints to the log and nowhere else", async () => {
    const path = write(
      "export default () => { console.log('out'); console.error('err'); process.stdout.write('raw'); };",
    );
    expect(await run(path)).toEqual(exited(""));
    await expect.poll(() => logged.join("")).toContain("raw");
    expect(logged.join("")).toMatch(/out/u);
    expect(logged.join("")).toMatch(/err/u);
  });

  test.each([
    ["never answers", "new Promise(() => {})"],
    ["loops for ever", "(() => { for (;;); })()"],
  ])("that %s has only its time, and the next call finds a new thread", async (_, forever) => {
    const path = write(
      `let count = 0; export default (input) => { count += 1; return input.hang ? ${forever} : String(count); };`,
    );
    expect(await run(path)).toEqual(exited("1"));
    const hang = { input: '{"hang":true}', timeoutSeconds: 0.2 };
    expect(await run(path, hang)).toEqual({ kind: "timedOut", seconds: 0.2 });
    expect(await run(path)).toEqual(exited("1"));
  });

  test("that times out in one call lets the others finish", async () => {
    const path = write(
      "let free; const gate = new Promise((resolve) => { free = resolve; });" +
        "export default async (input, { signal }) => {" +
        "  if (!input.hang) return gate.then(() => 'ended');" +
        "  signal.addEventListener('abort', free); return new Promise(() => {}); };",
    );
    const other = run(path);
    expect(await run(path, { input: '{"hang":true}', timeoutSeconds: 0.3 })).toMatchObject({
      kind: "timedOut",
    });
    expect(await other).toEqual(exited("ended"));
  });

  test("is aborted when the turn is interrupted, and keeps its thread", async () => {
    const path = write(
      "let count = 0; const stops = []; export default async (input, { signal }) => {" +
        "  count += 1; if (!input.hang) return `${count} ${stops.length}`;" +
        "  return new Promise((resolve) => signal.addEventListener('abort', () => { stops.push(1); resolve(); })); };",
    );
    await run(path);
    const abort = new AbortController();
    const hanging = run(path, { input: '{"hang":true}', signal: abort.signal });
    await run(path);
    abort.abort();
    expect(await hanging).toEqual({ kind: "interrupted" });
    expect(await run(path)).toEqual(exited("4 1"));
    expect(await run(path, { signal: abort.signal })).toEqual({ kind: "interrupted" });
  });

  test("that loops for ever when the turn is interrupted loses its thread", async () => {
    const begun = join(folder, "begun");
    const path = write(
      "import { writeFileSync } from 'node:fs';" +
        `export default (input) => { if (!input.hang) return 'fine'; writeFileSync('${begun}', ''); for (;;); };`,
    );
    const abort = new AbortController();
    const hanging = run(path, { input: '{"hang":true}', signal: abort.signal });
    await expect.poll(() => existsSync(begun)).toBe(true);
    abort.abort();
    expect(await hanging).toEqual({ kind: "interrupted" });
    const behind = await run(path);
    expect(behind).toEqual(failed("the module's thread has ended"));
    expect(await run(path)).toEqual(exited("fine"));
  });

  test("is evicted when there are too many, the least recently used first", async () => {
    host = open({ maxThreads: 2 });
    const [first, second, third] = [write(COUNTING), write(COUNTING), write(COUNTING)] as const;
    for (const path of [first, second, first, third]) await run(path);
    expect([await run(first), await run(third), await run(second)]).toEqual([
      exited("3"),
      exited("2"),
      exited("1"),
    ]);
  });

  test("ends with the server", async () => {
    const path = write("export default () => new Promise(() => {});");
    const hanging = run(path);
    await run(write(COUNTING));
    await host.close();
    expect(await hanging).toEqual(failed("the server is closing"));
    expect(await run(path)).toEqual({ kind: "interrupted" });
  });
});
