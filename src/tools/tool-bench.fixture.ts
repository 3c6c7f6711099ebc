/** A turn for one tool: records what clients would receive, and answers requests as the test configures. */

import type { ServerRequests, ThreadItem, TurnPlanStep } from "../protocol/generated/types.ts";
import type { PermissionAnswer, PermissionSubject } from "./permission.ts";
import { decidePermissions, FORBIDDEN } from "./permissions.fixture.ts";
import type { Answer, Tool, ToolContext, ToolResult } from "./tool.ts";

export interface ToolBench {
  readonly context: ToolContext;
  /** Items, requests and plans, in order. */
  readonly seen: readonly unknown[];
  /** The output that the model receives for a call. */
  call(tool: Tool, input: unknown, callId?: string): Promise<Pick<ToolResult, "output" | "success">>;
}

interface BenchOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly answer?: Answer<unknown>;
  readonly decide?: (subject: PermissionSubject) => PermissionAnswer;
}

export function openToolBench({
  cwd = "/",
  signal,
  answer,
  decide = () => FORBIDDEN,
}: BenchOptions = {}): ToolBench {
  const seen: unknown[] = [];
  const context: ToolContext = {
    threadId: "thread-1",
    turnId: "turn-1",
    cwd,
    workspaceRoot: cwd,
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
    permissions: decidePermissions(decide),
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
    async call(tool, input, callId = "call-1") {
      const { output, success } = await tool.run(
        {
          callId,
          name: tool.name,
          ...(tool.namespace === undefined ? {} : { namespace: tool.namespace.name }),
          input: typeof input === "string" ? input : JSON.stringify(input),
        },
        context,
      );
      return { output, success };
    },
  };
}
