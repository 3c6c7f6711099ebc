import type { Environment } from "../../base/environment.ts";
import type { Engine } from "../../engine/engine.ts";
import { parseInjectedItems } from "../../engine/items/parse-injected-items.ts";
import { refuseTarget, reviewHint } from "../../engine/turn/review-text.ts";
import type { Checker } from "../../protocol/check.ts";
import type { ReviewTarget, Turn } from "../../protocol/generated/types.ts";
import { missingMachine } from "../../runtime/machine/local-machine.ts";
import type { ThreadService } from "../../runtime/thread-service.ts";
import { findThread } from "../../runtime/threads/find-thread.ts";
import { type Handlers, invalidParams, invalidRequest, unwrap } from "../connections/handler.ts";

export interface ThreadWorkOptions {
  readonly engine: Engine;
  readonly env: Environment;
  readonly checker: Checker;
  readonly threads: ThreadService;
}

type WorkMethod =
  | "thread/compact/start"
  | "thread/shellCommand"
  | "thread/inject_items"
  | "thread/settings/update"
  | "review/start";

/** Work in a thread that does not start with a user message. */
export function createThreadWorkHandlers({
  engine,
  env,
  threads,
  checker,
}: ThreadWorkOptions): Handlers<WorkMethod> {
  return {
    async "thread/compact/start"(_params, { lane, afterResponse }) {
      const { begin } = unwrap(await threads.compact(lane));
      afterResponse(begin);
      return {};
    },

    async "thread/shellCommand"({ threadId, command, timeoutMs = null }, { lane, afterResponse }) {
      unwrap(findThread(engine, threadId));
      if (command.trim() === "") throw invalidRequest("command must not be empty");
      if (timeoutMs !== null && timeoutMs < 0) {
        throw invalidParams(`thread/shellCommand timeoutMs must be non-negative, got ${timeoutMs}`);
      }
      unwrap(missingMachine(env));
      const { begin } = unwrap(await threads.shell(lane, { command, timeoutMs }));
      afterResponse(begin);
      return {};
    },

    async "thread/inject_items"({ threadId, items }, { lane }) {
      unwrap(findThread(engine, threadId));
      const parsed = parseInjectedItems(items, checker);
      if (parsed.kind === "wrong") throw invalidRequest(parsed.message);
      unwrap(await threads.inject(lane, parsed.items));
      return {};
    },

    async "thread/settings/update"(params, { lane, afterResponse }) {
      const { begin } = unwrap(await threads.changeSettings(lane, params));
      afterResponse(begin);
      return {};
    },

    async "review/start"({ threadId, target }, { lane, afterResponse }) {
      const thread = unwrap(findThread(engine, threadId));
      const refusal = refuseTarget(target);
      if (refusal !== null) throw invalidRequest(refusal);
      const { value: turn, begin } = unwrap(await threads.review(lane, target));
      afterResponse(begin);
      return { turn: withTarget(turn, target), reviewThreadId: thread.id };
    },
  };
}

/** Clients show the target of a review as a user message. */
function withTarget(turn: Turn, target: ReviewTarget): Turn {
  const content = [{ type: "text" as const, text: reviewHint(target), text_elements: [] }];
  const item = { type: "userMessage" as const, id: turn.id, clientId: null, content };
  return { ...turn, rootTurnId: null, items: [{ ...item, startedAtMs: null, completedAtMs: null }] };
}
