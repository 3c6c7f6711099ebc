// One run of a hook.

import { hookEventRows } from "../generated/hook-events.ts";
import { array, choice, define, heddle, i64, nullable, object, string } from "./shape.ts";

export const HookEventName = define(
  "HookEventName",
  choice(...hookEventRows.map(({ wireName }) => wireName)),
);
export const HookExecutionMode = define("HookExecutionMode", choice("sync", "async"));
export const HookHandlerType = define("HookHandlerType", choice("command", "mcpTool", "prompt", "agent"));
export const HookOutputEntryKind = define(
  "HookOutputEntryKind",
  choice("warning", "stop", "feedback", "context", "error"),
);
export const HookOutputEntry = define(
  "HookOutputEntry",
  object({ kind: HookOutputEntryKind, text: string() }),
);
export const HookRunStatus = define(
  "HookRunStatus",
  choice("running", "completed", "failed", "blocked", "stopped"),
);
export const HookScope = define("HookScope", choice("thread", "turn"));
export const HookSource = define(
  "HookSource",
  choice(
    "system",
    "user",
    "project",
    "mdm",
    "sessionFlags",
    "plugin",
    "cloudRequirements",
    "cloudManagedConfig",
    "legacyManagedConfigFile",
    "legacyManagedConfigMdm",
    "unknown",
  ),
);
export const HookRunSummary = define(
  "HookRunSummary",
  object({
    id: string(),
    runId: heddle("The id of this run; `id` is the same for all runs of this hook at this event.", string()),
    eventName: HookEventName,
    handlerType: HookHandlerType,
    executionMode: HookExecutionMode,
    scope: HookScope,
    sourcePath: string(),
    source: HookSource,
    displayOrder: i64(),
    status: HookRunStatus,
    statusMessage: nullable(string()),
    startedAt: i64(),
    completedAt: nullable(i64()),
    durationMs: nullable(i64()),
    entries: array(HookOutputEntry),
  }),
);
