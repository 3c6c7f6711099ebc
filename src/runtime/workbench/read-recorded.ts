/** Reads the prompts, calls, answers and turn ends of a stored thread, at which hooks would run. */
import type { JsonObject } from "../../base/json-object.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { RecordedCall, ReplayTurn } from "../../hooks/workbench/recorded-events.ts";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { MAX_DECISIONS, type StoredDecision } from "../../store/decisions.ts";
import type { Store } from "../../store/store.ts";
import { namesOfTool } from "../../tools/mcp/tool-names.ts";
import { noLines, type RawCall, readTurnLines, type TurnLines } from "./read-turn-lines.ts";

export interface RecordedThread {
  readonly cwd: string;
  readonly transcriptPath: string | null;
  readonly isFork: boolean;
  readonly turns: readonly ReplayTurn[];
}

const EVERYTHING = 1_000_000;

/** Throws where there is no such thread. */
export async function readRecorded(
  { threads, decisions }: Pick<Store, "threads" | "decisions">,
  threadId: string,
): Promise<RecordedThread> {
  const entry = await threads.read(threadId);
  if (entry === null) throw new Error(`there is no thread ${threadId}`);
  const page = await threads.turns(threadId, { direction: "asc", itemsView: "full", limit: EVERYTHING });
  if (isRefusal(page)) throw new Error(page.message);
  const lines = await readTurnLines(threads, threadId);
  const recorded = await decisions.list({ threadId, limit: MAX_DECISIONS });
  const asked = new Map(recorded.filter(wasAsked).map(({ itemId, verdict }) => [itemId, verdict]));
  return {
    cwd: entry.facts.cwd,
    transcriptPath: entry.location,
    isFork: entry.facts.forkedFromId !== null,
    turns: page.data.map((turn) => toReplayTurn(turn, lines.get(turn.id) ?? noLines(), asked)),
  };
}

/** Whether the decision involved a question, not only the policy, a rule or an earlier grant. */
function wasAsked({ verdict }: StoredDecision): boolean {
  const by = verdict?.by.kind ?? "client";
  return by !== "policy" && by !== "rule" && by !== "sessionGrant";
}

function toReplayTurn(
  turn: Turn,
  { place, calls, requests }: TurnLines,
  asked: ReadonlyMap<string, StoredDecision["verdict"]>,
): ReplayTurn {
  const items = new Map(turn.items.map((item) => [item.id, item]));
  return {
    id: turn.id,
    status: turn.status,
    error: turn.error?.message ?? null,
    settings: place,
    requests,
    items: turn.items.flatMap((item): ReplayTurn["items"] => {
      if (item.type === "userMessage") return [{ kind: "prompt", text: promptOf(item) }];
      if (item.type === "agentMessage") return [{ kind: "answer", text: item.text }];
      if (item.type === "contextCompaction") return [{ kind: "compaction" }];
      return item.type === "hookPrompt" ? [{ kind: "continuation" }] : [];
    }),
    calls: calls.map((call): RecordedCall => {
      const { callId, reason } = call;
      const { name, aliases, input } = call.description;
      const item = items.get(callId);
      const verdict = asked.get(callId);
      return {
        callId,
        name,
        aliases: item?.type === "mcpToolCall" ? namesOfTool(item) : aliases,
        input,
        response: responseOf(item, call),
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

/** The `tool_response` that hooks received; null for a call that did not run or failed. */
function responseOf(item: ThreadItem | undefined, { description, output }: RawCall): unknown {
  switch (item?.type) {
    case "commandExecution":
      return item.exitCode === null ? null : (item.aggregatedOutput ?? "");
    case "mcpToolCall":
      return item.status === "completed" && item.result != null ? withoutNull(item.result) : null;
    case "fileChange":
    case "dynamicToolCall":
      return item.status === "completed" ? output : null;
    default:
      // A command or a patch without an item was denied. Keystrokes are reported with the command that received them.
      return description.kind === "function" && description.name !== "write_stdin" ? output : null;
  }
}

/** Hooks receive only the members that the MCP server sent. */
function withoutNull(result: object): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
}
