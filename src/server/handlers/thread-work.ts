import type { Environment } from "../../base/environment.ts";
import type { Engine } from "../../engine/engine.ts";
import { parseInjectedItems } from "../../engine/items/parse-injected-items.ts";
import { refuseTarget, reviewHint } from "../../engine/turn/review-text.ts";
import type { Checker } from "../../protocol/check.ts";
import type { ReviewTarget, Turn } from "../../protocol/generated/types.ts";
import { assertLocalMachine } from "../../runtime/machine/local-machine.ts";
import type { ThreadOperations } from "../../runtime/threads/thread-operations.ts";
import { findThread } from "../../runtime/threads/turn-operations.ts";
import { type Handlers, invalidParams, invalidRequest, unwrap } from "../connections/handler.ts";

export interface ThreadWorkOptions {
  readonly engine: Engine;
  readonly env: Environment;
  readonly checker: Checker;
  readonly threads: () => Promise<ThreadOperations>;
}

type WorkMethod =
  | "thread/compact/start"
  | "thread/shellCommand"
  | "thread/inject_items"
  | "thread/settings/update"
  | "review/start";

/** Work on a thread that is no message of the user. */
export function createThreadWorkHandlers({
  engine,
  env,
  threads,
  checker,
}: ThreadWorkOptions): Handlers<WorkMethod> {
  return {
    async "thread/compact/start"({ threadId }, { afterResponse }) {
      const { begin } = unwrap(await (await threads()).compact(threadId));
      afterResponse(begin);
      return {};
    },

    async "thread/shellCommand"({ threadId, command, timeoutMs = null }, { afterResponse }) {
      findThread(engine, threadId);
      if (command.trim() === "") throw invalidRequest("command must not be empty");
      if (timeoutMs !== null && timeoutMs < 0) {
        throw invalidParams(`thread/shellCommand timeoutMs must be non-negative, got ${timeoutMs}`);
      }
      assertLocalMachine(env);
      const { begin } = unwrap(await (await threads()).runCommand(threadId, { command, timeoutMs }));
      afterResponse(begin);
      return {};
    },

    async "thread/inject_items"({ threadId, items }) {
      findThread(engine, threadId);
      const parsed = parseInjectedItems(items, checker);
      if (parsed.kind === "wrong") throw invalidRequest(parsed.message);
      unwrap(await (await threads()).inject(threadId, parsed.items));
      return {};
    },

    async "thread/settings/update"(params, { afterResponse }) {
      const { begin } = unwrap(await (await threads()).changeSettings(params.threadId, params));
      afterResponse(begin);
      return {};
    },

    async "review/start"({ threadId, target }, { afterResponse }) {
      const thread = findThread(engine, threadId);
      const refusal = refuseTarget(target);
      if (refusal !== null) throw invalidRequest(refusal);
      const { turn, begin } = unwrap(await (await threads()).review(thread.id, target));
      afterResponse(begin);
      return { turn: withTarget(turn, target), reviewThreadId: thread.id };
    },
  };
}

/** Clients show what a review is about as if the user had said it. */
function withTarget(turn: Turn, target: ReviewTarget): Turn {
  const content = [{ type: "text" as const, text: reviewHint(target), text_elements: [] }];
  const item = { type: "userMessage" as const, id: turn.id, clientId: null, content };
  return { ...turn, rootTurnId: null, items: [{ ...item, startedAtMs: null, completedAtMs: null }] };
}
