// The source of a thread: `vscode`, `mcp` or `{"subagent": …}` in the files.

import { textMember } from "../../base/json-members.ts";
import { isObject } from "../../base/json-object.ts";
import type { SessionSource, SubAgentSource, ThreadSourceKind } from "../../protocol/generated/types.ts";

export function storeSource(source: SessionSource): unknown {
  if (source === "appServer") return "mcp";
  if (isObject(source) && "subAgent" in source) return { subagent: source.subAgent };
  return source;
}

const MAX_SOURCE = 16 * 1024;

export function readSource(stored: unknown): SessionSource {
  if (stored === undefined || stored === null) return "vscode";
  if (stored === "cli" || stored === "vscode" || stored === "exec") return stored;
  if (stored === "mcp") return "appServer";
  if (!isObject(stored)) return "unknown";
  if (JSON.stringify(stored).length > MAX_SOURCE) return "unknown";
  const custom = textMember(stored, "custom");
  if (custom !== null) return { custom };
  return "subagent" in stored ? { subAgent: stored["subagent"] as SubAgentSource } : "unknown";
}

/** The source kinds by which thread lists are filtered. */

export const INTERACTIVE_KINDS: readonly ThreadSourceKind[] = ["cli", "vscode"];

export function isInteractiveSource(kind: ThreadSourceKind): boolean {
  return INTERACTIVE_KINDS.includes(kind);
}

const SUB_AGENT_KINDS: readonly ThreadSourceKind[] = [
  "subAgent",
  "subAgentReview",
  "subAgentCompact",
  "subAgentThreadSpawn",
  "subAgentOther",
];

export function sourceKindOf(source: SessionSource): ThreadSourceKind {
  if (typeof source === "string") return source;
  if (!("subAgent" in source)) return "unknown";
  const { subAgent } = source;
  if (subAgent === "review") return "subAgentReview";
  if (subAgent === "compact") return "subAgentCompact";
  if (typeof subAgent === "object" && subAgent !== null && "thread_spawn" in subAgent) {
    return "subAgentThreadSpawn";
  }
  return "subAgentOther";
}

/** Expands a filter: `subAgent` matches all sub-agent kinds. */
export function matchingKinds(requested: readonly ThreadSourceKind[]): ThreadSourceKind[] {
  return [...new Set(requested.flatMap((kind) => (kind === "subAgent" ? SUB_AGENT_KINDS : [kind])))];
}
