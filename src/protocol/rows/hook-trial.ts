// Hooks that are tried without a thread, and compared with what a thread has recorded. The peer has no such methods.

import { HookEventName, HookRunSummary } from "./hook-run.ts";
import { exclusive, request } from "./row.ts";
import {
  anyJson,
  array,
  boolean,
  define,
  i64,
  map,
  nullable,
  object,
  optional,
  string,
  u32,
} from "./shape.ts";

export const HookTestParams = define(
  "HookTestParams",
  object({
    eventName: HookEventName,
    cwd: optional(nullable(string())),
    input: optional(nullable(map(anyJson()))),
    hookKeys: optional(nullable(array(string()))),
  }),
  "`input` has members of the hook's input, and others get defaults. Only hooks that are trusted run.",
);
export const HookTrialHook = define(
  "HookTrialHook",
  object({ key: string(), runs: string(), isRun: boolean(), reason: nullable(string()) }),
  "A hook of the folder: what it runs, and why it does not run at this event.",
);
export const HookTrialRun = define(
  "HookTrialRun",
  object({
    key: string(),
    run: HookRunSummary,
    exitCode: nullable(i64()),
    stdout: nullable(string()),
    stderr: nullable(string()),
  }),
);
export const HookNotRun = define("HookNotRun", object({ key: string(), reason: string() }));
export const HookTrial = define(
  "HookTrial",
  object({
    eventName: HookEventName,
    input: map(anyJson()),
    hooks: array(HookTrialHook),
    runs: array(HookTrialRun),
    notRun: array(HookNotRun),
    isBlocked: boolean(),
    would: array(string()),
  }),
  "What hooks have answered to one event, and in words what would come of it.",
);
export const HookTestResponse = define("HookTestResponse", object({ trial: HookTrial }));
export const HookReplayParams = define(
  "HookReplayParams",
  object({
    threadId: string(),
    turnId: optional(nullable(string())),
    eventName: optional(nullable(HookEventName)),
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
  }),
);
export const HookReplayMoment = define(
  "HookReplayMoment",
  object({
    turnId: string(),
    eventName: HookEventName,
    about: string(),
    recorded: array(HookRunSummary),
    runs: array(HookRunSummary),
    notRun: array(HookNotRun),
    isBlocked: boolean(),
    would: array(string()),
    differences: array(string()),
  }),
  "A moment of a thread at which hooks run: what they did then, and what those of today do.",
);
export const HookReplayResponse = define(
  "HookReplayResponse",
  object({ data: array(HookReplayMoment), nextCursor: nullable(string()), notRebuilt: array(string()) }),
);

export const hookTrialRequests = {
  "hook/test": request({
    summary: "Runs the hooks of an event without a thread, and returns what would come of it.",
    stability: "experimental",
    scope: "admin",
    params: HookTestParams,
    result: HookTestResponse,
    order: exclusive("hook-trials"),
    handlers: "hook-trials",
  }),
  "hook/replay": request({
    summary: "Runs the hooks of today at the moments of a stored thread, a page of them, and compares.",
    stability: "experimental",
    scope: "admin",
    params: HookReplayParams,
    result: HookReplayResponse,
    order: exclusive("hook-trials"),
    handlers: "hook-trials",
  }),
};
