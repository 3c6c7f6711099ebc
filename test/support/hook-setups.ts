/** Produces each row of the coverage matrix on a server: the calls of a model, and the prompts of a turn. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallKind, PromptKind } from "../../src/hooks/events/coverage.ts";
import type { HookEventName } from "../../src/hooks/hook-event.ts";
import { PNG } from "../../src/tools/view-image/images.fixture.ts";
import type { HookHarness, HookHarnessOptions } from "./hook-harness.ts";
import { customCallDone, functionCallDone, messageReply, reply, unfinishedReply } from "./model-events.ts";
import { type ModelReply, SESSION } from "./scripted-model.ts";

export type CallSetup = Omit<HookHarnessOptions, "replies" | "also"> & {
  readonly replies: readonly ModelReply[];
  /** The tool name in the hook input, if the matrix describes it in words. */
  readonly name?: string;
  /** The hooks that run for earlier calls. */
  readonly before?: readonly string[];
  /** Input that a hook can substitute. */
  readonly rewritten?: object;
  readonly run?: (harness: HookHarness) => Promise<unknown>;
  /** False for a turn that sends no request to the model. */
  readonly isAsked?: false;
};

const call = (name: string, args: unknown, callId = "call_1") =>
  reply(callId, functionCallDone(callId, name, args));
const addition = (name: string) => `*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch`;
const plan = (step: string) => ({ plan: [{ step, status: "pending" }] });
const look = {
  type: "function",
  name: "look",
  description: "Looks",
  inputSchema: { type: "object" },
} as const;
const item = (it: object) => ({ type: "response.output_item.done", item: it });

export const CALL_SETUPS: Readonly<Record<CallKind, CallSetup>> = {
  command: {
    replies: [call("exec_command", { cmd: "touch made" })],
    rewritten: { command: "touch other" },
  },
  patch: {
    thread: { model: "gpt-5.5" },
    replies: [reply("1", customCallDone("call_1", "apply_patch", addition("made.txt")))],
    rewritten: { command: addition("other.txt") },
  },
  "hidden patch": {
    replies: [call("exec_command", { cmd: `apply_patch <<'EOF'\n${addition("made.txt")}\nEOF` })],
    rewritten: { command: addition("other.txt") },
  },
  "MCP tool": {
    name: "mcp__memo__danger_one",
    hasMcp: true,
    replies: [
      reply(
        "1",
        item({
          type: "function_call",
          call_id: "call_1",
          name: "danger_one",
          namespace: "mcp__memo",
          arguments: "{}",
        }),
      ),
    ],
    rewritten: { more: true },
  },
  "dynamic tool": {
    name: "look",
    thread: { dynamicTools: [look] },
    replies: [call("look", { at: 1 })],
    rewritten: { at: 2 },
  },
  plan: {
    tables: "[tools.update_plan]\nenabled = true\n",
    replies: [call("update_plan", plan("a"))],
    rewritten: plan("b"),
  },
  image: {
    replies: [call("view_image", { path: "i.png" })],
    rewritten: { path: "./i.png" },
    async run({ folders, say }) {
      await writeFile(join(folders.workspace, "i.png"), Buffer.from(PNG, "base64"));
      await say("Go");
    },
  },
  typing: {
    replies: [
      call("exec_command", { cmd: "read line; echo got $line", tty: true, yield_time_ms: 250 }, "call_0"),
      call("write_stdin", { session_id: SESSION, chars: "it\n", yield_time_ms: 5000 }),
    ],
    before: ["PreToolUse Bash", "PermissionRequest Bash"],
  },
  permissions: {
    tables: "[features]\nrequest_permissions_tool = true\n",
    thread: { approvalPolicy: "on-request", sandbox: "workspace-write" },
    replies: [call("request_permissions", { permissions: { network: { enabled: true } }, reason: "Out" })],
    rewritten: { permissions: { network: { enabled: true } }, reason: "Another" },
  },
  "web search": {
    replies: [
      reply(
        "1",
        item({
          type: "web_search_call",
          id: "ws_1",
          status: "completed",
          action: { type: "search", query: "q" },
        }),
      ),
    ],
  },
  "user command": {
    replies: [],
    isAsked: false,
    async run({ client, threadId, ended }) {
      const end = ended();
      await client.request("thread/shellCommand", { threadId, command: "echo hello" });
      await end;
    },
  },
};

