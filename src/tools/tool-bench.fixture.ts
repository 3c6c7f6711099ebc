/** A turn for one tool: what clients would see is written down, and answers are given as the test wants them. */

import type { ServerRequests, ThreadItem, TurnPlanStep } from "../protocol/generated/types.ts";
import type { Answer } from "./ask.ts";
import { noteLeave } from "./leave-record.fixture.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

export interface ToolBench {
  readonly context: ToolContext;
  /** Items, questions and plans, in their order. */
  readonly seen: readonly unknown[];
  call(tool: Tool, input: unknown, callId?: string): Promise<ToolResult>;
}

interface BenchOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly answer?: Answer<unknown>;
  readonly recordLeave?: ToolContext["recordLeave"];
}

export function openToolBench({
  cwd = "/",
  signal,
  answer,
  recordLeave = noteLeave(),
}: BenchOptions = {}): ToolBench {
  const seen: unknown[] = [];
  const context: ToolContext = {
    threadId: "thread-1",
    turnId: "turn-1",
    cwd,
    workspaceRoot: cwd,
    recordLeave,
    sandbox: { type: "dangerFullAccess" },
    signal: signal ?? new AbortController().signal,
    items: {
      begin: (begun: ThreadItem) => void seen.push({ begun }),
      complete: (completed: ThreadItem) => void seen.push({ completed }),
      outputDelta() {},
      terminalInteraction() {},
      mcpProgress() {},
    },
    edited() {},
    approve: async () => ({ kind: "declined", reason: "nobody is asked here", cause: "policy" }),
    async ask<M extends keyof ServerRequests>(method: M, params: ServerRequests[M]["params"]) {
      seen.push({ method, params });
      const given = answer ?? { kind: "unanswered", reason: "nobody is here" };
      return given as Answer<ServerRequests[M]["result"]>;
    },
    mode: "default",
    onInput: () => () => {},
    plan: (plan: readonly TurnPlanStep[], explanation) => void seen.push({ plan, explanation }),
  };
  return {
    context,
    seen,
    call: (tool, input, callId = "call-1") =>
      tool.run(
        {
          callId,
          name: tool.name,
          ...(tool.namespace === undefined ? {} : { namespace: tool.namespace.name }),
          input: typeof input === "string" ? input : JSON.stringify(input),
        },
        context,
      ),
  };
}
