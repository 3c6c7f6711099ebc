/** The moments of a stored thread at which hooks would run: what was said, what was called and answered, how turns ended. */
import { systemClock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import type { RecordedCall, RecordedTurn } from "../../hooks/workbench/recorded-moments.ts";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { readWholeHistory } from "../../server/threads/stored-threads.ts";
import { openStore } from "../../store/open/open-store.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { describePatch } from "../../tools/apply-patch/run-patch.ts";
import { parseShellApplyPatch } from "../../tools/apply-patch/shell-patch.ts";
import { type CallDescription, describeFunctionCall } from "../../tools/tool.ts";

export interface RecordedThread {
  readonly cwd: string;
  readonly transcriptPath: string | null;
  readonly turns: readonly RecordedTurn[];
}

/** Throws in words where there is no such thread. */
export async function readRecorded(home: string, threadId: string): Promise<RecordedThread> {
  const createId = createUuidSource(systemClock);
  const store = await openStore({ home, clock: systemClock, log: silentLogger, createId });
  try {
    const entry = await store.threads.read(threadId);
    if (entry === null) throw new Error(`there is no thread ${threadId} in ${home}`);
    const turns = await readWholeHistory(store.threads, threadId);
    const calls = await readCalls(store.threads, threadId);
    return {
      cwd: entry.facts.cwd,
      transcriptPath: entry.location,
      turns: turns.map((turn) => toRecorded(turn, calls.get(turn.id) ?? [])),
    };
  } finally {
    await store.close();
  }
}

/** A call as the model made it, and the text that it was answered with. */
interface RawCall {
  readonly callId: string;
  readonly description: CallDescription;
  output: string | null;
}

/** By the turns that they were made in. */
async function readCalls(threads: ThreadStore, threadId: string): Promise<Map<string, RawCall[]>> {
  const byTurn = new Map<string, RawCall[]>();
  const byId = new Map<string, RawCall>();
  let turnId = "";
  for await (const { line } of threads.lines(threadId)) {
    const { type, payload } = line;
    const named = payload["turn_id"];
    if (typeof named === "string" && (type === "turn_context" || type === "event_msg")) turnId = named;
    if (type !== "response_item") continue;
    const callId = payload["call_id"];
    if (typeof callId !== "string") continue;
    const output = payload["output"];
    const known = byId.get(callId);
    if (known !== undefined && output !== undefined) {
      known.output = typeof output === "string" ? output : JSON.stringify(output);
      continue;
    }
    const description = describeCall(payload);
    if (description === null) continue;
    const call: RawCall = { callId, description, output: null };
    byId.set(callId, call);
    byTurn.set(turnId, [...(byTurn.get(turnId) ?? []), call]);
  }
  return byTurn;
}

/** As the tools themselves would; null for what hooks are not told of. */
function describeCall(payload: JsonObject): CallDescription | null {
  const { type, name, namespace } = payload;
  const input = type === "custom_tool_call" ? payload["input"] : payload["arguments"];
  if ((type !== "function_call" && type !== "custom_tool_call") || typeof name !== "string") return null;
  if (typeof input !== "string") return null;
  if (type === "custom_tool_call" && name === "apply_patch") return describePatch(input);
  const described = describeFunctionCall({
    name,
    input,
    ...(typeof namespace === "string" ? { namespace } : {}),
  });
  const args = isObject(described.input) ? described.input : {};
  if (name === "write_stdin" && (args["chars"] ?? "") === "") return null;
  const command = args["cmd"];
  return name === "exec_command" && typeof command === "string" ? describeCommand(command) : described;
}

function describeCommand(command: string): CallDescription {
  const patch = parseShellApplyPatch(["bash", "-lc", command]);
  return patch.kind === "none"
    ? { kind: "command", name: "Bash", aliases: [], input: { command } }
    : describePatch(patch.text, { origin: "command" });
}

function toRecorded(turn: Turn, calls: readonly RawCall[]): RecordedTurn {
  const items = new Map(turn.items.map((item) => [item.id, item]));
  return {
    id: turn.id,
    isCompleted: turn.status === "completed",
    items: turn.items.flatMap((item): RecordedTurn["items"] => {
      if (item.type === "userMessage") return [{ kind: "prompt", text: promptOf(item) }];
      if (item.type === "agentMessage") return [{ kind: "answer", text: item.text }];
      return item.type === "hookPrompt" ? [{ kind: "continuation" }] : [];
    }),
    calls: calls.map(({ callId, description, output }): RecordedCall => {
      const { name, aliases, input } = description;
      return { callId, name, aliases, input, response: responseOf(items.get(callId), output) };
    }),
    runs: turn.hookRuns,
  };
}

function promptOf({ content }: Extract<ThreadItem, { type: "userMessage" }>): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** What hooks were told of the answer; null where nothing was done. */
function responseOf(item: ThreadItem | undefined, output: string | null): unknown {
  if (item?.type === "commandExecution") return item.exitCode === null ? null : (item.aggregatedOutput ?? "");
  if (item?.type === "mcpToolCall") return item.result ?? null;
  return output;
}