export type PromptSetup = Omit<HookHarnessOptions, "replies"> & {
  /** The last reply answers the prompt. */
  readonly replies: readonly ModelReply[];
  /** The prompt in the hook input, if there is one. */
  readonly prompt?: string;
  /** Prepares the thread for the prompt. Hooks that run in it are ignored. */
  readonly before?: (harness: HookHarness) => Promise<unknown>;
  /** The last hook event before the prompt. */
  readonly after?: HookEventName;
  readonly run: (harness: HookHarness) => Promise<unknown>;
};

const said = (id: string) => messageReply("Said", { id });
const first = ({ say }: HookHarness) => say("Before");

/** Begins a turn whose model request is held. */
async function beginTurn({ client, threadId, model }: HookHarness): Promise<string> {
  const { turn } = await client.turn.start({ threadId, input: [{ type: "text", text: "Begin" }] });
  await model.arrived(2);
  return turn.id;
}

async function steer({ client, threadId }: HookHarness): Promise<void> {
  const { thread } = await client.thread.read({ threadId, includeTurns: true });
  const expectedTurnId = thread.turns.at(-1)?.id ?? "";
  await client.turn.steer({ threadId, expectedTurnId, input: [{ type: "text", text: "Steered" }] });
}

async function untilEnded({ ended }: HookHarness, start: () => Promise<unknown>): Promise<void> {
  const end = ended();
  await start();
  await end;
}

const PATIENT = "[features]\ninstant_interrupt = false\n";

/** Null for kinds that Heddle does not have yet. */
export const PROMPT_SETUPS: Readonly<Record<PromptKind, PromptSetup | null>> = {
  first: { prompt: "Before", replies: [said("1")], run: first },
  direct: { prompt: "Go", replies: [said("1"), said("2")], before: first, run: ({ say }) => say("Go") },
  steered: {
    tables: PATIENT,
    prompt: "Steered",
    replies: [said("1"), { ...said("2"), held: true }, said("3")],
    async before(harness) {
      await first(harness);
      await beginTurn(harness);
    },
    run: (harness) =>
      untilEnded(harness, async () => {
        await steer(harness);
        harness.model.release();
      }),
  },
  "left over": {
    tables: PATIENT,
    prompt: "Steered",
    replies: [said("1"), unfinishedReply("half", "2"), said("3")],
    async before(harness) {
      await first(harness);
      const turnId = await beginTurn(harness);
      await steer(harness);
      await untilEnded(harness, () => harness.client.turn.interrupt({ threadId: harness.threadId, turnId }));
    },
    run: ({ say }) => say("After"),
  },
  continuation: {
    replies: [said("1"), said("2")],
    also: { Stop: `grep -q '"stop_hook_active":true' || { echo go on >&2; exit 2; }` },
    after: "Stop",
    run: first,
  },
  review: {
    replies: [said("1"), said("2")],
    before: first,
    run: (harness) =>
      untilEnded(harness, () =>
        harness.client.request("review/start", {
          threadId: harness.threadId,
          target: { type: "custom", instructions: "Look at it." },
        }),
      ),
  },
  compaction: {
    replies: [said("1"), said("2")],
    before: first,
    run: (harness) =>
      untilEnded(harness, () =>
        harness.client.request("thread/compact/start", { threadId: harness.threadId }),
      ),
  },
  queued: {
    prompt: "Queued",
    replies: [said("1"), said("2")],
    before: first,
    run: (harness) =>
      untilEnded(harness, () =>
        harness.client.request("thread/queue/add", {
          threadId: harness.threadId,
          input: [{ type: "text", text: "Queued", text_elements: [] }],
          clientUserMessageId: "queued",
        }),
      ),
  },
  goal: null,
};
