import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { type LogFields, type Logger, silentLogger } from "../../base/logger.ts";
import { createNetworkFetch } from "../../base/network/network-fetch.ts";
import { completed, createScriptedModel, messageEvents } from "../../engine/scripted-model.fixture.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ConfiguredHook, HookHandler } from "../../hooks/configured-hook.ts";
import { fakeHooks } from "../../hooks/hooks.fixture.ts";
import { openModuleHost } from "../../hooks/module/open-module-host.ts";
import type { HandlerResult } from "../../hooks/outcome.ts";
import { runHandler } from "../../hooks/run/run-handler.ts";
import { createLocalHost } from "../../process/local-host.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { createHandlerPorts, type HandlerPortsOptions } from "./handler-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-handler-ports-"));
const worker = join(folder, "hook-worker.cjs");
buildSync({
  entryPoints: ["src/hooks/module/module-worker-main.ts"],
  outfile: worker,
  bundle: true,
  platform: "node",
  format: "cjs",
});
const host = createLocalHost();
const modules = openModuleHost({ file: worker, clock: systemClock, log: silentLogger, env: {} });
afterAll(async () => {
  await modules.close();
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

const never = () => Promise.reject(new Error("nobody has asked for it"));
const settings = {
  model: "big",
  cwd: folder,
  machineCwd: null,
  workspaceRoots: null,
  hasMachine: true,
  sandbox: { type: "workspaceWrite" },
};

/** Nothing else of the pins is asked for here. */

interface Brief extends Partial<HandlerPortsOptions>, Partial<Pick<ConfiguredHook, "source" | "sourcePath">> {
  readonly cwd?: string;
  /** Why what it runs is not what was trusted. */
  readonly refusal?: string;
  readonly sandbox?: () => Promise<Sandbox>;
}

async function run(
  handler: HookHandler,
  { source, sourcePath, cwd = folder, refusal, sandbox = never, ...more }: Brief = {},
) {
  const { hooks } = await fakeHooks([{ event: "Stop", run: () => ({ kind: "interrupted" }) }]).configured();
  const [base] = hooks;
  if (base === undefined) throw new Error("there is no hook");
  const hook: ConfiguredHook = {
    ...base,
    handler,
    timeoutSeconds: 10,
    ...(refusal !== undefined && { refusal: { kind: "changed", message: refusal } as const }),
    ...(source !== undefined && { source }),
    ...(sourcePath !== undefined && { sourcePath }),
  };
  const input = { hook_event_name: "Stop" };
  const { signal } = new AbortController();
  return runHandler(
    hook,
    { cwd, input, inputText: JSON.stringify(input), signal },
    createHandlerPorts(
      {
        threadId: "thread",
        env: { PATH: process.env["PATH"], TOKEN: "t0k" },
        execEnvFor: (at) => ({ cwd: at, env: { PATH: process.env["PATH"] ?? "" } }),
        machine: {
          writablePaths: { contains: () => false },
          commands: {
            get: async () => ({ hookHost: host, shell: () => ({ kind: "bash", path: "/bin/bash" }) }),
          },
          hookTools: {
            get: async () => ({ fetch: createNetworkFetch({}), modules, close: async () => {} }),
          },
          sandbox,
        },
        clock: systemClock,
        log: silentLogger,
        mcp: never,
        model: never,
        identityHeaders: () => ({ originator: "test" }),
        ...more,
      },
      settings as unknown as ThreadSettings,
    ),
  );
}

const exited = (stdout: string, exitCode = 0, stderr = ""): HandlerResult => ({
  kind: "exited",
  exitCode,
  stdout,
  stderr,
  isCut: false,
});

describe("a hook of a thread", () => {
  test("does not run what is not what was trusted", async () => {
    const refusal = "it has changed";
    const failed = { kind: "failed", message: refusal };
    expect(await run({ type: "command", command: "true", isSandboxed: false }, { refusal })).toEqual(failed);
    expect(await run({ type: "module", path: "hook.mjs" }, { refusal })).toEqual(failed);
  });

  test("is a program that the user's shell runs", async () => {
    const command = `cat; echo " $PWD"`;
    expect(await run({ type: "command", command, isSandboxed: false })).toEqual(
      exited(`{"hook_event_name":"Stop"} ${folder}\n`),
    );
  });

  test("is a service, which is told what its headers name", async () => {
    const server = createServer((request, response) => {
      response.end(JSON.stringify({ systemMessage: request.headers["x-token"] }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const result = await run({ type: "http", url, headers: { "x-token": "${TOKEN}" } });
    server.closeAllConnections();
    server.close();
    expect(result).toEqual(exited('{"systemMessage":"t0k"}'));
  });

  test.each([
    ["the file that configures it", { sourcePath: join(folder, "sub", "hooks.json") }],
    ["the thread, where it is in no file", { source: "sessionFlags", cwd: join(folder, "sub") }],
  ] as const)("is a module beside %s", async (_, place) => {
    mkdirSync(join(folder, "sub"), { recursive: true });
    writeFileSync(join(folder, "sub", "hook.mjs"), "export default (input) => input.hook_event_name;");
    expect(await run({ type: "module", path: "./hook.mjs" }, place)).toEqual(exited("Stop"));
  });

  test.each([
    [null, "big"],
    ["small", "small"],
  ])("asks the model that it names, or the thread's: %s", async (wanted, asked) => {
    const model = createScriptedModel([[...messageEvents("m", '{"ok":false,"reason":"no"}'), completed]]);
    const logged: [string, LogFields | undefined][] = [];
    const log: Logger = { ...silentLogger, info: (text, fields) => void logged.push([text, fields]) };
    const prompt: HookHandler = { type: "prompt", prompt: "Fine?", model: wanted };
    expect(await run(prompt, { model: async () => model, log })).toEqual(exited("", 2, "no"));
    expect(model.requests).toMatchObject([{ model: asked, tools: [], headers: { originator: "test" } }]);
    const use = { threadId: "thread", hook: "/hooks.json:0", model: asked, input: 2, output: 1, total: 3 };
    expect(logged).toEqual([["a prompt hook asked a model", use]]);
  });

  test("is a tool of a server, whose answer is cut where it is too long", async () => {
    const request = async () => ({
      kind: "answered",
      result: { content: [{ type: "text", text: "x".repeat(3 << 20) }] },
    });
    const servers = { find: () => ({ find: () => ({ connection: { request } }) }) };
    const mcp = async () => servers as unknown as Awaited<ReturnType<HandlerPortsOptions["mcp"]>>;
    const result = await run({ type: "mcp_tool", server: "s", tool: "t", input: {} }, { mcp });
    expect(result).toMatchObject({ kind: "exited", isCut: true });
    expect(result.kind === "exited" ? result.stdout.length : 0).toBe(1 << 20);
  });

  test("is put into the thread's bounds where it asks for them", async () => {
    const asked: unknown[] = [];
    const sandbox: Sandbox = {
      ability: { kind: "enforced", by: "bubblewrap" },
      wrap({ argv, env }, policy, options) {
        asked.push([argv.at(-1), policy, options.policyCwd]);
        return { ok: true, argv: ["/bin/echo", "confined"], env, release: () => void asked.push("released") };
      },
    };
    const command: HookHandler = { type: "command", command: "true", isSandboxed: true };
    expect(await run(command, { sandbox: async () => sandbox })).toEqual(exited("confined\n"));
    expect(asked).toEqual([["true", settings.sandbox, folder], "released"]);
  });

  test("does not run without bounds where it asks for them", async () => {
    const sandbox: Sandbox = {
      ability: { kind: "none", reason: "no" },
      wrap: () => ({ ok: false, reason: "no" }),
    };
    const command: HookHandler = { type: "command", command: "touch free", isSandboxed: true };
    const message = "hook was not run: it asks for a sandbox, which cannot be had here: no";
    expect(await run(command, { sandbox: async () => sandbox })).toEqual({ kind: "failed", message });
    expect(existsSync(join(folder, "free"))).toBe(false);
  });
});
