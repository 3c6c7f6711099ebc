// The goals of threads. A goal is stored in the thread's history, and all clients are notified of changes.

import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadGoal } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { changeGoal, type GoalBounds, readGoal } from "../../runtime/threads/goal-change.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { type Handlers, invalidRequest, unwrap, unwrapConfig, unwrapStored } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

export interface ThreadGoalOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly notifier: Notifier;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly clock: Clock;
}

type GoalMethod = "thread/goal/set" | "thread/goal/get" | "thread/goal/clear";

interface StoredGoal {
  readonly threadId: string;
  readonly goal: ThreadGoal | null;
  readonly bounds: GoalBounds;
}

export function createThreadGoalHandlers(options: ThreadGoalOptions): Handlers<GoalMethod> {
  const { config, engine, notifier, clock } = options;

  async function readBounds(loaded: Thread | undefined): Promise<GoalBounds> {
    const where =
      loaded === undefined ? {} : { cwd: loaded.settings.cwd, thread: { ...loaded.configOverrides } };
    const { features, values } = unwrapConfig(await (await config.get()).effective(where));
    if (features.get("goals") === false) throw invalidRequest("goals feature is disabled");
    return { maxTokenBudget: values.goals?.max_goal_token_budget ?? null };
  }

  async function find(text: string): Promise<StoredGoal> {
    const bounds = await readBounds(engine.find(text));
    const threadId = unwrap(parseThreadId(text));
    const thread = engine.find(threadId);
    if (thread?.view().ephemeral === true) {
      throw invalidRequest(`ephemeral thread does not support goals: ${threadId}`);
    }
    const entry = await (await options.threadStore()).read(threadId);
    if (thread === undefined && (entry === null || entry.archived)) {
      throw invalidRequest(`thread not found: ${threadId}`);
    }
    return { threadId, goal: readGoal(threadId, entry?.facts.goal ?? null), bounds };
  }

  return {
    async "thread/goal/set"(params, { afterResponse }) {
      const { threadId, goal: current, bounds } = await find(params.threadId);
      const now = Math.floor(clock.now() / 1000);
      const outcome = changeGoal(current, { ...params, threadId }, now, bounds);
      if (outcome.kind === "wrong") throw invalidRequest(outcome.message);
      const { goal } = outcome;
      await engine.find(threadId)?.persistSettings();
      unwrapStored(await (await options.threadStore()).setGoal(threadId, { ...goal }));
      afterResponse(() => notifier.toAll("thread/goal/updated", { threadId, turnId: null, goal }));
      return { goal };
    },

    async "thread/goal/get"({ threadId }) {
      return { goal: (await find(threadId)).goal };
    },

    async "thread/goal/clear"({ threadId: text }, { afterResponse }) {
      const { threadId, goal } = await find(text);
      if (goal === null) return { cleared: false };
      unwrapStored(await (await options.threadStore()).setGoal(threadId, null));
      afterResponse(() => notifier.toAll("thread/goal/cleared", { threadId }));
      return { cleared: true };
    },
  };
}
