/** The kinds of sources by which lists of threads are filtered. */
import type { SessionSource, ThreadSourceKind } from "../protocol/generated/types.ts";

export const INTERACTIVE_KINDS: readonly ThreadSourceKind[] = ["cli", "vscode"];

export function isInteractive(kind: ThreadSourceKind): boolean {
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

/** The kinds that a filter lets through: `subAgent` stands for all of its sort. */
export function matchingKinds(wanted: readonly ThreadSourceKind[]): ThreadSourceKind[] {
  return [...new Set(wanted.flatMap((kind) => (kind === "subAgent" ? SUB_AGENT_KINDS : [kind])))];
}
