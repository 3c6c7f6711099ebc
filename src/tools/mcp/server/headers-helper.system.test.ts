import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import { MAX_PRINTED_BYTES, parseHeaders, printHeaders, withHelperHeaders } from "./headers-helper.ts";
import type { HttpServer } from "./server-config.ts";

function setup() {
  const cwd = mkdtempSync(join(tmpdir(), "heddle-helper-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const clock = createFakeClock();
  const env = { PATH: process.env["PATH"], SECRET: "s" };
  return { cwd, clock, env, isSandboxWritable: (path: string) => path.startsWith(cwd) };
}

function print(command: string, context = setup(), workspacePrograms: "refuse" | "run" = "refuse") {
  return printHeaders({ command, cwd: context.cwd, workspacePrograms }, context);
}

describe("a headers helper", () => {
  test("prints headers in its folder, and sees little of our environment", async () => {
    const headers = await print(`printf '{"X-Folder":"%s","X-Secret":"%s"}' "$PWD" "$SECRET"`);
    expect(headers.get("x-folder")).toContain("heddle-helper-");
    expect(headers.get("x-secret")).toBe("");
  });

  test.each([
    ["exit 3", "exited with status 3"],
    ["kill -9 $$", "exited with signal SIGKILL"],
    [`head -c ${MAX_PRINTED_BYTES + 1} /dev/zero`, "output exceeds 64 KiB"],
    ["yes", "output exceeds 64 KiB"],
    ["echo no", "must output a JSON object of strings"],
    [": ; ".repeat(10_001), "is too long to be judged: put it into a file"],
  ])("%.40s is a fault", async (command, fault) => {
    await expect(print(command)).rejects.toThrow(`MCP HTTP headers helper ${fault}`);
  });

  test("that takes too long is ended", async () => {
    const context = setup();
    const printed = print("sleep 60 & wait", context);
    await context.clock.timer(10_000);
    context.clock.advance(10_000);
    await expect(printed).rejects.toThrow("MCP HTTP headers helper timed out after 10 seconds");
  });

  test.each(["sh ./written.sh", "true && ./written.sh", "echo $(sh written.sh)"])(
    "%s is not run where a confined command could have written it",
    async (command) => {
      const context = setup();
      const script = join(context.cwd, "written.sh");
      writeFileSync(script, "touch ran; echo '{}'\n", { mode: 0o700 });
      await expect(print(command, context)).rejects.toThrow(`was not run: ${script} lies where`);
      expect(existsSync(join(context.cwd, "ran"))).toBe(false);
      await print(command, context, "run").catch(() => {});
      expect(existsSync(join(context.cwd, "ran"))).toBe(true);
    },
  );
});

test.each([
  ['{"Authorization":"x"}', "returned a reserved header"],
  ['{"a b":"x"}', "printed an invalid header"],
  ['{"a":"x\\ny"}', "printed an invalid header"],
  ['{"a":1}', "must output a JSON object of strings"],
  ["[]", "must output a JSON object of strings"],
  ['{"a":"x","A":"y"}', "returned duplicate header names"],
])("%s is refused", (text, fault) => {
  expect(() => parseHeaders(text)).toThrow(fault);
});

test("what is printed goes to the server's origin alone, in place of what is configured, and is printed once", async () => {
  const context = setup();
  const command = `echo run >> runs; printf '{"X-Gateway":"printed"}'`;
  const helper = { command, cwd: context.cwd, workspacePrograms: "run" } as const;
  const sent: unknown[] = [];
  const send: NetworkFetch = async (url, init) => {
    sent.push([String(url), new Headers(init?.headers).get("x-gateway"), init?.redirect]);
    return new Response();
  };
  const server = { url: "https://a.test/mcp", helper } as HttpServer;
  const fetchFn = withHelperHeaders(send, server, context);
  await fetchFn("https://a.test/other", { headers: { "x-gateway": "configured" }, redirect: "follow" });
  await fetchFn("https://b.test/mcp", { headers: { "x-gateway": "configured" }, redirect: "follow" });
  await fetchFn("https://a.test/mcp");
  expect(sent).toEqual([
    ["https://a.test/other", "printed", "manual"],
    ["https://b.test/mcp", "configured", "follow"],
    ["https://a.test/mcp", "printed", "manual"],
  ]);
  expect(readFileSync(join(context.cwd, "runs"), "utf8")).toBe("run\n");
});
