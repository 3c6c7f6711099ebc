/** The moments of a stored thread at which hooks would run: what was said, what was called and answered, how turns ended. */
import { systemClock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import type { RecordedCall, RecordedTurn } from "../../hooks/workbench/recorded-moments.ts";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { readWholeHistory } from "../../server/threads/stored-threads.ts";
import type { Decision } from "../../store/decisions.ts";
import { readTokenCount, storeUsage } from "../../store/lines/turn-values.ts";
import { openStore } from "../../store/open/open-store.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { describePatch } from "../../tools/apply-patch/run-patch.ts";
import { parseShellApplyPatch } from "../../tools/apply-patch/shell-patch.ts";
import { type CallDescription, describeFunctionCall } from "../../tools/tool.ts";

export interface RecordedThread {
  readonly cwd: string;
  readonly transcriptPath: string | null;
  readonly isFork: boolean;
  readonly turns: readonly RecordedTurn[];
}

/** Decisions that are looked at; a thread with more has lost its oldest. */
const MAX_DECISIONS_READ = 10_000;

/** Throws in words where there is no such thread. */
export async function readRecorded(home: string, threadId: string): Promise<RecordedThread> {
  const createId = createUuidSource(systemClock);
  const store = await openStore({ home, clock: systemClock, log: silentLogger, createId });
  try {
    const entry = await store.threads.read(threadId);
    if (entry === null) throw new Error(`there is no thread ${threadId} in ${home}`);
    const turns = await readWholeHistory(store.threads, threadId);
    const lines = await readLines(store.threads, threadId);
    const decisions = await store.decisions.list({ threadId, limit: MAX_DECISIONS_READ });
    const asked = new Map(decisions.filter(wasAsked).map(({ itemId, verdict }) => [itemId, verdict]));
    return {
      cwd: entry.facts.cwd,
      transcriptPath: entry.location,
      isFork: entry.facts.forkedFromId !== null,
      turns: turns.map((turn) => toRecorded(turn, lines.get(turn.id) ?? noLines(), asked)),
    };
  } finally {
    await store.close();
  }
}

/** Nobody is asked about what the policy, a rule or an earlier answer decides. */
function wasAsked({ verdict }: Decision): boolean {
  const by = verdict?.by.kind ?? "client";
  return by !== "policy" && by !== "rule" && by !== "sessionGrant";
}

/** A call as the model made it, and the text that it was answered with. */
interface RawCall {
  readonly callId: string;
  readonly description: CallDescription;
  /** Why the model wants it done, in its words. */
  readonly reason: string | null;
  output: string | null;
}

/** What the lines of a turn say beyond its items. */
interface TurnLines {
  model: string | null;
  readonly calls: RawCall[];
  readonly requests: JsonObject[];
}

const noLines = (): TurnLines => ({ model: null, calls: [], requests: [] });

/** By the turns that they belong to. */
async function readLines(threads: ThreadStore, threadId: string): Promise<Map<string, TurnLines>> {
  const byTurn = new Map<string, TurnLines>();
  const byId = new Map<string, RawCall>();
  let turn = noLines();
  let total = 0;
  for await (const { line } of threads.lines(threadId)) {
    const { type, payload } = line;
    const named = payload["turn_id"];
    if (typeof named === "string" && (type === "turn_context" || type === "event_msg")) {
      turn = byTurn.get(named) ?? noLines();
      byTurn.set(named, turn);
    }
    if (type === "turn_context" && typeof payload["model"] === "string") turn.model = payload["model"];
    const usage = type === "event_msg" && payload["type"] === "token_count" ? readTokenCount(payload) : null;
    // The same count is said again where only the limits of an account have changed.
    if (usage !== null && usage.total.totalTokens !== total) turn.requests.push(storeUsage(usage.last));
    total = usage?.total.totalTokens ?? total;
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
    const call: RawCall = { callId, description, reason: reasonOf(payload), output: null };
    byId.set(callId, call);
    turn.calls.push(call);
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

function reasonOf({ name, arguments: text }: JsonObject): string | null {
  if (name !== "exec_command" || typeof text !== "string") return null;
  const { justification } = parseObject(text);
  return typeof justification === "string" ? justification : null;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function describeCommand(command: string): CallDescription {
  const patch = parseShellApplyPatch(["bash", "-lc", command]);
  return patch.kind === "none"
    ? { kind: "command", name: "Bash", aliases: [], input: { command } }
    : describePatch(patch.text, { origin: "command" });
}

function toRecorded(
  turn: Turn,
  { model, calls, requests }: TurnLines,
  asked: ReadonlyMap<string, Decision["verdict"]>,
): RecordedTurn {
  const items = new Map(turn.items.map((item) => [item.id, item]));
  return {
    id: turn.id,
    status: turn.status,
    error: turn.error?.message ?? null,
    model,
    requests,
    items: turn.items.flatMap((item): RecordedTurn["items"] => {
      if (item.type === "userMessage") return [{ kind: "prompt", text: promptOf(item) }];
      if (item.type === "agentMessage") return [{ kind: "answer", text: item.text }];
      if (item.type === "contextCompaction") return [{ kind: "compaction" }];
      return item.type === "hookPrompt" ? [{ kind: "continuation" }] : [];
    }),
    calls: calls.map(({ callId, description, reason, output }): RecordedCall => {
      const { name, aliases, input } = description;
      const verdict = asked.get(callId);
      return {
        callId,
        name,
        aliases,
        input,
        response: responseOf(items.get(callId), output),
        asked: asked.has(callId)
          ? {
              input: reason === null ? input : { ...(input as object), description: reason },
              isAllowedByHook: verdict?.by.kind === "hook" && verdict.outcome === "approved",
            }
          : null,
      };
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
  if (item?.type === "mcpToolCall") return item.result == null ? null : withoutNull(item.result);
  return output;
}

/** Of a result of an MCP tool hooks are told what its server has said. */
function withoutNull(result: object): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
}
