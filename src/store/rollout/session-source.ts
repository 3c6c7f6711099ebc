// Where a thread came from: `vscode`, `mcp` or `{"subagent": …}` in the files.
import { isObject } from "../../base/json-object.ts";
import type { SessionSource, SubAgentSource } from "../../protocol/generated/types.ts";
import { textOf } from "./members.ts";

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
  const custom = textOf(stored, "custom");
  if (custom !== null) return { custom };
  return "subagent" in stored ? { subAgent: stored["subagent"] as SubAgentSource } : "unknown";
}
