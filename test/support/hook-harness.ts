/** A server inside this process with hooks on every event, which record their inputs. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { HOOK_EVENTS, type HookEventName } from "../../src/hooks/hook-event.ts";
import { createHeddle } from "../../src/index.ts";
import type { ThreadStartParams } from "../../src/protocol/generated/types.ts";
import { MCP_PROGRAM } from "../conformance/mcp-program.ts";
import { parseJson } from "./json.ts";
import { modelConfig } from "./model-config.ts";
import { type ModelReply, openScriptedModel } from "./scripted-model.ts";
import { createTempHome } from "./temp-home.ts";

export type RecordedHook = { readonly hook_event_name: HookEventName } & Readonly<Record<string, unknown>>;

export type HookHarnessOptions = {
  readonly replies: readonly ModelReply[];
  /** Whether an MCP server is configured. */
  readonly hasMcp?: boolean;
  /** Shell commands that run as hooks besides the recording ones. */
  readonly also?: Readonly<Partial<Record<HookEventName, string>>>;
  readonly thread?: ThreadStartParams;
  readonly tables?: string;
};

const ASKING = { approvalPolicy: "untrusted", sandbox: "danger-full-access" } as const;

export async function openHookHarness({
  replies,
  also = {},
  thread = {},
  tables = "",
  hasMcp = false,
}: HookHarnessOptions) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const folders = await createTempHome();
  onTestFinished(() => folders.remove());
  const memo = `[mcp_servers.memo]\ncommand = "node"\nargs = [${JSON.stringify(join(folders.home, "memo.mjs"))}]\n`;
  const config = modelConfig(model.url, { tables: `${hasMcp ? memo : ""}${tables}` });
  await folders.write("home/config.toml", config);
  if (hasMcp) await folders.write("home/memo.mjs", MCP_PROGRAM);
  const recorder = await openHookRecorder();
  const { home, workspace: cwd, user: HOME } = folders;
  const heddle = await createHeddle({ home, cwd, env: { HOME, PATH: process.env["PATH"] } });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect({ capabilities: { experimentalApi: true } });
  const asked: string[] = [];
  const note = <T>(method: string, answer: T) => {
    asked.push(method);
    return answer;
  };
  client.answer("item/commandExecution/requestApproval", () => note("command", { decision: "accept" }));
  client.answer("item/fileChange/requestApproval", () => note("patch", { decision: "accept" }));
  client.answer("mcpServer/elicitation/request", () =>
    note("MCP tool", { action: "accept", content: null, _meta: null }),
  );
  client.answer("item/permissions/requestApproval", ({ permissions }) =>
    note("permissions", { permissions, scope: "turn" } as never),
  );
  client.answer("item/tool/call", () => ({
    contentItems: [{ type: "inputText", text: "seen" }],
    success: true,
  }));
  const hooks = Object.fromEntries(
    HOOK_EVENTS.map((event) => {
      const command = also[event];
      const others = command === undefined ? [] : [{ type: "command", command }];
      return [event, [{ hooks: [{ type: "http", url: recorder.url }, ...others] }]];
    }),
  );
  const isReady = new Promise<void>((resolve) => {
    if (!hasMcp) resolve();
    client.on("mcpServer/startupStatus/updated", ({ name, status }) => {
      if (name === "memo" && status === "ready") resolve();
    });
  });
  const started = await client.thread.start({
    cwd,
    ...ASKING,
    ...thread,
    config: { bypass_hook_trust: true, hooks },
  });
  await isReady;
  const threadId = started.thread.id;
  const ended = () =>
    new Promise<void>((resolve) => {
      const stop = client.on("turn/completed", () => {
        stop();
        resolve();
      });
    });
  return {
    model,
    client,
    folders,
    threadId,
    asked,
    ended,
    say: (text: string) => client.runTurn({ threadId, input: [{ type: "text", text }] }),
    /** All requests to the model, as JSON. */
    modelRequests: () => JSON.stringify(model.requests.map(({ body }) => body)),
    /** The recorded inputs of hooks, in order. */
    hookInputs: (): readonly RecordedHook[] => [...recorder.inputs],
  };
}

/** An HTTP hook that records its inputs and returns no decision. It needs no process for each run. */
async function openHookRecorder() {
  const inputs: RecordedHook[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      inputs.push(parseJson(body) as RecordedHook);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { inputs, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

export type HookHarness = Awaited<ReturnType<typeof openHookHarness>>;
