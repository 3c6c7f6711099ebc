/** Reads the calls and model requests of a stored thread's turns, which are in its lines and not in its items. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { RecordedSettings } from "../../hooks/workbench/recorded-events.ts";
import { readTokenCount, storeUsage } from "../../store/lines/turn-values.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { describePatch } from "../../tools/apply-patch/run-patch.ts";
import { parseShellApplyPatch } from "../../tools/apply-patch/shell-patch.ts";
import { type CallDescription, describeFunctionCall } from "../../tools/tool.ts";

/** A call as the model made it, with its output. */
export interface RawCall {
  readonly callId: string;
  readonly description: CallDescription;
  /** The model's justification. */
  readonly reason: string | null;
  output: string | null;
}

export interface TurnLines {
  place: RecordedSettings;
  readonly calls: RawCall[];
  /** The token usage of each response, in the format of the hook input. */
  readonly requests: JsonObject[];
}

export const noLines = (): TurnLines => ({ place: {}, calls: [], requests: [] });

/** Groups calls and requests by turn id. */
export async function readTurnLines(threads: ThreadStore, threadId: string): Promise<Map<string, TurnLines>> {
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
    if (type === "turn_context") turn.place = placeOf(payload);
    if (type === "event_msg") total = addRequest(turn, payload, total);
    if (type === "response_item") addCall(turn, payload, byId);
  }
  return byTurn;
}

function placeOf(payload: JsonObject): RecordedSettings {
  const model = textOf(payload, "model");
  const permissionMode = payload["approval_policy"] === "never" ? "bypassPermissions" : "default";
  return model === null ? { permissionMode } : { model, permissionMode };
}

/**
 * Returns the total usage. A line repeats the usage where only rate limits have changed, so an unchanged total is
 * skipped.
 */
function addRequest(turn: TurnLines, payload: JsonObject, total: number): number {
  const usage = payload["type"] === "token_count" ? readTokenCount(payload) : null;
  if (usage === null) return total;
  if (usage.total.totalTokens !== total) turn.requests.push(storeUsage(usage.last));
  return usage.total.totalTokens;
}

function addCall(turn: TurnLines, payload: JsonObject, byId: Map<string, RawCall>): void {
  const callId = textOf(payload, "call_id");
  if (callId === null) return;
  const output = payload["output"];
  const known = byId.get(callId);
  if (known !== undefined && output !== undefined) {
    known.output = typeof output === "string" ? output : JSON.stringify(output);
    return;
  }
  const description = describeCall(payload);
  if (description === null) return;
  const call: RawCall = { callId, description, reason: reasonOf(payload), output: null };
  byId.set(callId, call);
  turn.calls.push(call);
}

/** Describes a call as its tool does; null for calls without hook events. */
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
  return textOf(parseObject(text), "justification");
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

function textOf(object: JsonObject, name: string): string | null {
  const value = object[name];
  return typeof value === "string" ? value : null;
}
